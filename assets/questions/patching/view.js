/** Patching: this sentence again, with one part of the model as it was for another sentence. */

import { h } from "../../kit/dom.js";
import { formView } from "../../kit/form.js";
import { awaiting } from "../../parts/awaited.js";
import { haveChanged } from "../../state/store.js";
import { patchedResults } from "./results.js";
import { donorOf, MAX_DONOR } from "./settings.js";
import { swapsView } from "./swaps.js";

/** @import { Answers } from "../../trace/answers.d.ts" */
/** @param {import("../../state/actions.js").Context<import("./settings.js").Own>} context */
export function patchingView(context) {
  const { store, actions, about, t, watch } = context;
  const offers = awaiting(t, { clear: () => (works.hidden = true) });
  const patches = awaiting(t, { label: t("patching.state"), clear: forget });
  const swaps = swapsView(context, choose);
  const donor = h("input", {
    ...{ id: "patching-donor", type: "text", maxlength: MAX_DONOR },
    ...{ autocomplete: "off", spellcheck: "false" },
  });
  const results = h("div", { class: "stack" });
  const works = h(
    "div",
    { class: "stack" },
    h("p", { id: "patching-swaps" }, t("patching.swap")),
    swaps.element,
    formView(
      { class: "field" },
      () => choose(donor.value),
      h("label", { for: "patching-donor" }, t("patching.other")),
      donor,
      h("button", { type: "submit", class: "chip" }, t("patching.run")),
    ),
    patches.waiting,
    patches.problem,
    results,
  );
  /** @type {{trace: unknown, patched: Answers["patching"]} | null} */
  let answer = null;
  const askedChanged = haveChanged();

  watch(["trace"], ({ trace }) => {
    if (!trace) return;
    // No lexicon has a guest's words.
    const offered = trace.guest ? { swaps: [] } : about(trace).inside("swaps");
    offers.show(offered, ({ swaps: choices }) => {
      works.hidden = false;
      swaps.offer(choices);
    });
  });
  watch(["trace", "patching"], (state) => {
    const { trace, patching } = state;
    if (!trace) return;
    const text = donorOf(state);
    if (!askedChanged(trace, text, patching.step)) return;
    // What a person types is not taken away by a trace that comes meanwhile.
    if (!donor.matches(":focus")) donor.value = text ?? state.question?.source ?? trace.source;
    swaps.follow();
    if (text === null) {
      patches.rest();
      results.replaceChildren();
      return;
    }
    const options = patching.step === null ? {} : { step: patching.step };
    patches.show(about(trace).inside("patching", { donor: text, ...options }), (patched) => {
      answer = { trace, patched };
      draw();
    });
  });
  watch(["heads", "hiding"], draw);
  watch(["step"], ({ hiding }) => hiding && draw());

  /** What was refused may be asked again. */
  function forget() {
    askedChanged();
    answer = null;
    results.replaceChildren();
  }

  /** @param {string} text */
  function choose(text) {
    const { trace } = store.get();
    const given = text.trim();
    if (!trace) return;
    actions.adjust("patching", {
      donor: given ? { text: given, of: trace.source } : null,
      step: null,
    });
  }

  function draw() {
    const state = store.get();
    const text = donorOf(state);
    if (!answer || answer.trace !== state.trace || text === null) return;
    results.replaceChildren(...patchedResults(context, answer.patched, text));
  }

  return h(
    "div",
    { class: "inside" },
    h("p", { class: "prose" }, t("patching.about")),
    offers.waiting,
    offers.problem,
    works,
    h("p", { class: "quiet prose" }, t("patching.not")),
    h("p", { class: "quiet prose" }, t("patching.sources")),
  );
}
