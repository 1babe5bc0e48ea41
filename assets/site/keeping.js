/** What the browser keeps of a site for when there is no network; `service_worker.js` answers with it. */

/** A message to a new build: the page that shows the old one is going. */
const TAKE_OVER = "take over";

/**
 * Has the site kept where that can be: on https, and on this machine. A school's plain server works, but
 * not without it; a frame that may keep nothing works, too.
 *
 * @param {string} folder  the site's own address
 */
export async function keepSite(folder) {
  try {
    await navigator.serviceWorker.register(new URL("service-worker.js", folder));
  } catch {
    // Nothing is kept.
  }
}

/**
 * Keeps a file of a model. The service worker could do it in passing, but would hold a second copy of
 * every byte while the file comes.
 *
 * @param {string} folder  the site's own address
 * @param {URL} address
 * @param {Uint8Array<ArrayBuffer>} bytes
 */
export async function keepFile(folder, address, bytes) {
  const { length } = bytes;
  const copy = new Blob([bytes]); // which WebKit's Response would not make of the array
  try {
    if (!(await navigator.serviceWorker.getRegistration())) return;
    const response = new Response(copy);
    if ((await response.clone().blob()).size !== length) return;
    const cache = await caches.open(`headlight ${new URL(folder).pathname} models`);
    await cache.put(address, response);
  } catch {
    // No room: the page works without.
  }
}

/** Shows the newest build, whatever other pages still show. */
export async function openNewest() {
  try {
    const registration = await navigator.serviceWorker.getRegistration();
    await registration?.update();
    const next = registration?.installing ?? registration?.waiting;
    if (next) await active(next);
  } catch {
    // Nothing is kept, or the newest cannot be: what the server has is shown.
  }
  location.reload();
}

/**
 * @param {ServiceWorker} next
 * @returns {Promise<void>}  until it answers, or never will
 */
function active(next) {
  return new Promise((resolve) => {
    const follow = () => {
      if (next.state === "installed") next.postMessage(TAKE_OVER);
      if (next.state === "activated" || next.state === "redundant") resolve();
    };
    next.addEventListener("statechange", follow);
    follow();
  });
}
