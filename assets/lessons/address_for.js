/** What the page shows beside a lesson, of the model at hand. */

/**
 * What the page is to show at a stop, of this model.
 *
 * @param {{address: string}} stop  of a translator
 * @param {Pick<import("../trace/trace.js").Trace, "weights">} trace
 */
export function addressFor({ address }, { weights }) {
  if (weights.cross) return address;
  if (!weights.decoder_self) {
    return address.replaceAll("decoder", "encoder").replaceAll("cross", "encoder_self");
  }
  return address
    .replaceAll("encoder.", "decoder.")
    .replaceAll("encoder_self", "decoder_self")
    .replaceAll("cross", "decoder_self");
}
