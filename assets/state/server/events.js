/** Server-sent events, as they come piece by piece (https://html.spec.whatwg.org/multipage/server-sent-events.html). */

/** @typedef {{name: string, id: string, payload: any}} ClassEvent */

/**
 * @returns {(piece: string) => ClassEvent[]}  what a piece of the stream completes
 */
export function readingEvents() {
  let rest = "";
  let id = "";
  return (piece) => {
    const blocks = (rest + piece).split("\n\n");
    rest = blocks.pop() ?? "";
    return blocks.flatMap((block) => {
      const fields = new Map(
        block.split("\n").map((line) => {
          const at = line.indexOf(": ");
          return [line.slice(0, at), line.slice(at + 2)];
        }),
      );
      id = fields.get("id") ?? id;
      const [name, text] = [fields.get("event"), fields.get("data")];
      return name && text ? [{ name, id, payload: JSON.parse(text) }] : [];
    });
  };
}
