/** Many heads: all of them below the matrix, and the layer at hand beside it. */

import { allHeadsView } from "./all_heads.js";
import { layerHeadsView } from "./beside.js";

export const MANY_HEADS = { all: allHeadsView, layer: layerHeadsView };
