import assert from "node:assert/strict";
import test from "node:test";
import { layoutDiagram } from "../../assets/draw/diagram/layout.js";
import { aboutText, explainedIn, openedBlock } from "../../assets/questions/anatomy/opened.js";
import { shapeAfter, shapesOf } from "../../assets/questions/anatomy/shapes.js";
import { labels, sketch, writtenText } from "../../assets/questions/anatomy/sketch.js";
import { mayHave, parseBlock, pathOf, towerBlocks } from "../../assets/trace/blocks.js";
import { sinusoids, wavelength } from "../../assets/trace/positions.js";
import { entropy, gradient, scaledRow, scoresOfSize, softmax } from "../../assets/trace/scaling.js";
import { cosine, lengthOf, spread } from "../../assets/trace/vectors.js";
import { strongestHead } from "../../assets/trace/weights.js";
import { makeTrace } from "./traces.js";

/** @typedef {import("../../assets/trace/blocks.js").Config} Config */

/** @param {Partial<Config>} [changes] */
function makeConfig(changes = {}) {
  return /** @type {Config} */ ({
    ...{ src_vocab_size: 90, tgt_vocab_size: 80, d_model: 16, num_heads: 4, d_ff: 24 },
    ...{ num_encoder_layers: 2, num_decoder_layers: 3, norm_placement: "post" },
    ...{ final_norms: false, scale_embeddings: true, activation: "relu" },
    ...changes,
  });
}

/** @type {(config: Config, shown: number | "all") => {encoder: any[], decoder: any[]}} */
const towersOf = (config, shown) => ({
  encoder: towerBlocks(config, "encoder", shown),
  decoder: towerBlocks(config, "decoder", shown),
});

test("the decoder's blocks stand in the order in which data flow, in every layer", () => {
  const names = towerBlocks(makeConfig(), "decoder", 9).map(({ name }) => name.slice(8));
  assert.deepEqual(names, [
    ...["tokens", "embedding", "position", "before"],
    ...["L3.self_attention.mask", "L3.self_attention", "L3.self_attention.add"],
    ...["L3.self_attention.norm", "L3.cross_attention.mask", "L3.cross_attention"],
    ...["L3.cross_attention.add", "L3.cross_attention.norm", "L3.feed_forward"],
    ...["L3.feed_forward.add", "L3.feed_forward.norm", "output", "softmax", "next"],
  ]);
  const pre = makeConfig({ norm_placement: "pre", final_norms: true, num_encoder_layers: 0 });
  const alone = towerBlocks(pre, "decoder", 0).map(({ part }) => part);
  assert.deepEqual(alone.slice(3, 7), ["norm", "mask", "self_attention", "add"]);
  assert.deepEqual(alone.slice(7), [
    "norm",
    "feed_forward",
    "add",
    "rest",
    "norm",
    "output",
    "softmax",
    "next",
  ]);
  assert.deepEqual(towerBlocks(pre, "encoder", 0), []);
});

test("memory leaves the last layer, and layers that are not drawn stand where data run through them", () => {
  const config = makeConfig({ num_encoder_layers: 3, num_decoder_layers: 4 });
  for (const shown of /** @type {const} */ ([0, 1, 3, "all"])) {
    const towers = towersOf(config, shown);
    const layers = (/** @type {import("../../assets/trace/blocks.js").Block[]} */ blocks) => [
      ...new Set(blocks.flatMap(({ layer, stands = [] }) => (layer === null ? stands : [layer]))),
    ];
    // Whichever is drawn, the way through each tower is whole, and in order.
    assert.deepEqual(
      [layers(towers.encoder), layers(towers.decoder)],
      [
        [0, 1, 2],
        [0, 1, 2, 3],
      ],
    );
    const { edges, boxes } = layoutDiagram(900, towers, { encoder: [30], decoder: [30] });
    const memory = edges.filter(({ sort }) => sort === "memory");
    const of = (/** @type {string} */ name) =>
      boxes.map(({ block }) => block).filter((block) => block.name === name);
    for (const { from } of memory) assert.deepEqual(layers(of(from)).at(-1), 2);
    // Every decoder layer reads it.
    assert.deepEqual(layers(memory.flatMap(({ to }) => of(to))), [0, 1, 2, 3]);
    assert.equal(new Set(memory.map(({ from }) => from)).size, 1);
    const path = pathOf([...towers.encoder, ...towers.decoder], "source", 0, 0);
    const rests = boxes.filter(({ block }) => block.part === "rest");
    assert(rests.every(({ block }) => path.has(block.name)));
    assert.equal(path.has("decoder.L1.self_attention"), false);
    // With layer 1 gone through, the source is in the stream that a later layer's self-attention reads.
    if (shown === 1) assert(path.has("decoder.L2.self_attention"));
  }
  assert.equal(towersOf(config, "all").encoder.filter(({ part }) => part === "rest").length, 0);
});

