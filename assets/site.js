/** The static site's door: nobody serves it, and its own Worker answers. */

import { h } from "./kit/dom.js";
import { fileAddress } from "./kit/files.js";
import { mount } from "./main.js";
import { SERVED } from "./served.js";
import { askingSite } from "./site/asking.js";
import { carriedFiles, folderFiles } from "./site/files.js";
import { keepSite, openNewest } from "./site/keeping.js";
import { loadingView } from "./site/loading.js";

/** Milliseconds without a press, after which a model is fetched that will likely be asked. */
const IDLE = 10_000;

const carried = carriedFiles();
const files = carried ?? folderFiles(fileAddress("."));

const element = h("div", {});
document.body.prepend(element);

/** Says that files do not come: after a while by itself, at once where one is known not to. */
const late = document.getElementById("late");

const site = files.json("site.json");
const first = Promise.all([files.json("first.json"), site]).then(([page]) => page);

const arriving = loadingView(element, async ({ model, problem }) => {
  if (problem?.code === "new_version") return openNewest();
  const { prepare } = await asking;
  const answer = await prepare(model);
  if (!answer?.error) (await mounted).askAgain();
});
const asking = site.then((contents) => askingSite(contents, files, arriving));

const mounted = mount(element, first, {
  send: async (request, signal) => (await asking).send(request, signal),
  views: SERVED,
});
mounted.then(
  async () => {
    late?.remove();
    const { model } = await first;
    if (carried || isMetered()) return;
    let timer = setTimeout(prepare, IDLE);
    function prepare() {
      removeEventListener("pointerdown", postpone);
      removeEventListener("keydown", postpone);
      const wanted = document.visibilityState === "visible" && navigator.onLine;
      if (wanted) asking.then((asker) => asker.prepare(model));
    }
    function postpone() {
      clearTimeout(timer);
      timer = setTimeout(prepare, IDLE);
    }
    addEventListener("pointerdown", postpone);
    addEventListener("keydown", postpone);
  },
  (error) => {
    if (late) late.style.visibility = "visible";
    throw error;
  },
);

/** Whether whoever looks pays for what is fetched, or waits for it long. */
function isMetered() {
  const { saveData, effectiveType } = /** @type {any} */ (navigator).connection ?? {};
  return saveData || ["slow-2g", "2g", "3g"].includes(effectiveType);
}

if (!carried) keepSite(new URL("../", fileAddress(".")).href);
