/** Copies that fly over the blackboard, for the eye alone: what they show stands there anyway. */

/** Milliseconds of a flight, and between the first and the last to leave: all are on their way together. */
const [FLIGHT, ALL] = [750, 700];

/**
 * @typedef {object} Flight
 * @property {HTMLElement} from
 * @property {HTMLElement} to
 * @property {number} [strength]  how strongly it is seen, 0 to 1
 */

/** @param {Flight[]} flights */
export function flow(flights) {
  for (const [i, { from, to, strength = 1 }] of flights.entries()) {
    const board = /** @type {HTMLElement | null} */ (from.closest(".blackboard"));
    const [ground, start, end] = [board, from, to].map((it) => it?.getBoundingClientRect());
    if (!board || !ground || !start?.width || !end?.width) continue;
    // The presenter zooms the board, and lengths within it are as they would be without.
    const zoom = ground.width / board.offsetWidth;
    const px = (/** @type {number} */ length) => `${length / zoom}px`;
    const copy = /** @type {HTMLElement} */ (from.cloneNode(true));
    copy.classList.add("flying");
    copy.ariaHidden = "true";
    copy.style.cssText += `left: ${px(start.left - ground.left)}; top: ${px(start.top - ground.top)};
      width: ${px(start.width)}; height: ${px(start.height)}`;
    board.append(copy);
    const shift = `translate(${px(end.left - start.left)}, ${px(end.top - start.top)})`;
    const size = `scale(${end.width / start.width}, ${end.height / start.height})`;
    const flight = copy.animate(
      [
        { transform: "none", opacity: 1 },
        { transform: `${shift} ${size}`, opacity: 0.15 + 0.85 * strength, offset: 0.85 },
        { transform: `${shift} ${size}`, opacity: 0 },
      ],
      {
        duration: FLIGHT,
        delay: (ALL * i) / flights.length,
        easing: "cubic-bezier(0.4, 0, 0.2, 1)",
        fill: "backwards",
      },
    );
    const land = () => copy.remove();
    flight.finished.then(land, land);
  }
}

/** @param {HTMLElement} element  is drawn from left to right */
export function wipeIn(element) {
  element.animate(
    [
      { clipPath: "inset(0 100% 0 0)" },
      { clipPath: "inset(0 100% 0 0)", offset: 0.4 },
      { clipPath: "inset(0)" },
    ],
    { duration: FLIGHT + ALL, easing: "ease-out" },
  );
}
