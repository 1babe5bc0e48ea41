/** Language, theme and colours: what was chosen here before, else what the browser prefers; and who is new. */

import { coloringText, PLAIN, parseColoring } from "../draw/coloring.js";
import { nearestLanguage } from "../kit/i18n.js";

/** @typedef {import("../draw/coloring.js").Coloring} Coloring */
/** @typedef {import("../draw/color.js").Theme} Theme */

export function startingLanguage() {
  return nearestLanguage(recall("language") ?? navigator.language);
}

/** @returns {Theme} */
export function startingTheme() {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  return (recall("theme") ?? (dark ? "dark" : "light")) === "dark" ? "dark" : "light";
}

/** @returns {Coloring} */
export function startingColoring() {
  return parseColoring(recall("coloring") ?? "") ?? PLAIN;
}

/** Whether the first minute has never been begun here, or put away. */
export function startingGreeting() {
  return recall("greeted") === null;
}

export function rememberGreeting() {
  remember("greeted", "yes");
}

/** @param {import("../kit/i18n.js").Language} language */
export function rememberLanguage(language) {
  remember("language", language);
}

/** @param {Theme} theme */
export function rememberTheme(theme) {
  remember("theme", theme);
}

/** @param {Coloring} coloring */
export function rememberColoring(coloring) {
  remember("coloring", coloringText(coloring));
}

/** @param {string} name */
function recall(name) {
  try {
    return localStorage.getItem(`headlight.${name}`);
  } catch {
    return null; // storage is blocked: the browser's preference it is
  }
}

/**
 * @param {string} name
 * @param {string} value
 */
function remember(name, value) {
  try {
    localStorage.setItem(`headlight.${name}`, value);
  } catch {
    // storage is blocked: the choice holds for this visit
  }
}
