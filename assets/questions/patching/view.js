/** Patching: this sentence again, with one part of the model as it was for another sentence. */

import { plainToken, tokenNode } from "../../draw/token.js";
import { chip } from "../../kit/controls.js";
import { h } from "../../kit/dom.js";
import { formView } from "../../kit/form.js";
import { fill } from "../../kit/i18n.js";
import { briefText } from "../../kit/numbers.js";
import { awaiting } from "../../parts/awaited.js";
import { headName } from "../../trace/choice.js";
import { furthest, patchedMaps } from "./patched_maps.js";
import { donorOf, MAX_DONOR } from "./settings.js";

/** @import { Patched } from "./patched_maps.js" */
/** @typedef {{word: string, other: string, text: string}} Swap  as `inside/swaps.py` says it */

/** @param {import("../../state/actions.js").Context<import("./settings.js").Own>} context */
export function patchingView(context) {
  const { store, actions, about, t, watch } = context;
  const offers = awaiting(t, { clear: () => tell(false) });
  const patches = awaiting(t, { label: t("patching.state"), clear: forget });
  const swaps = h("ul", { class: "swaps", "aria-labelledby": "patching-swaps" });
  const donor = h("input", {
    ...{ id: "patching-donor", type: "text", maxlength: MAX_DONOR },
    ...{ autocomplete: "off", spellcheck: "false" },
  });
  const results = h("div", { class: "drawing" });
  const works = h(
    "div",
    { class: "drawing" },
    h("p", { id: "patching-swaps" }, t("patching.swap")),
    swaps,
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
  /** @type {{trace: unknown, patched: Patched} | null} */
  let known = null;
  /** @type {unknown[]} */
  let asked = [];

  watch(["trace"], ({ trace }) => {
    if (!trace) return;
    offers.show(about(trace).inside("swaps"), ({ swaps }) => {
      tell(true);
      offer(swaps);
    });
  });
  watch(["trace", "patching"], (state) => {
    const { trace, patching } = state;
    if (!trace) return;
    const text = donorOf(state);
    const inputs = [trace, text, patching.step];
    if (inputs.every((input, i) => input === asked[i])) return;
    asked = inputs;
    donor.value = text ?? trace.source;
    for (const button of swaps.querySelectorAll("button")) press(button);
    if (text === null) {
      patches.rest();
      results.replaceChildren();
      return;
    }
    const options = patching.step === null ? {} : { step: patching.step };
    patches.show(about(trace).inside("patching", { donor: text, ...options }), (patched) => {
      known = { trace, patched };
      draw();
    });
  });
  watch(["heads", "hiding"], draw);
  watch(["step"], ({ hiding }) => hiding && draw());

  /** What was refused may be asked again. */
  function forget() {
    asked = [];
    known = null;
    results.replaceChildren();
  }

  /** @param {boolean} able  somebody can answer: else one sentence says who could */
  function tell(able) {
    works.hidden = !able;
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

  /** @param {HTMLButtonElement} button */
  function press(button) {
    button.ariaPressed = String(button.value === donorOf(store.get()));
  }

  /** @param {Swap[]} offered */
  function offer(offered) {
    const words = [...new Set(offered.map(({ word }) => word))];
    swaps.replaceChildren(
      ...words.map((word) =>
        h(
          "li",
          {},
          h("span", { "aria-hidden": "true" }, `${word} →`),
          ...offered.filter((swap) => swap.word === word).map(swapButton),
        ),
      ),
    );
    if (!words.length) swaps.append(h("li", { class: "quiet" }, t("patching.no_swaps")));
  }

  /** @param {Swap} swap */
  function swapButton({ word, other, text }) {
    const button = chip(() => choose(text), other);
    Object.assign(button, { value: text, title: text, ariaLabel: `${word} → ${other}` });
    press(button);
    return button;
  }

  function draw() {
    const state = store.get();
    const text = donorOf(state);
    if (!known || known.trace !== state.trace || text === null) return;
    const { patched } = known;
    results.replaceChildren(h("p", { class: "asked" }, steps(patched)));
    if (ahead(patched.step)) {
      results.append(h("p", { class: "quiet" }, t("tip.ahead")));
      return;
    }
    const most = furthest(patched);
    const head = { layer: most.layer, head: most.head };
    const name = `${t(`${most.kind}.short`)} ${headName(head)}`;
    const found = fill(t("patching.found"), {
      answer: tokenNode(patched.answer),
      other: tokenNode(patched.donor_answer),
      donor: h("q", {}, text),
    });
    const moved = fill(t("patching.most"), {
      head: chip(() => actions.enlarge(most.kind, head), name),
      share: briefText(most.share),
    });
    results.append(
      h("p", { class: "prose" }, ...found),
      h("p", { class: "prose" }, ...moved),
      ...patchedMaps(context, patched, state.heads),
    );
  }

  /** @param {number} at  a step, whose answer a class may still have to guess */
  function ahead(at) {
    const { step, hiding } = store.get();
    return hiding && at > step;
  }

  /** @param {Patched} patched */
  function steps({ step, steps, donor_answers }) {
    const { trace } = store.get();
    const picker = h(
      "select",
      {
        id: "patching-step",
        change: () => actions.adjust("patching", { step: Number(picker.value) }),
      },
      ...steps.map((at, i) => {
        const [answer, other] = ahead(at)
          ? ["…", "…"]
          : [trace?.tgt_out[at] ?? "", donor_answers[i]].map(plainToken);
        const values = { step: at + 1, answer, other };
        return h("option", { value: at, selected: at === step }, t("patching.step_is", values));
      }),
    );
    return h(
      "span",
      { class: "field" },
      h("label", { for: "patching-step" }, t("patching.step")),
      picker,
    );
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