test("an encoder alone stands in the middle, with what guesses a hidden token behind it", () => {
  const guesses = { num_decoder_layers: 0, guesses: true };
  const towers = towersOf(makeConfig(guesses), 0);
  const end = ["encoder.output", "encoder.softmax", "encoder.guess"];
  assert.deepEqual(
    towers.encoder.slice(-3).map(({ name }) => name),
    end,
  );
  for (const room of [500, 1300]) {
    const { boxes, edges, width } = layoutDiagram(room, towers, { encoder: [30], decoder: [] });
    const tokens = boxes.find(({ block }) => block.part === "tokens");
    assert(tokens);
    assert(Math.abs(tokens.x - (width - tokens.x - tokens.width)) < 20);
    assert(!edges.some(({ sort }) => sort === "memory" || sort === "loop"));
  }
  const bare = towersOf(makeConfig({ num_decoder_layers: 0, guesses: false }), 0);
  assert(!bare.encoder.some(({ name }) => end.includes(name)));
});

test("a tower alone is drawn larger on a projector, and what is told of its block has its height", () => {
  const name = "decoder.L1.feed_forward";
  const towers = towersOf(makeConfig({ num_encoder_layers: 0 }), 0);
  const tokens = { encoder: [], decoder: [30] };
  for (const [room, least] of [
    [1298, 1000],
    [1664, 1300],
  ]) {
    const { boxes, width, scale, hole } = layoutDiagram(room, towers, tokens, {
      name,
      height: 300,
    });
    assert(Math.abs(width * scale - room) < 1);
    assert(boxes[0].width * scale > least && scale > 1);
    assert(hole && Math.abs(hole.height * scale - 300) < 1);
  }
  assert.equal(layoutDiagram(900, towers, tokens).scale, 1);
  assert.equal(layoutDiagram(1664, towersOf(makeConfig(), 0), tokens).scale, 1);
});

test("in a room too narrow for it the drawing keeps its own width", () => {
  const towers = towersOf(makeConfig(), 0);
  const tokens = { encoder: [30, 300], decoder: [30, 300] };
  for (const room of [0, 40, 90]) {
    const { width, boxes, frames, chips } = layoutDiagram(room, towers, tokens);
    for (const box of [...boxes, ...frames, ...chips.encoder, ...chips.decoder]) {
      assert(box.width > 0 && box.x >= 0 && box.x + box.width <= width, JSON.stringify(box));
    }
  }
});

test("a name that no model has is none", () => {
  for (const name of [
    ...["", "encoder", "encoder.L1.cross_attention", "encoder.next", "decoder.memory"],
    "decoder.guess",
    ...["decoder.L1.feed_forward.mask", "decoder.L1.norm", "decoder.L1", "x.embedding"],
  ]) {
    assert.equal(parseBlock(name), null, name);
  }
  assert.equal(parseBlock("decoder.L12.cross_attention.add")?.layer, 11);
  const trace = makeTrace(); // of two layers
  assert(mayHave(trace, "encoder.L2.feed_forward") && mayHave(trace, "decoder.next"));
  assert(!mayHave(trace, "encoder.L3.feed_forward"));
  // An encoder says a token where there is no decoder to.
  assert(!mayHave(trace, "encoder.softmax"));
  const { encoder_self } = trace.weights;
  assert(mayHave({ weights: { encoder_self } }, "encoder.guess"));
});

