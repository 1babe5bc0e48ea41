/** What only a page with a server shows; a saved trace neither draws nor carries it. */

import { startView } from "./lessons/start_card.js";
import { onceWanted } from "./parts/later.js";
import { QUESTIONS } from "./questions/index.js";
import { listenToDrops } from "./views/dropping.js";
import { fileView } from "./views/file.js";
import { sourceView } from "./views/source.js";
import { isComing } from "./views/waiting.js";

const reportView = onceWanted(
  ["report"],
  ({ report }) => report !== null,
  async () => (await import("./views/report.js")).reportView,
);

/** @type {(context: import("./state/actions.js").Context) => Node} */
function comingView(context) {
  const view = onceWanted(
    ["busy"],
    (state) => isComing(context, state),
    async () => (await import("./views/guest/coming.js")).comingView,
  );
  return view(context);
}

/** @type {(context: import("./state/actions.js").Context) => Node} */
function lessonsView(context) {
  const { search } = location; // as the link said it: before the panel is there, the address says all that is shown
  const view = onceWanted(
    ["lesson"],
    ({ lesson }) => lesson !== null && lesson.part !== "start",
    async () => {
      const { lessonsView } = await import("./lessons/panel.js");
      return (context, isAsked) => lessonsView(context, isAsked ? null : search);
    },
  );
  return view(context);
}

const classView = onceWanted(
  ["classroom"],
  ({ classroom }) => classroom.role !== null,
  async () => (await import("./class/class.js")).classView,
);

export const SERVED = {
  sourceView,
  comingView,
  fileView,
  reportView,
  lessonsView,
  startView,
  classView,
  listenToDrops,
  questions: QUESTIONS,
};
