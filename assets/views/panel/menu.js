/** What can be done with a panel, in one menu: other pictures of it, and taking them away. */

import { shownName } from "../../draw/titles.js";
import { icon } from "../../kit/icons.js";
import { menuView } from "../../kit/menu.js";
import { isPinned } from "../../state/shown_heads.js";
import { headGroups, traceGroups } from "../export/menus.js";
import { openFile } from "../file.js";

/** @typedef {import("../../kit/menu.js").Item} Item */

/**
 * @param {import("../../state/actions.js").Context} context
 * @param {import("../../trace/kinds.js").Kind} kind
 * @param {object} more
 * @param {() => Item[]} more.zoom
 * @param {(anchor: HTMLElement) => void} more.color  opens how weights are coloured
 */
export function panelMenu(context, kind, { zoom, color }) {
  const { store, actions, served, t } = context;
  const open = { label: t("file.open"), run: () => openFile(actions) };
  /** @type {(choice: import("../../trace/choice.js").Choice) => Item} */
  const pin = (choice) => ({
    label: t("pin.on", { head: shownName(t, choice) }),
    run: () => actions.togglePin(kind, choice),
  });
  return menuView(
    t("panel.menu", { kind: t(`${kind}.title`) }),
    () => {
      const { tables, heads } = store.get();
      const chosen = heads[kind];
      const shown = tables[kind] ?? false;
      return [
        {
          items: [
            {
              label: t(shown ? "table.off" : "table"),
              run: () => actions.showTable(kind, !shown),
            },
            ...(shown ? [] : zoom()),
            // When the menu is closed: closing gives the focus back.
            { label: t("coloring"), run: (anchor) => void setTimeout(color, 0, anchor) },
            ...(chosen && !isPinned(store.get(), kind, chosen) ? [pin(chosen)] : []),
          ],
        },
        ...headGroups(context, kind),
        ...traceGroups(context),
        ...(served ? [{ items: [open] }] : []),
      ];
    },
    icon("menu"),
  );
}
