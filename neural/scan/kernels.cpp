// The elementwise recurrences on a CPU: c_t = f_t c_{t-1} + u_t over a semiring, forward and backward, in one pass
// over memory. Arrays have shape (T, N), one row per step. A thread computes some columns (lanes). The results do
// not depend on the number of threads, nor on whether writes use or bypass the cache: multiplications and additions
// are fused only explicitly (the file is compiled without contraction), in full vectors and in the remainders.
//
// Derivatives, with g_t the total gradient of c_t: g_t = grad_t + s_{t+1} g_{t+1}, where s_t is dc_t / dc_{t-1}.
// Over the reals s = f, df = g c_{t-1}, du = g; otherwise df = g s, du = g dc_t / du_t.

#include <ATen/Parallel.h>
#ifdef __SSE2__
#include <immintrin.h>
#endif

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <type_traits>
#include <vector>

namespace {

struct BFloat16 {
  uint16_t bits;
};

// Functions called in loops are always inlined: otherwise some loops are not vectorised and ten times slower.
[[gnu::always_inline]] inline float load(float x) { return x; }
[[gnu::always_inline]] inline double load(double x) { return x; }
[[gnu::always_inline]] inline float load(BFloat16 x) {
  uint32_t wide = uint32_t(x.bits) << 16;
  float value;
  std::memcpy(&value, &wide, 4);
  return value;
}

[[gnu::always_inline]] inline void store(float* to, float x) { *to = x; }
[[gnu::always_inline]] inline void store(double* to, double x) { *to = x; }
[[gnu::always_inline]] inline void store(BFloat16* to, float x) {  // to nearest, ties to even
  uint32_t wide;
  std::memcpy(&wide, &x, 4);
  uint32_t rounded = (wide + 0x7fff + ((wide >> 16) & 1)) >> 16;
  to->bits = x == x ? uint16_t(rounded) : uint16_t(0x7fc0);
}

// The accumulation dtype.
template <typename T>
using Wide = std::conditional_t<std::is_same_v<T, BFloat16>, float, T>;

template <typename W>
constexpr W INF = std::numeric_limits<W>::infinity();

[[gnu::always_inline]] inline float fused(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
[[gnu::always_inline]] inline double fused(double a, double b, double c) { return __builtin_fma(a, b, c); }

// Adding this value rounds to an integer n; the lowest bits of the sum are those of n plus the exponent bias.
template <typename W>
constexpr W WHOLE = std::is_same_v<W, float> ? W(0x1.8p23 + 127) : W(0x1.8p52 + 1023);

// 2^n from the sum of n and WHOLE; 0 if n is below the exponents of normal numbers.
[[gnu::always_inline]] inline float power(float sum) {
  uint32_t bits;
  std::memcpy(&bits, &sum, 4);
  bits <<= 23;
  std::memcpy(&sum, &bits, 4);
  return sum;
}
[[gnu::always_inline]] inline double power(double sum) {
  uint64_t bits;
  std::memcpy(&bits, &sum, 8);
  bits <<= 52;
  std::memcpy(&sum, &bits, 8);
  return sum;
}

// Below this, exp is set to 0.
template <typename W>
constexpr W LEAST = std::is_same_v<W, float> ? W(-88) : W(-709);

// Hide a constant from the compiler: GCC compiles the maximum of a value and a constant to a comparison and a
// selection, but the maximum of two unknown values to one instruction.
template <typename W>
inline W as_unknown(W number) {
  asm("" : "+m"(number));
  return number;
}

template <typename W>
struct Limits {
  W lowest = as_unknown(-std::numeric_limits<W>::max()), highest = as_unknown(std::numeric_limits<W>::max()),
    least = as_unknown(LEAST<W>);
};

// x = n log 2 + r with an integer n and |r| <= log(2) / 2, for x <= 0; smaller x are replaced by the least one. Also
// computes the power of 2, which is 0 for those x, and the sum in exp(r) = 1 + r + r^2 sum.
template <typename W>
struct Reduced {
  W power, r, sum;
};
[[gnu::always_inline]] inline Reduced<float> reduced(float x, float least) {
  float bounded = x < least ? least : x;
  float shifted = fused(bounded, 1.44269504f, WHOLE<float>);
  float n = shifted - WHOLE<float>;
  float r = fused(n, -0.693145752f, bounded);
  r = fused(n, -1.42860677e-6f, r);
  // The polynomial that minimises the relative error of 1 + r + r^2 sum for exp(r): a twentieth of a unit
  // roundoff (Remez' algorithm). It is evaluated in pairs, which are independent of each other.
  float square = r * r;
  float high = fused(square, 0.00138145986f, fused(r, 0.00836871688f, 0.0416683880f));
  return {power(shifted), r, fused(square, high, fused(r, 0.166665206f, 0.499999934f))};
}
[[gnu::always_inline]] inline Reduced<double> reduced(double x, double least) {
  double bounded = x < least ? least : x;
  double shifted = fused(bounded, 1.4426950408889634, WHOLE<double>);
  double n = shifted - WHOLE<double>;
  double r = fused(n, -0.69314718036912382, bounded);
  r = fused(n, -1.9082149292705877e-10, r);
  double sum = 1. / 6227020800;  // Taylor's series
  sum = fused(sum, r, 1. / 479001600);
  sum = fused(sum, r, 1. / 39916800);
  sum = fused(sum, r, 1. / 3628800);
  sum = fused(sum, r, 1. / 362880);
  sum = fused(sum, r, 1. / 40320);
  sum = fused(sum, r, 1. / 5040);
  sum = fused(sum, r, 1. / 720);
  sum = fused(sum, r, 1. / 120);
  sum = fused(sum, r, 1. / 24);
  sum = fused(sum, r, 1. / 6);
  return {power(shifted), r, fused(sum, r, .5)};
}

// exp(x) for x <= 0, within 2 units in the last place, or within the smallest normal number; NaN for NaN.
template <typename W>
[[gnu::always_inline]] inline W exponential(W x, W least = LEAST<W>) {
  auto [power, r, sum] = reduced(x, least);
  return fused(fused(sum, r, W(1)), r, W(1)) * power;
}

// 1 + x / 3 + x^2 / 5 + ... + x^((last - 1) / 2) / last, starting at a denominator.
template <int LAST, int FROM, typename W>
[[gnu::always_inline]] inline W odd_series(W x) {
  if constexpr (FROM == LAST)
    return W(1) / LAST;
  else
    return fused(odd_series<LAST, FROM + 2>(x), x, W(1) / FROM);
}

// a + log(1 + x) for 0 <= x <= 1: x times the polynomial of degree 8 with the smallest relative error for
// log(1 + x) / x, half a unit roundoff (Remez' algorithm).
[[gnu::always_inline]] inline float plus_logarithm(float a, float x) {
  float sum = 0.005232695f;
  sum = fused(sum, x, -0.02950524f);
  sum = fused(sum, x, 0.078225955f);
  sum = fused(sum, x, -0.13663246f);
  sum = fused(sum, x, 0.19106007f);
  sum = fused(sum, x, -0.24842982f);
  sum = fused(sum, x, 0.33319098f);
  sum = fused(sum, x, -0.49999493f);
  sum = fused(sum, x, 0.99999994f);
  return fused(x, sum, a);
}
// The logarithm is 2 artanh(s) with s = x / (2 + x) <= 1/3.
[[gnu::always_inline]] inline double plus_logarithm(double a, double x) {
  double s = x / (2 + x);
  // Adding the smallest normal number changes no result and avoids subnormals, which are a hundred times slower.
  return fused(2 * s, odd_series<33, 1>(fused(s, s, std::numeric_limits<double>::min())), a);
}

template <typename W>
[[gnu::always_inline]] inline W sigmoid(W x, W least = LEAST<W>) {
  W e = exponential(-std::fabs(x), least);
  return (x < 0 ? e : W(1)) / (1 + e);
}

// exp(x) - 1 for x <= 0, as 2^n (exp(r) - 1) + (2^n - 1); near 0, n is 0 and nothing cancels.
template <typename W>
[[gnu::always_inline]] inline W exponential_less_one(W x) {
  auto [power, r, sum] = reduced(x, LEAST<W>);
  return fused(power, fused(r * r, sum, r), power - 1);
}

// tanh(x) within 3 units in the last place, without a branch; NaN for NaN.
template <typename W>
[[gnu::always_inline]] inline W hyperbolic_tangent(W x) {
  W less = exponential_less_one(-2 * std::fabs(x));
  return std::copysign(less / (2 + less), x);
}

// The derivatives of a step's result: dc_t / dc_{t-1} and dc_t / du_t.
template <typename W>
struct Shares {
  W carried, update;
};

struct Real {
  template <typename W>
  [[gnu::always_inline]] static W step(W f, W before, W u, Limits<W>) {
    return fused(f, before, u);
  }
  template <typename W>
  [[gnu::always_inline]] static Shares<W> shares(W f, W, W, W) {
    return {f, W(1)};
  }
  template <typename W>
  [[gnu::always_inline]] static W part(W flow, W share) {
    return flow * share;
  }
  template <typename W>
  [[gnu::always_inline]] static W of_forget(W flow, W, W before) {
    return flow * before;
  }
};

struct Tropical {
  template <typename W>
  [[gnu::always_inline]] static W of_forget(W flow, W share, W) {
    return flow * share;
  }
  template <typename W>
  [[gnu::always_inline]] static W part(W flow, W share) {
    return flow * share;
  }
};

struct MaxPlus : Tropical {
  template <typename W>
  [[gnu::always_inline]] static W step(W f, W before, W u, Limits<W>) {
    W carried = f + before;
    return carried > u || carried != carried ? carried : u;
  }
  // Each receives half if both are equal, as in torch.maximum.
  template <typename W>
  [[gnu::always_inline]] static Shares<W> shares(W f, W before, W u, W) {
    W carried = f + before, share = carried == u ? W(.5) : carried > u ? W(1) : W(0);
    return {share, 1 - share};
  }
  // The smaller term gets zero, even if the gradient is infinite.
  template <typename W>
  [[gnu::always_inline]] static W part(W flow, W share) {
    return share == 0 ? W(0) : flow * share;
  }
  template <typename W>
  [[gnu::always_inline]] static W of_forget(W flow, W share, W) {
    return part(flow, share);
  }
};

struct Log : Tropical {
  template <typename W>
  [[gnu::always_inline]] static W step(W f, W before, W u, Limits<W> limits) {
    W carried = f + before;
    W larger = u > carried ? u : carried, smaller = u > carried ? carried : u;  // NaN is in one of them
    // Replace infinities by the largest values, so that the difference of equal ones is not NaN.
    W low = larger < limits.lowest ? limits.lowest : larger, high = smaller > limits.highest ? limits.highest : smaller;
    return plus_logarithm(larger, exponential(high - low, limits.least));
  }
  // The sigmoid of their difference, which is accurate; 1 minus the other one would not be.
  template <typename W>
  [[gnu::always_inline]] static Shares<W> shares(W f, W before, W u, W least) {
    W carried = f + before, apart = carried == u ? W(0) : carried - u;  // also equal if both are -infinity
    W e = exponential(-std::fabs(apart), least), greater = 1 / (1 + e), lesser = e * greater;
    return {apart < 0 ? lesser : greater, apart < 0 ? greater : lesser};
  }
};

constexpr int64_t LINE = 64;  // bytes of a cache line
constexpr int64_t BLOCK = 32;  // lanes that stay together: full cache lines in each dtype
constexpr int64_t PART = 4 * BLOCK;  // lanes of a step that are computed before they are written
constexpr int64_t SHORT_PART = 2 * BLOCK;  // as PART, for two stages, which read up to eight arrays and write four
constexpr int64_t AHEAD = 12 << 10;  // bytes to prefetch, of all arrays together

// Divides lanes among threads, so that each has enough work and full cache lines.
template <typename Work>
void by_lanes(int64_t steps, int64_t lanes, const Work& work) {
  int64_t blocks = (lanes + BLOCK - 1) / BLOCK;
  int64_t grain = 1 + (1 << 15) / (BLOCK * (steps + 1));
  at::parallel_for(0, blocks, grain, [&](int64_t from, int64_t to) {
    work(from * BLOCK, std::min(to * BLOCK, lanes));
#ifdef __SSE2__
    _mm_sfence();  // finish writes that bypass the cache before other threads continue
#endif
  });
}

// Values carried from step to step, for some lanes; aligned to a cache line, as vectors that span two are slow.
template <typename W>
class Carried {
 public:
  explicit Carried(int64_t lanes) : lines((lanes * sizeof(W) + LINE - 1) / LINE) {}
  W* data() { return reinterpret_cast<W*>(lines.data()); }

 private:
  struct alignas(LINE) Line {
    char bytes[LINE];
  };
  std::vector<Line> lines;
};

// Lanes of a step.
struct Part {
  int64_t step, begin, end;
};

// The loop of a thread that reads a row of each array per step. It calls work(part, later) for a part of the lanes of
// each step, and for the part AHEAD bytes further, whose step may be past the last one. Processors prefetch within a
// page at most, and not from row to row if rows are read from last to first.
template <typename T, int64_t SIZE = PART, typename Work>
void by_parts(int64_t steps, int64_t from, int64_t to, int64_t arrays, const Work& work) {
  int64_t span = to - from, distance = AHEAD / (arrays * int64_t(sizeof(T)));
  int64_t rows = distance / span, lanes = distance % span / BLOCK * BLOCK;
  for (int64_t step = 0; step < steps; ++step)
    for (int64_t begin = from; begin < to; begin += SIZE) {
      bool in_row = begin + lanes < to;
      int64_t later = in_row ? begin + lanes : begin + lanes - span;
      work(Part{step, begin, std::min(begin + SIZE, to)},
           Part{step + rows + !in_row, later, std::min(later + SIZE, to)});
    }
}

// Prefetches lanes of a row of each array.
template <typename T>
[[gnu::always_inline]] inline void fetch(std::initializer_list<const T*> arrays, int64_t row, Part part) {
  for (const T* array : arrays)
    for (int64_t i = part.begin; i < part.end; i += LINE / sizeof(T)) __builtin_prefetch(array + row + i);
}

// Whether rows of that many lanes begin a cache line in all of these arrays.
template <typename T>
bool in_lines(std::initializer_list<const T*> arrays, int64_t lanes) {
  auto begins = [](const T* array) { return reinterpret_cast<uintptr_t>(array) % LINE == 0; };
  return lanes * sizeof(T) % LINE == 0 && std::all_of(arrays.begin(), arrays.end(), begins);
}

// Writes that bypass the cache: unlike others, they do not fetch a cache line before they overwrite all of it.
inline void copy_past_cache(void* to, const void* from, int64_t bytes) {
#if defined(__AVX512F__)
  auto* lines = static_cast<__m512i*>(to);
  auto* values = static_cast<const __m512i*>(from);
  for (int64_t i = 0; i < bytes / 64; ++i) _mm512_stream_si512(lines + i, _mm512_load_si512(values + i));
#elif defined(__SSE2__)
  auto* lines = static_cast<__m128i*>(to);
  auto* values = static_cast<const __m128i*>(from);
  for (int64_t i = 0; i < bytes / 16; ++i) _mm_stream_si128(lines + i, _mm_load_si128(values + i));
#else
  std::memcpy(to, from, bytes);
#endif
}

// Writes a part of a row, rounded to the array's type; bypasses the cache for full cache lines.
template <typename T>
[[gnu::always_inline]] inline void put(T* to, const Wide<T>* values, int64_t count, bool past) {
  alignas(LINE) T rounded[PART];
  const void* from = values;
  if constexpr (!std::is_same_v<T, Wide<T>>) {
    for (int64_t i = 0; i < count; ++i) store(rounded + i, values[i]);
    from = rounded;
  }
  if (past)
    copy_past_cache(to, from, count * sizeof(T));
  else
    std::memcpy(to, from, count * sizeof(T));
}

template <typename S, typename T>
void forward(const T* forget, const T* update, const T* start, T* states, int64_t steps, int64_t lanes, bool past) {
  using W = Wide<T>;
  past = past && in_lines<T>({states}, lanes);
  by_lanes(steps, lanes, [=](int64_t from, int64_t to) {
    Carried<W> carried(to - from);
    W* c = carried.data() - from;
    for (int64_t i = from; i < to; ++i) c[i] = load(start[i]);
    Limits<W> limits;
    by_parts<T>(steps, from, to, 2, [=](Part part, Part later) {
      auto [t, begin, end] = part;
      if (later.step < steps) fetch({forget, update}, later.step * lanes, later);
      const T *f = forget + t * lanes, *u = update + t * lanes;
#pragma GCC ivdep
      for (int64_t i = begin; i < end; ++i) c[i] = S::template step<W>(load(f[i]), c[i], load(u[i]), limits);
      put(states + t * lanes + begin, c + begin, end - begin, past);
    });
  });
}

template <typename S, typename T>
void backward(const T* grad, const T* forget, const T* update, const T* states, const T* start, T* to_forget,
              T* to_update, T* to_start, int64_t steps, int64_t lanes, bool past) {
  using W = Wide<T>;
  past = past && in_lines<T>({to_forget, to_update}, lanes);
  by_lanes(steps, lanes, [=](int64_t from, int64_t to) {
    Carried<W> flowing(to - from);  // s_{t+1} g_{t+1}
    W* after = flowing.data() - from;
    Limits<W> limits;
    by_parts<T>(steps, from, to, std::is_same_v<S, Real> ? 3 : 4, [=](Part part, Part later) {
      auto [s, begin, end] = part;
      int64_t t = steps - 1 - s, next = steps - 1 - later.step;
      const T *g = grad + t * lanes, *f = forget + t * lanes, *u = update + t * lanes;
      const T* before = t ? states + (t - 1) * lanes : start;
      if (next > 0) {
        fetch({grad, forget}, next * lanes, later);
        fetch({states}, (next - 1) * lanes, later);
        if constexpr (!std::is_same_v<S, Real>) fetch({update}, next * lanes, later);
      }
      alignas(LINE) W df[PART], du[PART];
#pragma GCC ivdep
      for (int64_t i = begin; i < end; ++i) {
        W old = load(before[i]), flow = load(g[i]) + after[i];
        auto shares = S::template shares<W>(load(f[i]), old, std::is_same_v<S, Real> ? W(0) : load(u[i]), limits.least);
        df[i - begin] = S::template of_forget<W>(flow, shares.carried, old);
        du[i - begin] = std::is_same_v<S, Real> ? flow : S::template part<W>(flow, shares.update);
        after[i] = S::template part<W>(flow, shares.carried);
      }
      put(to_forget + t * lanes + begin, df, end - begin, past);
      put(to_update + t * lanes + begin, du, end - begin, past);
    });
    for (int64_t i = from; i < to; ++i) store(to_start + i, after[i]);
  });
}

// c_t = f c_{t-1} + (1 - f) z_t with f = sigmoid(x_t).
template <typename T>
void gated_forward(const T* gate, const T* update, const T* start, T* states, int64_t steps, int64_t lanes, bool past) {
  using W = Wide<T>;
  past = past && in_lines<T>({states}, lanes);
  by_lanes(steps, lanes, [=](int64_t from, int64_t to) {
    Limits<W> limits;
    Carried<W> carried(to - from);
    W* c = carried.data() - from;
    for (int64_t i = from; i < to; ++i) c[i] = load(start[i]);
    by_parts<T>(steps, from, to, 2, [=](Part part, Part later) {
      auto [t, begin, end] = part;
      if (later.step < steps) fetch({gate, update}, later.step * lanes, later);
      const T *x = gate + t * lanes, *z = update + t * lanes;
#pragma GCC ivdep
      for (int64_t i = begin; i < end; ++i) {
        W f = sigmoid(load(x[i]), limits.least);
        c[i] = fused(f, c[i], (1 - f) * load(z[i]));
      }
      put(states + t * lanes + begin, c + begin, end - begin, past);
    });
  });
}

template <typename T>
void gated_backward(const T* grad, const T* gate, const T* update, const T* states, const T* start, T* to_gate,
                    T* to_update, T* to_start, int64_t steps, int64_t lanes, bool past) {
  using W = Wide<T>;
  past = past && in_lines<T>({to_gate, to_update}, lanes);
  by_lanes(steps, lanes, [=](int64_t from, int64_t to) {
    Limits<W> limits;
    Carried<W> flowing(to - from);
    W* after = flowing.data() - from;
    by_parts<T>(steps, from, to, 4, [=](Part part, Part later) {
      auto [s, begin, end] = part;
      int64_t t = steps - 1 - s, next = steps - 1 - later.step;
      const T *g = grad + t * lanes, *x = gate + t * lanes, *z = update + t * lanes;
      const T* before = t ? states + (t - 1) * lanes : start;
      if (next > 0) {
        fetch({grad, gate, update}, next * lanes, later);
        fetch({states}, (next - 1) * lanes, later);
      }
      alignas(LINE) W dx[PART], dz[PART];
#pragma GCC ivdep
      for (int64_t i = begin; i < end; ++i) {
        W f = sigmoid(load(x[i]), limits.least), flow = load(g[i]) + after[i];
        dx[i - begin] = flow * (load(before[i]) - load(z[i])) * (f * (1 - f));
        dz[i - begin] = flow * (1 - f);
        after[i] = f * flow;
      }
      put(to_gate + t * lanes + begin, dx, end - begin, past);
      put(to_update + t * lanes + begin, dz, end - begin, past);
    });
    for (int64_t i = from; i < to; ++i) store(to_start + i, after[i]);
  });
}

// Two of these recurrences; the first one feeds the second: c2_t = f2 c2_{t-1} + (c1_{t-1} + r) (1 - f2) z2_t.
template <typename T>
void pair_forward(const T* gate_1, const T* update_1, const T* gate_2, const T* update_2, const T* start_1,
                  const T* start_2, const T* skip, T* states_1, T* states_2, int64_t steps, int64_t lanes, bool past) {
  using W = Wide<T>;
  past = past && in_lines<T>({states_1, states_2}, lanes);
  by_lanes(steps, lanes, [=](int64_t from, int64_t to) {
    Limits<W> limits;
    Carried<W> carried_1(to - from), carried_2(to - from), constant(to - from);
    W *c1 = carried_1.data() - from, *c2 = carried_2.data() - from, *r = constant.data() - from;
    for (int64_t i = from; i < to; ++i) c1[i] = load(start_1[i]), c2[i] = load(start_2[i]), r[i] = load(skip[i]);
    auto run = [=](auto adds) {  // adds: whether there is an r, which otherwise does not occupy the L1 cache
      by_parts<T, SHORT_PART>(steps, from, to, 4, [=](Part part, Part later) {
        auto [t, begin, end] = part;
        if (later.step < steps) fetch({gate_1, update_1, gate_2, update_2}, later.step * lanes, later);
        int64_t row = t * lanes;
        const T *x1 = gate_1 + row, *z1 = update_1 + row, *x2 = gate_2 + row, *z2 = update_2 + row;
#pragma GCC ivdep
        for (int64_t i = begin; i < end; ++i) {
          W f1 = sigmoid(load(x1[i]), limits.least), f2 = sigmoid(load(x2[i]), limits.least), before = c1[i], fed = before;
          if constexpr (adds) fed += r[i];
          c2[i] = fused(f2, c2[i], fed * ((1 - f2) * load(z2[i])));
          c1[i] = fused(f1, before, (1 - f1) * load(z1[i]));
        }
        put(states_1 + row + begin, c1 + begin, end - begin, past);
        put(states_2 + row + begin, c2 + begin, end - begin, past);
      });
    };
    if (std::any_of(r + from, r + to, [](W x) { return x != 0; }))
      run(std::true_type{});
    else
      run(std::false_type{});
  });
}

template <typename T>
void pair_backward(const T* grad_1, const T* grad_2, const T* gate_1, const T* update_1, const T* gate_2,
                   const T* update_2, const T* states_1, const T* states_2, const T* start_1, const T* start_2,
                   const T* skip, T* to_gate_1, T* to_update_1, T* to_gate_2, T* to_update_2, T* to_start_1,
                   T* to_start_2, T* to_skip, int64_t steps, int64_t lanes, bool past) {
  using W = Wide<T>;
  past = past && in_lines<T>({to_gate_1, to_update_1, to_gate_2, to_update_2}, lanes);
  by_lanes(steps, lanes, [=](int64_t from, int64_t to) {
    Limits<W> limits;
    Carried<W> flowing_1(to - from), flowing_2(to - from), summed(to - from);
    W *after_1 = flowing_1.data() - from, *after_2 = flowing_2.data() - from, *dr = summed.data() - from;
    std::vector<T> zeros(grad_1 && grad_2 ? 0 : to - from);  // instead of a missing gradient
    const T* none = zeros.data() - from;
    by_parts<T, SHORT_PART>(steps, from, to, 8, [=](Part part, Part later) {
      auto [s, begin, end] = part;
      int64_t t = steps - 1 - s, next = steps - 1 - later.step;
      int64_t row = t * lanes;
      const T* g1 = grad_1 ? grad_1 + row : none;
      const T* g2 = grad_2 ? grad_2 + row : none;
      const T *x1 = gate_1 + row, *z1 = update_1 + row;
      const T *x2 = gate_2 + row, *z2 = update_2 + row;
      const T* before_1 = t ? states_1 + row - lanes : start_1;
      const T* before_2 = t ? states_2 + row - lanes : start_2;
      if (next > 0) {
        fetch({gate_1, update_1, gate_2, update_2}, next * lanes, later);
        fetch({states_1, states_2}, (next - 1) * lanes, later);
        if (grad_1) fetch({grad_1}, next * lanes, later);
        if (grad_2) fetch({grad_2}, next * lanes, later);
      }
      alignas(LINE) W dx1[SHORT_PART], dz1[SHORT_PART], dx2[SHORT_PART], dz2[SHORT_PART];
#pragma GCC ivdep
      for (int64_t i = begin; i < end; ++i) {
        W f1 = sigmoid(load(x1[i]), limits.least), f2 = sigmoid(load(x2[i]), limits.least), old = load(before_1[i]);
        W flow_1 = load(g1[i]) + after_1[i], flow_2 = load(g2[i]) + after_2[i];
        W fed = old + load(skip[i]), z = load(z2[i]), to_fed = flow_2 * ((1 - f2) * z);
        dx1[i - begin] = flow_1 * (old - load(z1[i])) * (f1 * (1 - f1));
        dz1[i - begin] = flow_1 * (1 - f1);
        dx2[i - begin] = flow_2 * (load(before_2[i]) - fed * z) * (f2 * (1 - f2));
        dz2[i - begin] = flow_2 * fed * (1 - f2);
        after_1[i] = fused(f1, flow_1, to_fed);
        after_2[i] = f2 * flow_2;
        dr[i] += to_fed;
      }
      put(to_gate_1 + row + begin, dx1, end - begin, past);
      put(to_update_1 + row + begin, dz1, end - begin, past);
      put(to_gate_2 + row + begin, dx2, end - begin, past);
      put(to_update_2 + row + begin, dz2, end - begin, past);
    });
    for (int64_t i = from; i < to; ++i) {
      store(to_start_1 + i, after_1[i]);
      store(to_start_2 + i, after_2[i]);
      store(to_skip + i, dr[i]);
    }
  });
}

// Outputs of layers: tanh(c), tanh(s c), and s tanh(c) + (1 - s) x, where s = sigmoid(z).
struct Tanh {
  static constexpr bool GATED = false;
  template <typename W>
  [[gnu::always_inline]] static W value(W c, W, W) {
    return hyperbolic_tangent(c);
  }
  template <typename W>
  [[gnu::always_inline]] static void gradients(W g, W, W, W, W h, W& dc, W&, W&) {
    dc = g * ((1 - h) * (1 + h));
  }
};

struct TanhOfProduct {
  static constexpr bool GATED = true;
  template <typename W>
  [[gnu::always_inline]] static W value(W c, W z, W) {
    return hyperbolic_tangent(sigmoid(z) * c);
  }
  template <typename W>
  [[gnu::always_inline]] static void gradients(W g, W c, W z, W, W h, W& dc, W& dz, W&) {
    W s = sigmoid(z), flow = g * ((1 - h) * (1 + h));
    dc = flow * s;
    dz = flow * c * (s * (1 - s));
  }
};

struct ProductWithTanh {
  static constexpr bool GATED = true;
  template <typename W>
  [[gnu::always_inline]] static W value(W c, W z, W x) {
    W s = sigmoid(z);
    return fused(s, hyperbolic_tangent(c), (1 - s) * x);
  }
  template <typename W>
  [[gnu::always_inline]] static void gradients(W g, W c, W z, W x, W, W& dc, W& dz, W& dx) {
    W s = sigmoid(z), t = hyperbolic_tangent(c);
    dc = g * s * ((1 - t) * (1 + t));
    dz = g * (t - x) * (s * (1 - s));
    dx = g * (1 - s);
  }
};

template <typename F, bool SKIP, typename T>
void output_of(const T* states, const T* gate, const T* skip, T* out, int64_t count, bool past) {
  using W = Wide<T>;
  past = past && in_lines<T>({out}, count);
  by_lanes(1, count, [=](int64_t from, int64_t to) {
    alignas(LINE) W h[PART];
    for (int64_t begin = from; begin < to; begin += PART) {
      int64_t end = std::min(begin + PART, to);
#pragma GCC ivdep
      for (int64_t i = begin; i < end; ++i)
        h[i - begin] = F::template value<W>(load(states[i]), F::GATED ? load(gate[i]) : W(0),
                                            SKIP ? load(skip[i]) : W(0));
      put(out + begin, h, end - begin, past);
    }
  });
}

template <typename F, bool SKIP, typename T>
void output_backward_of(const T* grad, const T* states, const T* gate, const T* skip, const T* out,
                        T* to_states, T* to_gate, T* to_skip, int64_t count, bool past) {
  using W = Wide<T>;
  past = past && in_lines<T>({to_states, to_gate, to_skip}, count);
  by_lanes(1, count, [=](int64_t from, int64_t to) {
    alignas(LINE) W dc[PART], dz[PART], dx[PART];
    for (int64_t begin = from; begin < to; begin += PART) {
      int64_t end = std::min(begin + PART, to);
#pragma GCC ivdep
      for (int64_t i = begin; i < end; ++i)
        F::template gradients<W>(load(grad[i]), load(states[i]), F::GATED ? load(gate[i]) : W(0),
                                 SKIP ? load(skip[i]) : W(0), load(out[i]), dc[i - begin], dz[i - begin],
                                 dx[i - begin]);
      put(to_states + begin, dc, end - begin, past);
      if constexpr (F::GATED) put(to_gate + begin, dz, end - begin, past);
      if constexpr (SKIP) put(to_skip + begin, dx, end - begin, past);
    }
  });
}

}  // namespace

#define SCAN(S, s, T, t)                                                                                       \
  extern "C" void s##_##t(const T* f, const T* u, const T* start, T* c, int64_t steps, int64_t lanes,          \
                          bool past) {                                                                         \
    forward<S>(f, u, start, c, steps, lanes, past);                                                            \
  }                                                                                                            \
  extern "C" void s##_backward_##t(const T* g, const T* f, const T* u, const T* c, const T* start, T* df,      \
                                   T* du, T* d_start, int64_t steps, int64_t lanes, bool past) {               \
    backward<S>(g, f, u, c, start, df, du, d_start, steps, lanes, past);                                       \
  }
