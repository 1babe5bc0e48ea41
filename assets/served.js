/** What only a page with a server shows; a saved trace neither draws nor carries it. */

import { classView } from "./class/class.js";
import { lessonsView } from "./lessons/panel.js";
import { startView } from "./lessons/start_card.js";
import { listenToDrops } from "./views/dropping.js";
import { fileView } from "./views/file.js";
import { reportView } from "./views/report.js";
import { sourceView } from "./views/source.js";
import { bertvizView } from "./views/tabs/attention/bertviz.js";
import { workedOutView } from "./views/tabs/attention/worked_out/worked_out.js";
import { compareView } from "./views/tabs/compare/compare.js";
import { headsView } from "./views/tabs/heads/heads.js";
import { layersView } from "./views/tabs/layers/layers.js";
import { modelView } from "./views/tabs/model/model.js";
import { partsView } from "./views/tabs/parts.js";
import { trainingView } from "./views/tabs/training/training.js";
import { whyView } from "./views/tabs/why/why.js";

export const SERVED = {
  sourceView,
  fileView,
  reportView,
  bertvizView,
  workedOutView,
  lessonsView,
  startView,
  classView,
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
