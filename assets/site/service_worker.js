/**
 * Keeps the site for when there is no network: a build in one cache, and the models that the page has
 * fetched in another. A new build waits until no page shows the old one, and then replaces it whole.
 */

/**
 * What `transformer/site/` writes before this: the build, what every page needs, and the folders of
 * its models, as addresses that count from this script's.
 *
 * @typedef {{build: string, core: string[], models: string[]}} Build
 */

const scope = /** @type {any} */ (globalThis);
const { build, core, models } = /** @type {Build} */ (scope.HEADLIGHT_BUILD);

/** @param {string} path */
const addressOf = (path) => new URL(path, scope.location.href).href;

/** Of this folder alone: another one of the same host has a Headlight of its own. A path has no space. */
const OURS = `headlight ${new URL("./", scope.location.href).pathname} `;
const FILES = OURS + build;
/** `keeping.js` fills it. */
const MODELS = `${OURS}models`;

/** Before their names told the folder, caches began so. */
const FORMERLY = "headlight-";
const TAKE_OVER = "take over";

/** Whether the build before this one was kept without its own first bytes, and so shows nothing. */
let blank = false;

async function install() {
  const cache = await caches.open(FILES);
  await Promise.all(core.map((path) => keep(cache, path)));
  for (const name of await formerly()) {
    const page = await caches.match(addressOf("./"), { cacheName: name });
    const own = `"${name.slice(FORMERLY.length)}/joined/site.js"`;
    if (page && !(await page.text()).includes(own)) blank = true;
  }
  if (blank) scope.skipWaiting();
}

/**
 * A file under the build's name never changes, however long ago a browser has fetched it; what names
 * the build may be an older one's.
 *
 * @param {Cache} cache
 * @param {string} path
 */
async function keep(cache, path) {
  const address = addressOf(path);
  const lasts = path.startsWith(`${build}/`);
  const cached = lasts ? await fetch(address, { cache: "force-cache" }) : null;
  const response = cached?.ok ? cached : await fetch(address, { cache: "reload" });
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  await cache.put(address, response);
}

/** @returns {Promise<string[]>}  this folder's caches that have an old name */
async function formerly() {
  const names = [];
  for (const name of await caches.keys()) {
    if (!name.startsWith(FORMERLY)) continue;
    if (await caches.match(addressOf("./"), { cacheName: name })) names.push(name);
  }
  return names;
}

async function activate() {
  const others = (await caches.keys()).filter(
    (name) => name.startsWith(OURS) && name !== FILES && name !== MODELS,
  );
  for (const name of [...others, ...(await formerly())]) await caches.delete(name);
  const cache = await caches.open(MODELS);
  for (const request of await cache.keys()) {
    const installed = models.some((folder) => request.url.startsWith(addressOf(folder)));
    if (!installed) await cache.delete(request);
  }
  await scope.clients.claim();
  if (blank) for (const page of await scope.clients.matchAll()) page.navigate(page.url);
}

/** Whether a new build could take over: it has come whole, and no other page shows this one. */
async function isOver() {
  return scope.registration.waiting && (await scope.clients.matchAll()).length < 2;
}

/**
 * What this answers: the page and its files; nothing else that lies in or beside its folder.
 *
 * @param {Request} request
 */
function isOurs({ method, mode, url }) {
  const path = url.replace(/[?#].*/, "");
  if (method !== "GET") return false;
  if (mode === "navigate") return ["./", "./index.html"].map(addressOf).includes(path);
  return ["manifest.json", `${build}/`, "models/"].some((ours) => url.startsWith(addressOf(ours)));
}

/** @param {any} event */
async function answer(event) {
  /** @type {Request} */
  const request = event.request;
  const page = request.mode === "navigate";
  // A reload does not end the page, for which the new one would wait for ever.
  if (page && (await isOver())) {
    scope.registration.waiting.postMessage(TAKE_OVER);
    const headers = { "Content-Type": "text/html", Refresh: "0" };
    return new Response('<link rel="icon" href="data:,">', { headers });
  }
  const model = request.url.startsWith(addressOf("models/"));
  const cacheName = model ? MODELS : FILES;
  // What came damaged is asked for anew.
  const cached =
    (page || request.cache !== "reload") &&
    (await caches.match(page ? addressOf("./") : request, { cacheName }));
  if (cached) return cached;
  const response = await fetch(request);
  // The page keeps models itself, once it has them whole. Nobody waits for a disk, which may be full.
  if (!model && response.status === 200) event.waitUntil(keepAnswer(request, response.clone()));
  return response;
}

/** @type {(request: Request, response: Response) => Promise<void>} */
async function keepAnswer(request, response) {
  try {
    await (await caches.open(FILES)).put(request, response);
  } catch {
    // It is fetched again when it is needed again.
  }
}

scope.addEventListener("install", (/** @type {any} */ event) => event.waitUntil(install()));
scope.addEventListener("activate", (/** @type {any} */ event) => event.waitUntil(activate()));
scope.addEventListener("message", (/** @type {any} */ { data }) => {
  if (data === TAKE_OVER) scope.skipWaiting();
});
scope.addEventListener("fetch", (/** @type {any} */ event) => {
  if (isOurs(event.request)) event.respondWith(answer(event));
});
