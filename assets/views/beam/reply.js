/** The reply in the sentence's place: what changed as a step looked elsewhere, or lacked a word. */

import { chip } from "../../kit/controls.js";
import { h } from "../../kit/dom.js";
import { fill } from "../../kit/i18n.js";
import { icon } from "../../kit/icons.js";
import { probabilityText } from "../../kit/numbers.js";
import { aimShown, isOwnAim } from "../../state/aimed.js";
import { problemOf, problemText } from "../../state/problem.js";
import { glossesShown } from "../../trace/glosses.js";
import { placeName } from "../../trace/interventions.js";
import { decodes, keyTokens, SIDES } from "../../trace/kinds.js";
import { candidatesBefore, turnOf, wordsAt } from "../../trace/steering.js";
import { headsOf } from "./acts.js";
import { word } from "./sentence.js";

/** @import { Aim } from "../../trace/steering.js" */

const SCOPES = /** @type {const} */ (["all", "layer", "head"]);

/**
 * @param {import("../../state/actions.js").Context} context
 * @param {HTMLElement} sentence  that gives way
 * @param {HTMLElement} source  the list of words
 * @returns {{element: HTMLElement, leaveOut: (index: number) => Promise<void>}}
 */
export function replyView(context, sentence, source) {
  const { store, actions, about, t, watch } = context;
  const reply = h("p", { class: "sentence", role: "status", "aria-label": t("steer.status") });
  const scope = h(
    "select",
    { class: "small", "aria-label": t("steer.heads"), change: choose },
    ...SCOPES.map((name) => h("option", { value: name })),
  );
  const there = chip(goThere, t("steer.go"));
  const undo = chip(undoIt, icon("close"), t("steer.undo"));
  const element = h("div", { class: "abreast reply", hidden: true }, reply, scope, there, undo);

  /** The word that was left out, of this trace and step. */
  /** @type {number | null} */
  let left = null;

  function choose() {
    const aim = aimShown(store.get());
    const heads = aim && headsOf(context, aim.kind, SCOPES[scope.selectedIndex]);
    if (aim && heads) actions.steer({ ...aim, ...heads });
  }

  function goThere() {
    const aim = aimShown(store.get());
    if (aim) actions.goTo(aim.row);
  }

  function undoIt() {
    const aim = aimShown(store.get());
    if (left !== null) forget();
    else if (aim) actions.steer({ ...aim, keys: [] });
  }

  function forget() {
    left = null;
    for (const item of source.children) item.classList.remove("left-out");
    tell();
  }

  function tell() {
    const { trace, before, step } = store.get();
    const aim = left === null ? aimShown(store.get()) : undefined;
    element.hidden = left === null && !aim;
    sentence.hidden = !element.hidden;
    scope.hidden = there.hidden = true;
    if (!trace || !aim) return;
    there.hidden = isOwnAim(aim, store.get());
    const ownWords = trace.words?.[SIDES[aim.kind].keys === "source" ? "src" : "tgt"];
    const first = wordsAt(keyTokens(trace, aim.kind), aim.keys, ownWords);
    const name = reachOf(aim);
    const heads = aimedHeads(t, aim, trace);
    if (!isOwnAim(aim, store.get())) {
      const elsewhere = { step: String(aim.row + 1), heads, word: word(first, null) };
      reply.replaceChildren(...fill(t("steer.elsewhere"), elsewhere));
      return;
    }
    scope.hidden = false;
    offerScopes(context, scope, aim, name);
    const turn = turnOf(trace.candidates[step], candidatesBefore(trace, before, step));
    const how = turn.before ? (turn.same ? "same" : "turned") : "now";
    const values = { word: word(first, null), heads, ...candidateWords(context, turn) };
    reply.replaceChildren(
      ...fill(t(`steer.${how}`), values),
      // That a few heads change little is the lesson.
      ...(name !== "all" && how === "same" ? [" ", t("steer.lesson")] : []),
    );
  }

  /** @param {number} index */
  async function leaveOut(index) {
    const { trace, step } = store.get();
    if (!trace) return;
    left = index;
    try {
      const { before, pieces, without } = await about(trace).inside("without_words", { step });
      if (left !== index || store.get().trace !== trace || store.get().step !== step) return;
      const which = pieces.findIndex((own) => own.includes(index));
      if (which < 0) return;
      for (const [i, item] of [...source.children].entries()) {
        item.classList.toggle("left-out", pieces[which].includes(i));
      }
      const turn = turnOf(without[which], before);
      const gone = word(wordsAt(trace.src, [index]), null);
      const text = t(turn.same ? "leave.same" : "leave.turned");
      reply.replaceChildren(...fill(text, { word: gone, ...candidateWords(context, turn) }));
    } catch (error) {
      reply.replaceChildren(problemText(t, problemOf(error)));
    }
    tell();
  }

  watch(["trace", "step"], forget);
  watch(["before", "heads", "kind"], tell);
  return { element, leaveOut };
}

/**
 * What is shown is what is set, whichever head is looked at now.
 *
 * @param {import("../../state/actions.js").Context} context
 * @param {HTMLSelectElement} scope
 * @param {Aim} aim
 * @param {typeof SCOPES[number]} name  how far it reaches
 */
function offerScopes(context, scope, aim, name) {
  for (const [i, option] of [...scope.options].entries()) {
    const offered = headsOf(context, aim.kind, SCOPES[i]);
    const place = SCOPES[i] === name ? aim : offered;
    option.hidden = !place;
    option.textContent = context.t(`steer.scope.${SCOPES[i]}`, {
      layer: (place?.layer ?? 0) + 1,
      head: place ? placeName(place) : "",
    });
  }
  scope.value = name;
}

/**
 * The candidate that is likeliest now, and the one that was, each with its probability.
 *
 * @param {Pick<import("../../state/actions.js").Context, "store" | "actions">} context
 * @param {import("../../trace/steering.js").Turn} turn
 */
function candidateWords({ store, actions }, { now, before }) {
  return {
    now: candidate(now),
    now_probability: h("strong", {}, probabilityText(now.probability)),
    before: before ? candidate(before) : "",
    before_probability: before ? h("strong", {}, probabilityText(before.probability)) : "",
  };

  /**
   * With its meaning, if it was written at this step, before or now.
   *
   * @param {import("../../trace/trace.js").Candidate} candidate
   */
  function candidate({ token, id }) {
    const { trace, before, step, language } = store.get();
    const own = [trace, before].find((each) => each?.tgt_ids[step] === id);
    const glosses = own && glossesShown(own, actions.modelOf(own.model), language);
    return word(token, glosses?.tgt?.[step]);
  }
}

/**
 * The heads that look elsewhere, and where there are no steps the word that they ask for.
 *
 * @param {import("../../kit/i18n.js").Translate} t
 * @param {Aim} aim
 * @param {Pick<import("../../trace/trace.js").Trace, "src" | "words">} trace
 */
function aimedHeads(t, aim, { src, words }) {
  const name = reachOf(aim);
  const heads = t(`steer.heads.${name}`, {
    ...{ kind: t(`steer.kind.${aim.kind}`), layer: (aim.layer ?? 0) + 1, head: placeName(aim) },
  });
  if (decodes(aim.kind)) return heads;
  const asking = word(wordsAt(src, [aim.row], words?.src), null);
  return h("span", {}, ...fill(t("steer.heads.asked"), { heads: heads, word: asking }));
}

/**
 * How far a change reaches.
 *
 * @param {Aim} aim
 * @returns {typeof SCOPES[number]}
 */
function reachOf({ layer, head }) {
  return layer === null ? "all" : head === null ? "layer" : "head";
}
