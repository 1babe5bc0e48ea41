/**
 * Models of the hub: what is offered, what was fetched, how far a download is. The server says
 * whether whoever looks at this page may; if not, there is nothing of it.
 */

import { NO_ANSWER } from "../problem.js";

/** @import { Download, Downloads, Here, State } from "../state.js" */
/** @import { Problem } from "../problem.js" */

/** How many models are looked up at a time: a browser has six connections for a server. */
const AT_ONCE = 3;

/** How often a download is looked at, in milliseconds. */
const LOOK = 400;

/** @param {Download | null | undefined} download */
export function isRunning(download) {
  return Boolean(download && download.stage !== "done" && download.stage !== "failed");
}

/**
 * What is offered, below what was listed before and what was fetched.
 *
 * @param {Downloads | null} before
 * @param {{models: string[], here: Here[], download: Download | null}} offers
 * @returns {Downloads}
 */
function withOffers(before, { models: offered, here, download }) {
  const { models = [], listings = {} } = before ?? {};
  const names = [...models, ...here.map(({ origin }) => origin), ...offered];
  return { models: [...new Set(names)], here, listings, download };
}

/**
 * The models of which nothing is known yet: neither fetched nor listed by the hub.
 *
 * @param {Downloads | null} downloads
 */
function withoutListing(downloads) {
  const { models = [], here = [], listings = {} } = downloads ?? {};
  const fetched = new Set(here.map(({ origin }) => origin));
  return models.filter((model) => !fetched.has(model) && !("size" in (listings[model] ?? {})));
}

/**
 * Looks models up, some at a time, until the hub turns out to be out of reach.
 *
 * @param {string[]} models
 * @param {(model: string) => Promise<Problem | null>} lookUp
 */
async function lookUpEach(models, lookUp) {
  /** @type {Problem | null} */
  let away = null;
  const some = async () => {
    for (let model = models.shift(); model && !away; model = models.shift()) {
      const problem = await lookUp(model);
      if (problem?.code === "hub_unreachable" || problem?.code === "no_answer") away = problem;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, some));
  return away;
}

/**
 * @param {import("../store.js").Store<State>} store
 * @param {import("./ask.js").Ask} ask
 * @param {(model: string) => unknown} chooseModel
 */
export function downloadActions(store, ask, chooseModel) {
  let watching = false;

  /** @type {(wish: string, model?: string) => Promise<any>} */
  const wish = (wish, model) => ask({ ask: "downloads", wish, model });

  /** @param {Partial<Downloads>} patch */
  function change(patch) {
    const { downloads } = store.get();
    if (downloads) store.set({ downloads: { ...downloads, ...patch } });
  }

  /** What is offered; and whether anything is, to whoever asks. */
  async function askOffers() {
    const { offers } = await wish("offers");
    if (!offers) return;
    store.set({ downloads: withOffers(store.get().downloads, offers) });
    watchDownload();
  }

  /** Follows a download until it has ended, whoever has begun it. */
  async function watchDownload() {
    if (watching) return;
    watching = true;
    while (isRunning(store.get().downloads?.download)) {
      await new Promise((resolve) => setTimeout(resolve, LOOK));
      const { download, models } = await wish("progress");
      // A server that does not answer now may do so later.
      if (download === undefined) continue;
      // Before it is told that it is done: it can be chosen then.
      if (models) {
        store.set({ models });
        await askOffers();
      }
      change({ download });
    }
    watching = false;
  }

  /** @type {(model: string) => Promise<Problem | null>} */
  async function lookUp(model) {
    const { listing, error } = await wish("look_up", model);
    const listings = { ...store.get().downloads?.listings, [model]: listing ?? error ?? NO_ANSWER };
    change({ listings });
    return error ?? null;
  }

  return {
    askOffers,

    /** @returns {Promise<Problem | null>}  null, unless the hub is out of reach */
    async lookUpAll() {
      change({ away: false });
      const away = await lookUpEach(withoutListing(store.get().downloads), lookUp);
      change({ away: away !== null });
      return away;
    },

    /** Puts a model that somebody has named first in the list. @type {(model: string) => Promise<Problem | null>} */
    async addOffer(model) {
      const problem = await lookUp(model);
      const { models = [] } = store.get().downloads ?? {};
      if (!problem) change({ models: [model, ...models.filter((other) => other !== model)] });
      return problem;
    },

    /** @type {(model: string) => Promise<Problem | null>} */
    async startDownload(model) {
      const { download, models, error } = await wish("start", model);
      if (models) store.set({ models });
      // A folder is there at once.
      if (download?.stage === "done") change({ download: { ...download, stage: "installing" } });
      if (download) change({ download });
      watchDownload();
      return error ?? null;
    },

    cancelDownload: () => wish("cancel"),

    /** Removes a model; if it was the chosen one, the first of the others is. @type {(name: string) => Promise<Problem | null>} */
    async removeModel(name) {
      const { models, error } = await wish("remove", name);
      if (!models) return error ?? null;
      store.set({ models });
      const { model } = store.get();
      const names = models.map((/** @type {State["models"][number]} */ { name }) => name);
      if (names.length && !names.includes(model)) chooseModel(names[0]);
      await askOffers();
      return null;
    },
  };
}
