import assert from "node:assert/strict";
import test from "node:test";
import { pack } from "../../assets/engine/recording/packing.js";
import { buffersOf, jsonOf, unpackRows, unpackValues } from "../../assets/trace/unpack.js";

const VALUES = Float32Array.from([0, 1, 0.25, 0.0625, 3, 1024]);
const TENSOR = { shape: [2, 3], values: VALUES };

for (const dtype of /** @type {const} */ (["float16", "float32"])) {
  test(`${dtype} numbers reach the page as bytes that are handed over, not copied`, () => {
    const sent = { trace: { cross: pack(TENSOR, dtype), encoder_self: null, src: ["a"] } };
    const arrived = structuredClone(sent, { transfer: buffersOf(sent) });
    assert.deepEqual(unpackValues(arrived.trace.cross), VALUES);
    assert.equal(sent.trace.cross.data.length, 0); // it is the page's now
    assert.deepEqual(TENSOR.values, VALUES); // and what the engine keeps is its own
  });

  test(`${dtype} numbers are base64 wherever they become text`, () => {
    const packed = pack(TENSOR, dtype);
    const written = JSON.parse(jsonOf({ cross: packed })).cross;
    assert.equal(typeof written.data, "string");
    assert.deepEqual(unpackRows(written), unpackRows(packed));
  });
}
