/** Language, theme and colours: what was chosen here before, else what the browser prefers. */

import { PLAIN, SCALES } from "./color.js";

/** @typedef {"light" | "dark"} Theme */

/** @returns {import("./i18n.js").Language} */
export function startingLanguage() {
  const language = recall("language") ?? navigator.language;
  return language.toLowerCase().startsWith("zh") ? "zh" : "en";
}

/** @returns {Theme} */
export function startingTheme() {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  return (recall("theme") ?? (dark ? "dark" : "light")) === "dark" ? "dark" : "light";
}

/** @returns {import("./color.js").Look} */
export function startingLook() {
  const [scale, gamma, full, rank] = (recall("look") ?? "").split(" ");
  return {
    scale: SCALES.find((name) => name === scale) ?? PLAIN.scale,
    gamma: within(Number(gamma), 0.2, 3) ?? PLAIN.gamma,
    full: within(Number(full), 0.05, 1) ?? PLAIN.full,
    rank: rank === "true",
  };
}

/** @type {(value: number, least: number, most: number) => number | undefined} */
const within = (value, least, most) => (value >= least && value <= most ? value : undefined);

/**
 * Remembers only what was chosen: someone who never chose keeps following the system.
 *
 * @param {{language: import("./i18n.js").Language, theme: Theme, look: import("./color.js").Look}} chosen
 */
export function remember({ language, theme, look }) {
  if (language !== startingLanguage()) store("language", language);
  if (theme !== startingTheme()) store("theme", theme);
  if (lookText(look) !== lookText(startingLook())) store("look", lookText(look));
}

/** @param {import("./color.js").Look} look */
function lookText({ scale, gamma, full, rank }) {
  return `${scale} ${gamma} ${full} ${rank}`;
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
function store(name, value) {
  try {
    localStorage.setItem(`headlight.${name}`, value);
  } catch {
    // storage is blocked: the choice holds for this visit
  }
}
