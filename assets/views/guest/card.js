/** A guest's card: what it is, where it lies, and the proof that its picture is what it computes. */

import { h } from "../../kit/dom.js";
import { bytesText, countText, smallText } from "../../kit/numbers.js";
import { KINDS } from "../../trace/kinds.js";

/** @import { GuestCard } from "../../trace/payload.js" */
/** @typedef {import("../../kit/i18n.js").Translate} Translate */

/**
 * A guest's card in half a line.
 *
 * @param {Translate} t
 * @param {GuestCard} card
 */
export function inShort(t, card) {
  return t("guest.short", {
    form: t(`guest.form.${card.form}`),
    heads: headsOf(card),
    parameters: parametersOf(t, card),
  });
}

/**
 * @param {Translate} t
 * @param {string} model
 * @param {GuestCard} card
 * @param {boolean} folder  whether it lies in a folder, rather than on the Hub
 */
export function cardView(t, model, card, folder) {
  const { dtype, device, longest, revision, license, eager, sums, moved } = card;
  /** @type {[string, string][]} */
  const rows = [
    [t("guest.card.family"), `${card.family} (${card.model_class})`],
    [t("guest.card.form"), t(`guest.form.${card.form}`)],
    ...KINDS.flatMap((kind) => headsRow(t, card, kind)),
    [t("guest.card.parameters"), parametersOf(t, card)],
    [t("guest.card.weights"), weightsOf(t, model, card, folder)],
    ...(revision ? [/** @type {[string, string]} */ ([t("guest.card.revision"), revision])] : []),
    [t("guest.card.license"), license || t("guest.card.no_license")],
    [
      t("guest.card.computes"),
      t("guest.card.computes_in", { dtype, device: device.toUpperCase() }),
    ],
    ...(longest
      ? [/** @type {[string, string]} */ ([t("guest.card.longest"), countText(longest)])]
      : []),
  ];
  const own =
    eager === null
      ? t("guest.proof.none")
      : t("guest.proof.own", { gap: eager ? smallText(eager) : "0" });
  return h(
    "div",
    { class: "guest-card" },
    h("dl", {}, ...rows.flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)])),
    h("h3", {}, t("guest.proof")),
    h("p", {}, t("guest.proof.told", { own, sums: smallText(sums), moved: smallText(moved) })),
  );
}

/** @type {(t: Translate, card: GuestCard, kind: import("../../trace/kinds.js").Kind) => [string, string][]} */
function headsRow(t, { heads }, kind) {
  const own = heads[kind];
  if (!own) return [];
  const { layers, heads: count, key_value } = own;
  const size = `${layers} × ${count}`;
  const groups = key_value && key_value < count;
  const text = groups ? t("guest.card.groups", { size, groups: key_value }) : size;
  return [[t("guest.card.heads", { kind: t(`${kind}.title`) }), text]];
}

/** @param {GuestCard} card  layers × heads of each kind, said once where they are alike */
function headsOf({ heads }) {
  const sizes = Object.values(heads).map(({ layers, heads: count }) => `${layers} × ${count}`);
  return [...new Set(sizes)].join(" + ");
}

/** @type {(t: Translate, card: GuestCard) => string} */
function parametersOf(t, { parameters }) {
  if (parameters < 1e6) return t("guest.parameters", { count: parameters });
  return t("guest.millions", { count: countText(parameters / 1e6, parameters < 1e7 ? 1 : 0) });
}

/** @type {(t: Translate, model: string, card: GuestCard, folder: boolean) => string} */
function weightsOf(t, model, { size }, folder) {
  const [name, revision] = model.split("@");
  const hub = ["huggingface.co", name, ...(revision ? ["tree", revision] : [])].join("/");
  const where = folder ? t("guest.card.folder", { model }) : hub;
  return `${where} · ${bytesText(size)}`;
}
