/** Under the sentence: what is changed in the model, what it said before, and the way back. */

import { partTitle, targetTitle } from "../draw/titles.js";
import { plainToken, tokenNode } from "../draw/token.js";
import { chip } from "../kit/controls.js";
import { h } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { revealTab } from "../parts/reveal.js";
import { isWrong, shownChanges } from "../state/patients.js";
import { switchedOff } from "../trace/changes.js";
import { canonical, isPastTheEnd, parseIntervention } from "../trace/interventions.js";
import { keyTokens } from "../trace/kinds.js";
import { isOnlySteered } from "../trace/steering.js";
import { isForced } from "../trace/tree.js";
import { wouldWrite } from "../trace/written.js";
import { taughtMark } from "./taught_mark.js";

/** Changes that are named one by one. */
const MOST = 6;

/** Tokens that are named, of those that the changed model would write. */
const MOST_TOKENS = 16;

/**
 * "Cross L2H4", which is off; "Cross, all heads, step 4: sees only red"
 *
 * @param {import("../kit/i18n.js").Translate} t
 * @param {import("../trace/interventions.js").Change} change
 * @param {import("../trace/kinds.js").Tokens} tokens  of the trace that it was made in
 */
function changeTitle(t, change, tokens) {
  const what = targetTitle(t, change);
  const keys = keyTokens(tokens, change.kind);
  const seen = (change.keys ?? []).map((key) => plainToken(keys[key] ?? String(key + 1)));
  const effect = t(`change.${change.effect}`, { tokens: seen.join(" ") });
  const name = change.effect === "zero" ? what : t("change.named", { what, effect });
  return isPastTheEnd(change, tokens) ? t("change.past_the_end", { what: name }) : name;
}

/** @param {import("../state/actions.js").Context} context */
export function changesView(context) {
  const { actions, served, t, watch } = context;
  const taught = taughtMark(context);
  const status = h("p", { role: "status" });
  const each = h("ul", { class: "cluster" });
  const before = h("p", { class: "before" });
  const comparing = [icon("compare"), t("change.compare")];
  const compare = chip(() => revealTab(actions, "compare"), ...comparing);
  const back = chip(actions.putAllBack, t("change.put_all_back"));
  const view = h(
    "div",
    { class: "cluster changes", role: "group", "aria-label": t("change.group") },
    ...[taught, status, each, ...(served ? [before, compare, back] : [])],
  );

  watch(["trace", "solved"], (state) => {
    const { trace, question, patient } = state;
    const changes = shownChanges(state);
    compare.hidden = question === null; // a file's, of no model here
    back.hidden = question === null || changes.every((text) => isWrong(patient, text));
    // Where the beam was led it says so itself, and nothing above it moves.
    const untold =
      changes.length === 0 ||
      (question !== null && trace !== null && isOnlySteered(changes, trace));
    view.hidden = untold && taught.hidden;
    status.hidden = each.hidden = untold;
    if (!trace || untold) return;
    const off = switchedOff(changes, (kind) => trace.weights[kind]);
    const count = off ?? changes.length;
    const what = off === null ? "count" : "off";
    status.textContent = t(`change.${what}`, { count });
    const undoable = (/** @type {string} */ text) => question !== null && !isWrong(patient, text);
    each.replaceChildren(
      ...changes.slice(0, MOST).map((text) => item(text, undoable(text), trace)),
    );
    each.append(...(changes.length > MOST ? [h("li", {}, "…")] : []));
  });
  watch(["trace", "before", "step", "hiding"], (state) => {
    if (state.trace && isForced(state.trace)) {
      before.replaceChildren(...insteadOf(wouldWrite(state.trace, state)));
      return;
    }
    before.replaceChildren();
    if (!state.before) return;
    const { translation } = state.before;
    before.append(h("span", { class: "quiet" }, t("change.before")), h("bdi", {}, translation));
    const same = translation === state.trace?.translation;
    if (same) before.append(h("span", { class: "quiet" }, t("change.same")));
  });

  /** @param {ReturnType<typeof wouldWrite>} written */
  function insteadOf(written) {
    const changed = written.filter(({ other }) => other).length;
    return [
      h("span", {}, t("change.would_write", { changed, count: written.length })),
      h(
        "bdi",
        {},
        ...written
          .slice(0, MOST_TOKENS)
          .flatMap(({ token, other }) => [
            h("span", { class: other ? "changed" : null }, tokenNode(token)),
            " ",
          ]),
        written.length > MOST_TOKENS ? "…" : null,
      ),
      h("span", { class: "quiet" }, t("change.given")),
    ];
  }

  /** @type {(text: string, undoable: boolean, trace: import("../trace/trace.js").Trace) => HTMLElement} */
  function item(text, undoable, trace) {
    const change = parseIntervention(text);
    const what = change ? targetTitle(t, change) : canonical(text) ? partTitle(t, text) : text;
    const name = change ? changeTitle(t, change, trace) : what;
    if (!served || !undoable || !canonical(text)) {
      return h("li", { class: "chip" }, name);
    }
    const putBack = () => (change ? actions.putBack(change) : actions.togglePart(text));
    const undo = chip(putBack, name, icon("close"));
    undo.ariaLabel = undo.title = t("change.undo", { what });
    return h("li", {}, undo);
  }
  return view;
}
