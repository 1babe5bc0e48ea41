/**
 * The served page's door. The viewer is drawn as soon as its own modules and the first answer are
 * there, beside Gradio, which is still starting.
 */

import { fileAddress } from "./kit/files.js";
import { mount } from "./main.js";
import { SERVED } from "./served.js";

/** @typedef {import("./page.js").FirstPage} FirstPage */

/** @type {FirstPage} */
const NOTHING = { models: [], model: "", error: { code: "no_answer", details: {} } };

/** @returns {Promise<FirstPage>} */
async function firstPage() {
  const response = await fetch(fileAddress("first.json"));
  return response.json();
}

/** @type {import("./page.js").Send} */
async function send(request, signal) {
  const address = fileAddress("../answer");
  const response = await fetch(address, { method: "POST", body: JSON.stringify(request), signal });
  if (!response.ok) throw new Error(`${response.status}`);
  return response.json();
}

document.title = "Headlight"; // Gradio's comes later
const element = document.createElement("div");
document.body.prepend(element);
mount(
  element,
  firstPage().catch(() => NOTHING),
  { send, views: SERVED },
);
