/** The tour: a panel beside the page, which stays the real one and free to use. */

import { h } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { problemText } from "../state/server.js";
import { FORMULAS } from "./formulas.js";
import { NoNumbers } from "./numbers.js";
import { askView } from "./predict.js";
import { addressFor, STOPS } from "./stops.js";

/** @param {import("../state/actions.js").Context} context */
export function tourView(context) {
  const { store, actions, t, watch } = context;
  const title = h("h2", { tabindex: -1 });
  const text = h("p");
  const formula = h("div", { class: "tour-formula", role: "status" });
  formula.ariaLabel = t("tour.formula");
  const attempt = h("p");
  const own = h("p", { class: "quiet" }, t("tour.own"));
  const question = askView(context);
  const progress = h("progress", { max: STOPS.length, "aria-label": t("tour.progress") });
  const step = (/** @type {number} */ by) => {
    const { tour } = store.get();
    const there = (tour ?? 0) + by;
    if (tour !== null && there >= 0 && there < STOPS.length) actions.tourTo(there);
  };
  const before = h("button", { type: "button", class: "chip", click: () => step(-1) });
  before.textContent = `← ${t("tour.previous")}`;
  const after = h("button", { type: "button", class: "chip", click: () => step(1) });
  after.textContent = `${t("tour.next_stop")} →`;
  const close = h(
    "button",
    {
      type: "button",
      class: "bare small",
      title: t("tour.close"),
      click: () => actions.tourTo(null),
    },
    icon("close"),
  );
  close.ariaLabel = t("tour.close");
  const panel = h(
    "aside",
    { class: "tour", "aria-label": t("tour"), tabindex: -1, keydown: keys },
    h("div", { class: "over" }, title, close),
    progress,
    text,
    formula,
    attempt,
    question.element,
    own,
    h("div", { class: "tour-steps" }, before, after),
  );

  /** @param {KeyboardEvent} event */
  function keys(event) {
    if (event.key === "Escape") actions.tourTo(null);
    else if (event.key === "ArrowRight") step(1);
    else if (event.key === "ArrowLeft") step(-1);
    else return;
    event.preventDefault(); // the page's own steps stay where they are
    event.stopPropagation();
  }

  let requests = 0;
  async function fillIn() {
    const { trace, tour, step } = store.get();
    const request = ++requests;
    if (!trace || tour === null) return;
    try {
      const lines = await FORMULAS[STOPS[tour].name](context, trace, step);
      if (request !== requests) return; // another stop, or another step, meanwhile
      formula.replaceChildren(...lines.map((line) => h("p", {}, line)));
    } catch (error) {
      if (!(error instanceof NoNumbers)) throw error;
      formula.replaceChildren(h("p", {}, problemText(t, error.problem)));
    }
  }

  function arrive() {
    const { trace, tour } = store.get();
    if (tour === null || !trace) return;
    const stop = STOPS[tour];
    const last = trace.tgt_in.length - 1;
    actions.look(addressFor(stop, trace));
    if (stop.ahead && store.get().step >= last) actions.goTo(Math.max(0, last - 1));
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const behavior = calm ? "auto" : "smooth";
    const open = () => document.querySelector("[role=tabpanel]:not([hidden])");
    if (stop.look === "top") window.scrollTo({ top: 0, behavior });
    else if (opened) open()?.scrollIntoView({ behavior });
    // The matrices above it have no height before the first frame.
    else requestAnimationFrame(() => setTimeout(() => open()?.scrollIntoView()));
  }

  /** @type {number | null} */
  let shown = null;
  let opened = false;
  watch(["tour", "trace"], ({ tour, trace }) => {
    panel.hidden = tour === null || trace === null;
    document.body.classList.toggle("touring", !panel.hidden);
    if (panel.hidden || tour === null) {
      shown = null;
      return;
    }
    const { name } = STOPS[tour];
    title.textContent = `${tour + 1} / ${STOPS.length} · ${t(`tour.${name}.title`)}`;
    const alone = name === "cross" && !trace?.weights.cross;
    text.textContent = t(alone ? "tour.cross.alone" : `tour.${name}.text`);
    attempt.replaceChildren(h("strong", {}, t("tour.try")), ` ${t(`tour.${name}.attempt`)}`);
    progress.value = tour + 1;
    before.disabled = tour === 0;
    after.disabled = tour === STOPS.length - 1;
    own.hidden = tour > 0;
    // A link to a stop may say what else is shown; if it does not, and from then on, stops do.
    const linked = !opened && panel.closest("[data-ready]") === null;
    if (tour !== shown && !(linked && trace && saysMore(addressFor(STOPS[tour], trace)))) {
      arrive();
      panel.scrollTop = 0;
      if (!linked) title.focus({ preventScroll: true });
    }
    opened = true;
    shown = tour;
    formula.replaceChildren();
    question.show(name);
    fillIn();
  });
  watch(["step"], fillIn);
  return panel;
}

/**
 * Whether the page's address names anything that the stop would show.
 *
 * @param {string} address  the stop's
 */
function saysMore(address) {
  const said = new URLSearchParams(location.search);
  return [...new URLSearchParams(address).keys()].some((name) => said.has(name));
}
