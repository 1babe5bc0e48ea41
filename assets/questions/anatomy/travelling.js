/** While the steps play, the token that is read runs through the picture, block by block. */

import { s } from "../../kit/dom.js";

/** @import { Diagram } from "../../draw/diagram/plan.js" */
/** @typedef {[x: number, y: number]} Point */

/** The share of a step's time that is spent on the way; then what was written is seen. */
const SHARE = 0.9;

/** @param {SVGElement} drawing */
export function travelling(drawing) {
  let frame = 0;
  /** @type {(() => void) | null} */
  let arrive = null;

  function stop() {
    cancelAnimationFrame(frame);
    arrive?.();
    arrive = null;
  }

  /**
   * @param {Diagram} plan
   * @param {SVGElement[]} blocks  as drawn, in the plan's order
   * @param {{reads: string, writes: string, time: number}} token  `time` in milliseconds, of the whole step
   */
  function start(plan, blocks, { reads, writes, time }) {
    stop();
    const way = wayOf(plan);
    const length = way.at(-1)?.at ?? 0;
    if (!length) return;
    const text = s("text", { "text-anchor": "middle", y: 4 }, reads);
    const vector = s("g", { class: "vector-on-its-way" }, text);
    drawing.append(vector);
    const { width } = /** @type {SVGTextElement} */ (text).getBBox();
    text.before(s("rect", { x: -width / 2 - 8, y: -12, width: width + 16, height: 24, rx: 12 }));
    const readers = plan.boxes.map(
      ({ block }) => block.tower === "decoder" && block.part !== "mask",
    );
    const edges = drawing.querySelectorAll(".edge.memory");
    arrive = () => {
      vector.remove();
      for (const block of [...blocks, ...edges]) block.classList.remove("passed");
    };
    const began = performance.now();
    const move = (/** @type {number} */ now) => {
      const done = Math.min(1, (now - began) / (time * SHARE));
      const [x, y] = pointAt(way, done * length);
      vector.setAttribute("transform", `translate(${x} ${y})`);
      for (const [i, box] of plan.boxes.entries()) {
        if (!readers[i] || box.block.part === "tokens") continue;
        const inside =
          x >= box.x - 1 &&
          x <= box.x + box.width + 1 &&
          y >= box.y - 1 &&
          y <= box.y + box.height + 1;
        blocks[i].classList.toggle("passed", inside);
        if (!inside) continue;
        if (box.block.part === "next") text.textContent = writes;
        const reads = box.block.part === "cross_attention";
        for (const edge of edges) edge.classList.toggle("passed", reads);
      }
      if (done < 1) frame = requestAnimationFrame(move);
      else stop();
    };
    frame = requestAnimationFrame(move);
  }

  return { start, stop };
}

/** @param {Diagram} plan  the decoder's way, from its tokens into what is written, each corner with how far it is */
function wayOf({ edges, boxes }) {
  const next = boxes.filter(({ block }) => block.part === "next");
  const points = [
    ...edges
      .filter(({ sort, to }) => sort === "stream" && to.startsWith("decoder"))
      .flatMap((edge) => edge.points),
    ...next.map(
      ({ x, y, width, height }) => /** @type {Point} */ ([x + width / 2, y + height / 2]),
    ),
  ];
  let at = 0;
  return points.map((point, i) => {
    const [x, y] = points[i - 1] ?? point;
    at += Math.hypot(point[0] - x, point[1] - y);
    return { point, at };
  });
}

/** @type {(way: {point: Point, at: number}[], at: number) => Point} */
function pointAt(way, at) {
  const next = Math.max(
    1,
    way.findIndex((corner) => corner.at >= at),
  );
  const [from, to] = [way[next - 1], way[next] ?? way[next - 1]];
  const share = to.at > from.at ? (at - from.at) / (to.at - from.at) : 1;
  const along = (/** @type {0 | 1} */ i) => from.point[i] + share * (to.point[i] - from.point[i]);
  return [along(0), along(1)];
}
