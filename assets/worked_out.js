/** How one weight came about, on its real numbers: from a query and a key to the head's output. */

import { h, tokenNode } from "./dom.js";
import { headTitle } from "./head.js";
import { fill } from "./i18n.js";
import { largest, numberText, products, strip, total } from "./numbers.js";
import { isMasked, keyTokens, unpackFloat32 } from "./trace.js";

/** @typedef {import("./trace.js").Cell & {layer: number, head: number}} HeadCell */
/** @typedef {"query" | "key" | "value" | "scores" | "weights"} Part */
/** @typedef {Record<Part, import("./trace.js").PackedWeights>} Payload */
/** @typedef {Record<Part, Float32Array[]>} Numbers  each a list of rows */

/** An intervention, not rounding, is what parts a weight from its arithmetic by more. */
const TOLERANCE = 1e-3;

/** @param {import("./page.js").Context} context */
export function workedOutView({ store, ask, t, watch }) {
  const note = h("p", { role: "status", class: "quiet", "aria-label": t("worked_out.state") });
  const problem = h("p", { role: "alert" });
  const steps = h("div", { class: "arithmetic" });
  const root = h("div", { class: "worked-out" }, note, problem, steps);

  /** @type {WeakMap<import("./trace.js").Trace, Map<string, Numbers>>} */
  const known = new WeakMap();
  let requests = 0;

  async function show() {
    const request = ++requests;
    const { trace, picked } = store.get();
    problem.textContent = "";
    note.textContent = "";
    if (!trace || !picked || !fits(trace, picked)) {
      steps.replaceChildren();
      note.textContent = t("worked_out.none");
      return;
    }
    const { kind, layer, head } = picked;
    if (typeof layer === "string" || typeof head === "string") {
      steps.replaceChildren();
      note.textContent = t("worked_out.aggregate");
      return;
    }
    const cell = { ...picked, layer, head };
    const heads = known.get(trace) ?? new Map();
    known.set(trace, heads);
    const name = `${kind} ${layer} ${head}`;
    if (!heads.has(name)) {
      note.textContent = t("worked_out.waiting");
      const { model, source, tgt_ids: target, interventions } = trace;
      const question = {
        ask: "worked_out",
        model,
        source,
        target,
        interventions,
        kind,
        layer,
        head,
      };
      const answer = await ask?.(question).catch(() => undefined);
      if (answer?.worked_out) heads.set(name, unpackAll(answer.worked_out));
      if (request !== requests) return; // another cell has been picked meanwhile
      note.textContent = "";
      if (!answer?.worked_out) {
        const { code, details } = answer?.error ?? { code: "no_answer", details: {} };
        problem.textContent = t(`error.${code}`, details);
        return;
      }
    }
    steps.replaceChildren(...arithmetic(t, trace, cell, heads.get(name)));
  }

  watch(["trace", "picked"], show);
  return root;
}

/** @type {(trace: import("./trace.js").Trace, cell: import("./trace.js").Cell) => boolean} */
function fits({ weights }, { kind, query, key, layer, head }) {
  const there = weights[kind];
  if (!there || query >= there.queries || key >= there.keys) return false;
  return !(Number(layer) >= there.layers) && !(Number(head) >= there.heads);
}

/**
 * @param {Payload} payload
 * @returns {Numbers}
 */
function unpackAll({ query, key, value, scores, weights }) {
  return {
    query: unpackFloat32(query),
    key: unpackFloat32(key),
    value: unpackFloat32(value),
    scores: unpackFloat32(scores),
    weights: unpackFloat32(weights),
  };
}

/**
 * @param {import("./i18n.js").Translate} t
 * @param {import("./trace.js").Trace} trace
 * @param {HeadCell} cell
 * @param {Numbers} numbers
 * @returns {(Node | string)[]}
 */
