/** A toy that begins at random weights and learns, while everybody watches: to spell backwards, or to repeat. */

import { switchView } from "../../kit/controls.js";
import { h } from "../../kit/dom.js";
import { briefText } from "../../kit/numbers.js";
import { inARow } from "../../kit/typeset.js";
import { awaiting } from "../../parts/awaited.js";
import { momentAt } from "../../trace/history.js";
import { historyOfNoise, NOTHING_YET, withNews } from "../../trace/noise.js";
import { filmView } from "./film/film.js";
import { TOYS } from "./settings.js";
import { sharpHeads } from "./telling.js";

/** @import { Awaiting } from "../../parts/awaited.js" */
/** @import { Growing, Moment } from "../../trace/noise.js" */
/** @import { Context } from "./settings.js" */

/** Between two moments, in milliseconds: some forty of them take ten seconds. */
const PACE = 240;

/** The word that is watched (`transformer/training/toys.py`). */
const WATCHED = "planet";

/** @param {Context} context */
export function noiseView(context) {
  const { store, t, watch } = context;
  const { waiting, problem, show, rest } = awaiting(t, { label: t("training.state") });
  const film = filmView(context, { go, waiting });
  const start = h("button", { class: "primary noise-start", click: begin }, t("noise.start"));
  const body = h("div", { hidden: true }, film.element);
  film.element.prepend(h("div", { class: "fields" }, film.save));
  const toys = toySwitch(context);
  const about = h("p", { class: "prose" });
  let { toy } = store.get().training;
  /** Runs as far as they are known, by toy. */
  const all = { reverse: NOTHING_YET, repeat: NOTHING_YET, one_layer: NOTHING_YET };
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
      const grown = await grow(context, show, learning, all[learning], signal);
      if (!grown) break;
      all[learning] = grown;
      if (!body.isConnected) watching.abort();
    }
    if (learning === toy && (!all[learning].done || !timer)) leave();
  }

  /** The next moment, if it is known; and the end of the film, if there is one. */
  function follow() {
    const { moments, done } = all[toy];
    const at = history ? film.moment() + 1 : 0;
    if (at < moments.length) {
      history = historyOfNoise({ ...all[toy], moments: moments.slice(0, at + 1) });
      draw(null);
    } else if (done) leave();
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
    const { moments, done } = all[toy];
    if (done) leave();
    if (history && history.steps.length < moments.length) history = historyOfNoise(all[toy]);
    draw(next);
  }

  /** @param {number | null} at */
  function draw(at) {
    step = at;
    if (!history) return;
    body.hidden = false;
    const moment = momentAt(history.steps, at);
    const measured = measuredText(t, toy, all[toy].moments[moment], sharpHeads(history, moment));
    film.show(history, { model: "noise", pair: 0, step, measured });
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
  const act = store.get().lacking.includes("teach")
    ? h("p", { role: "note" }, t("error.needs_machine"))
    : start;
  return h("div", { class: "inside" }, toys.element, about, act, waiting, problem, body);
}

/** @param {Context} context */
function toySwitch({ actions, t }) {
  return switchView(
    t("noise.toys"),
    TOYS,
    (toy) => t(`noise.toy.${toy}`),
    (toy) => actions.adjust("training", { toy }),
  );
}

/**
 * A toy's film with what is new of it.
 *
 * @type {(context: Context, show: Awaiting["show"], toy: typeof TOYS[number], film: Growing, signal: AbortSignal) => Promise<Growing | null>}  null: nothing came
 */
async function grow({ noise }, show, toy, film, signal) {
  const { length } = film.moments;
  /** @type {Growing | null} */
  let grown = null;
  await show(
    noise(toy, length, signal),
    (news) => {
      grown = news.moments.length || news.done ? withNews(film, news) : film;
    },
    length ? "" : undefined,
  );
  return grown;
}

/**
 * What the toy makes of the watched word at a moment, how well it does, and how many heads are sharp.
 *
 * @type {(t: import("../../kit/i18n.js").Translate, toy: string, moment: Moment, sharp: ReturnType<typeof sharpHeads>) => string}
 */
function measuredText(t, toy, { output, loss, right }, sharp) {
  const values = { word: WATCHED, output: output || "…", right: Math.round(100 * right) };
  return inARow([
    toy === "reverse" ? t("noise.says.reverse", values) : t("noise.says.repeat", values),
    t("teach.loss_is", { loss: briefText(loss) }),
    t("training.sharp_count", sharp),
  ]);
}
