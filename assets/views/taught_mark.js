/** The mark that the model which is shown has been taught, what, and the way back. */

import { chip } from "../kit/controls.js";
import { h } from "../kit/dom.js";
import { fill } from "../kit/i18n.js";
import { icon } from "../kit/icons.js";
import { wasTaught } from "../trace/correction.js";

/** @param {import("../state/actions.js").Context} context */
export function taughtMark({ actions, t, watch }) {
  const says = h("span");
  const forget = chip(() => actions.teach(null), t("teach.forget"), icon("close"));
  const element = h(
    "p",
    { class: "cluster taught", role: "note", "aria-label": t("taught") },
    says,
    forget,
  );
  watch(["trace"], ({ trace, question }) => {
    const { taught = null } = question ?? {};
    element.hidden = !trace || !wasTaught(trace);
    forget.hidden = taught === null;
    // A trace from a file tells that there was a correction, not which.
    says.replaceChildren(
      ...fill(t(taught ? "taught.correction" : "taught.unknown"), {
        source: h("bdi", {}, taught?.source ?? ""),
        target: h("bdi", {}, taught?.target ?? ""),
      }),
    );
  });
  return element;
}
