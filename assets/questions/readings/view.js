/** What each reading says a translation rested on, and how far it can be believed. */

import { h } from "../../kit/dom.js";
import { awaiting } from "../../parts/awaited.js";
import { mapView } from "../../parts/map/map.js";
import { readingKind } from "../../trace/trace.js";
import { wordControls } from "./controls.js";
import { goldView } from "./gold.js";
import { pictureOf } from "./pictures.js";
import { askWords, knownWords, readHead } from "./readings.js";
import { verdictOf } from "./verdict.js";

/** @import { State } from "../../state/state.js" */
/** @import { Own } from "./settings.js" */

/** @param {import("../../state/actions.js").Context<import("./settings.js").Own>} context */
export function sideBySideView(context) {
  const { store, about, t, watch } = context;
  const { waiting, problem, show } = awaiting(t, { clear: forget, label: t("words.state") });
  const says = h("p", { class: "prose" });
  const map = mapView(context);
  const gold = goldView(context);
  const verdict = h("div", { class: "verdict prose" });
  /** @type {import("./pictures.js").Picture | null} */
  let shown = null;
  /** @type {unknown[]} */
  let asked = [];

  watch(["trace", "words", "heads"], (state) => {
    const { trace } = state;
    if (!trace) return;
    const { reading, row } = state.words;
    // What else is in these, the candidate of the question below say, changes nothing here.
    const inputs = [trace, reading, row, readHead(trace, reading, state.heads)];
    if (inputs.every((input, i) => input === asked[i])) return;
    asked = inputs;
    show(askWords(about(trace), reading, readingKind(trace), !trace.guest), (told) =>
      draw(state, told),
    );
  });
  watch(["hiding"], judge);

  /** What the trace tells alone stays to be seen. */
  function forget() {
    asked = []; // it may be asked again
    draw(store.get(), null);
  }

  /** @type {(state: State & Own, told: import("./readings.js").Told | null) => void} */
  function draw({ trace, words, heads }, told) {
    const { reading } = words;
    const known = trace && knownWords(trace, reading, heads, told);
    shown = known && pictureOf(t, known, words);
    map.element.hidden = shown === null;
    says.textContent = shown ? t(`words.about.${reading}`) : "";
    if (shown) map.show(shown.map);
    gold.show(shown?.aligned ?? null);
    judge();
  }

  function judge() {
    verdict.replaceChildren(...(shown ? verdictOf(t, shown.judged, store.get().hiding) : []));
  }

  return h(
    "div",
    { class: "inside" },
    wordControls(context),
    says,
    waiting,
    problem,
    map.element,
    gold.element,
    verdict,
  );
}
