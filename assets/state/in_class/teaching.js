/** What a teacher does in front of a class: asks, reveals, takes a sentence, follows a plan, ends it. */

import { readPlan } from "../classroom/plan.js";
import { problemOf } from "../problem.js";
import { questionAbout, sameOrOther } from "./questions.js";

/** @import { State } from "../state.js" */
/** @import { Classroom } from "../classroom/classroom.js" */
/** @import { Asking } from "../classroom/plan.js" */
/** @import { Made, Truth } from "./questions.js" */

/**
 * @param {import("../store.js").Store<State>} store
 * @param {import("../actions.js").Actions} actions
 * @param {import("../address/followed.js").Followed} shared  what a class follows
 * @param {import("../server/about.js").Asking["traceOf"]} traceOf
 * @param {(patch: Partial<Classroom>) => void} set
 * @param {(call: Record<string, unknown>) => Promise<any>} post  null: it was refused, which is said
 */
export function teaching(store, actions, shared, traceOf, set, post) {
  /** The question that is asked now. @type {Made | null} */
  let current = null;

  /** @param {Asking} asking */
  async function ask(asking) {
    const next = questionAbout(store.get(), asking);
    if (!next) return set({ problem: { code: "class.cannot_ask", details: {} } });
    // Hidden first: nobody sees what is asked.
    if (asking.kind !== "sentence") {
      actions.hideNext(true);
      actions.goTo(next.from);
    }
    if (await post({ do: "ask", question: next.question })) current = next;
  }

  /** @type {(next: Made) => Promise<Truth | null>} */
  async function truthOf({ truth, changed }) {
    const { trace } = store.get();
    if (truth || !changed || !trace) return truth;
    try {
      return sameOrOther(trace, await traceOf(changed));
    } catch (error) {
      set({ problem: problemOf(error) });
      return null;
    }
  }

  return {
    ask,
    async reveal() {
      const { question } = store.get().classroom;
      if (!question) return;
      // After a reload: the same is shown.
      const next = current ?? questionAbout(store.get(), question);
      const truth = next && (await truthOf(next));
      if (!next || !truth || !(await post({ do: "reveal", truth }))) return;
      actions.hideNext(false);
      if (next.changed) await actions.open(next.changed);
      else actions.goTo(next.to);
    },
    async goOn() {
      if (await post({ do: "end" })) current = null;
    },
    /**
     * Has everybody see a sentence of somebody's.
     *
     * @param {{id: string, text: string}} sentence
     */
    async takeSentence({ id, text }) {
      await post({ do: "take", id });
      actions.hideNext(false);
      await actions.translate(text);
    },
    /** @param {{id: string}} sentence  that nobody is shown */
    dropSentence: ({ id }) => post({ do: "take", id }),
    /** Asks what was asked, for whoever keeps it. */
    async askPast() {
      const reply = await post({ do: "history" });
      if (reply) set({ past: reply.history });
    },
    /** Ends the class; what was asked stays on this page. */
    async close() {
      const reply = await post({ do: "history" });
      if (reply) set({ past: reply.history });
      await post({ do: "close" });
    },
    /** @param {string | null} text  of a plan; null puts it away */
    openPlan(text) {
      const plan = text === null ? null : readPlan(text);
      const none = plan?.length === 0;
      set({ plan: none ? null : plan, planned: 0 });
      if (none) set({ problem: { code: "class.no_plan", details: {} } });
    },
    /**
     * Shows what a plan has next, and asks what it asks.
     *
     * @param {number} at
     */
    async goToPlanned(at) {
      const planned = store.get().classroom.plan?.[at];
      if (!planned) return;
      set({ planned: at + 1 });
      if (store.get().classroom.question) await post({ do: "end" });
      current = null;
      const shown = await shared.show(store, actions.open, planned.address);
      if (shown && planned.ask) await ask(planned.ask);
    },
  };
}
