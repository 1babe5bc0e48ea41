/** Where it learnt this: lines of the model's own training text that it reads as it reads this step. */

import { plainToken, tokenNode } from "../../draw/token.js";
import { chip } from "../../kit/controls.js";
import { h } from "../../kit/dom.js";
import { fill, inLanguage } from "../../kit/i18n.js";
import { briefText, countText } from "../../kit/numbers.js";
import { awaiting } from "../../parts/awaited.js";
import { goldOf } from "../../trace/gold.js";
import { EOS } from "../../trace/roles.js";

/** @import { Answers, NearestLine } from "../../trace/answers.d.ts" */
/** @param {import("../../state/actions.js").Context<{learnt: import("./settings.js").LearntSettings}>} context */
export function learntView({ store, actions, about, t, watch }) {
  const { waiting, problem, show, rest } = awaiting(t, { label: t("learnt.state"), clear });
  const ask = chip(find);
  const drawing = h("div", { class: "stack", hidden: true });
  const element = h(
    "section",
    { class: "where-learnt", "aria-labelledby": "where-learnt" },
    h("h3", { id: "where-learnt" }, t("learnt.title")),
    h("p", { class: "quiet prose asking" }, t("learnt.about")),
    h("p", {}, ask),
    waiting,
    problem,
    drawing,
    h("p", { class: "quiet prose" }, t("learnt.not")),
  );

  watch(["trace", "step", "learnt"], ({ trace, step, learnt }) => {
    if (!trace) return;
    const wanted = learnt.wanted?.step === step && learnt.wanted.of === goldOf(trace);
    ask.hidden = wanted;
    element.classList.toggle("wanted", wanted);
    ask.replaceChildren(...fill(t("learnt.find"), { token: tokenNode(trace.tgt_out[step]) }));
    if (wanted) {
      show(about(trace).inside("learnt_from", { step }), draw);
    } else {
      rest();
      clear();
    }
  });

  function clear() {
    drawing.hidden = true;
  }

  /** What was asked for is another way of looking at this step alone. */
  function find() {
    const { trace, step } = store.get();
    if (trace) actions.adjust("learnt", { wanted: { step, of: goldOf(trace) } });
  }

  /** @param {Answers["learnt_from"]} learnt */
  function draw({ token, lines, searched, read, holding, others }) {
    const counts = { searched: countText(searched), read, holding: countText(holding) };
    const unknown = inLanguage(others, store.get().language);
    drawing.hidden = false;
    drawing.replaceChildren(
      h("p", { class: "asked" }, ...fill(t("learnt.asked"), { token: tokenNode(token) })),
      lines.length
        ? h("ol", { class: "nearest", "aria-label": t("learnt.lines") }, ...lines.map(line))
        : h("p", {}, t("learnt.none")),
      h(
        "p",
        { class: "prose" },
        ...fill(t(token === EOS ? "learnt.read" : "learnt.counted", counts), {
          token: tokenNode(token),
        }),
      ),
      ...(unknown ? [h("p", { class: "prose" }, t("learnt.unknown", { others: unknown }))] : []),
    );
  }

  /** @param {NearestLine} match */
  function line({ file, line, source, tokens, at, similarity, ...same }) {
    const target = tokens.map((token, i) => {
      if (i === at) return h("mark", {}, token === EOS ? tokenNode(token) : written(token, i));
      return token === EOS ? "" : written(token, i);
    });
    const near = t("learnt.nearness", { nearness: briefText(similarity) });
    return h(
      "li",
      {},
      h("p", {}, h("bdi", {}, source)),
      h("p", {}, h("bdi", {}, ...target)),
      h(
        "p",
        { class: "quiet" },
        [
          near,
          ...(same.same_sentence ? [t("learnt.same_sentence")] : []),
          ...(same.same_token ? [] : [t("learnt.other_token", { token: plainToken(tokens[at]) })]),
          t("learnt.where", { file, line: countText(line) }),
        ].join(" · "),
      ),
    );
  }

  return element;
}

/**
 * A token as it stands in a text.
 *
 * @param {string} token
 * @param {number} i
 */
function written(token, i) {
  const text = token.replaceAll("␣", " ");
  return i === 0 ? text.trimStart() : text;
}
