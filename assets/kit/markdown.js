/** Markdown as blocks of plain text: as much of it as a reader needs, and none of it as HTML. */

/** @typedef {{type: "heading" | "paragraph" | "item" | "code", text: string}} Block */

/**
 * Headings, paragraphs, list items and code. Pictures are left out, and so are marks of emphasis and
 * links, of which the words stay; tables stay as they are written.
 *
 * @param {string} markdown
 * @returns {Block[]}
 */
export function markdownBlocks(markdown) {
  /** @type {Block[]} */
  const blocks = [];
  let open = /** @type {Block | null} */ (null);
  let fenced = false;
  /** @type {(type: Block["type"], text: string) => void} */
  const begin = (type, text) => {
    open = { type, text };
    blocks.push(open);
  };
  for (const line of markdown.split(/\r?\n/)) {
    if (line.startsWith("```")) {
      fenced = !fenced;
      if (fenced) begin("code", "");
      else open = null;
    } else if (fenced || line.startsWith("|")) {
      if (open?.type === "code") open.text += open.text ? `\n${line}` : line;
      else begin("code", line);
    } else if (!line.trim() || line.startsWith("![")) {
      open = null;
    } else if (/^#+ /.test(line)) {
      begin("heading", plain(line.replace(/^#+ /, "")));
      open = null;
    } else if (/^[-*] /.test(line)) {
      begin("item", plain(line.slice(2)));
    } else if (open && open.type !== "code") {
      open.text += ` ${plain(line.trim())}`;
    } else {
      begin("paragraph", plain(line.trim()));
    }
  }
  return blocks;
}

/** @param {string} text */
function plain(text) {
  return text
    .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/\*\*?([^*]+)\*\*?|`([^`]+)`/g, "$1$2");
}