function arithmetic(t, trace, cell, numbers) {
  const { kind, layer, head, query: row, key: column } = cell;
  const decodes = kind !== "encoder_self";
  const names = keyTokens(trace, kind);
  const asking = (decodes ? trace.tgt_in : trace.src)[row];
  const [query, key, value] = [numbers.query[row], numbers.key[column], numbers.value[column]];
  const terms = products(query, key);
  const dot = total(terms);
  const size = query.length;
  const masked = isMasked(kind, row, column);
  const allowed = names.map((_, i) => i).filter((i) => !isMasked(kind, row, i));
  const scores = numbers.scores[row];
  const most = Math.max(...allowed.map((i) => scores[i]));
  const exps = allowed.map((i) => Math.exp(scores[i] - most));
  const sum = total(exps);
  const weights = numbers.weights[row];
  const weight = weights[column];
  const computed = masked ? 0 : exps[allowed.indexOf(column)] / sum;
  const product = dot / Math.sqrt(size);
  const changed =
    Math.abs(computed - weight) > TOLERANCE || Math.abs(product - scores[column]) > TOLERANCE;
  const output = Array.from(value, (_, i) =>
    total(names.map((_, k) => weights[k] * numbers.value[k][i])),
  );

  /** @type {(title: string, text: string, ...parts: (Node | string)[]) => HTMLElement} */
  const step = (title, text, ...parts) =>
    h(
      "section",
      { "aria-label": title },
      h("h3", {}, title),
      h("p", { class: "quiet" }, text),
      ...parts,
    );
  const formula = (/** @type {string} */ text) => h("p", { class: "formula" }, text);

  return [
    h(
      "p",
      { class: "sentence" },
      ...fill(t(decodes ? "worked_out.decoder" : "worked_out.encoder"), {
        query: tokenNode(asking),
        key: tokenNode(names[column]),
        weight: h("strong", {}, masked ? t("tip.masked") : numberText(weight)),
      }),
      h("span", { class: "quiet" }, ` ${t(`${kind}.title`)}, ${headTitle(t, { layer, head })}`),
    ),
    changed ? h("p", { role: "note" }, t("worked_out.changed")) : "",
    step(
      t("worked_out.compare"),
      t("worked_out.compare_why", { size }),
      named(t("worked_out.query"), query, asking),
      named(t("worked_out.key"), key, names[column]),
      named(t("worked_out.products"), terms),
      formula(`q·k = Σ qᵢ·kᵢ = ${numberText(dot)}`),
    ),
    step(
      t("worked_out.scale"),
      t("worked_out.scale_why", { size }),
      formula(
        `q·k ÷ √${size} = ${numberText(dot)} ÷ ${numberText(Math.sqrt(size))} = ${numberText(product)}`,
      ),
    ),
    step(
      t("worked_out.softmax"),
      t(
        masked
          ? "worked_out.masked"
          : allowed.length < names.length
            ? "worked_out.causal"
            : "worked_out.softmax_why",
      ),
      h(
        "div",
        { class: "scrolling", tabindex: 0, role: "region", "aria-label": t("worked_out.row") },
        h(
          "table",
          {},
          h(
            "thead",
            {},
            h(
              "tr",
              {},
              ...[t("axis.keys"), t("worked_out.score"), "exp(s − max)", t("legend.weight")].map(
                (text) => h("th", { scope: "col" }, text),
              ),
            ),
          ),
          h(
            "tbody",
            {},
            ...names.map((token, i) => {
              const at = allowed.indexOf(i);
              const columns =
                at < 0
                  ? [
                      `${numberText(scores[i])} → ${numberText(-Infinity)}`,
                      numberText(0),
                      t("tip.masked"),
                    ]
                  : [numberText(scores[i]), numberText(exps[at]), numberText(weights[i])];
              return h(
                "tr",
                { "aria-current": i === column ? "true" : null },
                h("th", { scope: "row" }, tokenNode(token)),
                ...columns.map((text) => h("td", {}, text)),
              );
            }),
          ),
          h(
            "tfoot",
            {},
            h(
              "tr",
              {},
              h("th", { scope: "row" }, "Σ"),
              h("td", {}),
              h("td", {}, numberText(sum)),
              h("td", {}, numberText(total(Array.from(weights)))),
            ),
          ),
        ),
      ),
      masked || changed
        ? ""
        : formula(
            `exp(${numberText(scores[column])} − ${most < 0 ? `(${numberText(most)})` : numberText(most)}) ÷ ${numberText(sum)} = ${numberText(computed)}`,
          ),
    ),
    step(
      t("worked_out.bring"),
      t("worked_out.bring_why"),
      named(t("worked_out.value"), value, names[column]),
      // In the value's colours: a small weight brings little.
      named(
        t("worked_out.share"),
        Array.from(value, (x) => weight * x),
        undefined,
        largest(value),
      ),
      named(t("worked_out.output"), output),
    ),
  ];
}

/** @type {(name: string, vector: ArrayLike<number>, token?: string, most?: number) => HTMLElement} */
function named(name, vector, token, most) {
  const label = h("span", {}, name, token ? " " : "", token ? tokenNode(token) : "");
  return h(
    "div",
    { class: "vector" },
    label,
    strip(token ? `${name} ${token}` : name, vector, most),
  );
}
