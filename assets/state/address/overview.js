/** What of all heads, where there are many, an address holds. */

import { ROLES_OF } from "../../trace/roles.js";
import { DEFAULT_OVERVIEW } from "../state.js";
import { entriesOf, index, oneOf } from "./parameter.js";

const { field } = entriesOf({ overview: DEFAULT_OVERVIEW });

/** @type {import("./parameter.js").Parameter[]} */
export const OVERVIEW = [
  field("heads_order", "overview", "order", oneOf(["layer", "role", "sharpness", "harm"])),
  // "previous-induction": heads of these roles stand out.
  field("heads_roles", "overview", "roles", {
    write: (roles) => roles.join("-") || null,
    read: (text, { kind }) => {
      /** @type {string[]} */
      const names = ROLES_OF[kind];
      const roles = text.split("-", names.length);
      return roles.every((role) => names.includes(role)) ? roles : null;
    },
    beside: ["kind"],
  }),
  field("heads_layer", "overview", "layer", {
    write: (layer) => (layer === null ? null : String(layer + 1)),
    read: (text, { trace, kind }) => index(text, trace?.weights[kind]?.layers),
    beside: ["kind"],
  }),
];