#define GATED(T, t)                                                                                            \
  extern "C" void gated_##t(const T* x, const T* z, const T* start, T* c, int64_t steps, int64_t lanes,        \
                            bool past) {                                                                       \
    gated_forward(x, z, start, c, steps, lanes, past);                                                         \
  }                                                                                                            \
  extern "C" void gated_backward_##t(const T* g, const T* x, const T* z, const T* c, const T* start, T* dx,    \
                                     T* dz, T* d_start, int64_t steps, int64_t lanes, bool past) {             \
    gated_backward(g, x, z, c, start, dx, dz, d_start, steps, lanes, past);                                    \
  }
#define PAIR(T, t)                                                                                             \
  extern "C" void pair_##t(const T* x1, const T* z1, const T* x2, const T* z2, const T* c1, const T* c2,       \
                           const T* r, T* to_1, T* to_2, int64_t steps, int64_t lanes, bool past) {            \
    pair_forward(x1, z1, x2, z2, c1, c2, r, to_1, to_2, steps, lanes, past);                                   \
  }                                                                                                            \
  extern "C" void pair_backward_##t(const T* g1, const T* g2, const T* x1, const T* z1, const T* x2,           \
                                    const T* z2, const T* c1, const T* c2, const T* s1, const T* s2,           \
                                    const T* r, T* dx1, T* dz1, T* dx2, T* dz2, T* d1, T* d2, T* dr,           \
                                    int64_t steps, int64_t lanes, bool past) {                                 \
    pair_backward(g1, g2, x1, z1, x2, z2, c1, c2, s1, s2, r, dx1, dz1, dx2, dz2, d1, d2, dr, steps, lanes,     \
                  past);                                                                                       \
  }
