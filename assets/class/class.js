/** The class's own strip at the foot of the page: the teacher's desk, or a student's seat. */

import { h } from "../kit/dom.js";
import { deskView } from "./desk.js";
import { seatView } from "./seat.js";

/** @param {import("../state/in_class/class_actions.js").ClassContext} context */
export function classView(context) {
  const { t, watch } = context;
  const [desk, seat] = [deskView(context), seatView(context)];
  const strip = h("section", { class: "classroom", "aria-label": t("class") }, desk, seat);
  watch(["classroom"], ({ classroom: { role } }) => {
    desk.hidden = role !== "teacher";
    seat.hidden = role !== "student";
    strip.hidden = role === null;
    document.body.classList.toggle("in-class", role !== null);
  });
  // So that nothing lies under it for good.
  new ResizeObserver(() => {
    document.body.style.setProperty("--class-height", `${strip.offsetHeight}px`);
  }).observe(strip);
  return strip;
}
