/**
 * The façade: text in, translation or trace out (`transformer/translator/`).
 *
 * This room holds the same Transformer as `transformer/`, file for file, for a page without a server:
 * the model, its tokenizers, decoding, recording, analyses, and who answers. It knows `trace/` and
 * nothing else of the viewer; only its Worker imports it.
 */

import { hasHead, parseHead } from "../trace/choice.js";
import { KINDS } from "../trace/kinds.js";
import { candidatesOf, TOP_K } from "./decoding/candidates.js";
import { decode, withoutBanned } from "./decoding/decode.js";
import { checkPrefix } from "./decoding/prefixes.js";
import { checkSampling } from "./decoding/sampling.js";
import { CheckpointError, HeadlightError } from "./errors.js";
import { representativeHeads } from "./measure/representative.js";
import { isDecoderOnly } from "./model/config.js";
import { rowOf } from "./model/tensors.js";
import { intervene } from "./recording/effects.js";
import { Recording, record } from "./recording/hooks.js";
import { checkIntervention, isStepwise, readInterventions } from "./recording/interventions.js";
import { meanOutputs, storedMeans } from "./recording/means.js";
import { numLayers } from "./recording/places.js";
import { Steps } from "./recording/steps.js";
import { normalised } from "./text/normalise.js";
import { validUnicode } from "./text/tokenizer.js";

/** @import { Kind } from "../trace/kinds.js" */
/** @import { Sampling, RepresentativeHead } from "../trace/trace.js" */
/** @import { Means } from "./recording/effects.js" */
/** @import { Intervention } from "../trace/interventions.js" */
/** @import { Trace } from "./recording/trace.js" */

/**
 * What one trace is made of.
 *
 * @typedef {object} TraceRequest
 * @property {string} source
 * @property {number[]} [prefix]  tokens that the translation is made to begin with
 * @property {string[]} [interventions]
 * @property {Sampling | null} [sampling]
 */

/** A checkpoint ready for use: one request at a time. */
export class Translator {
  /** @type {Means | null} */
  #means = null;

  /** @param {import("./checkpoint/folder.js").Checkpoint} loaded */
  constructor(loaded) {
    this.name = loaded.name;
    this.card = loaded.card;
    this.model = loaded.model;
    this.config = loaded.model.config;
    this.tokenizer = loaded.tokenizer;
    this.tgtTokenizer = loaded.tgtTokenizer;
    this.checkpoint = loaded.hash;
    this.normalise = loaded.normalise;
    this.measuredHeads = loaded.heads;
    this.heads = representativeHeadsOf(loaded);
    this.lexicon = loaded.lexicon;
    this.decoderOnly = isDecoderOnly(this.config);
    /** Called again and again: who is waited for may act, or cancel by throwing. */
    this.rest = async () => {};
  }

  /**
   * Decodes, and records the very passes that chose each token.
   *
   * Without its causal mask a decoder would see what it has not yet written. So what it says is
   * decoded with the mask, and weights and candidates are those of one more pass, without it; and so
   * for every change that can be made to a whole text only.
   *
   * @param {TraceRequest} request
   * @returns {Promise<Trace>}
   * @throws {HeadlightError} the source is empty or too long, the model has no such head, or the
   *   prefix is no beginning of a target
   */
  async trace({ source, prefix = [], interventions = [], sampling = null }) {
    const changes = readInterventions(interventions);
    const [src, prompt] = this.read(source);
    const forced = [...prompt, ...prefix];
    checkPrefix(forced, this.config);
    for (const change of changes) checkIntervention(change, this.config, src.length);
    const means = await this.meansFor(changes);
    const { model, tgtTokenizer, rest } = this;
    let steps = new Steps();
    const live = { first: 0 };
    const how = { prefix: forced, sampling: sampling && checkSampling(sampling), live, rest };
    const decoding = () => record(model, ["weights"], steps, () => decode(model, src, how));
    let hypothesis = await intervene(model, changes.filter(isStepwise), means, decoding, live);
    if (!changes.every(isStepwise)) {
      steps = new Steps();
      const pass = () => model.decode(this.tgtIn(hypothesis.ids), model.encode(src));
      const logits = await intervene(model, changes, means, () =>
        record(model, ["weights"], steps, pass),
      );
      withoutBanned(logits, this.config);
      const candidates = hypothesis.ids.map((id, step) =>
        candidatesOf(rowOf(logits, step), id, TOP_K, sampling),
      );
      hypothesis = { ...hypothesis, candidates };
    }
    /** @type {Trace["weights"]} */
    const weights = {};
    for (const kind of KINDS) weights[kind] = steps.weightsOf(kind) ?? undefined;
    const { ids, stop_reason } = hypothesis;
    const labels = { src: this.tokenizer.labels(src), tgt_out: tgtTokenizer.labels(ids) };
    const readAs = this.reads(source);
    const trace = {
      model: this.name,
      source: validUnicode(source),
      read_as: readAs === validUnicode(source) ? null : readAs,
      translation: tgtTokenizer.decode(ids),
      ...{ ...labels, tgt_in: tgtTokenizer.labels(this.tgtIn(ids)) },
      ...{ src_ids: src, tgt_ids: ids, prefix_length: forced.length },
      candidates: hypothesis.candidates.map((step) =>
        step.map((each) => ({ token: tgtTokenizer.label(each.id), ...each })),
      ),
      ...{ stop_reason, interventions: changes, sampling, weights },
      ...{ checkpoint: this.checkpoint, heads: this.heads },
      glosses: this.lexicon?.of(labels.src, labels.tgt_out) ?? null,
    };
    return { ...trace, heads: representativeHeads(trace) };
  }

