/**
 * Random numbers as PyTorch draws them on a CPU: a seed gives the same ones here and there.
 *
 * Source: Matsumoto and Nishimura 1998, "Mersenne Twister"; at::uniform_real_distribution.
 */

const [SIZE, SHIFT] = [624, 397];

/**
 * Uniform random numbers, the same from a seed as the server's.
 *
 * @param {number} seed  a whole number of at most 64 bits, of which the last 32 count
 * @param {number} count
 * @returns {Float64Array}  from [0, 1)
 */
export function lots(seed, count) {
  const next = mersenne(seed);
  return Float64Array.from({ length: count }, () => {
    // The last 53 bits of 64.
    const high = next() & 0x1fffff;
    return (high * 2 ** 32 + next()) * 2 ** -53;
  });
}

/**
 * @param {number} seed
 * @returns {() => number}  whole numbers of 32 bits
 */
function mersenne(seed) {
  const state = new Uint32Array(SIZE);
  state[0] = seed % 2 ** 32;
  for (let i = 1; i < SIZE; i++) {
    const last = state[i - 1] ^ (state[i - 1] >>> 30);
    state[i] = Math.imul(1812433253, last) + i;
  }
  let at = SIZE;
  return () => {
    if (at === SIZE) {
      for (let i = 0; i < SIZE; i++) {
        const bits = (state[i] & 0x80000000) | (state[(i + 1) % SIZE] & 0x7fffffff);
        state[i] = state[(i + SHIFT) % SIZE] ^ (bits >>> 1) ^ (bits & 1 ? 0x9908b0df : 0);
      }
      at = 0;
    }
    let word = state[at++];
    word ^= word >>> 11;
    word ^= (word << 7) & 0x9d2c5680;
    word ^= (word << 15) & 0xefc60000;
    return (word ^ (word >>> 18)) >>> 0;
  };
}
