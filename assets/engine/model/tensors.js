/** Arrays of numbers with a shape, in C order: as much of PyTorch's tensors as a Transformer needs. */

/** @typedef {{shape: number[], values: Float32Array}} Tensor */

/** Bytes that are asked for at once, and how many numbers a tensor has at most that lies among others. */
const [ROOM, SMALL] = [65_536, 2_048];

/** Where small tensors lie, and where the next one may. */
let [room, next] = [new ArrayBuffer(0), 0];

/** A tensor of zeros. @type {(...shape: number[]) => Tensor} */
export function zeros(...shape) {
  let size = 1;
  for (const side of shape) size *= side;
  return { shape, values: numbers(size) };
}

/**
 * So many zeros. A step has hundreds of small tensors, and a browser takes longer to find memory for
 * one than to compute it: they lie side by side.
 *
 * @param {number} size
 */
export function numbers(size) {
  if (size > SMALL) return new Float32Array(size);
  const bytes = size * Float32Array.BYTES_PER_ELEMENT;
  if (next + bytes > room.byteLength) [room, next] = [new ArrayBuffer(ROOM), 0];
  next += bytes;
  return new Float32Array(room, next - bytes, size);
}

/**
 * One row of [row, column]; no copy.
 *
 * @param {Tensor} tensor
 * @param {number} row
 */
export function rowOf({ shape, values }, row) {
  const columns = shape[shape.length - 1];
  return values.subarray(row * columns, (row + 1) * columns);
}

/**
 * Rows of [row, column] that stand together; no copy.
 *
 * @type {(tensor: Tensor, rows: import("./masks.js").Rows) => Tensor}
 */
export function rowsFrom({ shape: [, columns], values }, [start, end]) {
  return { shape: [end - start, columns], values: values.subarray(start * columns, end * columns) };
}

/**
 * Some rows of [row, column], as a copy.
 *
 * @type {(tensor: Tensor, rows: number[]) => Tensor}
 */
export function rowsOf(tensor, rows) {
  const picked = zeros(rows.length, tensor.shape[1]);
  for (const [i, row] of rows.entries()) rowOf(picked, i).set(rowOf(tensor, row));
  return picked;
}

/**
 * The sum of two tensors.
 *
 * @param {Tensor} one
 * @param {Tensor} other  of the same shape
 * @returns {Tensor}
 */
export function sum(one, other) {
  const [{ shape, values: a }, { values: b }] = [one, other];
  const values = numbers(a.length);
  for (let i = 0; i < values.length; i++) values[i] = a[i] + b[i];
  return { shape, values };
}

/**
 * Rows of several [row, column], below one another.
 *
 * @param {Tensor[]} tensors  at least one
 */
export function below(tensors) {
  const all = zeros(
    tensors.reduce((sum, { shape }) => sum + shape[0], 0),
    tensors[0].shape[1],
  );
  let at = 0;
  for (const { values } of tensors) {
    all.values.set(values, at);
    at += values.length;
  }
  return all;
}

/** A copy of a tensor. @type {(tensor: Tensor) => Tensor} */
export function clone({ shape, values }) {
  return { shape, values: values.slice() };
}

/**
 * Tensors of one shape, as one with an axis more.
 *
 * @param {Tensor[]} tensors  at least one
 * @returns {Tensor}
 */
export function stack(tensors) {
  const [first] = tensors;
  const whole = zeros(tensors.length, ...first.shape);
  for (const [i, { values }] of tensors.entries()) whole.values.set(values, i * values.length);
  return whole;
}
