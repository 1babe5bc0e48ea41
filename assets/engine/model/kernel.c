/*
 * `product.js` for a processor that multiplies four numbers at a time: WebAssembly's SIMD.
 *
 * `python scripts/kernel.py` compiles it into compiled.js. Whoever calls is kernel.js. Sums are float32,
 * four side by side, so that they differ from JavaScript's in the last digits; rows that have been read
 * are used as product.js says.
 */

/* A row may begin anywhere: `aligned` says so. */
typedef float four __attribute__((vector_size(16), aligned(4)));

#define AT(row, k) (*(const four *)((row) + (k)))

static float sum(four x) { return (x[0] + x[1]) + (x[2] + x[3]); }

/* Four features at a time. */
static void one_row(const float *x, int size, const float *weight, int width, float *out) {
  int i = 0;
  for (; i + 4 <= width; i += 4) {
    const float *q = weight + i * size, *r = q + size, *s = r + size, *t = s + size;
    four a = {0}, b = {0}, c = {0}, d = {0};
    for (int k = 0; k < size; k += 4) {
      four y = AT(x, k);
      a += y * AT(q, k);
      b += y * AT(r, k);
      c += y * AT(s, k);
      d += y * AT(t, k);
    }
    out[i] = sum(a);
    out[i + 1] = sum(b);
    out[i + 2] = sum(c);
    out[i + 3] = sum(d);
  }
  for (; i < width; i++) {
    four a = {0};
    for (int k = 0; k < size; k += 4) a += AT(x, k) * AT(weight + i * size, k);
    out[i] = sum(a);
  }
}

/* Two features at a time; where there is but one left, both are that one. */
static void four_rows(const float *x, int size, const float *weight, int width, float *out) {
  const float *p = x, *q = p + size, *r = q + size, *s = r + size;
  for (int i = 0; i < width; i += 2) {
    int next = i + 1 < width;
    const float *v = weight + i * size, *w = v + next * size;
    four a = {0}, b = {0}, c = {0}, d = {0}, e = {0}, f = {0}, g = {0}, h = {0};
    for (int k = 0; k < size; k += 4) {
      four y = AT(v, k), z = AT(w, k);
      a += AT(p, k) * y;
      b += AT(p, k) * z;
      c += AT(q, k) * y;
      d += AT(q, k) * z;
      e += AT(r, k) * y;
      f += AT(r, k) * z;
      g += AT(s, k) * y;
      h += AT(s, k) * z;
    }
    float *o = out + i;
    o[0] = sum(a);
    o[next] = sum(b);
    o[width] = sum(c);
    o[width + next] = sum(d);
    o[2 * width] = sum(e);
    o[2 * width + next] = sum(f);
    o[3 * width] = sum(g);
    o[3 * width + next] = sum(h);
  }
}

/*
 * x Wᵀ + b.
 *
 * x: [rows, size], where size is a multiple of four. Memory holds as many rows of x and of out as the next
 *    multiple of four says; what is past them is nobody's.
 * weight: [width, size]
 * bias: [width], or none
 * out: [rows, width]
 */
void product(const float *x, int rows, int size, const float *weight, const float *bias, int width,
             float *out) {
  for (int row = 0; row < rows; row += 4) {
    /* Two rows that are left cost as much as four; one costs half of that. */
    (row + 1 == rows ? one_row : four_rows)(x + row * size, size, weight, width, out + row * width);
  }
  if (!bias) return;
  for (int row = 0; row < rows; row++) {
    for (int i = 0; i < width; i++) out[row * width + i] += bias[i];
  }
}
