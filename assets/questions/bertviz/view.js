/** BertViz's own views of the same trace, in a frame that can reach nothing around it. */

import { switchView } from "../../kit/controls.js";
import { h } from "../../kit/dom.js";
import { awaiting } from "../../parts/awaited.js";
import { placeOfLines } from "../../state/lines.js";
import { DEFAULT_LINES } from "../../state/state.js";

/** @typedef {"head" | "model"} View */

/** @type {View[]} */
const VIEWS = ["head", "model"];

/** Heights, in CSS pixels, that the frame may ask for, and that it needs to scroll sideways. */
const [LEAST, MOST, BAR] = [120, 8000, 16];

/**
 * The server makes its page, which is megabytes and takes a second to draw: only while it is seen.
 *
 * @param {import("../../state/actions.js").Context} context
 */
export function bertvizView({ store, actions, about, t, watch }) {
  /** @type {View} */
  let shown = VIEWS[0];
  let ready = false;

  const { waiting, problem, show } = awaiting(t, {
    label: t("bertviz.state"),
    clear: () => place.replaceChildren(),
  });
  const place = h("div", { class: "frame" });
  /** @type {HTMLIFrameElement | undefined} */
  let frame;
  const views = switchView(t("bertviz.views"), VIEWS, (view) => t(`bertviz.${view}`), choose);
  views.press(shown);

  /** @param {View} chosen */
  function choose(chosen) {
    shown = chosen;
    views.press(chosen);
    load();
  }

  function load() {
    const { trace, theme } = store.get();
    if (!trace) return;
    show(
      about(trace).bertviz(shown, theme),
      (bertviz) => {
        ready = false;
        // Another page in the same frame would be a stop of the browser's way back.
        frame = h("iframe", { title: "BertViz", sandbox: "allow-scripts", srcdoc: bertviz });
        place.replaceChildren(frame);
      },
      t("bertviz.waiting"),
    );
  }

  const root = h(
    "div",
    { class: "bertviz" },
    h("p", { class: "quiet" }, t("bertviz.caption")),
    h(
      "div",
      { class: "fields" },
      views.element,
      h("button", { class: "link", click: () => actions.drawAs("lines") }, t("bertviz.back")),
    ),
    waiting,
    problem,
    place,
  );
  watch(["trace", "theme"], load);
  watch(["kind", "heads"], follow);

  /** Chooses the large kind and its head's layer there, as far as BertViz lets one choose. */
  function follow() {
    const shown = placeOfLines({ ...store.get(), lines: DEFAULT_LINES });
    if (!ready || !shown) return;
    const chosen = { filter: shown.kind, layer: String(shown.layer + 1) };
    frame?.contentWindow?.postMessage(chosen, "*"); // its origin is none that could be named
  }

  /** @param {MessageEvent} message */
  const hear = ({ source, data }) => {
    if (!root.isConnected) window.removeEventListener("message", hear);
    if (!frame || source !== frame.contentWindow) return;
    if (data === "ready") {
      ready = true;
      follow();
    } else if (Array.isArray(data) && data.every(Number.isFinite)) {
      const [width, height] = data.map((side) => Math.min(MOST, Math.max(LEAST, side)));
      const room = place.clientWidth;
      frame.style.width = `${width}px`;
      frame.style.height = `${height + (width > room ? BAR : 0)}px`;
    }
  };
  window.addEventListener("message", hear);
  return root;
}
