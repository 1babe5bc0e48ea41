/** What the model nearly said instead, at the current step. Choosing another one branches. */

import { tokenNode } from "../draw/token.js";
import { h } from "../kit/dom.js";
import { fill } from "../kit/i18n.js";
import { probabilityText } from "../kit/numbers.js";
import { term } from "../kit/terms.js";
import { problemText } from "../state/problem.js";
import { promptLength } from "../trace/tree.js";
import { temperingView } from "./tempering.js";

/** Candidates that stand there while the others are folded. */
const FIRST = 5;

/** @param {import("../state/actions.js").Context} context */
export function candidatesView(context) {
  const { store, actions, served, t, watch } = context;
  const section = h("section");
  const list = h("ol", { class: "candidates", "aria-label": t("candidates") });
  const hint = h("p", { class: "quiet" });
  const ofNext = fill(t("candidates.heading"), { token: term("token", t("candidates.token")) });
  const heading = h("h2", { class: "heading" }, ...ofNext);
  const key = h(
    "p",
    { class: "quiet" },
    h("span", { class: "swatch drawn" }),
    ` ${t("candidates.drawn")} `,
    h("span", { class: "swatch own" }),
    ` ${t("candidates.own_bar")}`,
  );
  const problem = h("p", { role: "alert", hidden: true });
  /** @type {ReturnType<typeof row>[]} */
  let rows = [];
  watch(["trace", "tree", "step"], ({ trace, tree, step, question, file }) => {
    if (!trace) return;
    // An encoder alone, live or from a file.
    const guesses = trace.tgt_in.length === 0;
    // Of a word that it sees, an encoder has nothing to guess.
    const seen = guesses && !trace.hidden?.some(({ at }) => at === step);
    const candidates = seen ? [] : (trace.candidates[step] ?? []);
    section.hidden =
      trace.guest && guesses
        ? !trace.guest.masks
        : trace.candidates.every(({ length }) => length === 0);
    section.classList.toggle("seen", seen);
    heading.replaceChildren(...(guesses ? [t("guest.guesses")] : ofNext));
    // The rows stay from step to step: making them anew would cost the layout of the whole page.
    const most = Math.max(...trace.candidates.map(({ length }) => length));
    if (rows.length !== most) {
      rows = Array.from({ length: most }, (_, i) => row(() => choose(i)));
      list.replaceChildren(...rows.map(({ item }) => item));
    }
    // The token that was drawn is seen, too, however unlikely it was.
    const drawnAt = candidates.findIndex(({ id }) => id === trace.tgt_ids[step]);
    const first = drawnAt < FIRST ? FIRST : FIRST - 1;
    const given = !served || !question || step < promptLength(tree);
    for (const [i, { item, button, name }] of rows.entries()) {
      item.hidden = i >= candidates.length;
      if (item.hidden) continue;
      const { token } = candidates[i];
      const chosen = i === drawnAt;
      item.classList.toggle("further", i >= first && !chosen);
      button.ariaCurrent = chosen ? "true" : null;
      button.disabled = chosen || given;
      if (name.textContent !== token) name.replaceChildren(tokenNode(token));
    }
    const why = file?.reason ? problemText(t, file.reason) : t("candidates.given");
    const ask = guesses ? t(seen ? "guest.hide_first" : "guest.put_in") : t("candidates.hint");
    hint.classList.toggle("spare", served && !given && !guesses);
    hint.textContent = served ? (given ? why : ask) : "";
  });
  /** @param {import("./tempering.js").Tempered | null} tempered */
  function size(tempered) {
    const { trace, step } = store.get();
    const candidates = trace?.candidates[step] ?? [];
    for (const [i, { id, probability, drawn = null }] of candidates.entries()) {
      const { button, bar, number } = rows[i];
      const share = tempered ? tempered.share(id, probability) : drawn;
      // What is drawn from, and behind it what the model itself would have it.
      bar.style.setProperty("--share", String(share ?? probability));
      bar.style.setProperty("--own", String(share === null ? 0 : probability));
      number.textContent = share === 0 ? "0" : probabilityText(share ?? probability);
      button.title =
        share === null ? "" : t("candidates.own", { probability: probabilityText(probability) });
    }
    key.hidden = !tempered && !candidates.some(({ drawn = null }) => drawn !== null);
  }

  watch(["branching"], ({ branching }) => (list.ariaBusy = String(branching)));
  watch(["problem"], ({ problem: refused }) => {
    problem.hidden = refused === null;
    problem.textContent = refused ? problemText(t, refused) : "";
  });

  /** @param {number} index */
  function choose(index) {
    const { trace, step } = store.get();
    if (trace?.guest?.form === "encoder") {
      import("../state/guests.js").then(({ putIn }) => putIn({ store, actions }, index));
      return;
    }
    const candidate = trace?.candidates[step][index];
    if (candidate) actions.branch(candidate.id);
  }

  section.append(heading, hint, list, temperingView(context, size), key, problem);
  return section;
}

/** @param {() => void} click */
function row(click) {
  const name = h("span", { class: "name" });
  const bar = h("span", { class: "bar" });
  const number = h("span", { class: "number" });
  const button = h("button", { click }, name, bar, number);
  return { item: h("li", {}, button), button, name, bar, number };
}
