/** Language, theme and colours: what was chosen here before, else what the browser prefers; and who is new. */

import { PLAIN, parseColoring } from "../draw/coloring.js";
import { nearestLanguage } from "../kit/i18n.js";

/** @import { Coloring } from "../draw/coloring.js" */
/** @import { Theme } from "../draw/color.js" */
/** @typedef {"language" | "theme" | "coloring" | "greeted"} Preference */

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

/** @param {Preference} name */
function recall(name) {
  try {
    return localStorage.getItem(`headlight.${name}`);
  } catch {
    return null; // storage is blocked: the browser's preference it is
  }
}

/** @type {(name: Preference, value: string) => void} */
export function rememberChoice(name, value) {
  try {
    localStorage.setItem(`headlight.${name}`, value);
  } catch {
    // storage is blocked: the choice holds for this visit
  }
}
