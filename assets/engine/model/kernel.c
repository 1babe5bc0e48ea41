/*
 * `product.js` for a processor that multiplies four numbers at a time: WebAssembly's SIMD.
 *
 * `python scripts/kernel.py` compiles it into compiled.js. Whoever calls is kernel.js. Sums are float32,
 * four side by side, so that they differ from JavaScript's in the last digits.
 */

/* A row may begin anywhere: `aligned` says so. */
typedef float four __attribute__((vector_size(16), aligned(4)));

#define AT(row, k) (*(const four *)((row) + (k)))

static float sum(four x) { return (x[0] + x[1]) + (x[2] + x[3]); }

/* Of a row, one feature, for those that are left over. */
static float one_feature(const float *x, int size, const float *w) {
  four a = {0};
  for (int k = 0; k < size; k += 4) a += AT(x, k) * AT(w, k);
  return sum(a);
}

/*
 * Four features at a time, each from another quarter of the matrix: weights come out of memory, and four
 * places that are far apart are read ahead side by side, which four rows of one page are not.
 */
static void one_row(const float *x, int size, const float *weight, int width, float *out) {
  int part = width / 4;
  const float *s = weight, *t = s + part * size, *u = t + part * size, *v = u + part * size;
  for (int i = 0; i < part; i++, s += size, t += size, u += size, v += size) {
    four a = {0}, b = {0}, c = {0}, d = {0};
    for (int k = 0; k < size; k += 4) {
      four y = AT(x, k);
      a += y * AT(s, k);
      b += y * AT(t, k);
      c += y * AT(u, k);
      d += y * AT(v, k);
    }
    out[i] = sum(a);
    out[part + i] = sum(b);
    out[2 * part + i] = sum(c);
    out[3 * part + i] = sum(d);
  }
  for (int i = 4 * part; i < width; i++) out[i] = one_feature(x, size, weight + i * size);
}

/* The same for an even number of rows, two at a time: what is read of the matrix serves all of them. */
static void even_rows(const float *x, int rows, int size, const float *weight, int width, float *out) {
  int part = width / 4;
  const float *s = weight, *t = s + part * size, *u = t + part * size, *v = u + part * size;
  for (int i = 0; i < part; i++, s += size, t += size, u += size, v += size) {
    for (int row = 0; row < rows; row += 2) {
      const float *p = x + row * size, *q = p + size;
      four a = {0}, b = {0}, c = {0}, d = {0}, e = {0}, f = {0}, g = {0}, h = {0};
      for (int k = 0; k < size; k += 4) {
        four y = AT(p, k), z = AT(q, k);
        a += y * AT(s, k);
        b += y * AT(t, k);
        c += y * AT(u, k);
        d += y * AT(v, k);
        e += z * AT(s, k);
        f += z * AT(t, k);
        g += z * AT(u, k);
        h += z * AT(v, k);
      }
      float *one = out + row * width + i, *other = one + width;
      one[0] = sum(a);
      one[part] = sum(b);
      one[2 * part] = sum(c);
      one[3 * part] = sum(d);
      other[0] = sum(e);
      other[part] = sum(f);
      other[2 * part] = sum(g);
      other[3 * part] = sum(h);
    }
  }
  for (int i = 4 * part; i < width; i++) {
    for (int row = 0; row < rows; row++) {
      out[row * width + i] = one_feature(x + row * size, size, weight + i * size);
    }
  }
}

/*
 * x Wᵀ + b.
 *
 * x: [rows, size], where size is a multiple of four
 * weight: [width, size]
 * bias: [width], or none
 * out: [rows, width]
 */
void product(const float *x, int rows, int size, const float *weight, const float *bias, int width,
             float *out) {
  int even = rows & ~1;
  if (even) even_rows(x, even, size, weight, width, out);
  if (even < rows) one_row(x + even * size, size, weight, width, out + even * width);
  if (!bias) return;
  for (int row = 0; row < rows; row++) {
    for (int i = 0; i < width; i++) out[row * width + i] += bias[i];
  }
}