test("no block covers another, and none leaves the drawing, on a phone and in a presenter", () => {
  for (const room of [320, 343, 560, 1200]) {
    for (const changes of [
      {},
      { norm_placement: "pre", final_norms: true },
      { num_encoder_layers: 0 },
    ]) {
      const config = makeConfig(/** @type {Partial<Config>} */ (changes));
      for (const shown of /** @type {const} */ ([0, 2, "all"])) {
        const towers = towersOf(config, shown);
        const tokens = {
          encoder: towers.encoder.length ? [30, 60, 400, 12] : [],
          decoder: [20, 90],
        };
        const { boxes, edges, frames, width, height } = layoutDiagram(room, towers, tokens);
        assert.equal(boxes.length, towers.encoder.length + towers.decoder.length);
        for (const [i, one] of [...boxes, ...frames].entries()) {
          assert(
            one.x >= 0 && one.x + one.width <= width && one.y + one.height <= height,
            `${room}`,
          );
          for (const other of boxes.slice(i + 1)) {
            if (!("block" in one)) continue;
            // A mask may stand within the attention that it is of.
            if (other.block.name === `${one.block.name}.mask`) continue;
            const across =
              Math.min(one.x + one.width, other.x + other.width) - Math.max(one.x, other.x);
            const down =
              Math.min(one.y + one.height, other.y + other.height) - Math.max(one.y, other.y);
            assert(
              across <= 0 || down <= 0,
              `${one.block.name} and ${other.block.name} at ${room}`,
            );
          }
        }
        const names = new Set(boxes.map(({ block }) => block.name));
        for (const { from, to, points } of edges) {
          assert(names.has(from) && names.has(to), `${from} → ${to}`);
          assert(
            points.every(([x, y]) => x >= 0 && x <= width && y >= 0 && y <= height),
            from,
          );
        }
        const count = (/** @type {string} */ sort) =>
          edges.filter((edge) => edge.sort === sort).length;
        const adds = boxes.filter(({ block }) => block.part === "add").length;
        const reads = boxes.filter(
          ({ block: { part, tower } }) =>
            part === "cross_attention" ||
            (part === "rest" && tower === "decoder" && towers.encoder.length > 0),
        ).length;
        assert.deepEqual([count("residual"), count("memory"), count("loop")], [adds, reads, 1]);
      }
    }
  }
});

test("a source token's path runs through the memory into the decoder, a later token has none", () => {
  const { encoder, decoder } = towersOf(makeConfig(), "all");
  const blocks = [...encoder, ...decoder];
  const source = pathOf(blocks, "source", 1, 0);
  assert(source.has("encoder.L1.self_attention") && source.has("decoder.L1.cross_attention"));
  assert(source.has("decoder.L2.self_attention") && source.has("decoder.softmax"));
  assert(!source.has("decoder.L1.self_attention") && !source.has("decoder.embedding"));
  const target = pathOf(blocks, "target", 1, 1);
  assert(target.has("decoder.embedding") && !target.has("encoder.embedding"));
  assert.equal(pathOf(blocks, "target", 2, 1).size, 0);
});

test("positions are the paper's sinusoids, and alike by their distance", () => {
  const rows = sinusoids(5, 8);
  // PyTorch's, and by hand: sin 1, cos 1, sin 0.1, cos 0.1, …
  const first = [0.8415, 0.5403, 0.0998, 0.995, 0.01, 0.99995, 0.001, 1];
  assert(rows[1].every((value, i) => Math.abs(value - first[i]) < 1e-4));
  assert(Math.abs(cosine(rows[0], rows[2]) - cosine(rows[2], rows[4])) < 1e-12);
  assert(Math.abs(wavelength(0, 8) - 2 * Math.PI) < 1e-12);
  assert(Math.abs(wavelength(1, 8) - 20 * Math.PI) < 1e-9);
});

test("softmax without the division is sharper, and has less gradient", () => {
  const query = [1, 2, -1, 0.5];
  const keys = [
    [1, 1, 1, 1],
    [0, 2, 0, 2],
    [-1, 0, 1, 0],
  ]; // q·k: 2.5, 5, -2
  assert.deepEqual(scoresOfSize(query, keys, 4), [2.5, 5, -2]);
  assert.deepEqual(scoresOfSize(query, keys, 64), scoresOfSize(query, keys, 64));
  assert(String(scoresOfSize(query, keys, 64)) !== String(scoresOfSize(query, keys, 64, 2)));
  const even = [0.25, 0.25, 0.25, 0.25];
  assert.deepEqual(
    [entropy(even), gradient(even), entropy([0, 1]), gradient([0, 1])],
    [Math.log(4), 0.75, 0, 0], // nats, as the tab Heads has it
  );
  const [sharp, mild] = [softmax([2.5, 5, -2]), softmax([1.25, 2.5, -1])];
  assert(Math.abs(sharp[1] - 1 / (1 + Math.exp(-2.5) + Math.exp(-7))) < 1e-12);
  assert(entropy(sharp) < entropy(mild) && gradient(sharp) < gradient(mild));
});

