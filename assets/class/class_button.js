/**
 * The button that opens a class, and shows how one joins it.
 *
 * This room holds a class together: what its teacher and its students see of it. It stands above all
 * views and lessons, and none of them knows it. Where there is no server, this and the invitation alone
 * are drawn.
 */

import { h } from "../kit/dom.js";

/** @import { ClassContext } from "../state/in_class/class_actions.js" */

/** @param {ClassContext} context */
export function classButton({ store, classroom, t, watch }) {
  const button = h("button", { class: "named class-button", click: press }, t("class"));
  async function press() {
    const { served, role, end } = store.get().classroom;
    if (served && (role !== "teacher" || end)) {
      await classroom.askReach();
      if (store.get().classroom.reach?.may) return classroom.open();
    }
    classroom.invite(true);
  }
  let inviting = false;
  watch(["classroom"], (state) => {
    if (inviting && !state.classroom.inviting && state.presenter) button.focus();
    inviting = state.classroom.inviting;
  });
  return button;
}
