/** A toy that begins at random weights and learns to spell backwards, while everybody watches. */

import { h } from "../../../kit/dom.js";
import { briefText } from "../../../kit/numbers.js";
import { awaiting } from "../../../parts/awaited.js";
import { historyOfNoise, NOTHING_YET, withNews } from "../../../trace/noise.js";
import { filmView } from "./film.js";
import { sharpHeads } from "./telling.js";

/** Between two moments, in milliseconds: some forty of them take ten seconds. */
const PACE = 240;

/** @param {import("../../../state/actions.js").Context} context */
export function noiseView(context) {
  const { store, noise, t, watch } = context;
  const { waiting, problem, show, rest } = awaiting(t, { label: t("training.state") });
  const film = filmView(context, { go, waiting });
  const start = h("button", { class: "primary noise-start", click: begin }, t("noise.start"));
  const body = h("div", { hidden: true }, film.element);
  film.element.prepend(h("div", { class: "fields" }, film.save));
  let known = NOTHING_YET;
  /** @type {ReturnType<typeof historyOfNoise> | null} */
  let history = null;
  /** @type {number | null}  null: it follows what is learnt */
  let step = 0;
  let watching = new AbortController();
  let timer = 0;

  /** Asks for what is new until there is no more, or nobody looks any longer. */
  async function begin() {
    watching.abort();
    watching = new AbortController();
    const { signal } = watching;
    start.hidden = true;
    history = null;
    timer = window.setInterval(follow, PACE);
    while (!known.done && !signal.aborted) {
      let said = false;
      await show(
        noise(known.moments.length, signal),
        (news) => {
          said = true;
          if (news.moments.length || news.done) known = withNews(known, news);
          if (!body.isConnected) watching.abort();
        },
        known.moments.length ? "" : undefined,
      );
      if (!said) break;
    }
    if (!known.done || !timer) leave();
  }

  /** The next moment, if it is known; and the end of the film, if there is one. */
  function follow() {
    const at = history ? film.moment() + 1 : 0;
    if (at < known.moments.length) {
      history = historyOfNoise({ ...known, moments: known.moments.slice(0, at + 1) });
      draw(null);
    } else if (known.done) {
      leave();
    }
  }

  function leave() {
    clearInterval(timer);
    watching.abort();
    start.textContent = t("noise.again");
    start.hidden = false;
  }

  /** @param {number | null} next */
  function go(next) {
    clearInterval(timer);
    timer = 0;
    if (known.done) leave();
    if (history && history.steps.length < known.moments.length) history = historyOfNoise(known);
    draw(next);
  }

  /** @param {number | null} at */
  function draw(at) {
    step = at;
    if (!history) return;
    body.hidden = false;
    const { steps, pairs } = history;
    const moment = at === null ? steps.length - 1 : steps.indexOf(at);
    const { said, loss, right } = known.moments[Math.max(0, moment)];
    film.show(history, {
      ...{ model: "noise", pair: 0, step },
      said: [
        t("noise.says", {
          ...{ word: pairs[0].source, said: said || "…", right: Math.round(100 * right) },
        }),
        t("teach.loss_is", { loss: briefText(loss) }),
        t("training.sharp_count", sharpHeads(history, Math.max(0, moment))),
      ].join(" "),
    });
  }

  watch(["training", "tab"], ({ training, tab }) => {
    if (training.part === "noise" && tab === "training") return;
    rest();
    if (start.hidden) leave();
  });
  watch(["training"], () => history && draw(step));
  const machine = store.get().lacking.includes("teach");
  return h(
    "div",
    { class: "inside" },
    h("p", { class: "prose" }, t("noise.about")),
    machine ? h("p", { role: "note" }, t("error.needs_machine")) : start,
    waiting,
    problem,
    body,
  );
}
