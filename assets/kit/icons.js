/** The page's icons, drawn on a square of 24 by 24. */

import { s } from "./dom.js";

const ICONS = {
  first: "M6 5v14M19 5 9 12l10 7z",
  previous: "M17 5 7 12l10 7z",
  tour: "M6 21V4h12l-3 4 3 4H6",
  play: "M7 4.5 19 12 7 19.5z",
  pause: "M8 5v14M16 5v14",
  next: "M7 5l10 7-10 7z",
  last: "M18 5v14M5 5l10 7-10 7z",
  language: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18M3 12h18M12 3c-5 5-5 13 0 18M12 3c5 5 5 13 0 18",
  sun: "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8M12 2v3M12 19v3M2 12h3M19 12h3M5 5l2 2M17 17l2 2M5 19l2-2M17 7l2-2",
  present: "M3 4h18v12H3zM12 16v4M8 21h8",
  pin: "M9 3h6l-1 7 4 3v2H6v-2l4-3zM12 15v6",
  save: "M12 4v10m-4-4 4 4 4-4M5 20h14",
  die: "M4 4h16v16H4zV20h16V4zM8.5 8.5h.01M15.5 8.5h.01M12 12h.01M8.5 15.5h.01M15.5 15.5h.01",
  off: "M12 3v8M7 6a8 8 0 1 0 10 0",
  is_off: "M12 3v8M7 6a8 8 0 1 0 10 0M3 3l18 18",
  more: "M6 9.5l6 6 6-6",
  menu: "M5 11v2M12 11v2M19 11v2",
  compare: "M4 7h13m-3-3 3 3-3 3M20 17H7m3-3-3 3 3 3",
  link: "M10 14a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l1-1",
  keys: "M3 6h18v12H3zM7 10h.01M11 10h.01M15 10h.01M7 14h.01M10 14h7",
  close: "M6 6l12 12M18 6 6 18",
  moon: "M20 14.5A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.5z",
};

/** @param {keyof typeof ICONS} name */
export function icon(name) {
  const attributes = { viewBox: "0 0 24 24", class: "icon", "aria-hidden": "true" };
  return s("svg", attributes, s("path", { d: ICONS[name] }));
}
