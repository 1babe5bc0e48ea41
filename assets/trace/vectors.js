/** What is said of a vector in one number. */

/** The length of a vector. @param {ArrayLike<number>} vector */
export function lengthOf(vector) {
  return Math.sqrt(dot(vector, vector));
}

/** The dot product of two vectors. @type {(one: ArrayLike<number>, other: ArrayLike<number>) => number} */
export function dot(one, other) {
  let sum = 0;
  for (let i = 0; i < one.length; i++) sum += one[i] * other[i];
  return sum;
}

/**
 * The cosine of the angle between two vectors: 1 for the same direction, 0 for none in common.
 *
 * @param {ArrayLike<number>} one
 * @param {ArrayLike<number>} other
 */
export function cosine(one, other) {
  const lengths = lengthOf(one) * lengthOf(other);
  return lengths ? dot(one, other) / lengths : 0;
}

/**
 * A vector's mean and standard deviation.
 *
 * @param {ArrayLike<number>} vector
 * @param {number} [eps]  that LayerNorm adds to the variance
 * @returns {{mean: number, deviation: number}}  the deviation as LayerNorm takes it, of all numbers
 */
export function spread(vector, eps = 0) {
  let [total, squares] = [0, 0];
  for (let i = 0; i < vector.length; i++) total += vector[i];
  const mean = total / vector.length;
  for (let i = 0; i < vector.length; i++) squares += (vector[i] - mean) ** 2;
  return { mean, deviation: Math.sqrt(squares / vector.length + eps) };
}
