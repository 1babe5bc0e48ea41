/** A page's token: another one each time, and such as the server counts by. */

import assert from "node:assert/strict";
import test from "node:test";
import { pageToken } from "../../assets/state/server/page_token.js";

test("two pages never call themselves alike, nor longer than is counted", () => {
  const tokens = new Set(Array.from({ length: 1000 }, pageToken));
  assert.equal(tokens.size, 1000);
  for (const token of tokens) assert(/^[\w-]{16,64}$/.test(token), token);
});
