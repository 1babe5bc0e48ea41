/*
 * Where the time goes, for a processor that multiplies four numbers at a time: WebAssembly's SIMD. What
 * each function computes stands in JavaScript, too: in product.js, and where its comment says.
 *
 * `python scripts/kernel.py` compiles it into compiled.js. Whoever calls is kernel.js. Sums are float32,
 * four side by side, so that they differ from JavaScript's in the last digits.
 */

/* A row may begin anywhere: `aligned` says so. */
typedef float four __attribute__((vector_size(16), aligned(4)));
typedef int four_bits __attribute__((vector_size(16)));

#define AT(row, k) (*(const four *)((row) + (k)))

/*
 * Hides where a pointer comes from. The compiler would keep but one, and each number's distance to it:
 * an addition for each four numbers that are read.
 */
#define BY_ITSELF(pointer) __asm__ volatile("" : "+r"(pointer))

/* A processor may multiply and add at once; not every browser lets it: for those that do, the product is
   compiled once more. */
#ifdef __wasm_relaxed_simd__
#define ADD(sum, x, y) sum = __builtin_wasm_relaxed_madd_f32x4(x, y, sum)
#else
#define ADD(sum, x, y) sum += (x) * (y)
#endif

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

/* Two rows and four features: every four numbers that are read serve two or four products. */
static void two_rows(const float *p, const float *q, int size, const float *s, const float *t,
                     const float *u, const float *v, float *out, int part, int width) {
  four a = {0}, b = {0}, c = {0}, d = {0}, e = {0}, f = {0}, g = {0}, h = {0};
#define STEP(k)                                                           \
  {                                                                       \
    four y = AT(p, k), z = AT(q, k);                                      \
    four one = AT(s, k), two = AT(t, k), three = AT(u, k), last = AT(v, k); \
    ADD(a, y, one);                                                       \
    ADD(b, y, two);                                                       \
    ADD(c, y, three);                                                     \
    ADD(d, y, last);                                                      \
    ADD(e, z, one);                                                       \
    ADD(f, z, two);                                                       \
    ADD(g, z, three);                                                     \
    ADD(h, z, last);                                                      \
  }
  for (int left = size / 4;; left -= 4) {
    BY_ITSELF(p);
    BY_ITSELF(q);
    BY_ITSELF(s);
    BY_ITSELF(t);
    BY_ITSELF(u);
    BY_ITSELF(v);
    /* What stands between two questions is in the order of the text: a browser's compiler else reads
       the numbers of all four first, for which it has not registers enough. */
    STEP(0u);
    if (left == 1) break;
    STEP(4u);
    if (left == 2) break;
    STEP(8u);
    if (left == 3) break;
    STEP(12u);
    if (left == 4) break;
    p += 16, q += 16, s += 16, t += 16, u += 16, v += 16;
  }
  float *other = out + width;
  out[0] = sum(a);
  out[part] = sum(b);
  out[2 * part] = sum(c);
  out[3 * part] = sum(d);
  other[0] = sum(e);
  other[part] = sum(f);
  other[2 * part] = sum(g);
  other[3 * part] = sum(h);
}

