/** What a person does in a class: opens one, follows it, answers; asks, reveals, ends it. */

import { followed } from "../address/followed.js";
import { codeIn, NO_CLASS } from "../classroom/classroom.js";
import { problemOf } from "../problem.js";
import { following } from "./following.js";
import { keepHearing } from "./hearing.js";
import { teaching } from "./teaching.js";

/** @import { State } from "../state.js" */
/** @import { Classroom, Said } from "../classroom/classroom.js" */
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
  let hearing = new AbortController();
  const follow = following(store, actions.open, shared, set, (address) =>
    post({ do: "show", address, by: rooms?.me ?? "" }, "teacher"),
  );

  /**
   * @param {Record<string, unknown>} call
   * @param {"teacher" | "student"} as
   * @returns {Promise<any>}  null if it was refused, which is said
   */
  async function post(call, as) {
    if (!rooms) return null;
    try {
      const answer = await rooms.post(call, as);
      if (classroom().problem) set({ problem: null });
      return answer;
    } catch (error) {
      set({ problem: problemOf(error) });
      return null;
    }
  }

  /** @type {(as: "teacher" | "student", code: string) => void} */
  function listen(as, code) {
    if (!rooms) return;
    hearing.abort();
    hearing = new AbortController();
    set({ ...NO_CLASS, served: true, reach: classroom().reach, role: as, code });
    follow.begin();
    const told = {
      hear,
      lose: () => set({ away: true }),
      refuse: (/** @type {import("../problem.js").Problem} */ problem) =>
        set({ problem, end: "refused", away: false }),
    };
    keepHearing(rooms, as, code, told, hearing.signal);
  }

  /** @param {import("../server/events.js").ClassEvent} event */
  function hear({ name, told }) {
    if (name === "own") set({ said: told, away: false });
    if (name === "end") {
      hearing.abort();
      if (told.reason !== "elsewhere") rooms?.kept("class", "");
      set({ end: told.reason, away: false, question: null, outcome: null, inviting: false });
    }
    if (name !== "room" && name !== "desk") return;
    const { question, said } = classroom();
    const another = question && question.number !== told.question?.number;
    set({ ...told, code: told.room, away: false, said: another ? null : said });
    if (!told.view) return;
    if (told.view.by === rooms?.me && name === "desk") follow.own(told.view.number);
    else follow.come(told.view);
  }

  /** @param {string} code */
  function join(code) {
    rooms?.kept("class", "");
    listen("student", code);
  }

  return {
    ...teaching(store, actions, shared, traceOf, set, (call) => post(call, "teacher")),
    /** What the page's own address, or this tab's last page, says of a class. */
    arrive() {
      if (!rooms) return;
      set({ served: true });
      const asked = new URLSearchParams(location.search).get("room");
      const code = asked === null ? null : codeIn(asked);
      if (code) join(code);
      else if (asked !== null)
        set({ role: "student", end: "refused", problem: { code: "class.no_room", details: {} } });
      else if (rooms.kept("class") === "open") this.open(false);
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
      rooms.kept("class", "open");
      listen("teacher", opened.room);
      set({ inviting });
    },
    join,
    /** @param {boolean} inviting  whether the code fills the screen */
    invite: (inviting) => set({ inviting }),
    /** Shows what the class is shown. */
    backToClass: () => follow.show(),
    /** @param {Said} said */
    async answer(said) {
      const { code, question } = classroom();
      if (!question) return;
      const given =
        said.choice === null
          ? { text: said.text, sure: said.sure }
          : { choice: said.choice, sure: said.sure };
      const call = { do: "answer", room: code, question: question.number, said: given };
      if (await post(call, "student")) set({ said });
    },
    /** The class goes on without this page. */
    leave() {
      hearing.abort();
      rooms?.kept("class", "");
      set({ ...NO_CLASS, served: true });
      const address = new URL(location.href);
      address.searchParams.delete("room");
      history.replaceState(null, "", address);
    },
  };
}
