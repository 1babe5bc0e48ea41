/** The mark beside a source word that is pointed at, which leaves the word out. */

import { iconButton } from "../../kit/controls.js";
import { itemIndex } from "../../kit/dom.js";
import { wordsAt } from "../../trace/steering.js";

/**
 * @param {import("../../state/actions.js").Context} context
 * @param {object} words
 * @param {HTMLElement} words.source  the list of them
 * @param {HTMLElement} words.scroller  what they scroll in
 * @param {(index: number) => boolean} words.canLeaveOut
 * @param {(index: number) => void} words.leaveOut
 */
export function crossOut({ store, t }, { source, scroller, canLeaveOut, leaveOut }) {
  // What it does, the menu and the Delete key do as well.
  const cross = iconButton("close", "", () => leaveOut(crossed), { kind: "leave" });
  cross.tabIndex = -1;
  let crossed = 0;
  scroller.addEventListener("pointerover", ({ target, pointerType }) => {
    if (pointerType === "touch" || cross.contains(/** @type {Node} */ (target))) return;
    const index = itemIndex(source, target);
    const { trace } = store.get();
    if (!trace || !canLeaveOut(index)) {
      cross.remove();
      return;
    }
    crossed = index;
    cross.ariaLabel = cross.title = t("leave.word", { word: wordsAt(trace.src, [index]) });
    const { offsetLeft, offsetWidth, offsetHeight } = /** @type {HTMLElement} */ (
      source.children[index]
    );
    cross.style.left = `${source.offsetLeft + offsetLeft + offsetWidth}px`;
    cross.style.height = `${offsetHeight}px`;
    if (!cross.isConnected) scroller.append(cross);
  });
  scroller.addEventListener("pointerleave", () => cross.remove());
}
