/** Why the checker could not judge something; apart from a report's reader, which files alone need. */

/**
 * Codes that could not be judged, together where the reason is the same.
 *
 * @type {(unknown: string[], reasons: Map<string, string>) => [reason: string, codes: string[]][]}
 */
export function byReason(unknown, reasons) {
  /** @type {Map<string, string[]>} */
  const reasonsOf = new Map();
  for (const code of unknown) {
    const reason = reasons.get(code) ?? "";
    reasonsOf.set(reason, [...(reasonsOf.get(reason) ?? []), code]);
  }
  return [...reasonsOf];
}
