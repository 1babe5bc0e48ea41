/**
 * Elements without HTML strings: every text becomes a text node, so no token is ever markup.
 *
 * This room holds what any page could use: elements, icons, texts, menus, tabs, downloads. Nothing
 * in it knows of attention, of a trace or of the store.
 */

/**
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, unknown>} [attributes]  a function listens to the event of that name; true
 *   sets an empty attribute; null, undefined and false set none
 * @param {(Node | string | null)[]} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  // Else it would send the form that it stands in.
  if (tag === "button") element.setAttribute("type", "button");
  return filled(element, attributes, children);
}

/**
 * The same in a drawing.
 *
 * @param {string} tag
 * @param {Record<string, unknown>} [attributes]
 * @param {(Node | string | null)[]} children
 */
export function s(tag, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  return filled(/** @type {SVGElement} */ (element), attributes, children);
}

/** @type {<Any extends Element>(element: Any, attributes: Record<string, unknown>, children: (Node | string | null)[]) => Any} */
function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") {
      element.addEventListener(name, /** @type {EventListener} */ (value));
    } else if (value !== null && value !== undefined && value !== false) {
      element.setAttribute(name, value === true ? "" : String(value));
    }
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

/** Whether nothing is to move by itself. */
export function isCalm() {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}

/**
 * Which item of a list an event happened in.
 *
 * @param {HTMLElement} list  its children are the items
 * @param {EventTarget | null} target  the event's
 * @returns {number}  -1 if it was in none
 */
export function itemIndex(list, target) {
  return [...list.children].findIndex((item) => item.contains(/** @type {Node} */ (target)));
}

/**
 * Moves a slider, and fills its track up to there.
 *
 * @param {HTMLInputElement} slider  with a `min` and a `max`
 * @param {number} value
 */
export function setSlider(slider, value) {
  const [min, max] = [Number(slider.min), Number(slider.max)];
  slider.value = String(value);
  slider.style.setProperty("--share", String(max > min ? (value - min) / (max - min) : 1));
}