  /**
   * One teacher-forced pass over a target that was decoded before, recorded.
   *
   * @param {string} source  a trace's
   * @param {number[]} tgtIds  its ids
   * @param {string[]} interventions
   * @param {import("./recording/hooks.js").Site[]} sites  which hook points to record
   */
  async replay(source, tgtIds, interventions, sites) {
    const changes = readInterventions(interventions);
    const [src] = this.read(source);
    checkPrefix(tgtIds, this.config);
    const { model } = this;
    const recording = new Recording();
    const pass = () => model.decode(this.tgtIn(tgtIds), model.encode(src));
    await this.intervene(changes, () => record(model, sites, recording, pass));
    return recording;
  }

  /**
   * The model with these changes, while `run` runs.
   *
   * @template Result
   * @param {Intervention[]} changes
   * @param {() => Result | Promise<Result>} run
   * @param {{first: number}} [live]
   */
  async intervene(changes, run, live) {
    return intervene(this.model, changes, await this.meansFor(changes), run, live);
  }

  /**
   * Each head's mean output, if one of the changes asks for it: over the dev set if it was measured
   * there, else over the examples.
   *
   * @param {Intervention[]} changes
   */
  async meansFor(changes) {
    if (!changes.some(({ effect }) => effect === "mean")) return {};
    if (!this.#means) {
      if (this.measuredHeads) this.#means = storedMeans(this.measuredHeads, this.config);
      else this.#means = await this.#meansOfExamples();
    }
    if (!Object.keys(this.#means).length) throw new HeadlightError("no_means");
    return this.#means;
  }

  async #meansOfExamples() {
    const pairs = [];
    for (const source of this.card.examples ?? []) {
      const [src, prompt] = this.read(source);
      const { ids } = await decode(this.model, src, { prefix: prompt, topK: 0 });
      pairs.push({ src, tgtIn: this.tgtIn(ids) });
    }
    return meanOutputs(this.model, pairs);
  }

  /**
   * Ids that the decoder reads to emit these.
   *
   * @param {number[]} ids
   */
  tgtIn(ids) {
    return [this.config.bos_id, ...ids.slice(0, -1)];
  }

  /**
   * What stands for a source when it is cut into tokens: itself, unless it is normalised.
   *
   * @param {string} source
   */
  reads(source) {
    const valid = validUnicode(source);
    return this.normalise ? normalised(valid, this.tokenizer) : valid;
  }

  /**
   * Source ids and no prompt; or, for a decoder-only model, the other way round.
   *
   * @param {string} source
   * @returns {[number[], number[]]}
   */
  read(source) {
    const ids = this.tokenizer.encode(this.reads(source));
    if (!this.tokenizer.decode(ids).trim()) {
      throw new HeadlightError(this.decoderOnly ? "empty_prompt" : "empty_source");
    }
    const limit = this.config.max_length;
    // Either way one special token joins them: </s> ends a source, <s> starts a target.
    if (ids.length + 1 > limit) {
      throw new HeadlightError("source_too_long", { length: ids.length + 1, limit });
    }
    return this.decoderOnly ? [[], ids] : [[...ids, this.config.eos_id], []];
  }
}

/**
 * The representative head of each kind, as a checkpoint's card names it.
 *
 * @param {import("./checkpoint/folder.js").Checkpoint} loaded
 * @returns {Partial<Record<Kind, RepresentativeHead>>}
 */
function representativeHeadsOf({ card, model: { config } }) {
  /** @type {Partial<Record<Kind, RepresentativeHead>>} */
  const heads = {};
  for (const [name, head] of Object.entries(card.heads ?? {})) {
    const kind = KINDS.find((one) => one === name);
    const choice = typeof head?.head === "string" ? parseHead(head.head) : null;
    const size = kind && { layers: numLayers(config, kind), heads: config.num_heads };
    if (!kind || !size || !choice || !hasHead(choice, size) || typeof head.role !== "string") {
      throw new CheckpointError(
        "config.json",
        `it names a representative head that is not there: ${name}`,
      );
    }
    heads[kind] = {
      head: head.head,
      role: head.role,
      row: head.row ?? null,
      opening: head.opening ?? null,
    };
  }
  return heads;
}
