/** Predict, then see: a question, one's own guess, and the truth over it (Kim, Reinecke, Hullman 2017). */

import { tokenNode } from "../draw/token.js";
import { h } from "../kit/dom.js";
import { fill } from "../kit/i18n.js";
import { awaiting } from "../parts/awaited.js";

/** @import { AskingStop, Question } from "./questions.js" */

/** @param {import("../state/actions.js").Context} context */
export function askView(context) {
  const { store, actions, t, watch } = context;
  const prompt = h("p", { class: "asked" });
  const options = h("div", { class: "guess-list", role: "group", "aria-label": t("tour.guess") });
  const verdict = h("p", { role: "status", class: "truth" });
  const again = h("button", { class: "fold", click: () => pose() }, t("tour.again"));
  const element = h("section", { class: "predict", "aria-label": t("tour.question") });
  element.append(prompt, options, verdict, again);
  /** @type {AskingStop | null} */
  let stop = null;
  let answered = false;
  // The formula says why.
  const { show } = awaiting(t, { clear: () => (element.hidden = true) });

  function pose() {
    const { trace, step } = store.get();
    if (!trace || !stop) return;
    answered = false;
    show(stop.question(context, trace, step), offer);
  }

  /** @param {Question} question */
  function offer(question) {
    element.hidden = question.options.length < 2;
    verdict.textContent = "";
    again.hidden = true;
    const { token, ...values } = question.values ?? {};
    const nodes = Object.fromEntries(Object.entries(values).map(([key, x]) => [key, String(x)]));
    const put = question.key ?? `${stop?.name}.question`;
    prompt.replaceChildren(
      ...fill(t(`tour.${put}`), {
        ...nodes,
        ...(token === undefined ? {} : { token: tokenNode(String(token)) }),
      }),
    );
    options.replaceChildren(
      ...question.options.map((option, i) =>
        h(
          "button",
          { class: "guess", click: () => reveal(question, i) },
          h("span", {}, option.token ? tokenNode(option.label) : option.label),
        ),
      ),
    );
  }

  /** @type {(question: Question, guess: number) => void} */
  function reveal(question, guess) {
    if (answered) return;
    answered = true;
    for (const [i, { right, share, value }] of question.options.entries()) {
      const button = /** @type {HTMLButtonElement} */ (options.children[i]);
      button.setAttribute("aria-disabled", "true");
      button.classList.toggle("right", right);
      button.classList.toggle("chosen", i === guess);
      button.style.setProperty("--share", String(share));
      button.append(h("span", { class: "mark" }, value, right ? " ✓" : i === guess ? " ✗" : ""));
    }
    const truth = question.options.filter(({ right }) => right);
    verdict.replaceChildren(
      ...fill(t(question.options[guess].right ? "tour.right" : "tour.wrong"), {
        truth: h(
          "strong",
          {},
          ...truth.flatMap(({ label, token }, i) => [
            i ? ", " : "",
            token ? tokenNode(label) : label,
          ]),
        ),
      }),
    );
    again.hidden = false;
    // What was hidden is shown: the page goes on to the step that was asked for.
    if (question.ahead) actions.next();
  }

  watch(["step"], () => {
    if (!answered) pose();
  });
  return {
    element,
    /** @param {AskingStop} asking */
    show(asking) {
      stop = asking;
      element.hidden = true; // until the question is there
      pose();
    },
  };
}
