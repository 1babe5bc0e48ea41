/** Whether another text would no longer be refused, as far as that can be told without asking. */

/** @import { Problem } from "./problem.js" */

/**
 * @param {string} source  as it reads now
 * @param {Problem} problem
 * @param {string} refused  the source that had it
 */
export function mends(source, { code, details }, refused) {
  const limit = Number(details.limit);
  if (code === "empty_source" || code === "empty_prompt") return source.trim() !== "";
  if (code === "too_many_characters") return lengthOf(source) <= limit;
  // What part of the text is left has that part of its tokens.
  if (code === "source_too_long")
    return (Number(details.length) * lengthOf(source)) / lengthOf(refused) <= limit;
  return false;
}

/** @param {string} text  its length as Python counts it */
function lengthOf(text) {
  return [...text].length;
}
