/**
 * Looking at what a pass computes, and changing it: hooks on the model's hook points
 * (`transformer/recording/hooks.py`). Only one job at a time computes with a model.
 */

import { KINDS } from "../../trace/kinds.js";
import { blocksOf } from "./places.js";

/** @import { Kind } from "../../trace/kinds.js" */
/** @import { Model } from "../model/towers.js" */
/** @import { Tensor } from "../model/tensors.js" */
/** @import { Hook } from "../model/modules.js" */
/** @typedef {{hooks: Hook[]}} Hooked  a module */
/** @typedef {"encoder" | "decoder"} Tower */
/** @typedef {"query" | "key" | "value" | "scores" | "weights" | "attended"} AttentionSite */
/** @typedef {"afterSelfAttention" | "afterCrossAttention" | "afterFeedForward" | "output"} LayerSite */
/** @typedef {AttentionSite | LayerSite} Site */

/** What one forward pass computed; a later pass replaces it. */
export class Recording {
  /** @type {Map<string, Tensor[]>} */
  captured = new Map();

  /**
   * What one hook point let through, a tensor a layer, if it was among those recorded.
   *
   * @param {Kind | Tower} where  a kind of attention, or a tower for the points of its layers
   * @param {Site} site
   * @returns {Tensor[]}
   */
  at(where, site) {
    return this.captured.get(`${where} ${site}`) ?? [];
  }

  /** @type {(where: Kind | Tower, site: Site, layer: number, tensor: Tensor) => void} */
  capture(where, site, layer, tensor) {
    const name = `${where} ${site}`;
    const layers = this.captured.get(name) ?? [];
    this.captured.set(name, layers);
    layers[layer] = tensor;
  }
}

/**
 * Records what hook points let through while `run` does.
 *
 * @template Result
 * @param {Model} model
 * @param {Site[]} sites  of every layer that has them
 * @param {{capture: Recording["capture"]}} into
 * @param {() => Result | Promise<Result>} run
 */
export async function record(model, sites, into, run) {
  /** @type {[Hooked, Hook][]} */
  const hooks = [];
  for (const [where, layer, module] of modulesOf(model)) {
    for (const site of sites) {
      const point = /** @type {any} */ (module)[site];
      const isPoint = where === "encoder" || where === "decoder" ? isLayers(site) : !isLayers(site);
      if (point && isPoint)
        hooks.push([point, (output) => into.capture(where, site, layer, output)]);
    }
  }
  return attached(hooks, run);
}

/**
 * Puts hooks on while `run` runs, and takes them off, whatever is thrown.
 *
 * @template Result
 * @param {[Hooked, Hook][]} hooks
 * @param {() => Result | Promise<Result>} run
 * @param {boolean} [first]  before those that are there
 * @returns {Promise<Result>}
 */
export async function attached(hooks, run, first = false) {
  const added = first ? [...hooks].reverse() : hooks;
  for (const [module, hook] of added) {
    if (first) module.hooks.unshift(hook);
    else module.hooks.push(hook);
  }
  try {
    return await run();
  } finally {
    for (const [module, hook] of added) module.hooks.splice(module.hooks.indexOf(hook), 1);
  }
}

/** @param {Site} site */
function isLayers(site) {
  return site === "output" || site.startsWith("after");
}

/**
 * Every module that has hook points.
 *
 * @param {Model} model
 * @returns {Generator<[Kind | Tower, number, object]>}
 */
function* modulesOf(model) {
  for (const [i, layer] of (model.encoder?.layers ?? []).entries()) yield ["encoder", i, layer];
  for (const [i, layer] of model.decoder.layers.entries()) yield ["decoder", i, layer];
  for (const kind of KINDS) {
    for (const [i, { attention }] of blocksOf(model, kind).entries()) yield [kind, i, attention];
  }
}
