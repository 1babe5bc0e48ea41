/** Where something stands: over the page, or in a row that is longer than its box is wide. */

/** Pixels that a bubble keeps free around it. */
export const GAP = 6;

/**
 * Puts it below what it belongs to or above, whichever is asked for and has room; within the window.
 *
 * @param {HTMLElement} opened  a popover
 * @param {Element} anchor
 * @param {{above?: boolean, end?: boolean}} [how]  `above`, where what lies below is to be seen; `end`:
 *   their right edges are to meet
 */
export function placeBeside(opened, anchor, { above = false, end = false } = {}) {
  const { width, height } = sizeOf(opened);
  const { left, right, top, bottom } = anchor.getBoundingClientRect();
  const { clientWidth, clientHeight } = document.documentElement;
  const x = Math.min(end ? right - width : left, clientWidth - width - GAP);
  const [over, under] = [top - GAP - height, bottom + GAP];
  const fits = above ? over < GAP : under + height <= clientHeight;
  opened.style.left = `${Math.max(GAP, x) + scrollX}px`;
  opened.style.top = `${(fits ? under : Math.max(GAP, over)) + scrollY}px`;
}

/** Scrolls a long row to an item; `covered` pixels at its left hide what is there. @type {(row: Element, item: Element, covered?: number) => void} */
export function scrollRow(row, item, covered = 0) {
  const [box, { left, right }] = [row, item].map((it) => it.getBoundingClientRect());
  if (left < box.left + covered) row.scrollLeft += left - box.left - covered;
  else if (right > box.right) row.scrollLeft += right - box.right;
}

/**
 * A popover that is not shown yet has no size.
 *
 * @param {HTMLElement} opened
 */
function sizeOf(opened) {
  const { display } = opened.style;
  if (!opened.matches(":popover-open")) opened.style.display = "grid";
  const { offsetWidth: width, offsetHeight: height } = opened;
  opened.style.display = display;
  return { width, height };
}