#define OUTPUT(F, f, T, t)                                                                                     \
  extern "C" void f##_##t(const T* c, const T* z, const T* x, T* h, int64_t, int64_t count, bool past) {       \
    x ? output_of<F, true>(c, z, x, h, count, past) : output_of<F, false>(c, z, x, h, count, past);            \
  }                                                                                                            \
  extern "C" void f##_backward_##t(const T* g, const T* c, const T* z, const T* x, const T* h, T* dc, T* dz,   \
                                   T* dx, int64_t, int64_t count, bool past) {                                 \
    x ? output_backward_of<F, true>(g, c, z, x, h, dc, dz, dx, count, past)                                    \
      : output_backward_of<F, false>(g, c, z, x, h, dc, dz, dx, count, past);                                  \
  }
#define ALL(T, t)       \
  SCAN(Real, real, T, t)         \
  SCAN(MaxPlus, max_plus, T, t)  \
  SCAN(Log, log, T, t)           \
  GATED(T, t)                    \
  PAIR(T, t)                     \
  OUTPUT(Tanh, tanh, T, t)       \
  OUTPUT(TanhOfProduct, tanh_of_product, T, t) \
  OUTPUT(ProductWithTanh, product_with_tanh, T, t)

ALL(float, float32)
ALL(double, float64)
ALL(BFloat16, bfloat16)
