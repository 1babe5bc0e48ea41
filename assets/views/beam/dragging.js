/** Dragging the light of the beam to another word. */

import { nearest } from "../../draw/beam/ribbons.js";

/** A hand that moves less has not dragged, in CSS pixels. */
const LEAST = 5;

/** Pixels from the edge within which the rows scroll along, and by how many. */
const [EDGE, STRIDE] = [28, 12];

/**
 * @param {import("../../state/actions.js").Actions | import("../../state/actions.js").Context["actions"]} actions
 * @param {ReturnType<typeof import("./light.js").beamLight>} light
 * @param {object} how
 * @param {() => Element} how.above  the words that are looked at
 * @param {() => boolean} how.offered  whether the light can be led
 * @param {(index: number) => number[]} how.keysAt  the tokens of a word that may be looked at
 * @param {(index: number) => void} how.look  at a word
 */
export function dragLight(actions, light, { above, offered, keysAt, look }) {
  const { gap, scroller } = light;
  /** @type {{id: number, x: number, moved: boolean} | null} */
  let hand = null;
  /** @type {Element | undefined} */
  let aimed;
  const within = (/** @type {PointerEvent} */ { clientX }) =>
    clientX - scroller.getBoundingClientRect().left;
  /** @param {number} index */
  function mark(index) {
    const item = keysAt(index).length ? above().children[index] : undefined;
    if (item === aimed) return;
    aimed?.classList.remove("aimed-at");
    aimed = item;
    aimed?.classList.add("aimed-at");
  }
  function letGo() {
    hand = null;
    mark(-1);
    light.drag(null);
    document.removeEventListener("keydown", cancel, true);
  }
  /** @param {KeyboardEvent} event */
  function cancel(event) {
    if (event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation();
    letGo();
  }
  gap.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || !offered()) return;
    hand = { id: event.pointerId, x: within(event), moved: false };
    gap.setPointerCapture(event.pointerId);
    actions.pointToken(null);
    document.addEventListener("keydown", cancel, true);
  });
  gap.addEventListener("pointermove", (event) => {
    if (hand?.id !== event.pointerId) return;
    const x = within(event);
    hand.moved ||= Math.abs(x - hand.x) >= LEAST;
    if (!hand.moved) return;
    const { scrollWidth, clientWidth } = scroller;
    if (scrollWidth > clientWidth && x < EDGE) scroller.scrollLeft -= STRIDE;
    if (scrollWidth > clientWidth && x > clientWidth - EDGE) scroller.scrollLeft += STRIDE;
    light.drag(x);
    mark(nearest(light.words(), x));
  });
  gap.addEventListener("pointerup", (event) => {
    if (hand?.id !== event.pointerId) return;
    const index = hand.moved ? nearest(light.words(), within(event)) : -1;
    letGo();
    if (index >= 0) look(index);
  });
  gap.addEventListener("pointercancel", letGo);
}
