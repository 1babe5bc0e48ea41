/** What only a page with a server shows; a saved trace neither draws nor carries it. */

import { lessonsView } from "./lessons/panel.js";
import { listenToDrops } from "./views/dropping.js";
import { fileView } from "./views/file.js";
import { reportView } from "./views/report.js";
import { sourceView } from "./views/source.js";
import { bertvizView } from "./views/tabs/bertviz.js";
import { compareView } from "./views/tabs/compare/compare.js";
import { headsView } from "./views/tabs/heads/heads.js";
import { layersView } from "./views/tabs/layers/layers.js";
import { modelView } from "./views/tabs/model/model.js";
import { trainingView } from "./views/tabs/training/training.js";
import { wordsView } from "./views/tabs/words/words.js";
import { workedOutView } from "./views/tabs/worked_out.js";

export const SERVED = {
  sourceView,
  fileView,
  reportView,
  workedOutView,
  lessonsView,
  listenToDrops,
  tabs: {
    model: modelView,
    heads: headsView,
    words: wordsView,
    layers: layersView,
    training: trainingView,
    compare: compareView,
    bertviz: bertvizView,
  },
};
