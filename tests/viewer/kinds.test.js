import assert from "node:assert/strict";
import test from "node:test";
import {
  firstVisible,
  hasMask,
  hiddenBecause,
  isMasked,
  KINDS,
  keyTokens,
  queryTokens,
  rowLabels,
  rowNames,
  visibleKeys,
} from "../../assets/trace/kinds.js";

const TOKENS = { src: ["I", "</s>"], tgt_in: ["<s>", "我"], tgt_out: ["我", "</s>"] };

test("each kind has its own tokens on its two sides", () => {
  const { src, tgt_in, tgt_out } = TOKENS;
  assert.deepEqual(
    KINDS.map((kind) => [queryTokens(TOKENS, kind), keyTokens(TOKENS, kind)]),
    [
      [src, src],
      [tgt_in, tgt_in],
      [tgt_in, src],
    ],
  );
  assert.deepEqual(rowLabels(TOKENS, "encoder_self"), [src]);
  assert.deepEqual(rowLabels(TOKENS, "cross"), [tgt_in, tgt_out]);
  for (const kind of KINDS) {
    assert.equal(rowNames(kind).length, rowLabels(TOKENS, kind).length, kind);
  }
});

test("only the decoder's own later tokens are masked", () => {
  for (const kind of KINDS) {
    for (let query = 0; query < 4; query++) {
      const masked = [0, 1, 2, 3].map((key) => isMasked(kind, query, key));
      assert.deepEqual(
        masked,
        [0, 1, 2, 3].map((key) => kind === "decoder_self" && key > query),
      );
      assert.equal(visibleKeys(kind, query, 4), masked.filter((hidden) => !hidden).length);
    }
  }
});

test("a mask that was taken away hides nothing, an inverted one what comes before", () => {
  /** @type {(causal: import("../../assets/trace/kinds.js").Causal) => boolean[][]} */
  const shown = (causal) =>
    [0, 1, 2].map((query) => [0, 1, 2].map((key) => !isMasked("decoder_self", query, key, causal)));
  assert.deepEqual(shown(false).flat(), new Array(9).fill(true));
  assert.deepEqual(shown("inverted"), [
    [true, true, true],
    [false, true, true],
    [false, false, true],
  ]);
  assert.deepEqual(
    [0, 1, 2].map((query) => firstVisible("decoder_self", query, "inverted")),
    [0, 1, 2],
  );
  assert.equal(visibleKeys("decoder_self", 1, 3, "inverted"), 3);
  assert.deepEqual(
    [true, false, /** @type {const} */ ("inverted")].map((c) => hasMask("decoder_self", 3, c)),
    [true, false, true],
  );
  assert.equal(hasMask("cross", 3, "inverted"), false);
});

test("a cell is masked before it is not decoded yet; the encoder's are always there", () => {
  const why = (/** @type {typeof KINDS[number]} */ kind) =>
    hiddenBecause({ kind, query: 2, key: 3 }, 1);
  assert.deepEqual(KINDS.map(why), [null, "masked", "ahead"]);
  assert.equal(hiddenBecause({ kind: "cross", query: 1, key: 0 }, 1), null);
});
