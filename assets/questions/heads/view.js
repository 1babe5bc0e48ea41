/** What each head does: over this sentence or over many, as maps, as a table, and where to look. */

import { field, region, switchView } from "../../kit/controls.js";
import { h } from "../../kit/dom.js";
import { inARow } from "../../kit/typeset.js";
import { awaiting } from "../../parts/awaited.js";
import { measureHeads } from "../../trace/measured.js";
import { headRows, measurable } from "../../trace/statistics.js";
import { chosenMeasure, headMaps } from "./maps.js";
import { sweeping } from "./sweep.js";
import { headsTable } from "./table.js";
import { takeMeTo } from "./take_me.js";

/** @import { Statistics } from "../../trace/answers.d.ts" */

/** @param {import("../../state/actions.js").Context<import("./settings.js").Own>} context  whose `watch` waits to be seen */
export function headsView(context) {
  const { store, actions, about, t, watch } = context;
  /** @type {{sentence: Statistics, corpus: Statistics | null} | null} */
  let both = null;
  const { waiting, problem, show } = awaiting(t, { clear: () => tell(null) });

  const overs = switchView(
    t("heads.over"),
    /** @type {const} */ (["sentence", "corpus"]),
    () => "",
    (over) => actions.adjust("measured", { over }),
  );
  const measures = h("select", {
    id: "measure",
    change: () => actions.adjust("measured", { measure: chosenMeasure(measures.value) }),
  });
  const why = h("p", { class: "quiet" });
  const goals = h("div", {
    class: "cluster take-me",
    role: "group",
    "aria-label": t("heads.take_me"),
  });
  const maps = h("div", { class: "three" });
  const table = region("scrolling", t("heads.table"));
  const roles = h("p", { class: "quiet" });
  const sweep = sweeping(context, draw);

  /** @param {Statistics | null} corpus  null: only the sentence's are known */
  function tell(corpus) {
    const { trace } = store.get();
    both = trace && { sentence: measureHeads(trace), corpus };
    const names = trace ? [...measurable(trace), "harm"] : [];
    measures.replaceChildren(
      ...names.map((name) => h("option", { value: name }, t(`measure.${name}`))),
    );
    draw();
  }

  function draw() {
    const state = store.get();
    const { trace, measured } = state;
    if (!both || !trace) return;
    const over = measured.over === "corpus" && both.corpus ? "corpus" : "sentence";
    const statistics = both[over] ?? both.sentence;
    const [ofSentence, ofCorpus] = overs.buttons;
    ofSentence.textContent = t("heads.over.sentence");
    ofCorpus.textContent = both.corpus
      ? t("heads.over.corpus", { count: both.corpus.sentences })
      : t("heads.over.none");
    ofCorpus.disabled = both.corpus === null;
    overs.press(over);
    measures.value = measured.measure;
    why.textContent = t(`measure.${measured.measure}.why`);
    const swept = sweep.of(trace);
    const rows = headRows(statistics, swept ?? {});
    goals.replaceChildren(...takeMeTo(context, rows, statistics, sweep));
    maps.replaceChildren(...headMaps(context, rows, statistics, state));
    table.replaceChildren(headsTable(context, rows, state));
  }

  watch(["trace"], ({ trace }) => {
    const links = trace?.weights.cross
      ? t(trace.glosses ? "heads.roles.lexicon" : "heads.roles.same")
      : "";
    roles.textContent = inARow([t("heads.roles"), links]);
  });
  watch(["trace"], ({ trace }) => {
    if (trace?.guest) tell(null);
    else if (trace)
      show(about(trace).inside("heads"), ({ corpus }) => tell(store.get().patient ? null : corpus));
  });
  watch(["measured", "heads", "kind", "theme", "coloring"], draw);

  return h(
    "div",
    { class: "inside" },
    h(
      "div",
      { class: "fields" },
      overs.element,
      field(t("heads.measure"), measures),
      sweep.element,
    ),
    waiting,
    problem,
    goals,
    why,
    maps,
    table,
    roles,
  );
}
