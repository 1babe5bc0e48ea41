/** Hearing what a class's server says, for as long as there is a class, over a network that drops. */

import { Refused } from "../problem.js";

/** Milliseconds until the next try, the first and the last. */
const PAUSES = { first: 500, most: 8_000 };

/**
 * Listens again and again.
 *
 * @param {import("../server/rooms.js").Rooms} rooms
 * @param {"teacher" | "student"} as
 * @param {string} room
 * @param {object} listener
 * @param {(event: import("../server/events.js").ClassEvent) => void} listener.hear
 * @param {() => void} listener.lose  the server is not heard any more
 * @param {(problem: import("../problem.js").Problem) => void} listener.refuse  and nothing is tried again
 * @param {AbortSignal} signal
 */
export async function keepHearing(rooms, as, room, { hear, lose, refuse }, signal) {
  let last = "";
  /** @type {number} */
  let pause = PAUSES.first;
  while (!signal.aborted) {
    try {
      await rooms.listen({
        ...{ as, room, last, signal },
        hear(event) {
          last = event.id || last;
          pause = PAUSES.first;
          hear(event);
        },
      });
    } catch (error) {
      if (signal.aborted) return;
      // A proxy says something of its own while the server starts anew.
      if (error instanceof Refused && error.problem.code.startsWith("class.")) {
        refuse(error.problem);
        return;
      }
    }
    if (signal.aborted) return;
    lose();
    await networkOr(pause, signal);
    pause = Math.min(PAUSES.most, 2 * pause);
  }
}

/** @type {(milliseconds: number, signal: AbortSignal) => Promise<void>}  until then, or until there is a network again */
function networkOr(milliseconds, signal) {
  return new Promise((resume) => {
    const done = () => {
      clearTimeout(timer);
      removeEventListener("online", done);
      signal.removeEventListener("abort", done);
      resume();
    };
    const timer = setTimeout(done, milliseconds);
    addEventListener("online", done);
    signal.addEventListener("abort", done);
  });
}
