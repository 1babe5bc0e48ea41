/** A site's files as a bad network brings them: as something else, cut short, or never. */

import assert from "node:assert/strict";
import test from "node:test";
import { askingSite } from "../../assets/site/asking.js";
import { carriedFiles, folderFiles, Missing } from "../../assets/site/files.js";
import { fetching } from "../../assets/site/models.js";

/**
 * Files of a folder whose server answers so; patience ends when `wait` is called.
 *
 * @param {(signal: AbortSignal) => Response | Promise<Response>} answer
 */
function folder(answer) {
  /** @type {(() => void)[]} */
  const timers = [];
  const clock = /** @type {any} */ (globalThis);
  clock.fetch = async (/** @type {URL} */ _, /** @type {{signal: AbortSignal}} */ { signal }) =>
    answer(signal);
  clock.setTimeout = (/** @type {() => void} */ run) => timers.push(run) - 1;
  clock.clearTimeout = (/** @type {number} */ timer) => {
    timers[timer] = () => {};
  };
  return {
    files: folderFiles("http://school/"),
    wait() {
      for (const run of timers) run();
    },
  };
}

/** @param {Promise<unknown>} promise */
const outcome = (promise) =>
  promise.catch((/** @type {unknown} */ error) => (error instanceof Missing ? "missing" : error));

test("nobody waits for a server that says nothing", async () => {
  const { files, wait } = folder(
    (signal) =>
      new Promise((_, reject) => {
        signal.onabort = () => reject(signal.reason);
      }),
  );
  const requests = [
    files.json("site.json"),
    files.text("replay.html"),
    files.text("joined/engine.js"),
  ];
  const outcomes = Promise.all(requests.map(outcome));
  wait();
  assert.deepEqual(await outcomes, ["missing", "missing", "missing"]);
});

test("nor for the rest of a file that has begun to come", async () => {
  const { files, wait } = folder((signal) => {
    const start = (/** @type {ReadableStreamDefaultController} */ stream) => {
      stream.enqueue(new Uint8Array(3));
      signal.onabort = () => stream.error(signal.reason);
    };
    return new Response(new ReadableStream({ start }));
  });
  const answer = outcome(files.bytes("model", 8, () => queueMicrotask(wait), false));
  assert.equal(await answer, "missing");
});

for (const sends of ["the rest", "all of it once more"]) {
  test(`a line that breaks off goes on where it did: the server sends ${sends}`, async () => {
    const whole = Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8);
    /** @type {(string | null)[]} */
    const ranges = [];
    const host = /** @type {any} */ (globalThis);
    const { files } = folder(() => new Response());
    host.fetch = async (/** @type {URL} */ _, /** @type {RequestInit} */ { headers }) => {
      const range = new Headers(headers).get("Range");
      ranges.push(range);
      if (range) {
        const rest = sends === "the rest";
        return new Response(rest ? whole.slice(5) : whole, { status: rest ? 206 : 200 });
      }
      let left = 1;
      const pull = (/** @type {ReadableStreamDefaultController} */ stream) =>
        left-- ? stream.enqueue(whole.slice(0, 5)) : stream.error(new Error("broken off"));
      return new Response(new ReadableStream({ pull }));
    };
    let received = 0;
    const count = (/** @type {number} */ more) => {
      received += more;
    };
    assert.deepEqual(await files.bytes("model", 8, count, false), whole);
    assert.deepEqual([ranges, received], [[null, "bytes=5-"], 8]);
  });
}

test("a page knows that a newer build has taken its place, and takes nothing else for one", async () => {
  /** @type {(text: string) => Promise<boolean>} */
  const isOutdated = (text) => {
    folder(() => new Response(text));
    return folderFiles("http://school/0123456789ab/").isOutdated();
  };
  const page = (/** @type {string} */ build) => `<script src="${build}/joined/site.js">`;
  assert.equal(await isOutdated(page("ba9876543210")), true);
  assert.equal(await isOutdated(page("0123456789ab")), false);
  assert.equal(await isOutdated("<p>Please log in"), false);
});

