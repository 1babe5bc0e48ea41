/** A site's files as a bad network brings them: as something else, cut short, or never. */

import assert from "node:assert/strict";
import test from "node:test";
import { folderFiles, Missing } from "../../assets/site/files.js";

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
const told = (promise) =>
  promise.catch((/** @type {unknown} */ error) => (error instanceof Missing ? "missing" : error));

test("nobody waits for a server that says nothing", async () => {
  const { files, wait } = folder(
    (signal) =>
      new Promise((_, reject) => {
        signal.onabort = () => reject(signal.reason);
      }),
  );
  const asked = [files.json("site.json"), files.text("replay.html"), files.script("engine.js")];
  const found = Promise.all(asked.map(told));
  wait();
  assert.deepEqual(await found, ["missing", "missing", "missing"]);
});

test("nor for the rest of a file that has begun to come", async () => {
  const { files, wait } = folder((signal) => {
    const start = (/** @type {ReadableStreamDefaultController} */ stream) => {
      stream.enqueue(new Uint8Array(3));
      signal.onabort = () => stream.error(signal.reason);
    };
    return new Response(new ReadableStream({ start }));
  });
  const begun = { received: 0, told: () => {} };
  const first = new Promise((resolve) => {
    begun.told = () => resolve(undefined);
  });
  const found = told(files.bytes("model", 8, () => begun.told(), false));
  await first;
  wait();
  assert.equal(await found, "missing");
});

test("what comes is what was asked for, or did not come", async () => {
  const page = folder(() => new Response("<p>Please log in"));
  assert.equal(await told(page.files.json("site.json")), "missing");
  const nowhere = folder(() => new Response("[]", { status: 404 }));
  assert.equal(await told(nowhere.files.json("site.json")), "missing");
  const { files } = folder(() => new Response("12345"));
  for (const size of [4, 6]) {
    assert.equal(await told(files.bytes("model", size, () => {}, false)), null);
  }
  const whole = await files.bytes("model", 5, () => {}, false);
  assert.equal(new TextDecoder().decode(whole ?? undefined), "12345");
});
