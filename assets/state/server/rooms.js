/** The class's door: posts up, and one stream of events down. Only a page with a server has it. */

import { fileAddress } from "../../kit/files.js";
import { NO_ANSWER, Refused } from "../problem.js";
import { readingEvents } from "./events.js";
import { pageToken } from "./page_token.js";

/** @import { ClassEvent } from "./events.js" */

/**
 * Whoever is asked about a class.
 *
 * @typedef {object} Rooms
 * @property {string} me  what this screen calls itself before the class
 * @property {(call: Record<string, unknown>, as: "teacher" | "student") => Promise<any>} post  what is
 *   answered; `Refused` says why nothing is
 * @property {(listening: Listening) => Promise<void>} listen  until the stream breaks off, or is refused
 * @property {(key: "class", value?: string | null) => string} session  what a reload of this page still knows
 */

/**
 * @typedef {object} Listening
 * @property {"teacher" | "student"} as
 * @property {string} room
 * @property {string} last  the id of the last event that came
 * @property {(event: ClassEvent) => void} hear
 * @property {AbortSignal} signal
 */

/** Milliseconds without a sign of life, which comes every fifteen seconds. */
const SILENCE = 40_000;

/**
 * @param {string} brought  the secret that the page's address brought along, if it did
 * @returns {Rooms}
 */
export function roomsDoor(brought) {
  const session = sessionKeeper();
  if (brought) session("teacher", brought);
  const me = session("person") || session("person", pageToken());
  const headers = (/** @type {"teacher" | "student"} */ as) => ({
    "X-Headlight-Person": me,
    // Where anybody may open a room, whoever does makes up a secret.
    ...(as === "teacher"
      ? { "X-Headlight-Teacher": session("teacher") || session("teacher", pageToken()) }
      : {}),
  });
  return {
    me,
    session,
    async post(call, as) {
      const response = await fetch(fileAddress("../class"), {
        method: "POST",
        headers: { "Content-Type": "application/json", ...headers(as) },
        body: JSON.stringify(call),
      }).catch(() => null);
      const answer = await response?.json().catch(() => null);
      if (!response?.ok) throw new Refused(answer?.error ?? NO_ANSWER);
      return answer;
    },
    async listen({ as, room, last, hear, signal }) {
      const silent = new AbortController();
      const ends = AbortSignal.any?.([signal, silent.signal]) ?? signal;
      const response = await fetch(
        fileAddress(`../class/stream?room=${encodeURIComponent(room)}`),
        {
          headers: { ...headers(as), ...(last ? { "Last-Event-ID": last } : {}) },
          cache: "no-store",
          signal: ends,
        },
      );
      if (!response.ok || !response.body) {
        const answer = await response.json().catch(() => null);
        throw new Refused(answer?.error ?? NO_ANSWER);
      }
      const read = readingEvents();
      const pieces = response.body.pipeThrough(new TextDecoderStream()).getReader();
      let timer = setTimeout(() => silent.abort(), SILENCE);
      try {
        for (;;) {
          const { done, value } = await pieces.read();
          if (done) return;
          clearTimeout(timer);
          timer = setTimeout(() => silent.abort(), SILENCE);
          for (const event of read(value)) hear(event);
        }
      } finally {
        clearTimeout(timer);
      }
    },
  };
}

/** What the browser keeps for as long as this tab is open, or this page where it keeps nothing. */
function sessionKeeper() {
  /** @type {Record<string, string>} */
  const here = {};
  return (/** @type {string} */ key, /** @type {string | null} */ value = null) => {
    try {
      if (value !== null) sessionStorage.setItem(`headlight.${key}`, value);
      return sessionStorage.getItem(`headlight.${key}`) ?? "";
    } catch {
      if (value !== null) here[key] = value;
      return here[key] ?? "";
    }
  };
}
