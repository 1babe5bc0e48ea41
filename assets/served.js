/** What only a page with a server shows; a saved trace neither draws nor carries it. */

import { lessonsView } from "./lessons/panel.js";
import { startView } from "./lessons/start_card.js";
import { modelView } from "./questions/anatomy/view.js";
import { bertvizView } from "./questions/bertviz/view.js";
import { compareView } from "./questions/compare/view.js";
import { headsView } from "./questions/heads/view.js";
import { layersView } from "./questions/layers_tab.js";
import { partsView } from "./questions/parts/view.js";
import { trainingView } from "./questions/training/view.js";
import { whyView } from "./questions/why_tab.js";
import { workedOutView } from "./questions/worked_out/view.js";
import { listenToDrops } from "./views/dropping.js";
import { fileView } from "./views/file.js";
import { reportView } from "./views/report.js";
import { sourceView } from "./views/source.js";

export const SERVED = {
  sourceView,
  fileView,
  reportView,
  bertvizView,
  workedOutView,
  lessonsView,
  startView,
  listenToDrops,
  tabs: {
    why: whyView,
    model: modelView,
    heads: headsView,
    layers: layersView,
    training: trainingView,
    compare: compareView,
    parts: partsView,
  },
};