test("a model comes without what it works without, and not without anything else", async () => {
  const part = (/** @type {string} */ name, optional = false) => {
    return { name, path: name, size: 1, sha256: "", optional };
  };
  const parts = [part("config.json"), part("heads.npz", true), part("lexicon.tsv", true)];
  /** @type {any} */
  const site = { models: { poet: { checkpoint: "", bytes: 3, files: parts } } };
  let gone = "heads.npz";
  /** @type {[string, boolean][]} */
  const requests = [];
  const { files } = folder(() => new Response());
  /** @type {import("../../assets/site/files.js").Files["bytes"]} */
  const bytes = async (path, _, __, again) => {
    requests.push([path, again]);
    if (path === gone) throw new Missing(path);
    return new Uint8Array(1);
  };
  const models = fetching(site, { ...files, bytes }, () => {});
  const names = async () => (await models.fetchModel("poet")).map(({ name }) => name);
  assert.deepEqual(await names(), ["config.json", "lexicon.tsv"]);

  // One that is not what it should be is fetched anew, and then left out.
  assert.equal(models.distrust("poet", "lexicon.tsv", false), true);
  assert.deepEqual(await names(), ["config.json", "lexicon.tsv"]);
  assert.deepEqual(requests.at(-1), ["lexicon.tsv", true]);
  assert.equal(models.distrust("poet", "lexicon.tsv", true), true);
  assert.deepEqual(await names(), ["config.json"]);

  assert.equal(models.distrust("poet", "config.json", false), true);
  assert.equal(models.distrust("poet", "config.json", true), false);
  gone = "config.json";
  const why = await names().catch((/** @type {{code: string}} */ { code }) => code);
  assert.equal(why, "model_missing");
});

test("what comes is what was asked for, or did not come", async () => {
  const page = folder(() => new Response("<p>Please log in"));
  assert.equal(await outcome(page.files.json("site.json")), "missing");
  const nowhere = folder(() => new Response("[]", { status: 404 }));
  assert.equal(await outcome(nowhere.files.json("site.json")), "missing");
  const { files } = folder(() => new Response("12345"));
  for (const size of [4, 6]) {
    assert.equal(await outcome(files.bytes("model", size, () => {}, false)), null);
  }
  const whole = await files.bytes("model", 5, () => {}, false);
  assert.equal(new TextDecoder().decode(whole ?? undefined), "12345");
});

test("a file in the page that was damaged is none, wherever the damage is", async () => {
  /** @type {Record<string, string>} */
  const carried = { "site.json": "{}", whole: "AAECAw==", short: "AAEC", odd: "AA!CAw==" };
  const page = /** @type {any} */ (globalThis);
  page.document = {
    getElementById: (/** @type {string} */ id) => {
      const textContent = carried[id.replace("headlight:", "")];
      return textContent ? { textContent } : null;
    },
  };
  const files = carriedFiles();
  assert(files);
  const read = (/** @type {string} */ path) => outcome(files.bytes(path, 4, () => {}, false));
  assert.deepEqual(await read("whole"), Uint8Array.of(0, 1, 2, 3));
  assert.deepEqual([await read("short"), await read("odd")], [null, null]);
  assert.equal(await read("gone"), "missing");
  delete page.document;
});

test("a trace that cannot be had is no page to save, and it is said why", async () => {
  const { files } = folder(() => new Response("", { status: 404 }));
  const page = /** @type {any} */ (globalThis);
  /** A Worker that starts, is asked, and refuses. */
  page.Worker = class {
    /** @param {{id: number}} message */
    postMessage({ id }) {
      const error = { code: "model_missing", details: { model: "poet" } };
      this.onmessage({ data: { id, answer: { error } } });
    }
    constructor() {
      queueMicrotask(() => this.onmessage({ data: { started: true } }));
    }
    /** @param {unknown} _ */
    onmessage(_) {}
  };
  page.addEventListener = () => {};
  const answers = { trace: {}, card: {}, history: {}, inside: {} };
  const site = { engine: "engine.js", replay: "replay.html", models: {}, answers };
  const here = { ...files, address: () => "engine.js" };
  const { send } = askingSite(site, here, () => {});
  const answer = await send({ ask: "file", format: "html", model: "poet", source: "a" });
  assert.equal(/** @type {any} */ (answer).error.code, "model_missing");
});
