/** Errors whose sentence is meant for the person who caused them (`transformer/errors.py`). */

/** A refused input: `code` is a key of the locale files, `details` fills in numbers and names. */
export class HeadlightError extends Error {
  /**
   * @param {string} code
   * @param {Record<string, string | number>} [details]
   */
  constructor(code, details = {}) {
    super(`${code} ${JSON.stringify(details)}`);
    this.code = code;
    this.details = details;
  }
}

/** A checkpoint that cannot be loaded; the sentence names the file and the reason. */
export class CheckpointError extends HeadlightError {
  /**
   * @param {string} file
   * @param {string} reason
   */
  constructor(file, reason) {
    super("broken_checkpoint", { file, reason });
  }
}
