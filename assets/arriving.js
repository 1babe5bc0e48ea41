/**
 * What stands in the page itself, before all else: it sees to it that the viewer arrives whole, and
 * says so where it does not. A connection may be cut in the middle of a file.
 */

/** Milliseconds until a lost file is asked for again: from the first to the longest. */
const FIRST = 1_000;
const LONGEST = 15_000;

/** @typedef {HTMLScriptElement | HTMLLinkElement} Asking */

/** @type {Set<string>}  the kinds of files that were lost */
const lost = new Set();
let tries = 0;

/** @param {EventTarget | null} target  @returns {target is Asking}  whether it asks for the viewer */
function isOurs(target) {
  const ours = 'script[src*="/joined/"], link[rel="stylesheet"][href*="/joined/"]';
  return target instanceof Element && target.matches(ours);
}

/** Says it for as long as something is lost: in all languages, since nobody has chosen one yet. */
function say() {
  const old = document.getElementById("lost-said");
  if (!lost.size) old?.remove();
  const sentences = document.getElementById("lost");
  if (!lost.size || old || !document.body || !(sentences instanceof HTMLTemplateElement)) return;
  const notice = document.createElement("div");
  notice.id = "lost-said";
  notice.setAttribute("role", "alert");
  notice.style.padding = "1rem";
  notice.append(document.importNode(sentences.content, true));
  document.body.prepend(notice);
}

/** @param {Asking} asking  what brought nothing, or not all */
function bring(asking) {
  const again = /** @type {Asking} */ (document.createElement(asking.localName));
  for (const { name, value } of asking.attributes) again.setAttribute(name, value);
  const name = again instanceof HTMLScriptElement ? "src" : "href";
  // What failed under one address is not asked for again by a browser.
  const address = new URL(again.getAttribute(name) ?? "", document.baseURI);
  address.search = `again=${tries}`;
  again.setAttribute(name, address.href);
  asking.replaceWith(again);
}

// These events do not bubble, and are met on their way down; a load never comes by the window.
document.addEventListener(
  "error",
  ({ target }) => {
    if (!isOurs(target)) return;
    lost.add(target.localName);
    say();
    setTimeout(bring, Math.min(FIRST * 2 ** tries++, LONGEST), target);
  },
  true,
);
document.addEventListener(
  "load",
  ({ target }) => {
    if (isOurs(target)) lost.delete(target.localName);
    say();
  },
  true,
);
addEventListener("DOMContentLoaded", say);
