import assert from "node:assert/strict";
import test from "node:test";
import { languagesOf } from "../../assets/kit/languages.js";
import { bytesText, writeNumbersIn } from "../../assets/kit/numbers.js";
import { downloadActions, isRunning } from "../../assets/state/server/downloads.js";
import { hubName } from "../../assets/state/server/hub_name.js";
import { createStore } from "../../assets/state/store.js";
import { detailsOf } from "../../assets/views/offer.js";

test("a model's name tells its languages", () => {
  assert.deepEqual(languagesOf("Helsinki-NLP/opus-mt-en-zh", "en"), ["English", "Chinese"]);
  assert.deepEqual(languagesOf("Helsinki-NLP/opus-mt-tc-big-de-es", "zh"), ["德语", "西班牙语"]);
  assert.deepEqual(languagesOf("Helsinki-NLP/opus-mt-en-ROMANCE", "en"), ["English", "ROMANCE"]);
  for (const none of ["me/translator", "me/very-big-fun", "me/opus-mt-qqq-en"])
    assert.equal(languagesOf(none, "en"), null, none);
});

test("a model says what it can be asked before it is fetched", () => {
  const listing = { size: 1e6, license: "mit" };
  /** @type {any} */
  const t = (/** @type {string} */ key) => key;
  for (const form of ["encoder", "decoder", "encoder-decoder"]) {
    const seems = { ...listing, family: "x", parameters: 1e6, form };
    assert(detailsOf(t, "org/x", seems).includes(` guest.asked.${form} `), form);
  }
  assert(!detailsOf(t, "org/opus-mt-en-de", listing).includes("asked"));
});

test("sizes are told in megabytes", () => {
  assert.equal(bytesText(312_091_000), "312\u00a0MB");
  assert.equal(bytesText(1_450_000), "1.5\u00a0MB");
  writeNumbersIn("zh-CN");
  assert.equal(bytesText(1_312_000_000).replace("\u00a0", ""), "1,312MB");
  writeNumbersIn("en");
});

test("a model may be named by its address", () => {
  assert.equal(hubName(" me/model "), "me/model");
  assert.equal(hubName("https://huggingface.co/me/model"), "me/model");
  assert.equal(hubName("https://huggingface.co/me/model/tree/refs/pr/1"), "me/model@refs/pr/1");
  assert.equal(hubName("me/model@v1.0"), "me/model@v1.0");
});

/** @type {(answers: (request: any) => any) => any} */
function actionsWith(answers) {
  const store = createStore(/** @type {any} */ ({ downloads: null, models: [], model: "" }));
  /** @type {any[]} */
  const requests = [];
  const ask = async (/** @type {any} */ request) => {
    requests.push(request);
    return answers(request);
  };
  return { store, requests, actions: downloadActions(store, ask, () => {}) };
}

test("who may not download sees nothing of it", async () => {
  const { store, actions } = actionsWith(() => ({ error: { code: "downloads_refused" } }));
  await actions.askOffers();
  assert.equal(store.get().downloads, null);
});

test("once the hub is out of reach, nobody asks it on", async () => {
  const models = Array.from({ length: 11 }, (_, i) => `me/model${i}`);
  const away = { code: "hub_unreachable", details: {} };
  const { requests, actions } = actionsWith(({ wish }) =>
    wish === "offers" ? { offers: { models, here: [], download: null } } : { error: away },
  );
  await actions.askOffers();
  assert.equal(await actions.lookUpAll(), away);
  assert.equal(requests.length, 1 + 3);
});

test("while the hub is out of reach nothing can be downloaded, until somebody tries again", async () => {
  const offers = { models: ["me/model"], here: [], download: null };
  let reachable = false;
  const { store, actions } = actionsWith(({ wish }) => {
    if (wish === "offers") return { offers };
    return reachable
      ? { listing: { size: 1, license: "mit" } }
      : { error: { code: "hub_unreachable", details: {} } };
  });
  await actions.askOffers();
  await actions.lookUpAll();
  assert.equal(store.get().downloads.away, true);
  reachable = true;
  assert.equal(await actions.lookUpAll(), null);
  assert.equal(store.get().downloads.away, false);
});

test("a download is followed through an answer that is missing, to its end", async () => {
  const stages = ["fetching", undefined, "measuring", "done"];
  const models = [{ name: "a" }];
  const { store, actions } = actionsWith(({ wish }) => {
    if (wish === "offers") return { offers: { models: ["me/a"], here: [], download: null } };
    if (wish === "start") return { download: { stage: "asking" } };
    const stage = stages.shift();
    if (!stage) return { error: { code: "no_answer" } };
    return { download: { stage }, ...(stage === "done" ? { models } : {}) };
  });
  await actions.askOffers();
  const ended = new Promise((resolve) =>
    store.watch(["downloads"], (/** @type {any} */ { downloads }) => {
      if (downloads?.download?.stage === "done") resolve(store.get().models);
    }),
  );
  assert.equal(await actions.startDownload("me/a"), null);
  assert(isRunning(store.get().downloads.download));
  assert.equal(await ended, models, "it can be chosen when it is told that it is done");
});
