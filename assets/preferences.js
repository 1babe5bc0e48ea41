/** Language and theme: what was chosen here before, else what the browser prefers. */

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

/**
 * Remembers only what was chosen: someone who never chose keeps following the system.
 *
 * @param {{language: import("./i18n.js").Language, theme: Theme}} chosen
 */
export function remember({ language, theme }) {
  if (language !== startingLanguage()) store("language", language);
  if (theme !== startingTheme()) store("theme", theme);
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
