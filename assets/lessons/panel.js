/** The panel beside the page, which stays the real one and free to use: tour, exercises, clinic. */

import { chip, iconButton, switchView } from "../kit/controls.js";
import { h, isCalm } from "../kit/dom.js";
import { HEALTHY } from "../state/patients.js";
import { clinicPart } from "./clinic.js";
import { exercisePart } from "./exercise.js";
import { addressFor, suits } from "./stop.js";
import { tourPart } from "./tour.js";

/** @import { Lesson } from "../state/state.js" */
/** @import { Trace } from "../trace/trace.js" */
/** @import { Part } from "./stop.js" */
/** @typedef {Exclude<Lesson["part"], "start">} PartName  the first minute has a card of its own */

/** The panel lies over the page's end there, as in the style sheet. */
const narrow = matchMedia("(width < 1000px)");

/** Between a row and what lies below it, in CSS pixels. */
const ROOM = 12;

/** Tries, tenths of a second apart, to find what a stop is about. */
const PATIENCE = 30;

/** Nothing of the page is pointed out any more. */
function unmark() {
  for (const marked of document.querySelectorAll(".toured")) marked.classList.remove("toured");
}

/** @param {Element} marked */
function marginOf(marked) {
  return Number.parseFloat(getComputedStyle(marked).scrollMarginTop);
}

/**
 * How much further a phone's page is to be scrolled, for the row of the current step to be over the panel.
 *
 * @param {Element} marked  what a stop is about; it would begin below what sticks
 * @param {Element} panel
 */
function hiddenRow(marked, panel) {
  const row = marked.querySelector(".matrix .label.current")?.getBoundingClientRect();
  if (!row) return 0;
  const { top, bottom } = marked.getBoundingClientRect();
  const below = Math.min(row.bottom, bottom) - top + marginOf(marked) + ROOM;
  return Math.max(0, below - panel.getBoundingClientRect().top);
}

let arrivals = 0;

/**
 * Marks what a stop is about, once it is there, and brings it into sight.
 *
 * @param {string | null} look  a selector; null: the page begins at its top
 * @param {Element} panel
 * @param {ScrollBehavior} behavior
 */
function pointOut(look, panel, behavior) {
  unmark();
  const mine = ++arrivals;
  let patience = PATIENCE;
  const go = () => {
    if (mine !== arrivals) return;
    const marked = look === null ? null : document.querySelector(look);
    // A view that is made when it is first needed comes a little later.
    if (look !== null && !marked && patience-- > 0) return void setTimeout(go, 100);
    marked?.classList.add("toured");
    if (marked instanceof HTMLElement) {
      const row = narrow.matches ? hiddenRow(marked, panel) : 0;
      if (row) marked.style.scrollMarginTop = `${marginOf(marked) - row}px`;
      marked.scrollIntoView({ behavior, block: narrow.matches ? "start" : "nearest" });
      marked.style.scrollMarginTop = "";
    } else window.scrollTo({ top: 0, behavior });
  };
  // What this shows has its height a frame later.
  requestAnimationFrame(() => setTimeout(go));
}

/**
 * A lesson's title, its place among those of its part, and the ways to the one before and the next.
 *
 * @param {import("../kit/i18n.js").Translate} t
 * @param {(by: number) => void} step
 */
function placeView(t, step) {
  const title = h("h2", { tabindex: -1 });
  const progress = h("progress", { "aria-label": t("lesson.progress") });
  const before = chip(() => step(-1));
  const after = chip(() => step(1));
  return {
    ...{ title, progress, steps: h("div", { class: "tour-steps" }, before, after) },
    /** @type {(part: PartName, at: number, stops: number[], name: string) => void}  stops: that there are */
    show(part, at, stops, name) {
      const place = Math.max(1, stops.filter((stop) => stop <= at).length);
      const end = at >= (stops.at(-1) ?? 0);
      title.textContent = `${place} / ${stops.length} · ${name}`;
      progress.max = stops.length;
      progress.value = place;
      before.textContent = `← ${t(`${part}.previous`)}`;
      const next = end && part === "tour" ? t("lesson.exercise") : t(`${part}.next_stop`);
      after.textContent = `${next} →`;
      before.disabled = at <= (stops[0] ?? 0);
      after.disabled = end && part !== "tour";
    },
  };
}

/** @type {(part: Part, trace: Trace | null) => number[]}  those for what is shown: others are passed by, and not counted */
function stopsOf({ stops }, trace) {
  return [...stops.keys()].filter((at) => !trace || suits(stops[at], trace));
}

/** @type {(stops: number[], last: number) => number}  where a person was last may be no stop of this model's */
function openingOf(stops, last) {
  return stops.includes(last) ? last : (stops[0] ?? 0);
}

/** @type {(stops: number[], at: number, by: number) => number | undefined} */
function nextOf(stops, at, by) {
  return by > 0 ? stops.find((stop) => stop > at) : stops.filter((stop) => stop < at).at(-1);
}