test("a row is scaled over the keys that it may see, with the division and without", () => {
  const numbers = {
    query: [Float32Array.from([1, 0, 0, 2]), Float32Array.from([1, 0, 0, 2])],
    key: [Float32Array.from([2, 0, 0, 0]), Float32Array.from([0, 0, 0, 3])],
  };
  const of = { kind: /** @type {const} */ ("decoder_self"), row: 0, size: 4 };
  assert.deepEqual(scaledRow(numbers, of), {
    ...{ first: 0, scores: [2], without: [1], scaled: [1] },
  });
  const { scores, without, scaled } = scaledRow(numbers, { ...of, row: 1 });
  assert.deepEqual(scores, [2, 6]);
  assert.deepEqual([without, scaled], [softmax([2, 6]), softmax([1, 3])]);
  const inverted = scaledRow(numbers, { ...of, row: 1, causal: "inverted" });
  assert.deepEqual([inverted.first, inverted.scores], [1, [6]]);
});

test("what is open is a block of this very model, on the numbers of its own or of the output", () => {
  const trace = makeTrace();
  const parameters = { "decoder.L1.self_attention": 1, "decoder.output": 1 };
  const anatomy = { config: makeConfig({ num_encoder_layers: 0 }), parameters, total: 2 };
  const fromOf = (/** @type {string | null} */ open, shown = trace) =>
    openedBlock(shown, open, anatomy)?.from;
  assert.equal(fromOf("decoder.L1.self_attention"), "decoder.L1.self_attention");
  assert.equal(fromOf("decoder.softmax"), "decoder.output");
  assert.equal(fromOf("decoder.L1.self_attention.mask"), null, "a mask has no numbers");
  for (const none of [null, "decoder.L2.self_attention", "encoder.tokens", "nonsense"]) {
    assert.equal(openedBlock(trace, none, anatomy), null, String(none));
  }
  const guest = /** @type {any} */ ({ ...trace, guest: {} });
  assert.equal(fromOf("decoder.L1.self_attention", guest), null, "of a guest they are not asked");
  // A guest's parameters name no residual connection, which has none.
  assert.equal(fromOf("decoder.L1.self_attention.add", guest), null);
  assert.equal(fromOf("decoder.L2.self_attention.add", guest), undefined);
  assert.deepEqual(
    [explainedIn(trace, "scale"), explainedIn(trace, "decoder.softmax")],
    [...["scale", undefined]],
  );
  assert.equal(explainedIn(guest, "scale"), undefined);
});

test("what is chosen is a token, not a vector", () => {
  const shape = (/** @type {string} */ name) =>
    shapeAfter(/** @type {any} */ (parseBlock(name)), makeConfig(), makeTrace()).names;
  assert.deepEqual(shape("decoder.softmax"), ["tgt", "vocab"]);
  assert.deepEqual(shape("decoder.next"), ["tgt"]);
  assert.deepEqual(shape("encoder.guess"), ["src"]);
});

test("a block says what it does in this model", () => {
  const about = (/** @type {string} */ name, changes = {}) =>
    aboutText((key) => key, makeConfig(changes), /** @type {any} */ (parseBlock(name)));
  assert.equal(about("decoder.L1.self_attention"), "model.about_masked");
  assert.equal(about("encoder.L1.self_attention"), "model.about_self_attention");
  assert.equal(about("decoder.L1.feed_forward.norm", { norm: "rms" }), "model.about_norm_rms");
  assert.equal(about("decoder.L1.feed_forward", { gated: true }), "model.about_gated");
});

test("a step's token stands with its probability where that is known", () => {
  const first = [
    { token: "4", id: 4, probability: 0.05 },
    { token: "5", id: 5, probability: 0.9 },
  ];
  const trace = makeTrace({ tgt_ids: [5, 6], candidates: [first] });
  assert.deepEqual([writtenText(trace, 0), writtenText(trace, 1)], ["5 0.90", "6"]);
});

test("the picture has the layer's blocks, more room where one is open, and layers counted from one", () => {
  const [config, trace] = [makeConfig(), makeTrace({})];
  const measure = (/** @type {string} */ text) => 8 * text.length;
  const heightOf = (/** @type {string | null} */ open) =>
    sketch(config, trace, /** @type {any} */ ({ layer: 1, open }), {
      ...{ width: 900, opened: 300, measure },
    }).plan.height;
  assert(heightOf("decoder.L2.feed_forward") >= heightOf(null) + 300);
  const { blocks } = sketch(config, trace, /** @type {any} */ ({ layer: 1, open: null }), {
    ...{ width: 900, opened: 0, measure },
  });
  const names = blocks.map(({ name }) => name);
  assert(names.includes("encoder.L2.feed_forward") && names.includes("decoder.L2.feed_forward"));
  assert(!names.includes("decoder.L1.feed_forward"));
  const t = (/** @type {string} */ key, /** @type {any} */ holes) =>
    `${key} ${JSON.stringify(holes)}`;
  const { frame } = labels(t, config, trace, measure);
  assert.equal(frame(1, "decoder"), 'model.frame {"n":2,"count":3}');
});

