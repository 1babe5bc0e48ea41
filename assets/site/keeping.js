/** Models kept for when there is no network, where the browser has a place for them. */

/** Caches of ours begin so; `service_worker.js` makes them. */
const PREFIX = "headlight-";

/**
 * Keeps a file that has been fetched. The service worker could do it in passing, but would hold a
 * second copy of every byte while the file comes.
 *
 * @param {URL} address
 * @param {Uint8Array<ArrayBuffer>} bytes
 */
export async function keep(address, bytes) {
  if (!navigator.serviceWorker || !globalThis.caches) return;
  const response = new Response(bytes); // has them, whatever becomes of the array
  try {
    if (!(await navigator.serviceWorker.getRegistration())) return;
    await navigator.serviceWorker.ready;
    for (const name of await caches.keys()) {
      if (name.startsWith(PREFIX)) await (await caches.open(name)).put(address, response.clone());
    }
  } catch {
    // No room: the page works without.
  }
}
