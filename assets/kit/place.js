/** Where something stands that opens over the page. */

/** What it keeps free around it, in CSS pixels. */
export const GAP = 6;

/**
 * Puts it under what it belongs to, within the window, or above where there is room only there.
 *
 * @param {HTMLElement} opened  a popover; one that is not shown yet has no size, and is put below
 * @param {Element} anchor
 * @param {number} [width]  of one whose right edges are to meet
 */
export function placeBeside(opened, anchor, width) {
  const { left, right, top, bottom } = anchor.getBoundingClientRect();
  const { clientWidth, clientHeight } = document.documentElement;
  const most = clientWidth - (width ?? opened.offsetWidth) - GAP;
  const x = Math.max(GAP, Math.min(width ? right - width : left, most));
  const below = bottom + GAP;
  const fits = below + opened.offsetHeight <= clientHeight;
  const y = fits ? below : Math.max(GAP, top - GAP - opened.offsetHeight);
  opened.style.left = `${x + scrollX}px`;
  opened.style.top = `${y + scrollY}px`;
}

/**
 * Puts it above what it belongs to, where what lies below is to be seen; under it only where there is no
 * room above.
 *
 * @param {HTMLElement} opened
 * @param {Element} anchor
 */
export function placeAbove(opened, anchor) {
  // A popover that is not shown yet has no size.
  opened.style.display = "grid";
  const { offsetHeight, offsetWidth } = opened;
  opened.style.display = "";
  const { left, top, bottom } = anchor.getBoundingClientRect();
  const above = top - GAP - offsetHeight;
  const most = document.documentElement.clientWidth - offsetWidth - GAP;
  opened.style.left = `${Math.max(GAP, Math.min(left, most)) + scrollX}px`;
  opened.style.top = `${(above < 0 ? bottom + GAP : above) + scrollY}px`;
}
