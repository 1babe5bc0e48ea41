/**
 * What a view has asked for: it says that it waits, draws what comes, or says why nothing comes.
 *
 * This room holds what several views and questions are made of; it names none of them.
 */

import { h } from "../kit/dom.js";
import { problemOf, problemText } from "../state/problem.js";

/** @import { Answers } from "../trace/answers.d.ts" */
/** @import { State } from "../state/state.js" */
/** @typedef {ReturnType<typeof awaiting>} Awaiting */

/**
 * The status and the alert of a view that waits for an answer, and `show`, which waits: of several answers
 * only that of the newest call is drawn.
 *
 * @param {import("../kit/i18n.js").Translate} t
 * @param {object} [how]
 * @param {() => unknown} [how.clear]  takes away what was drawn, which is of something else
 * @param {string} [how.label]  of the status, where a page has several
 * @param {HTMLElement} [how.waiting]  says that it waits
 * @param {HTMLElement} [how.problem]  says why nothing can be drawn
 */
export function awaiting(
  t,
  {
    clear = () => {},
    label = undefined,
    waiting = h("p", { role: "status", class: "quiet", "aria-label": label }),
    problem = h("p", { role: "alert" }),
  } = {},
) {
  let newest = 0;
  /** @param {string} text */
  const begin = (text) => {
    problem.textContent = "";
    waiting.textContent = text;
    return ++newest;
  };
  return {
    waiting,
    problem,
    /**
     * Draws what was asked for, unless something else is asked for meanwhile.
     *
     * @template Answer
     * @param {Promise<Answer> | Answer} answer
     * @param {(answer: Answer) => void} draw
     * @param {string} [text]  while it waits; "" where what is drawn may stay so long
     */
    async show(answer, draw, text = t("analysis.waiting")) {
      const mine = begin(text);
      const outcome = await Promise.resolve(answer).then(
        (value) => ({ value }),
        (error) => ({ refused: problemOf(error) }),
      );
      if (mine !== newest) return;
      waiting.textContent = "";
      if ("value" in outcome) {
        draw(outcome.value);
      } else {
        problem.textContent = problemText(t, outcome.refused);
        clear();
      }
    },
    failed: () => problem.textContent !== "",
    /** Waits for nothing any more. */
    rest: () => void begin(""),
  };
}

/**
 * A view of what an analysis says of the trace.
 *
 * @template {object} Own
 * @template {keyof Answers} Name
 * @param {import("../state/actions.js").Context<Own>} context  whose `watch` waits to be seen
 * @param {object} analysis
 * @param {Name} analysis.name  as the server knows it
 * @param {(keyof (State & Own))[]} [analysis.keys]  what the drawing follows, besides the trace
 * @param {(answer: Answers[Name], state: State & Own) => Node[]} analysis.draw  with the trace that it is said of
 */
export function analysisView({ store, about, t, watch }, { name, keys = [], draw }) {
  const drawing = h("div");
  const { waiting, problem, show } = awaiting(t, { clear: () => drawing.replaceChildren() });
  watch(["trace", ...keys], ({ trace }) => {
    if (!trace) return;
    show(about(trace).inside(name), (answer) =>
      drawing.replaceChildren(...draw(answer, store.get())),
    );
  });
  return h("div", {}, waiting, problem, drawing);
}