test("a vector's length, and the mean and deviation that LayerNorm takes away", () => {
  assert.equal(lengthOf([3, 4]), 5);
  assert.deepEqual(spread([1, 3, 5, 7]), { mean: 4, deviation: Math.sqrt(5) });
  assert.equal(cosine([0, 0], [1, 1]), 0);
});

test("the strongest head of a cell, over all layers or in one", () => {
  const { cross } = makeTrace().weights; // two layers of four heads, 3 × 3
  assert(cross);
  cross.data[((0 * 4 + 2) * 3 + 1) * 3 + 2] = 0.5;
  cross.data[((1 * 4 + 3) * 3 + 1) * 3 + 2] = 0.75;
  assert.deepEqual(strongestHead(cross, 1, 2, null), { weight: 0.75, layer: 1, head: 3 });
  assert.deepEqual(strongestHead(cross, 1, 2, 0), { weight: 0.5, layer: 0, head: 2 });
});

test("a shape stands where it changes, and only there", () => {
  /** @type {any} */
  const config = { d_model: 64, tgt_vocab_size: 66, num_encoder_layers: 2, num_decoder_layers: 2 };
  const tokens = { src: ["a", "</s>"], tgt_in: ["<s>"], tgt_out: ["a"] };
  /** @type {(from: string, to: string, sort?: string) => string | undefined} */
  const beside = (from, to, sort = "flow") =>
    shapesOf(/** @type {any} */ ({ sort, from, to }), config, tokens, "memory: K, V")[0];
  assert.equal(beside("encoder.tokens", "encoder.embedding"), "[src] = [2]");
  assert.equal(beside("encoder.embedding", "encoder.position"), "[src, d_model] = [2, 64]");
  assert.equal(beside("decoder.output", "decoder.softmax"), "[tgt, vocab] = [1, 66]");
  assert.equal(beside("encoder.position", "encoder.L1.self_attention"), "Q, K, V");
  assert.equal(beside("encoder.L1.self_attention", "encoder.L1.self_attention.add"), undefined);
  assert.equal(
    beside("encoder.L2.feed_forward.norm", "decoder.L1.cross_attention", "memory"),
    "memory: K, V",
  );
});

test("in a wide room a layer is three rows, and what is told of a block has room below its own", () => {
  const towers = towersOf(makeConfig(), 0);
  const tokens = { encoder: [30], decoder: [30] };
  const plan = layoutDiagram(1298, towers, tokens);
  const layer = plan.frames.find(({ tower }) => tower === "decoder");
  assert(layer);
  // What a window of 1366 × 768 has for it, below tokens and embeddings.
  assert(layer.y + layer.height <= 360, `${layer.y + layer.height}`);
  const heights = new Set(plan.boxes.filter(({ block }) => block.layer === 0).map(({ y }) => y));
  assert.equal(plan.hole, null);
  for (const box of plan.boxes) {
    assert(box.x >= 0 && box.x + box.width <= 1298, box.block.name);
    for (const other of plan.boxes) {
      if (other === box || [box, other].some(({ block }) => block.part === "mask")) continue;
      const across = Math.min(box.x + box.width, other.x + other.width) - Math.max(box.x, other.x);
      const down = Math.min(box.y + box.height, other.y + other.height) - Math.max(box.y, other.y);
      assert(across <= 0 || down <= 0, `${box.block.name} lies over ${other.block.name}`);
    }
  }
  assert(heights.size >= 3);

  const name = "decoder.L1.cross_attention.add";
  const opened = layoutDiagram(1298, towers, tokens, { name, height: 300 });
  const yOf = (/** @type {typeof plan} */ { boxes }, /** @type {string} */ part) =>
    boxes.find(({ block }) => block.name === part)?.y ?? Number.NaN;
  assert(opened.hole && opened.hole.height === 300);
  assert(opened.hole.y >= yOf(opened, name));
  assert(yOf(opened, "decoder.L1.feed_forward") >= opened.hole.y + 300);
  assert.equal(yOf(opened, name), yOf(plan, name), "what is above stays");
  assert.equal(yOf(opened, "encoder.L1.feed_forward"), yOf(plan, "encoder.L1.feed_forward"));
  // On a phone it stands elsewhere.
  assert.equal(layoutDiagram(343, towers, tokens, { name, height: 300 }).hole, null);
});
