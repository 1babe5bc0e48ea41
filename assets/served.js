/** What only a page with a server shows; a saved trace neither draws nor carries it. */

import { classView } from "./class/class.js";
import { lessonsView } from "./lessons/panel.js";
import { startView } from "./lessons/start_card.js";
import { QUESTIONS } from "./questions/index.js";
import { listenToDrops } from "./views/dropping.js";
import { fileView } from "./views/file.js";
import { reportView } from "./views/report.js";
import { sourceView } from "./views/source.js";

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
