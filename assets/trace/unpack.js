/** Numbers out of the bytes that they travel in: as they are from a Worker, as base64 in JSON. */

import { weightsOf } from "./weights.js";

/** @typedef {{shape: number[], dtype: string, data: string | Uint8Array<ArrayBuffer>}} PackedArray */

/** The bytes of base64, or these bytes themselves. @type {(data: string | Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer>} */
export function bytesOf(data) {
  return typeof data === "string" ? decoded(data) : data;
}

/** @type {(base64: string) => Uint8Array<ArrayBuffer>} */
function decoded(base64) {
  // Browsers of before 2025 have no method for it.
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(base64);
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

/** Bytes that become text at once: each is an argument of a function. */
const CHUNK = 0x8000;

/**
 * Bytes as base64.
 *
 * @param {Uint8Array} bytes
 * @returns {string}
 */
export function base64Of(bytes) {
  let text = "";
  for (let i = 0; i < bytes.length; i += CHUNK) {
    text += String.fromCharCode(...bytes.subarray(i, i + CHUNK));
  }
  return btoa(text);
}

/**
 * A value as JSON, the bytes of packed arrays as base64.
 *
 * @param {unknown} value
 */
export function jsonOf(value) {
  return JSON.stringify(value, (_, each) => (each instanceof Uint8Array ? base64Of(each) : each));
}

/**
 * Buffers of all packed arrays within a value: what a Worker may hand over instead of copying it.
 *
 * @param {unknown} value
 * @returns {ArrayBuffer[]}
 */
export function buffersOf(value) {
  if (value instanceof Uint8Array) return [/** @type {ArrayBuffer} */ (value.buffer)];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(buffersOf);
}

/**
 * Unpacks an array's numbers.
 *
 * @param {PackedArray} packed  little-endian float16, never negative, infinite or NaN, or float32
 * @returns {Float32Array}
 */
export function unpackValues({ dtype, data }) {
  const bytes = bytesOf(data);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (dtype !== "float16" && dtype !== "float32")
    throw new TypeError(`numbers are float16 or float32, not ${dtype}`);
  const values = new Float32Array(Math.floor(view.byteLength / (dtype === "float16" ? 2 : 4)));
  if (dtype === "float32") {
    for (let i = 0; i < values.length; i++) values[i] = view.getFloat32(4 * i, true);
    return values;
  }
  const numbers = halves();
  for (let i = 0; i < values.length; i++) values[i] = numbers[view.getUint16(2 * i, true)];
  return values;
}

/**
 * Along the first axis.
 *
 * @param {PackedArray} packed
 * @returns {Float32Array[]}
 */
export function unpackRows(packed) {
  const values = unpackValues(packed);
  const [rows] = packed.shape;
  const size = values.length / rows;
  return Array.from({ length: rows }, (_, row) => values.subarray(row * size, (row + 1) * size));
}

/**
 * Several arrays by their names, each a list of rows.
 *
 * @template {string} Name
 * @param {Record<Name, PackedArray>} parts
 * @returns {Record<Name, Float32Array[]>}
 */
export function unpackParts(parts) {
  const rows = Object.entries(parts).map(([part, packed]) => [part, unpackRows(packed)]);
  return Object.fromEntries(rows);
}

/** @type {Float32Array | undefined} */
let table;

/** Every number that float16 has, by its bits: looked up, a million of them take no time. */
export function halves() {
  if (table) return table;
  table = new Float32Array(2 ** 16);
  for (let bits = 0; bits < 2 ** 15; bits++) {
    table[bits] = float16(bits);
    table[2 ** 15 + bits] = -table[bits];
  }
  return table;
}

/**
 * IEEE 754 half precision; of infinity, NaN.
 *
 * @param {number} bits  without the sign
 */
export function float16(bits) {
  const exponent = bits >> 10;
  const fraction = bits & 0x3ff;
  if (exponent === 0x1f) return Number.NaN;
  return exponent === 0 ? fraction * 2 ** -24 : (1024 + fraction) * 2 ** (exponent - 25);
}

/**
 * Unpacks a table of numbers.
 *
 * @param {PackedArray} packed  two axes of little-endian float32, NaN where there is no number
 * @returns {import("./words.js").Numbers}
 */
export function unpackMatrix(packed) {
  const [rows, columns] = packed.shape;
  return { rows, columns, values: unpackValues(packed) };
}

/**
 * Unpacks the weights of a kind.
 *
 * @param {PackedArray} packed  [layer, head, query, key], or [layer, query, key] of whole layers
 * @returns {import("./weights.js").Weights}
 */
export function unpackWeights(packed) {
  const [queries, keys] = packed.shape.slice(-2);
  const [layers, heads = 1] = packed.shape.slice(0, -2);
  return weightsOf(unpackValues(packed), { layers, heads, queries, keys });
}
