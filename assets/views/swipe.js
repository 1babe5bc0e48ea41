/** Stepping by a finger that is swept over the page, where nothing scrolls or slides sideways itself. */

/** A finger that moves less has tapped, in CSS pixels; and so many times as far across as down. */
const [LEAST, ACROSS] = [48, 2];

/** What a finger has another use for. */
const BUSY = "input, select, textarea, .gap.leads, [role='grid'], [popover], dialog, .tour";

/** @type {(element: Element, within: Element) => boolean} */
function scrollsSideways(element, within) {
  for (let each = element; within.contains(each); each = each.parentElement ?? within) {
    const { overflowX } = getComputedStyle(each);
    if (/auto|scroll/.test(overflowX) && each.scrollWidth > each.clientWidth + 1) return true;
    if (each === within) break;
  }
  return false;
}

/**
 * @param {HTMLElement} stage  what is swept over
 * @param {{next: () => void, previous: () => void}} actions
 */
export function listenToSwipes(stage, { next, previous }) {
  /** @type {{id: number, x: number, y: number} | null} */
  let from = null;
  stage.addEventListener(
    "touchstart",
    ({ touches, target }) => {
      const [finger] = touches;
      const free =
        touches.length === 1 &&
        target instanceof Element &&
        !target.closest(BUSY) &&
        !scrollsSideways(target, stage);
      from = free ? { id: finger.identifier, x: finger.clientX, y: finger.clientY } : null;
    },
    { passive: true },
  );
  stage.addEventListener("touchcancel", () => (from = null), { passive: true });
  stage.addEventListener(
    "touchend",
    ({ changedTouches, touches }) => {
      const finger = [...changedTouches].find(({ identifier }) => identifier === from?.id);
      if (!finger || !from || touches.length) return;
      const [x, y] = [finger.clientX - from.x, finger.clientY - from.y];
      from = null;
      if (Math.abs(x) < LEAST || Math.abs(x) < ACROSS * Math.abs(y)) return;
      if (x < 0) next();
      else previous();
    },
    { passive: true },
  );
}
