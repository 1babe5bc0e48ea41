/** A toy that begins at random weights and learns, while everybody watches: to spell backwards, or to repeat. */

import { switchView } from "../../kit/controls.js";
import { h } from "../../kit/dom.js";
import { briefText } from "../../kit/numbers.js";
import { inARow } from "../../kit/typeset.js";
import { awaiting } from "../../parts/awaited.js";
import { historyOfNoise, NOTHING_YET, withNews } from "../../trace/noise.js";
import { filmView } from "./film/film.js";
import { TOYS } from "./settings.js";
import { sharpHeads } from "./telling.js";

/** Between two moments, in milliseconds: some forty of them take ten seconds. */
const PACE = 240;

/** The word that is watched (`transformer/training/toys.py`). */
const WATCHED = "planet";

/** @param {import("./settings.js").Context} context */
export function noiseView(context) {
  const { store, actions, noise, t, watch } = context;
  const { waiting, problem, show, rest } = awaiting(t, { label: t("training.state") });
  const film = filmView(context, { go, waiting });
  const start = h("button", { class: "primary noise-start", click: begin }, t("noise.start"));
  const body = h("div", { hidden: true }, film.element);
  film.element.prepend(h("div", { class: "fields" }, film.save));
  const toys = switchView(
    t("noise.toys"),
    TOYS,
    (toy) => t(`noise.toy.${toy}`),
    (toy) => actions.adjust("training", { toy }),
  );
  const about = h("p", { class: "prose" });
  let { toy } = store.get().training;
  /** What is known of each. */
  const all = { reverse: NOTHING_YET, repeat: NOTHING_YET };
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
    const learning = toy;
    start.hidden = true;
    history = null;
    timer = window.setInterval(follow, PACE);
    while (!all[learning].done && !signal.aborted) {
      let said = false;
      const { length } = all[learning].moments;
      await show(
        noise(learning, length, signal),
        (news) => {
          said = true;
          if (news.moments.length || news.done) all[learning] = withNews(all[learning], news);
          if (!body.isConnected) watching.abort();
        },
        length ? "" : undefined,
      );
      if (!said) break;
    }
    if (learning === toy && (!all[learning].done || !timer)) leave();
  }

  /** The next moment, if it is known; and the end of the film, if there is one. */
  function follow() {
    const known = all[toy];
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
    const known = all[toy];
    if (known.done) leave();
    if (history && history.steps.length < known.moments.length) history = historyOfNoise(known);
    draw(next);
  }

  /** @param {number | null} at */
  function draw(at) {
    step = at;
    if (!history) return;
    body.hidden = false;
    const { steps } = history;
    const moment = at === null ? steps.length - 1 : steps.indexOf(at);
    const { said, loss, right } = all[toy].moments[Math.max(0, moment)];
    film.show(history, {
      ...{ model: "noise", pair: 0, step },
      said: inARow([
        t(`noise.says.${toy}`, {
          ...{ word: WATCHED, said: said || "…", right: Math.round(100 * right) },
        }),
        t("teach.loss_is", { loss: briefText(loss) }),
        t("training.sharp_count", sharpHeads(history, Math.max(0, moment))),
      ]),
    });
  }

  /** Another one: what was watched rests, and is known when somebody comes back to it. */
  function change() {
    rest();
    leave();
    ({ toy } = store.get().training);
    history = null;
    body.hidden = true;
    start.textContent = t("noise.start");
  }

  watch(["training", "tab"], ({ training, tab }) => {
    toys.press(training.toy);
    if (training.toy !== toy) change();
    about.textContent = t(`noise.about.${toy}`);
    if (training.part === "noise" && tab === "training") return;
    rest();
    if (start.hidden) leave();
  });
  watch(["training"], () => history && draw(step));
  const machine = store.get().lacking.includes("teach");
  return h(
    "div",
    { class: "inside" },
    toys.element,
    about,
    machine ? h("p", { role: "note" }, t("error.needs_machine")) : start,
    waiting,
    problem,
    body,
  );
}
