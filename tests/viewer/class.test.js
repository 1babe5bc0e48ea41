/** A class's parts that need no browser: events, plans, questions about a trace. */

import assert from "node:assert/strict";
import test from "node:test";
import { codeIn } from "../../assets/state/classroom/classroom.js";
import { readAsking, readPlan } from "../../assets/state/classroom/plan.js";
import { changeBy } from "../../assets/state/in_class/class_actions.js";
import { sameOrOther } from "../../assets/state/in_class/questions.js";
import { readingEvents } from "../../assets/state/server/events.js";

test("events are read across pieces, and what only says that somebody lives is none", () => {
  const read = readingEvents();
  assert.deepEqual(read(": still here\n\nid: a-1\nevent: room\nda"), []);
  assert.deepEqual(read('ta: {"view":"x: y"}\n'), []);
  assert.deepEqual(read("\nevent: own\ndata: null\n\n"), [
    { name: "room", id: "a-1", payload: { view: "x: y" } },
    { name: "own", id: "a-1", payload: null },
  ]);
});

test("a plan is its addresses under their headings, with what each asks", () => {
  const link = "?model=en-zh&source=I+love+you.&step=2";
  const plan = readPlan(
    `# A lesson\n\n### 1. First\n[\`${link}&ask=look\`](http://127.0.0.1:7860/${link}&ask=look)\n` +
      `### 2. Second\ntext\n- http://school.test/${link}\n${link}&ask=own:How+many?|one|two\n` +
      "[elsewhere](https://example.org/?q=1)\n",
  );
  assert.deepEqual(
    plan.map(({ title, ask }) => [title, ask?.kind ?? null]),
    [
      ["1. First", "look"],
      ["2. Second", null],
      ["2. Second", "own"],
    ],
  );
  assert(plan.every(({ address }) => !address.includes("ask=")));
  assert.equal(new URLSearchParams(plan[0].address).get("source"), "I love you.");
  assert.deepEqual(plan[2].ask, { kind: "own", text: "How many?", options: ["one", "two"] });
});

test("what asks nothing is no question", () => {
  for (const text of [null, "", "fly", "own", "own:How?", "own:How?|one", "without", "without:"])
    assert.equal(readAsking(text), null, String(text));
  assert.equal(readAsking("own:a?|1|2|3|4|5|6")?.options.length, 5);
  assert.deepEqual(readAsking("without:red"), { kind: "without", text: "red", options: [] });
});

test("codes are read as they are said", () => {
  assert.equal(codeIn(" bc dfg "), "BCDFG");
  for (const text of ["", "BCDF", "BCDFGH", "ABCDE", "BCDF1"]) assert.equal(codeIn(text), null);
});

test("another translation is another", () => {
  const [one, other] = ["a", "b"].map((translation) => /** @type {any} */ ({ translation }));
  assert.equal(sameOrOther(one, one).right, 0);
  assert.equal(sameOrOther(one, other).right, 1);
});

test("an answer stays with its question, and goes with the next", () => {
  const answer = { choice: 1, text: "", sure: true };
  /** @type {any} */
  const student = { question: { number: 4 }, answer };
  /** @type {(name: string, payload: unknown) => any} */
  const change = (name, payload) => changeBy({ name, id: "", payload }, student);
  assert.deepEqual(change("room", { room: "BCDFG", question: { number: 4 } }).answer, answer);
  assert.equal(change("room", { room: "BCDFG", question: { number: 5 } }).answer, null);
  assert.equal(change("room", { room: "BCDFG", question: null }).answer, null);
  assert.equal(change("desk", { room: "BCDFG", question: null }).code, "BCDFG");
  assert.deepEqual(change("own", null), { answer: null, away: false });
  assert.equal(change("end", { reason: "closed" }).end, "closed");
  assert.deepEqual(change("something", { room: "BCDFG" }), {});
});
