/** The tower whose residual stream is shown. */

/** @typedef {{tower: "encoder" | "decoder"}} ResidualSettings */

/** @type {ResidualSettings} */
export const DEFAULT_RESIDUAL = { tower: "decoder" };
