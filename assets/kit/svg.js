/** Elements of a drawing, as `h` makes those of a page. */

const NAMESPACE = "http://www.w3.org/2000/svg";

/**
 * @param {string} tag
 * @param {Record<string, string | number | boolean | null | EventListener>} [attributes]
 *   a function listens to the event of that name; null and false set none
 * @param {(Node | string | null)[]} children
 * @returns {SVGElement}
 */
export function s(tag, attributes = {}, ...children) {
  const element = /** @type {SVGElement} */ (document.createElementNS(NAMESPACE, tag));
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value !== null && value !== false) element.setAttribute(name, String(value));
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}
