/** What only a page with a server shows; a saved trace neither draws nor carries it. */

import { startView } from "./lessons/start_card.js";
import { onceWanted } from "./parts/later.js";
import { QUESTIONS } from "./questions/index.js";
import { listenToDrops } from "./views/dropping.js";
import { fileView } from "./views/file.js";
import { sourceView } from "./views/source.js";

const reportView = onceWanted(
  ["report"],
  ({ report }) => report !== null,
  async () => (await import("./views/report.js")).reportView,
);

const lessonsView = onceWanted(
  ["lesson"],
  ({ lesson }) => lesson !== null && lesson.part !== "start",
  async () => (await import("./lessons/panel.js")).lessonsView,
);

const classView = onceWanted(
  ["classroom"],
  ({ classroom }) => classroom.role !== null,
  async () => (await import("./class/class.js")).classView,
);

export const SERVED = {
  sourceView,
  fileView,
  reportView,
  lessonsView,
  startView,
  classView,
  listenToDrops,
  questions: QUESTIONS,
};
