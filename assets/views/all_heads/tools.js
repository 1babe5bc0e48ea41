/** Above all heads: in which order they stand, and which of them are to stand out. */

import { switchView } from "../../kit/controls.js";
import { h } from "../../kit/dom.js";
import { ORDERS, roleCounts } from "./arranged.js";

/** @import { HeadRow } from "../../trace/statistics.js" */

/**
 * @param {import("../../state/actions.js").Context} context
 * @param {() => string[]} rolesOf  the shown kind's
 */
export function headTools({ store, actions, t }, rolesOf) {
  const orders = switchView(
    t("overview.order"),
    ORDERS,
    (order) => t(`overview.order.${order}`),
    (order) => actions.adjust("overview", { order }),
  );
  const roles = h("div", {
    class: "cluster role-filters",
    role: "group",
    "aria-label": t("overview.show"),
  });
  const element = h("div", { class: "cluster head-tools" }, orders.element, roles);

  /** @param {string} role */
  function toggle(role) {
    const { overview } = store.get();
    const others = overview.roles.filter((each) => each !== role);
    const on = others.length === overview.roles.length;
    actions.adjust("overview", { roles: on ? [...others, role] : others });
  }

  let drawn = "";
  return {
    element,
    /** @param {HeadRow[] | null} heads  what is known of them */
    follow(heads) {
      const { overview } = store.get();
      orders.press(overview.order);
      for (const [i, order] of ORDERS.entries()) {
        const button = orders.buttons[i];
        button.disabled = order !== "layer" && !heads;
        button.hidden = order === "harm" && !heads?.some(({ numbers }) => numbers.harm !== null);
      }
      const counts = roleCounts(heads ?? [], rolesOf());
      const now = JSON.stringify(heads && counts);
      if (now !== drawn) {
        drawn = now;
        roles.replaceChildren(
          ...(heads ? [] : [h("span", { class: "quiet" }, t("overview.measuring"))]),
          ...counts.map(({ role, count }) =>
            h(
              "button",
              { class: "chip", "data-role": role, click: () => toggle(role) },
              t(`role.${role}`),
              h("span", { class: "quiet" }, ` ${count}`),
            ),
          ),
        );
      }
      for (const button of roles.querySelectorAll("button")) {
        button.ariaPressed = String(overview.roles.includes(button.dataset.role ?? ""));
      }
    },
  };
}
