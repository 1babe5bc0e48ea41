/**
 * The served page's door. The viewer is drawn as soon as its own modules and the first answer are
 * there, beside Gradio, which is still starting.
 */

import { fileAddress } from "./kit/files.js";
import { mount } from "./main.js";
import { SERVED } from "./served.js";
import { pageToken } from "./state/server/page_token.js";
import { roomsDoor } from "./state/server/rooms.js";
import { PROTOCOL } from "./trace/protocol.js";

/** @import { FirstPage } from "./page.js" */

/** @type {FirstPage} */
const NOTHING = { models: [], model: "", error: { code: "no_answer", details: {} } };

/** @returns {Promise<FirstPage>} */
async function firstPage() {
  const response = await fetch(fileAddress("first.json"));
  return response.json();
}

/**
 * What proves that the person at the server's own machine opened this page, or a class's teacher. The
 * command's address brings it behind its #; it is taken out, so that no link that is handed on brings
 * it along.
 *
 * @param {"owner" | "teacher"} whose
 */
function secretOf(whose) {
  const brought = new RegExp(`^#${whose}=([\\w-]+)$`).exec(location.hash)?.[1] ?? "";
  if (brought) history.replaceState(null, "", location.pathname + location.search);
  return brought;
}

/** Kept for the next page that is opened by hand. */
function ownerSecret() {
  const brought = secretOf("owner");
  try {
    if (brought) localStorage.setItem("headlight.owner", brought);
    return brought || (localStorage.getItem("headlight.owner") ?? "");
  } catch {
    return brought; // the browser keeps nothing
  }
}

const owner = ownerSecret();
const rooms = roomsDoor(secretOf("teacher"));
const token = pageToken();

/** @type {import("./page.js").Send} */
async function send(request, signal) {
  const headers = {
    "Content-Type": "application/json",
    "X-Headlight-Page": token,
    ...(PROTOCOL.requests[request.ask]?.owner && owner ? { "X-Headlight-Owner": owner } : {}),
  };
  // A whole trace is large; the server takes few of these at a time.
  const address = fileAddress("trace" in request ? "../upload" : "../answer");
  const body = JSON.stringify(request);
  const response = await fetch(address, { method: "POST", headers, body, signal });
  if (!response.ok) throw new Error(`${response.status}`);
  return response.json();
}

document.title = "Headlight"; // Gradio's comes later
const element = document.createElement("div");
document.body.prepend(element);
mount(
  element,
  firstPage().catch(() => NOTHING),
  { send, views: SERVED, rooms },
).then(
  // Gradio is as large as the viewer, and nothing of it is in the first picture.
  () => setTimeout(bringGradio),
  (error) => {
    // Texts did not come: as if the script that asked for them had not (arriving.js).
    element.remove();
    document.querySelector('script[src*="/joined/start.js"]')?.dispatchEvent(new Event("error"));
    throw error;
  },
);

function bringGradio() {
  const waiting = document.querySelector("template#gradio");
  if (!(waiting instanceof HTMLTemplateElement)) return;
  waiting.replaceWith(document.importNode(waiting.content, true));
}
