/**
 * Keeps the site for when there is no network: all of a build in one cache, where the page puts the
 * models that it has fetched, too. A new build waits until no page shows the old one, and then
 * replaces it whole.
 */

/**
 * What `transformer/site/` writes before this: the build, what every page needs, and the folder of
 * its files, as addresses that count from this script's.
 *
 * @typedef {{build: string, core: string[]}} Build
 */

const scope = /** @type {any} */ (globalThis);
const { build, core } = /** @type {Build} */ (scope.HEADLIGHT_BUILD);

const PREFIX = "headlight-";
const TAKE_OVER = "take over";

/** @param {string} path */
const addressOf = (path) => new URL(path, scope.location.href).href;

async function install() {
  const cache = await caches.open(PREFIX + build);
  await cache.addAll(core.map(addressOf));
  // A model is the same in both builds if its folder has the same name.
  for (const name of await caches.keys()) {
    if (!name.startsWith(PREFIX) || name === PREFIX + build) continue;
    const old = await caches.open(name);
    for (const request of await old.keys()) {
      if (!request.url.startsWith(addressOf("models/"))) continue;
      const response = await old.match(request);
      if (response) await cache.put(request, response);
    }
  }
}

async function activate() {
  for (const name of await caches.keys()) {
    if (name.startsWith(PREFIX) && name !== PREFIX + build) await caches.delete(name);
  }
  await scope.clients.claim();
}

/** Whether a new build could take over: it has come whole, and no other page shows this one. */
async function isOver() {
  return scope.registration.waiting && (await scope.clients.matchAll()).length < 2;
}

/** @param {Request} request */
async function answer(request) {
  // A reload does not end the page, for which the new one would wait for ever.
  if (request.mode === "navigate" && (await isOver())) {
    scope.registration.waiting.postMessage(TAKE_OVER);
    const headers = { "Content-Type": "text/html", Refresh: "0" };
    return new Response('<link rel="icon" href="data:,">', { headers });
  }
  const cache = await caches.open(PREFIX + build);
  const page = request.mode === "navigate" ? addressOf("./") : request;
  // What came damaged is asked for anew.
  const again = request.cache === "reload" && request.mode !== "navigate";
  const known = !again && (await cache.match(page, { ignoreSearch: request.mode === "navigate" }));
  if (known) return known;
  const response = await fetch(request);
  // The page keeps models itself, once it has them whole.
  const small = !request.url.startsWith(addressOf("models/"));
  if (small && response.status === 200) await cache.put(request, response.clone());
  return response;
}

scope.addEventListener("install", (/** @type {any} */ event) => event.waitUntil(install()));
scope.addEventListener("activate", (/** @type {any} */ event) => event.waitUntil(activate()));
scope.addEventListener("message", (/** @type {any} */ { data }) => {
  if (data === TAKE_OVER) scope.skipWaiting();
});
scope.addEventListener("fetch", (/** @type {any} */ event) => {
  const { request } = event;
  if (request.method !== "GET" || !request.url.startsWith(addressOf("./"))) return;
  event.respondWith(answer(request));
});
