/** A list of tokens too long to be seen whole, scrolled to where one is. */

/**
 * Where the items are is measured when they change, and where the list stands when it is scrolled,
 * not at every step: that would be a layout each.
 *
 * @param {HTMLElement} list  which scrolls
 * @returns {{measure: () => void, show: (first: number, last: number) => void}}  `measure` after
 *   the items have changed; `show` brings two of them, by index, into view
 */
export function keepInView(list) {
  /** @type {{top: number, bottom: number}[]} */
  let places = []; // empty if all items are in view anyway
  let wanted = [0, 0];
  let [from, height] = [0, 0]; // what is in view

  function measure() {
    [from, height] = [list.scrollTop, list.clientHeight];
    const fits = list.scrollHeight <= list.clientHeight;
    if (fits) list.removeAttribute("tabindex");
    else list.tabIndex = 0; // so that the arrow keys can scroll it
    const items = /** @type {HTMLElement[]} */ (fits ? [] : [...list.children]);
    places = items.map(({ offsetTop, offsetHeight }) => ({
      top: offsetTop,
      bottom: offsetTop + offsetHeight,
    }));
  }

  /** @type {(first: number, last: number) => void} */
  function show(first, last) {
    wanted = [first, last];
    if (!places[first] || !places[last]) return;
    const { top } = places[first];
    const { bottom } = places[last];
    if (top >= from && bottom <= from + height) return;
    from = top; // whole lines
    list.scrollTop = from;
  }

  list.addEventListener("scroll", () => (from = list.scrollTop));

  new ResizeObserver(() => {
    measure();
    show(wanted[0], wanted[1]);
  }).observe(list);
  return { measure, show };
}