/* An even number of rows: what is read of the matrix serves all of them. */
static void even_rows(const float *x, int rows, int size, const float *weight, int width, float *out) {
  int part = width / 4;
  const float *s = weight, *t = s + part * size, *u = t + part * size, *v = u + part * size;
  for (int i = 0; i < part; i++, s += size, t += size, u += size, v += size) {
    for (int row = 0; row < rows; row += 2) {
      const float *p = x + row * size;
      two_rows(p, p + size, size, s, t, u, v, out + row * width + i, part, width);
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

/*
 * The same where most of x is 0: only what is not is multiplied, four inputs at a time.
 *
 * columns: [size, width], the matrix turned over, where width is a multiple of four
 * found: [size], room for the places of what is not 0
 */
void product_of_few(const float *x, int rows, int size, const float *columns, const float *bias,
                    int width, float *out, int *found) {
  for (int row = 0; row < rows; row++, x += size, out += width) {
    int count = 0;
    for (int k = 0; k < size; k++) {
      found[count] = k;
      count += x[k] != 0;
    }
    for (int i = 0; i < width; i++) out[i] = bias[i];
    int n = 0;
    for (; n + 4 <= count; n += 4) {
      const int *k = found + n;
      const float *s = columns + k[0] * width, *t = columns + k[1] * width;
      const float *u = columns + k[2] * width, *v = columns + k[3] * width;
      float a = x[k[0]], b = x[k[1]], c = x[k[2]], d = x[k[3]];
      for (int i = 0; i < width; i += 4) {
        *(four *)(out + i) += (a * AT(s, i) + b * AT(t, i)) + (c * AT(u, i) + d * AT(v, i));
      }
    }
    for (; n < count; n++) {
      const float *s = columns + found[n] * width;
      for (int i = 0; i < width; i += 4) *(four *)(out + i) += x[found[n]] * AT(s, i);
    }
  }
}

/*
 * LayerNorm, each row by itself: modules.js.
 *
 * x, out: [rows, size], where size is a multiple of four
 * weight, bias: [size]
 */
void norm(const float *x, int rows, int size, const float *weight, const float *bias, float eps,
          float *out) {
  for (int row = 0; row < rows; row++, x += size, out += size) {
    four all = {0}, squares = {0};
    for (int i = 0; i < size; i += 4) all += AT(x, i);
    float mean = sum(all) / size;
    for (int i = 0; i < size; i += 4) {
      four off = AT(x, i) - mean;
      squares += off * off;
    }
    float scale = 1 / __builtin_sqrtf(sum(squares) / size + eps);
    for (int i = 0; i < size; i += 4) {
      *(four *)(out + i) = (AT(x, i) - mean) * scale * AT(weight, i) + AT(bias, i);
    }
  }
}

/*
 * How well queries match keys, head by head: `attentionScores` of attention.js.
 *
 * query, key: [queries or keys, size], the heads side by side, each of a multiple of four
 * out: [heads, queries, keys]
 */
void scores(const float *query, int queries, const float *key, int keys, int size, int heads,
            float scale, float *out) {
  int own = size / heads;
  for (int head = 0; head < heads; head++) {
    for (int q = 0; q < queries; q++) {
      for (int k = 0; k < keys; k++) {
        *out++ = scale * one_feature(query + q * size + head * own, own, key + k * size + head * own);
      }
    }
  }
}

/*
 * The mean of the values, weighted, head by head: `gathered` of attention.js.
 *
 * weights: [heads, queries, keys]
 * value: [keys, size]
 * out: [queries, size]
 */
void gather(const float *weights, int queries, int keys, const float *value, int size, int heads,
            float *out) {
  int own = size / heads;
  for (int head = 0; head < heads; head++) {
    for (int q = 0; q < queries; q++, weights += keys) {
      for (int i = head * own; i < (head + 1) * own; i += 4) {
        four a = {0};
        for (int k = 0; k < keys; k++) a += weights[k] * AT(value + k * size, i);
        *(four *)(out + q * size + i) = a;
      }
    }
  }
}

/*
 * The exponentials of four numbers that are 0 at most, to 2e-7 of each: 2ⁿ · exp(r), n the nearest to
 * x / ln 2, and so |r| ≤ ln 2 / 2.
 */
static four exponentials(four x) {
  const four least = {-87, -87, -87, -87}; /* below is no number but 0 */
  x = __builtin_wasm_pmax_f32x4(x, least);
  /* In the last bits of a number of this size stands its whole part. */
  four whole = x * 1.44269504f + 12582912.0f, n = whole - 12582912.0f;
  four r = x - n * 0.693359375f + n * 2.12194440e-4f;
  four p = r * (1.0f / 720) + 1.0f / 120;
  p = p * r + 1.0f / 24;
  p = p * r + 1.0f / 6;
  p = p * r + 0.5f;
  p = p * r + 1;
  p = p * r + 1;
  four_bits power = ((four_bits)whole + 127) << 23;
  return p * (four)power;
}

/* The sum of the exponentials of some numbers, each less the largest of them, which becomes `most`. */
double sum_of_exponentials(const float *x, int size, float *most) {
  int even = size & ~3;
  four largest = {x[0], x[0], x[0], x[0]};
  for (int i = 0; i < even; i += 4) largest = __builtin_wasm_pmax_f32x4(largest, AT(x, i));
  for (int i = even; i < size; i++) {
    four last = {x[i], x[i], x[i], x[i]};
    largest = __builtin_wasm_pmax_f32x4(largest, last);
  }
  float top = largest[0];
  for (int i = 1; i < 4; i++) if (largest[i] > top) top = largest[i];
  *most = top;
  /* What is added up in float32 is but some of them at a time. */
  double total = 0;
  for (int i = 0; i < even;) {
    four sums = {0};
    for (int end = i + 256 < even ? i + 256 : even; i < end; i += 4) {
      sums += exponentials(AT(x, i) - top);
    }
    total += sum(sums);
  }
  for (int i = even; i < size; i++) {
    four last = {x[i], 0, 0, 0};
    total += exponentials(last - top)[0];
  }
  return total;
}
