import assert from "node:assert/strict";
import test from "node:test";
import { lookingActions } from "../../assets/state/looking.js";
import { createStore } from "../../assets/state/store.js";

test("a fifth pin says which of the four made way for it", () => {
  /** @type {any} */
  const state = { heads: {}, pins: {}, letGo: null, hover: null, picked: null };
  const store = createStore(state);
  const { togglePin, chooseHead } = lookingActions(store);
  const heads = [0, 1, 2, 3, 4].map((head) => ({ layer: 0, head }));
  const letGo = heads.map((head) => {
    togglePin("cross", head);
    return store.get().letGo;
  });
  assert.deepEqual(letGo, [null, null, null, null, { kind: "cross", head: heads[0] }]);
  assert.deepEqual(store.get().pins.cross, heads.slice(1));
  chooseHead("cross", heads[2]);
  assert.equal(store.get().letGo, null, "said once");
});
