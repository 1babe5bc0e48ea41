/** The last few things that were asked about, so that going back to one is instant. */

/**
 * @template Value
 * @param {number} most  so many are remembered
 * @returns {{recall: (of: unknown) => Value | undefined, remember: (of: unknown, value: Value) => void}}
 *   by anything that JSON can tell apart
 */
export function remembering(most) {
  /** @type {Map<string, Value>} */
  const values = new Map();
  return {
    recall: (of) => values.get(JSON.stringify(of)),
    remember(of, value) {
      const key = JSON.stringify(of);
      values.delete(key);
      values.set(key, value);
      for (const oldest of [...values.keys()].slice(0, -most)) values.delete(oldest);
    },
  };
}
