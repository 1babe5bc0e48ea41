/** BertViz's own views of the same trace, in a frame that can reach nothing around it. */

import { h } from "./dom.js";
import { payloadOf } from "./export.js";

/** @typedef {"head" | "model"} View */

/** @type {View[]} */
const VIEWS = ["head", "model"];

/** In CSS pixels: what the frame may ask for. */
const [MIN_HEIGHT, MAX_HEIGHT] = [120, 8000];

/**
 * The server makes its page, which is megabytes and takes a second to draw: only while it is seen.
 *
 * @param {import("./page.js").Context} context
 */
export function bertvizView({ store, ask, t, watch }) {
  /** @type {View} */
  let shown = VIEWS[0];
  let requests = 0;

  const problem = h("p", { role: "alert" });
  const waiting = h("p", { role: "status", class: "quiet", "aria-label": t("bertviz.state") });
  const frame = h("iframe", { title: "BertViz", sandbox: "allow-scripts", hidden: true });
  const choices = VIEWS.map((view) =>
    h(
      "button",
      { type: "button", "aria-pressed": String(view === shown), click: () => choose(view) },
      t(`bertviz.${view}`),
    ),
  );

  /** @param {View} chosen */
  function choose(chosen) {
    shown = chosen;
    for (const [i, button] of choices.entries()) button.ariaPressed = String(VIEWS[i] === chosen);
    load();
  }

  async function load() {
    const { trace, theme } = store.get();
    if (!ask || !trace) return;
    const request = ++requests;
    problem.textContent = "";
    waiting.textContent = t("bertviz.waiting");
    const question = { ask: "bertviz", view: shown, theme, trace: payloadOf(trace) };
    const answer = await ask(question).catch(() => undefined);
    if (request !== requests) return; // something else has been asked for meanwhile
    waiting.textContent = "";
    const error = answer?.error ?? (answer?.bertviz ? null : NO_ANSWER);
    problem.textContent = error ? t(`error.${error.code}`, error.details) : "";
    frame.hidden = error !== null;
    frame.srcdoc = answer?.bertviz ?? "";
  }

  const root = h(
    "div",
    { class: "bertviz" },
    h("p", { class: "quiet" }, t("bertviz.caption")),
    h("div", { class: "switch", role: "group", "aria-label": t("bertviz.views") }, ...choices),
    waiting,
    problem,
    h("div", { class: "frame" }, frame),
  );
  watch(["trace", "theme"], load);

  /** @param {MessageEvent} message */
  const resize = ({ source, data }) => {
    if (!frame.isConnected) window.removeEventListener("message", resize);
    if (source !== frame.contentWindow || typeof data !== "number") return;
    frame.style.height = `${Math.min(MAX_HEIGHT, Math.max(MIN_HEIGHT, data))}px`;
  };
  window.addEventListener("message", resize);
  return root;
}

/** @type {import("./actions.js").Problem} */
const NO_ANSWER = { code: "no_answer", details: {} };
