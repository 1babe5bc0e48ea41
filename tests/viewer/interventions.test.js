import assert from "node:assert/strict";
import test from "node:test";
import {
  effectOn,
  interventionsAddress,
  interventionText,
  parseIntervention,
  parseInterventions,
  switchedOff,
  targetOf,
  togglePart,
  withChange,
  without,
} from "../../assets/trace/interventions.js";

const SIZE = { layers: 2, heads: 3 };

/** @type {(text: string) => import("../../assets/trace/interventions.js").Target} */
function target(text) {
  const change = parseIntervention(`${text}=zero`);
  assert(change, text);
  const { kind, layer, head } = change;
  return { kind, layer, head };
}

test("the text form goes both ways", () => {
  for (const text of ["cross.L2H4=zero", "decoder_self.L1=uniform", "encoder_self=first"]) {
    const change = parseIntervention(text);
    assert(change);
    assert.equal(interventionText(change), text);
  }
  for (const text of [
    "",
    "cross",
    "cross.L0H1=zero",
    "cross.L2H4=ZERO",
    "self=zero",
    "cross.H2=zero",
  ])
    assert.equal(parseIntervention(text), null, text);
});

test("an address names what is off, and says of others what they are", () => {
  const changes = ["decoder_self.L1=uniform", "cross.L2H4=zero"];
  assert.equal(interventionsAddress(changes), "decoder_self.L1.uniform-cross.L2H4");
  assert.deepEqual(parseInterventions("cross.L2H4-decoder_self.L1.uniform"), changes);
  assert.deepEqual(parseInterventions("cross.L2H4=zero-decoder_self.L1=uniform"), changes);
  for (const text of [
    "",
    "-",
    "cross.L2H4.x",
    "<b>",
    "cross.L2H4-",
    "constructor",
    "cross.L1H1..zero",
  ])
    assert.equal(parseInterventions(text), null, text);
});

test("where heads are joined, all of them are meant", () => {
  assert.deepEqual(targetOf("cross", { layer: 1, head: 0 }), target("cross.L2H1"));
  assert.deepEqual(targetOf("cross", { layer: 1, head: "max" }), target("cross.L2"));
  assert.deepEqual(targetOf("cross", { layer: "mean", head: "mean" }), target("cross"));
  assert.equal(targetOf("cross", { layer: "mean", head: 0 }), null);
});

test("a change takes the place of what was done to the same heads", () => {
  const one = withChange(["cross.L2H1=uniform"], target("cross.L2"), "zero", SIZE);
  assert.deepEqual(one, ["cross.L2=zero"]);
  assert.deepEqual(withChange(one, target("cross.L2H3"), "first", SIZE), [
    ...["cross.L2H1=zero", "cross.L2H2=zero", "cross.L2H3=first"],
  ]);
  assert.equal(effectOn(one, target("cross.L2H3")), "zero");
  assert.equal(effectOn(["cross.L2H1=zero"], target("cross.L2")), null);
  assert.equal(effectOn(one, null), null);
});

test("in whatever order changes are made, they are the same", () => {
  const there = withChange(["cross.L1H1=zero"], target("encoder_self.L1H2"), "zero", SIZE);
  const back = withChange(["encoder_self.L1H2=zero"], target("cross.L1H1"), "zero", SIZE);
  assert.deepEqual(there, back);
});

test("a head put back leaves the others of its layer, and other layers, as they were changed", () => {
  assert.deepEqual(without(["cross=zero", "encoder_self=zero"], target("cross.L1H2"), SIZE), [
    ...["encoder_self=zero", "cross.L1H1=zero", "cross.L1H3=zero", "cross.L2=zero"],
  ]);
  assert.deepEqual(without(["cross.L1H2=first", "cross.L2H1=zero"], target("cross.L1"), SIZE), [
    "cross.L2H1=zero",
  ]);
  assert.deepEqual(without(["cross.L1H2=first"], target("cross"), SIZE), []);
});

test("a part is taken away and put back, and there is one temperature", () => {
  const hot = togglePart(["cross.L1H1=zero"], "temperature=2");
  assert.deepEqual(hot, ["cross.L1H1=zero", "temperature=2"]);
  assert.deepEqual(togglePart(hot, "temperature=0.5"), ["cross.L1H1=zero", "temperature=0.5"]);
  assert.deepEqual(togglePart(hot, "temperature=2"), ["cross.L1H1=zero"]);
  // What is done to heads leaves parts alone.
  assert.deepEqual(without(hot, target("cross"), SIZE), ["temperature=2"]);
  assert.equal(
    switchedOff(hot, () => SIZE),
    null,
  );
});

test("heads that are off are counted, unless something else is changed", () => {
  const sizeOf = () => SIZE;
  assert.equal(switchedOff(["cross.L1H1=zero", "encoder_self.L1=zero"], sizeOf), 4);
  assert.equal(switchedOff(["cross=zero"], sizeOf), 6);
  assert.equal(switchedOff(["cross.L1H1=zero", "cross.L1H2=first"], sizeOf), null);
});
