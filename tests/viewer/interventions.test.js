import assert from "node:assert/strict";
import test from "node:test";
import { interventionsAddress, parseInterventions } from "../../assets/state/address/changed.js";
import {
  effectOn,
  switchedOff,
  targetOf,
  togglePart,
  withChange,
  without,
} from "../../assets/trace/changes.js";
import { interventionText, parseIntervention } from "../../assets/trace/interventions.js";

const SIZE = { layers: 2, heads: 3 };

/** @type {(text: string) => import("../../assets/trace/interventions.js").Change} */
function change(text) {
  const result = parseIntervention(text);
  assert(result, text);
  return result;
}

/** @type {(text: string) => import("../../assets/trace/interventions.js").Target} */
function target(text) {
  const { effect: _, ...place } = change(`${text}=zero`);
  return place;
}

test("the text form goes both ways", () => {
  for (const text of ["cross.L2H4=zero", "decoder_self.L1=uniform", "encoder_self=first"])
    assert.equal(interventionText(change(text)), text);
  assert.deepEqual(change("cross.L2H5@4=aim:7,5"), {
    ...{ kind: "cross", layer: 1, head: 4, row: 3, effect: "aim", keys: [4, 6] },
  });
  assert.equal(interventionText(change("cross.L2H5@4=aim:7,5")), "cross.L2H5@4=aim:5,7");
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

test("an address says what one row is made to look at", () => {
  for (const [address, changes] of Object.entries({
    "cross.L2H5@4.aim:5": ["cross.L2H5@4=aim:5"],
    "cross@4.aim:5,6-cross.L1@12": ["cross@4=aim:5,6", "cross.L1@12=zero"],
    "encoder_self@1.uniform-cross.L1.first-cross@2.first": [
      ...["encoder_self@1=uniform", "cross.L1=first", "cross@2=first"],
    ],
  })) {
    assert.deepEqual(parseInterventions(address), changes, address);
    assert.equal(interventionsAddress(changes), address);
  }
  for (const text of ["cross@4.aim:5-6", "cross@4.aim", "cross.aim:5", "decoder_self@2.aim:3"])
    assert.equal(parseInterventions(text), null, text);
});

test("what one row looks at is a change of its own", () => {
  const aimed = withChange(["cross.L2=uniform"], change("cross@4=aim:5"), SIZE);
  assert.deepEqual(aimed, ["cross.L2=uniform", "cross@4=aim:5"]);
  // Aimed elsewhere, or at another step, with one head let go, and put back.
  assert.deepEqual(withChange(aimed, change("cross@4=aim:1,2"), SIZE), [
    ...["cross.L2=uniform", "cross@4=aim:1,2"],
  ]);
  const twice = withChange(aimed, change("cross@5=aim:5"), SIZE);
  assert.deepEqual(twice, ["cross.L2=uniform", "cross@4=aim:5", "cross@5=aim:5"]);
  assert.deepEqual(without(aimed, target("cross.L1@4"), SIZE), [
    ...["cross.L2=uniform", "cross.L2@4=aim:5"],
  ]);
  assert.deepEqual(without(twice, target("cross@4"), SIZE), ["cross.L2=uniform", "cross@5=aim:5"]);
  assert.deepEqual(without(aimed, target("cross"), SIZE), ["cross@4=aim:5"]);
  assert.equal(effectOn(aimed, target("cross.L1")), null);
  assert.equal(effectOn(aimed, target("cross.L1@4")), "aim");
  assert.equal(
    switchedOff(["cross.L1@4=zero"], () => SIZE),
    null,
  );
});

test("where heads are joined, all of them are meant", () => {
  assert.deepEqual(targetOf("cross", { layer: 1, head: 0 }), target("cross.L2H1"));
  assert.deepEqual(targetOf("cross", { layer: 1, head: "max" }), target("cross.L2"));
  assert.deepEqual(targetOf("cross", { layer: "mean", head: "mean" }), target("cross"));
  assert.equal(targetOf("cross", { layer: "mean", head: 0 }), null);
});

test("a change takes the place of what was done to the same heads", () => {
  const one = withChange(["cross.L2H1=uniform"], change("cross.L2=zero"), SIZE);
  assert.deepEqual(one, ["cross.L2=zero"]);
  assert.deepEqual(withChange(one, change("cross.L2H3=first"), SIZE), [
    ...["cross.L2H1=zero", "cross.L2H2=zero", "cross.L2H3=first"],
  ]);
  assert.equal(effectOn(one, target("cross.L2H3")), "zero");
  assert.equal(effectOn(["cross.L2H1=zero"], target("cross.L2")), null);
  assert.equal(effectOn(one, null), null);
});

test("in whatever order changes are made, they are the same", () => {
  const there = withChange(["cross.L1H1=zero"], change("encoder_self.L1H2=zero"), SIZE);
  const back = withChange(["encoder_self.L1H2=zero"], change("cross.L1H1=zero"), SIZE);
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
