/** What a person does in a class: opens one, follows it, answers; asks, reveals, ends it. */

import { followed } from "../address/followed.js";
import { codeIn, NO_CLASS } from "../classroom/classroom.js";
import { problemOf } from "../problem.js";
import { following } from "./following.js";
import { keepHearing } from "./hearing.js";
import { teaching } from "./teaching.js";

/** @import { State } from "../state.js" */
/** @import { Answer, Classroom } from "../classroom/classroom.js" */
/** @import { ClassEvent } from "../server/events.js" */
/** @typedef {ReturnType<typeof classActions>} ClassActions */
/** @typedef {import("../actions.js").Context & {classroom: ClassActions}} ClassContext */

/**
 * @param {import("../store.js").Store<State>} store
 * @param {import("../actions.js").Actions} actions
 * @param {import("../address/parameter.js").Parameter<any>[]} parameters
 * @param {import("../server/rooms.js").Rooms | null} rooms  null where nobody could hold one
 * @param {import("../server/about.js").Asking["traceOf"]} traceOf
 */
export function classActions(store, actions, parameters, rooms, traceOf) {
  const classroom = () => store.get().classroom;
  /** @param {Partial<Classroom>} patch */
  const set = (patch) => store.set({ classroom: { ...classroom(), ...patch } });
  const shared = followed(parameters);
  const post = posting(rooms, classroom, set);
  let hearing = new AbortController();
  const follow = following(store, actions.open, shared, set, (address) =>
    post({ do: "show", address, by: rooms?.me ?? "" }, "teacher"),
  );

  /** @type {(as: "teacher" | "student", code: string) => void} */
  function listen(as, code) {
    if (!rooms) return;
    hearing.abort();
    hearing = new AbortController();
    set({ ...NO_CLASS, served: true, reach: classroom().reach, role: as, code });
    follow.begin();
    const lose = () => set({ away: true });
    /** @param {import("../problem.js").Problem} problem */
    const refuse = (problem) => set({ problem, end: "refused", away: false });
    keepHearing(rooms, as, code, { hear, lose, refuse }, hearing.signal);
  }

  /** @param {ClassEvent} event */
  function hear(event) {
    const { name, payload } = event;
    if (name === "end") {
      hearing.abort();
      if (payload.reason !== "elsewhere") rooms?.session("class", "");
    }
    set(changeBy(event, classroom()));
    const view = name === "room" || name === "desk" ? payload.view : null;
    if (!view) return;
    if (view.by === rooms?.me && name === "desk") follow.own(view.number);
    else follow.come(view);
  }

  /** @param {string} code */
  function join(code) {
    rooms?.session("class", "");
    listen("student", code);
  }

  return {
    ...teaching(store, actions, shared, traceOf, set, (call) => post(call, "teacher")),
    /** What the page's own address, or this tab's last page, says of a class. */
    arrive() {
      if (!rooms) return;
      set({ served: true });
      const room = new URLSearchParams(location.search).get("room");
      const code = room === null ? null : codeIn(room);
      if (code) join(code);
      else if (room !== null)
        set({ role: "student", end: "refused", problem: { code: "class.no_room", details: {} } });
      else if (rooms.session("class") === "open") this.open(false);
    },
    /** Whether there are classes here, and where students find this page. */
    async askReach() {
      const reach = await post({ do: "about" }, "teacher");
      if (reach) set({ reach });
    },
    /**
     * Opens a class, or comes back to it.
     *
     * @param {boolean} [inviting]  whether its code fills the screen
     */
    async open(inviting = true) {
      const opened = await post({ do: "open" }, "teacher");
      if (!opened || !rooms) return;
      rooms.session("class", "open");
      listen("teacher", opened.room);
      set({ inviting });
    },
    join,
    /** @param {boolean} inviting  whether the code fills the screen */
    invite: (inviting) => set({ inviting }),
    /** Shows what the class is shown. */
    backToClass: () => follow.show(),
    /** @param {Answer} answer */
    async answer(answer) {
      const { code, question } = classroom();
      if (!question) return;
      const { choice, text, sure } = answer;
      const content = choice === null ? { text, sure } : { choice, sure };
      const call = { do: "answer", room: code, question: question.number, answer: content };
      if (await post(call, "student")) set({ answer });
    },
    /** The class goes on without this page. */
    leave() {
      hearing.abort();
      rooms?.session("class", "");
      set({ ...NO_CLASS, served: true });
      const address = new URL(location.href);
      address.searchParams.delete("room");
      history.replaceState(null, "", address);
    },
  };
}

/**
 * What is asked of a class's server.
 *
 * @param {import("../server/rooms.js").Rooms | null} rooms
 * @param {() => Classroom} classroom
 * @param {(patch: Partial<Classroom>) => void} set
 * @returns {(call: Record<string, unknown>, as: "teacher" | "student") => Promise<any>}  null if it was
 *   refused, which the page then shows
 */
function posting(rooms, classroom, set) {
  return async (call, as) => {
    if (!rooms) return null;
    try {
      const answer = await rooms.post(call, as);
      if (classroom().problem) set({ problem: null });
      return answer;
    } catch (error) {
      set({ problem: problemOf(error) });
      return null;
    }
  };
}

/**
 * What an event changes: with another question a student's answer to the last one goes.
 *
 * @type {(event: ClassEvent, classroom: Pick<Classroom, "question" | "answer">) => Partial<Classroom>}
 */
export function changeBy({ name, payload }, { question, answer }) {
  if (name === "own") return { answer: payload, away: false };
  if (name === "end")
    return { end: payload.reason, away: false, question: null, outcome: null, inviting: false };
  if (name !== "room" && name !== "desk") return {};
  const another = question && question.number !== payload.question?.number;
  return { ...payload, code: payload.room, away: false, answer: another ? null : answer };
}
