/** A class's questions and answers in words, in each page's own language. */

import { problemText } from "../state/problem.js";

/** @import { Asked } from "../state/classroom/classroom.js" */
/** @import { Translate } from "../kit/i18n.js" */

/**
 * Why something was refused, of the class or of the server as a whole.
 *
 * @param {Translate} t
 * @param {import("../state/problem.js").Problem | null} problem
 */
export function refusalText(t, problem) {
  const [room, code] = problem?.code.split(".") ?? [];
  return room === "class"
    ? t(`class.error.${code}`, problem?.details)
    : problemText(t, problem ?? undefined);
}

/** @type {(t: Translate, question: Pick<Asked, "kind" | "text">) => string} */
export function questionText(t, { kind, text }) {
  if (kind === "own") return text;
  if (kind === "look" || kind === "off") {
    const [attention, head] = text.split(" ");
    return t(`class.ask.${kind}`, { head: head ?? "", kind: t(`${attention}.short`) });
  }
  return t(`class.ask.${kind}`, { word: text });
}

/** @type {(t: Translate, kind: Asked["kind"], label: string) => string} */
export function labelText(t, kind, label) {
  return kind === "off" || kind === "without" ? t(`class.say.${label}`) : label;
}

/** @type {(t: Translate, question: Pick<Asked, "kind" | "options">, answer: import("../state/classroom/classroom.js").Answer) => string} */
export function answerText(t, { kind, options }, { choice, text, sure }) {
  const answer = choice === null ? text : labelText(t, kind, options[choice] ?? "");
  return t(sure ? "class.said_sure" : "class.said_unsure", { answer });
}