/**
 * The choice between start, tour, exercises and clinic.
 *
 * @param {import("../kit/i18n.js").Translate} t
 * @param {PartName[]} names
 * @param {import("../state/actions.js").Actions} actions
 * @param {(part: PartName) => void} goTo
 */
function partSwitch(t, names, actions, goTo) {
  return switchView(
    t("lesson.group"),
    /** @type {Lesson["part"][]} */ (["start", ...names]),
    (part) => t(`lesson.${part}`),
    (part) => (part === "start" ? actions.goToLesson({ part, at: 0 }) : goTo(part)),
  );
}

/**
 * @param {import("../state/actions.js").Context} context
 * @param {string | null} link  what the address said that opened it; null: a person did
 */
export function lessonsView(context, link) {
  const { store, actions, t, watch } = context;
  /** @type {Record<PartName, Part>} */
  const parts = {
    tour: tourPart(context),
    exercise: exercisePart(context),
    clinic: clinicPart(context),
  };
  const names = /** @type {PartName[]} */ (Object.keys(parts));
  const place = placeView(t, step);

  /** @param {number} by */
  function step(by) {
    const { lesson, trace } = store.get();
    if (!lesson || lesson.part === "start") return;
    const at = nextOf(stopsOf(parts[lesson.part], trace), lesson.at, by);
    if (at !== undefined) actions.goToLesson({ ...lesson, at });
    // What was learnt is put to use.
    else if (lesson.part === "tour" && by > 0) goTo("exercise");
  }

  const goTo = (/** @type {PartName} */ part) =>
    actions.goToLesson({
      part,
      at: openingOf(stopsOf(parts[part], store.get().trace), last[part]),
    });
  const close = iconButton("close", t("lesson.close"), () => actions.goToLesson(null), {
    kind: "bare small",
  });

  /** Where a person was last in each. @type {Record<PartName, number>} */
  const last = { tour: 0, exercise: 0, clinic: 0 };
  const choices = partSwitch(t, names, actions, goTo);
  const [, ...others] = choices.buttons;
  const panel = h(
    "aside",
    { class: "tour", tabindex: -1, keydown: keys },
    h("div", { class: "over" }, choices.element, close),
    place.title,
    place.progress,
    ...names.map((part) => parts[part].element),
    place.steps,
  );

  /** @param {KeyboardEvent} event */
  function keys(event) {
    if (event.key === "Escape") actions.goToLesson(null);
    else if (event.key === "ArrowRight") step(1);
    else if (event.key === "ArrowLeft") step(-1);
    else return;
    event.preventDefault(); // the page's own steps stay where they are
    event.stopPropagation();
  }

  /** @type {Lesson | null} */
  let shown = null;
  let opened = false;
  watch(["lesson", "trace", "solved"], ({ lesson, trace, solved, models }) => {
    const part = lesson?.part ?? "start";
    panel.hidden = lesson === null || part === "start" || trace === null;
    document.body.classList.toggle("touring", !panel.hidden);
    if (lesson === null || part === "start" || trace === null) {
      unmark();
      shown = null;
      return;
    }
    const { at } = lesson;
    last[part] = at;
    panel.ariaLabel = t(`lesson.${part}`);
    choices.press(part);
    for (const [i, choice] of others.entries()) {
      // Its patients are that model's.
      choice.hidden = names[i] === "clinic" && !models.some(({ name }) => name === HEALTHY);
      parts[names[i]].element.hidden = names[i] !== part;
    }
    const done = solved.includes(`${part[0]}${at + 1}`) ? " ✓" : "";
    place.show(part, at, stopsOf(parts[part], trace), `${parts[part].title(at)}${done}`);
    // A link to a lesson may say what else is shown; if it does not, and from then on, lessons do.
    const linked = !opened && link !== null;
    const another = shown?.part !== part || shown.at !== at;
    const stop = parts[part].stops[at];
    const look = stop.look ?? null;
    const behavior = isCalm() || !opened ? "auto" : "smooth";
    if (another && linked && saysMore(link, addressFor(stop, trace))) {
      if (look) pointOut(look, panel, behavior);
    } else if (another) {
      parts[part].arrive(at, trace);
      pointOut(look, panel, behavior);
      panel.scrollTop = 0;
      // Once it is part of the page.
      if (!linked) queueMicrotask(() => place.title.focus({ preventScroll: true }));
    }
    opened = true;
    shown = lesson;
    parts[part].show(at, trace);
  });
  return panel;
}

/**
 * Whether a link names anything that the lesson would show.
 *
 * @param {string} link  its query
 * @param {string} address  the lesson's
 */
function saysMore(link, address) {
  const named = new URLSearchParams(link);
  return [...new URLSearchParams(address).keys()].some((name) => named.has(name));
}
