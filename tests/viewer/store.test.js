import assert from "node:assert/strict";
import test from "node:test";
import { haveChanged } from "../../assets/state/store.js";

test("inputs have changed where one of them, or their number, is another", () => {
  const changed = haveChanged();
  const trace = { src: ["a"] };
  assert(changed(trace, 1), "at first");
  assert(!changed(trace, 1));
  assert(changed(trace, 2));
  assert(!changed(trace, 2));
  assert(changed({ ...trace }, 2), "another object of the same values");
  assert(changed(trace));
  assert(changed(trace, undefined), "as many as before and one");
  assert(!changed(trace, undefined));
});

test("inputs that are forgotten have changed, whatever they are", () => {
  const changed = haveChanged();
  changed("trace", null);
  changed();
  assert(changed("trace", null));
});

test("two views remember inputs of their own", () => {
  const [one, other] = [haveChanged(), haveChanged()];
  assert(one("trace"));
  assert(other("trace"));
  assert(!one("trace"));
});
