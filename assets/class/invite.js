/** What fills the projector when a class is opened: its code, the address, and both as a QR code. */

import { iconButton } from "../kit/controls.js";
import { h } from "../kit/dom.js";
import { qrPicture } from "../kit/qr/picture.js";
import { refusalText } from "./texts.js";

/** @import { ClassContext } from "../state/in_class/class_actions.js" */
/** @import { Classroom } from "../state/classroom/classroom.js" */

/** Names of this machine, which lead a phone to itself. */
const HERE = /^(?:localhost|127\..*|\[::1\])$/;

/** @param {ClassContext} context */
export function inviteView({ classroom, t, watch }) {
  const content = h("div", { class: "cluster class-code" });
  const people = h("p", { role: "status", class: "people" });
  const close = iconButton("close", t("class.to_page"), () => classroom.invite(false));
  const dialog = h(
    "dialog",
    {
      class: "class-invite",
      "aria-label": t("class"),
      close: () => classroom.invite(false),
    },
    close,
    content,
    people,
  );
  let shown = "";
  watch(["classroom"], (state) => {
    const { inviting, code, role, end, reach, served, problem } = state.classroom;
    const open = role === "teacher" && !end;
    people.textContent =
      open && inviting ? t("class.people", { count: state.classroom.people }) : "";
    const now = JSON.stringify([inviting, code, open, reach, served, problem]);
    if (now !== shown) {
      shown = now;
      if (inviting) content.replaceChildren(...contentOf(state.classroom, open));
    }
    if (inviting && !dialog.open) dialog.isConnected ? dialog.showModal() : queue();
    if (!inviting && dialog.open) dialog.close();
  });

  /** Drawn anew, in another language say, it is no part of the page yet. */
  function queue() {
    queueMicrotask(() => dialog.isConnected && !dialog.open && dialog.showModal());
  }

  /** @type {(state: Classroom, open: boolean) => (Node | string)[]} */
  function contentOf(state, open) {
    if (open) return invitation(state);
    const [why, ...more] = whyNot(state);
    const address = location.href.replace(/#.*/, "");
    const code = qrPicture(address, t("class.qr", { address }));
    const apart = !state.served || state.reach?.on === false;
    return [
      h("h2", {}, t("class")),
      h("p", {}, why),
      ...more.map((text) => h("p", { class: "mono" }, text)),
      ...(apart ? [h("p", {}, t("class.at_hand")), h("p", { class: "mono" }, address)] : []),
      ...(apart ? [code ?? h("p", {}, t("class.long_address"))] : []),
    ];
  }

  /** @param {Classroom} state @returns {string[]}  a sentence, and what is to be typed */
  function whyNot({ served, reach, problem }) {
    if (!served) return [t("class.none_here")];
    if (!reach) return [refusalText(t, problem)];
    if (!reach.on) return [t("class.error.off")];
    if (!reach.reached) return [t("class.alone"), "headlight --host 0.0.0.0"];
    return [t("class.not_teacher")];
  }

  /** @param {Classroom} state */
  function invitation({ code, reach }) {
    const [address, ...others] = addressesOf(reach).map((each) => `${each}?room=${code}`);
    const qr = qrPicture(address, t("class.qr", { address }));
    const spelled = h("p", { class: "letters" }, ...[...code].map((each) => h("span", {}, each)));
    spelled.ariaLabel = code;
    return [
      h(
        "div",
        { class: "note" },
        h("h2", {}, t("class.open_it")),
        h("p", { class: "mono address" }, address),
        ...(others.length ? [h("p", { class: "quiet" }, t("class.or"))] : []),
        ...others.map((each) => h("p", { class: "mono quiet" }, each)),
        h("p", {}, t("class.code")),
        spelled,
        ...(reach?.reached === false ? [h("p", { class: "quiet" }, t("class.only_here"))] : []),
      ),
      qr ?? h("p", {}, t("class.long_address")),
    ];
  }

  return dialog;
}

/**
 * Where students find this page: as it was told, else where the teacher's own browser finds it.
 *
 * @param {Classroom["reach"]} reach
 * @returns {string[]}  one at least
 */
function addressesOf(reach) {
  const own = new URL(".", location.href.replace(/[?#].*/, "")).href;
  const addresses = reach?.addresses ?? [];
  return addresses.length && (reach?.named || HERE.test(location.hostname)) ? addresses : [own];
}
