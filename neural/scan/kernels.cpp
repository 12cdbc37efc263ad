// The elementwise recurrences on a CPU: c_t = f_t c_{t-1} + u_t over a semiring, forward and backward, one pass
// over memory. Arrays are (T, N), a row a step; a thread takes some columns (lanes), and nothing depends on how
// many it takes: multiplications and additions are fused by hand alone (the file is compiled without
// contraction), in whole vectors and in what is left of them alike.
//
// Derivatives (g_t is what flows into c_t in all): g_t = grad_t + s_{t+1} g_{t+1}, where s_t is dc_t / dc_{t-1};
// over the reals s = f, df = g c_{t-1}, du = g; else df = g s, du = g (1 - s).

#include <ATen/Parallel.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

namespace {

struct BFloat16 {
  uint16_t bits;
};

inline float load(float x) { return x; }
inline double load(double x) { return x; }
inline float load(BFloat16 x) {
  uint32_t wide = uint32_t(x.bits) << 16;
  float value;
  std::memcpy(&value, &wide, 4);
  return value;
}

inline void store(float* to, float x) { *to = x; }
inline void store(double* to, double x) { *to = x; }
inline void store(BFloat16* to, float x) {  // to nearest, ties to even
  uint32_t wide;
  std::memcpy(&wide, &x, 4);
  uint32_t rounded = (wide + 0x7fff + ((wide >> 16) & 1)) >> 16;
  to->bits = x == x ? uint16_t(rounded) : uint16_t(0x7fc0);
}

// The numbers that are computed with.
template <typename T>
using Wide = std::conditional_t<std::is_same_v<T, BFloat16>, float, T>;

template <typename W>
constexpr W INF = std::numeric_limits<W>::infinity();

inline float fused(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
inline double fused(double a, double b, double c) { return __builtin_fma(a, b, c); }

// 2 to the power of a whole number within the exponents of normal numbers.
inline float power(float n) {
  int32_t bits = (int32_t(n) + 127) << 23;
  float value;
  std::memcpy(&value, &bits, 4);
  return value;
}
inline double power(double n) {
  int64_t bits = (int64_t(n) + 1023) << 52;
  double value;
  std::memcpy(&value, &bits, 8);
  return value;
}

// x = n log 2 + r with a whole n and |r| <= log(2) / 2, for x <= 0 of which exp is a normal number, or the least
// such x; and the sum in Taylor's series exp(r) = 1 + r + r^2 sum.
template <typename W>
struct Reduced {
  W n, r, sum;
};
inline Reduced<float> reduced(float x) {
  float bounded = x < -87.3365f ? -87.3365f : x;
  float n = __builtin_rintf(bounded * 1.44269504f);
  float r = fused(n, -0.693145752f, bounded);
  r = fused(n, -1.42860677e-6f, r);
  float sum = 1.f / 5040;
  sum = fused(sum, r, 1.f / 720);
  sum = fused(sum, r, 1.f / 120);
  sum = fused(sum, r, 1.f / 24);
  sum = fused(sum, r, 1.f / 6);
  return {n, r, fused(sum, r, .5f)};
}
inline Reduced<double> reduced(double x) {
  double bounded = x < -708.3964 ? -708.3964 : x;
  double n = __builtin_rint(bounded * 1.4426950408889634);
  double r = fused(n, -0.69314718036912382, bounded);
  r = fused(n, -1.9082149292705877e-10, r);
  double sum = 1. / 6227020800;
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
  return {n, r, fused(sum, r, .5)};
}

// exp(x) for x <= 0, within 2 units in the last place, and 0 where that is no normal number; NaN of NaN.
template <typename W>
inline W exponential(W x) {
  auto [n, r, sum] = reduced(x);
  sum = fused(fused(sum, r, W(1)), r, W(1));
  return x < (std::is_same_v<W, float> ? W(-87.3365f) : W(-708.3964)) ? W(0) : sum * power(n);
}

// 1 + x / 3 + x^2 / 5 + ... + x^((last - 1) / 2) / last, from a denominator on.
template <int LAST, int FROM, typename W>
inline W odd_series(W x) {
  if constexpr (FROM == LAST)
    return W(1) / LAST;
  else
    return fused(odd_series<LAST, FROM + 2>(x), x, W(1) / FROM);
}

// log(1 + x) for 0 <= x <= 1: x times the polynomial of degree 8 that is nearest to log(1 + x) / x there, by its
// relative error, which is half a unit of rounding (Remez' algorithm).
inline float logarithm(float x) {
  float sum = 0.005232695f;
  sum = fused(sum, x, -0.02950524f);
  sum = fused(sum, x, 0.078225955f);
  sum = fused(sum, x, -0.13663246f);
  sum = fused(sum, x, 0.19106007f);
  sum = fused(sum, x, -0.24842982f);
  sum = fused(sum, x, 0.33319098f);
  sum = fused(sum, x, -0.49999493f);
  sum = fused(sum, x, 0.99999994f);
  return x * sum;
}
// 2 artanh(s) with s = x / (2 + x) <= 1/3.
inline double logarithm(double x) {
  double s = x / (2 + x);
  // the smallest normal number more changes nothing, but subnormal numbers would take a hundred times as long
  return 2 * s * odd_series<33, 1>(fused(s, s, std::numeric_limits<double>::min()));
}

template <typename W>
inline W sigmoid(W x) {
  W e = exponential(x < 0 ? x : -x);
  return (x < 0 ? e : W(1)) / (1 + e);
}

// exp(x) - 1 for x <= 0, as 2^n (exp(r) - 1) + (2^n - 1): near 0 nothing cancels, as n is 0 there.
template <typename W>
inline W exponential_less_one(W x) {
  auto [n, r, sum] = reduced(x);
  return fused(power(n), fused(r * r, sum, r), power(n) - 1);
}

// tanh(x) within 3 units in the last place, without a branch; NaN of NaN.
template <typename W>
inline W hyperbolic_tangent(W x) {
  W less = exponential_less_one(-2 * std::fabs(x));
  return std::copysign(less / (2 + less), x);
}

struct Real {
  template <typename W>
  static W step(W f, W before, W u) {
    return fused(f, before, u);
  }
  template <typename W>
  static W share(W f, W, W, W) {
    return f;
  }
  template <typename W>
  static W of_forget(W flow, W, W before) {
    return flow * before;
  }
  template <typename W>
  static W of_update(W flow, W) {
    return flow;
  }
};

struct Tropical {
  template <typename W>
  static W of_forget(W flow, W share, W) {
    return flow * share;
  }
  template <typename W>
  static W of_update(W flow, W share) {
    return flow * (1 - share);
  }
};

struct MaxPlus : Tropical {
  template <typename W>
  static W step(W f, W before, W u) {
    W carried = f + before;
    return carried > u || carried != carried ? carried : u;
  }
  // Half where both are equal, as in torch.maximum.
  template <typename W>
  static W share(W f, W before, W u, W) {
    W carried = f + before;
    return carried == u ? W(.5) : carried > u ? W(1) : W(0);
  }
};

struct Log : Tropical {
  template <typename W>
  static W step(W f, W before, W u) {
    W carried = f + before;
    W larger = carried > u || carried != carried ? carried : u;
    W smaller = carried > u || carried != carried ? u : carried;
    W sum = larger + logarithm(exponential(smaller - larger));
    return larger == -INF<W> || larger == INF<W> ? larger : sum;
  }
  template <typename W>
  static W share(W f, W before, W u, W after) {
    W carried = f + before;
    W part = exponential(carried < after ? carried - after : W(0));
    return carried == u ? W(.5) : part;  // equal where both are -infinity, too
  }
};

// The work of some lanes, so that each thread has enough of it and whole cache lines.
template <typename Work>
void by_lanes(int64_t steps, int64_t lanes, const Work& work) {
  int64_t blocks = (lanes + 15) / 16;
  int64_t grain = 1 + (1 << 15) / (16 * (steps + 1));
  at::parallel_for(0, blocks, grain, [&](int64_t from, int64_t to) {
    work(from * 16, to * 16 < lanes ? to * 16 : lanes);
  });
}

template <typename S, typename T>
void forward(const T* forget, const T* update, const T* start, T* states, int64_t steps, int64_t lanes) {
  using W = Wide<T>;
  by_lanes(steps, lanes, [=](int64_t from, int64_t to) {
    if constexpr (std::is_same_v<T, W>) {
      for (int64_t t = 0; t < steps; ++t) {
        const T *f = forget + t * lanes, *u = update + t * lanes;
        const T* before = t ? states + (t - 1) * lanes : start;
        T* c = states + t * lanes;
#pragma GCC ivdep
        for (int64_t i = from; i < to; ++i) c[i] = S::template step<W>(f[i], before[i], u[i]);
      }
    } else {  // what is carried is not rounded
      std::vector<W> carried(to - from);
      W* c = carried.data() - from;
      for (int64_t i = from; i < to; ++i) c[i] = load(start[i]);
      for (int64_t t = 0; t < steps; ++t) {
        const T *f = forget + t * lanes, *u = update + t * lanes;
        T* out = states + t * lanes;
#pragma GCC ivdep
        for (int64_t i = from; i < to; ++i) {
          c[i] = S::template step<W>(load(f[i]), c[i], load(u[i]));
          store(out + i, c[i]);
        }
      }
    }
  });
}

template <typename S, typename T>
void backward(const T* grad, const T* forget, const T* update, const T* states, const T* start, T* to_forget,
              T* to_update, T* to_start, int64_t steps, int64_t lanes) {
  using W = Wide<T>;
  by_lanes(steps, lanes, [=](int64_t from, int64_t to) {
    std::vector<W> flowing(to - from);  // s_{t+1} g_{t+1}
    W* after = flowing.data() - from;
    for (int64_t t = steps - 1; t >= 0; --t) {
      const T *g = grad + t * lanes, *f = forget + t * lanes, *u = update + t * lanes, *c = states + t * lanes;
      const T* before = t ? states + (t - 1) * lanes : start;
      T *df = to_forget + t * lanes, *du = to_update + t * lanes;
#pragma GCC ivdep
      for (int64_t i = from; i < to; ++i) {
        W old = load(before[i]), flow = load(g[i]) + after[i];
        W share = S::template share<W>(load(f[i]), old, std::is_same_v<S, Real> ? W(0) : load(u[i]),
                                       std::is_same_v<S, Log> ? load(c[i]) : W(0));
        store(df + i, S::template of_forget<W>(flow, share, old));
        store(du + i, S::template of_update<W>(flow, share));
        after[i] = share * flow;
      }
    }
    for (int64_t i = from; i < to; ++i) store(to_start + i, after[i]);
  });
}

// c_t = f c_{t-1} + (1 - f) z_t with f = sigmoid(x_t).
template <typename T>
void gated_forward(const T* gate, const T* update, const T* start, T* states, int64_t steps, int64_t lanes) {
  using W = Wide<T>;
  by_lanes(steps, lanes, [=](int64_t from, int64_t to) {
    std::vector<W> carried(to - from);
    W* c = carried.data() - from;
    for (int64_t i = from; i < to; ++i) c[i] = load(start[i]);
    for (int64_t t = 0; t < steps; ++t) {
      const T *x = gate + t * lanes, *z = update + t * lanes;
      T* out = states + t * lanes;
#pragma GCC ivdep
      for (int64_t i = from; i < to; ++i) {
        W f = sigmoid(load(x[i]));
        c[i] = fused(f, c[i], (1 - f) * load(z[i]));
        store(out + i, c[i]);
      }
    }
  });
}

template <typename T>
void gated_backward(const T* grad, const T* gate, const T* update, const T* states, const T* start, T* to_gate,
                    T* to_update, T* to_start, int64_t steps, int64_t lanes) {
  using W = Wide<T>;
  by_lanes(steps, lanes, [=](int64_t from, int64_t to) {
    std::vector<W> flowing(to - from);
    W* after = flowing.data() - from;
    for (int64_t t = steps - 1; t >= 0; --t) {
      const T *g = grad + t * lanes, *x = gate + t * lanes, *z = update + t * lanes;
      const T* before = t ? states + (t - 1) * lanes : start;
      T *dx = to_gate + t * lanes, *dz = to_update + t * lanes;
#pragma GCC ivdep
      for (int64_t i = from; i < to; ++i) {
        W f = sigmoid(load(x[i])), flow = load(g[i]) + after[i];
        store(dx + i, flow * (load(before[i]) - load(z[i])) * (f * (1 - f)));
        store(dz + i, flow * (1 - f));
        after[i] = f * flow;
      }
    }
    for (int64_t i = from; i < to; ++i) store(to_start + i, after[i]);
  });
}

// Two of these, of which the second is fed by the first: c2_t = f2 c2_{t-1} + (c1_{t-1} + r) (1 - f2) z2_t.
template <typename T>
void pair_forward(const T* gate_1, const T* update_1, const T* gate_2, const T* update_2, const T* start_1,
                  const T* start_2, const T* skip, T* states_1, T* states_2, int64_t steps, int64_t lanes) {
  using W = Wide<T>;
  by_lanes(steps, lanes, [=](int64_t from, int64_t to) {
    std::vector<W> carried(3 * (to - from));
    W *c1 = carried.data() - from, *c2 = c1 + (to - from), *r = c2 + (to - from);
    for (int64_t i = from; i < to; ++i) c1[i] = load(start_1[i]), c2[i] = load(start_2[i]), r[i] = load(skip[i]);
    for (int64_t t = 0; t < steps; ++t) {
      int64_t row = t * lanes;
      const T *x1 = gate_1 + row, *z1 = update_1 + row, *x2 = gate_2 + row, *z2 = update_2 + row;
      T *out_1 = states_1 + row, *out_2 = states_2 + row;
#pragma GCC ivdep
      for (int64_t i = from; i < to; ++i) {
        W f1 = sigmoid(load(x1[i])), f2 = sigmoid(load(x2[i]));
        c2[i] = fused(f2, c2[i], (c1[i] + r[i]) * ((1 - f2) * load(z2[i])));
        c1[i] = fused(f1, c1[i], (1 - f1) * load(z1[i]));
        store(out_1 + i, c1[i]);
        store(out_2 + i, c2[i]);
      }
    }
  });
}

template <typename T>
void pair_backward(const T* grad_1, const T* grad_2, const T* gate_1, const T* update_1, const T* gate_2,
                   const T* update_2, const T* states_1, const T* states_2, const T* start_1, const T* start_2,
                   const T* skip, T* to_gate_1, T* to_update_1, T* to_gate_2, T* to_update_2, T* to_start_1,
                   T* to_start_2, T* to_skip, int64_t steps, int64_t lanes) {
  using W = Wide<T>;
  by_lanes(steps, lanes, [=](int64_t from, int64_t to) {
    std::vector<W> flowing(3 * (to - from));
    W *after_1 = flowing.data() - from, *after_2 = after_1 + (to - from), *dr = after_2 + (to - from);
    std::vector<T> zeros(grad_1 && grad_2 ? 0 : to - from);  // in the place of a gradient that is not there
    for (int64_t t = steps - 1; t >= 0; --t) {
      int64_t row = t * lanes;
      const T* g1 = grad_1 ? grad_1 + row : zeros.data() - from;
      const T* g2 = grad_2 ? grad_2 + row : zeros.data() - from;
      const T *x1 = gate_1 + row, *z1 = update_1 + row;
      const T *x2 = gate_2 + row, *z2 = update_2 + row;
      const T* before_1 = t ? states_1 + row - lanes : start_1;
      const T* before_2 = t ? states_2 + row - lanes : start_2;
      T *dx1 = to_gate_1 + row, *dz1 = to_update_1 + row, *dx2 = to_gate_2 + row, *dz2 = to_update_2 + row;
#pragma GCC ivdep
      for (int64_t i = from; i < to; ++i) {
        W f1 = sigmoid(load(x1[i])), f2 = sigmoid(load(x2[i])), old = load(before_1[i]);
        W flow_1 = load(g1[i]) + after_1[i], flow_2 = load(g2[i]) + after_2[i];
        W fed = old + load(skip[i]), z = load(z2[i]), to_fed = flow_2 * ((1 - f2) * z);
        store(dx1 + i, flow_1 * (old - load(z1[i])) * (f1 * (1 - f1)));
        store(dz1 + i, flow_1 * (1 - f1));
        store(dx2 + i, flow_2 * (load(before_2[i]) - fed * z) * (f2 * (1 - f2)));
        store(dz2 + i, flow_2 * fed * (1 - f2));
        after_1[i] = fused(f1, flow_1, to_fed);
        after_2[i] = f2 * flow_2;
        dr[i] += to_fed;
      }
    }
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
  static W value(W c, W, W) {
    return hyperbolic_tangent(c);
  }
  template <typename W>
  static void gradients(W g, W, W, W, W h, W& dc, W&, W&) {
    dc = g * ((1 - h) * (1 + h));
  }
};

struct TanhOfProduct {
  static constexpr bool GATED = true;
  template <typename W>
  static W value(W c, W z, W) {
    return hyperbolic_tangent(sigmoid(z) * c);
  }
  template <typename W>
  static void gradients(W g, W c, W z, W, W h, W& dc, W& dz, W&) {
    W s = sigmoid(z), flow = g * ((1 - h) * (1 + h));
    dc = flow * s;
    dz = flow * c * (s * (1 - s));
  }
};

struct ProductWithTanh {
  static constexpr bool GATED = true;
  template <typename W>
  static W value(W c, W z, W x) {
    W s = sigmoid(z);
    return fused(s, hyperbolic_tangent(c), (1 - s) * x);
  }
  template <typename W>
  static void gradients(W g, W c, W z, W x, W, W& dc, W& dz, W& dx) {
    W s = sigmoid(z), t = hyperbolic_tangent(c);
    dc = g * s * ((1 - t) * (1 + t));
    dz = g * (t - x) * (s * (1 - s));
    dx = g * (1 - s);
  }
};

// The loops are functions of their own: within what a thread runs they are not vectorised.
template <typename F, bool SKIP, typename T>
__attribute__((noinline)) void output_part(const T* states, const T* gate, const T* skip, T* out, int64_t count) {
  using W = Wide<T>;
#pragma GCC ivdep
  for (int64_t i = 0; i < count; ++i)
    store(out + i, F::template value<W>(load(states[i]), F::GATED ? load(gate[i]) : W(0),
                                        SKIP ? load(skip[i]) : W(0)));
}

template <typename F, bool SKIP, typename T>
__attribute__((noinline)) void output_backward_part(const T* grad, const T* states, const T* gate, const T* skip,
                                                    const T* out, T* to_states, T* to_gate, T* to_skip,
                                                    int64_t count) {
  using W = Wide<T>;
#pragma GCC ivdep
  for (int64_t i = 0; i < count; ++i) {
    W dc, dz, dx;
    F::template gradients<W>(load(grad[i]), load(states[i]), F::GATED ? load(gate[i]) : W(0),
                             SKIP ? load(skip[i]) : W(0), load(out[i]), dc, dz, dx);
    store(to_states + i, dc);
    if constexpr (F::GATED) store(to_gate + i, dz);
    if constexpr (SKIP) store(to_skip + i, dx);
  }
}

// Where it begins, or null where there is no such array.
template <typename T>
inline T* from_place(T* array, int64_t place) {
  return array ? array + place : nullptr;
}

template <typename F, bool SKIP, typename T>
void output_of(const T* states, const T* gate, const T* skip, T* out, int64_t count) {
  at::parallel_for(0, count, 1 << 15, [=](int64_t from, int64_t to) {
    output_part<F, SKIP>(states + from, from_place(gate, from), from_place(skip, from), out + from, to - from);
  });
}

template <typename F, bool SKIP, typename T>
void output_backward_of(const T* grad, const T* states, const T* gate, const T* skip, const T* out,
                        T* to_states, T* to_gate, T* to_skip, int64_t count) {
  at::parallel_for(0, count, 1 << 15, [=](int64_t from, int64_t to) {
    output_backward_part<F, SKIP>(grad + from, states + from, from_place(gate, from), from_place(skip, from), out + from,
                                  to_states + from, from_place(to_gate, from), from_place(to_skip, from), to - from);
  });
}

}  // namespace

#define SCAN(S, s, T, t)                                                                                       \
  extern "C" void s##_##t(const T* f, const T* u, const T* start, T* c, int64_t steps, int64_t lanes) {        \
    forward<S>(f, u, start, c, steps, lanes);                                                                  \
  }                                                                                                            \
  extern "C" void s##_backward_##t(const T* g, const T* f, const T* u, const T* c, const T* start, T* df,      \
                                   T* du, T* d_start, int64_t steps, int64_t lanes) {                          \
    backward<S>(g, f, u, c, start, df, du, d_start, steps, lanes);                                             \
  }
#define GATED(T, t)                                                                                            \
  extern "C" void gated_##t(const T* x, const T* z, const T* start, T* c, int64_t steps, int64_t lanes) {      \
    gated_forward(x, z, start, c, steps, lanes);                                                               \
  }                                                                                                            \
  extern "C" void gated_backward_##t(const T* g, const T* x, const T* z, const T* c, const T* start, T* dx,    \
                                     T* dz, T* d_start, int64_t steps, int64_t lanes) {                        \
    gated_backward(g, x, z, c, start, dx, dz, d_start, steps, lanes);                                          \
  }
#define PAIR(T, t)                                                                                             \
  extern "C" void pair_##t(const T* x1, const T* z1, const T* x2, const T* z2, const T* c1, const T* c2,       \
                           const T* r, T* to_1, T* to_2, int64_t steps, int64_t lanes) {                       \
    pair_forward(x1, z1, x2, z2, c1, c2, r, to_1, to_2, steps, lanes);                                         \
  }                                                                                                            \
  extern "C" void pair_backward_##t(const T* g1, const T* g2, const T* x1, const T* z1, const T* x2,           \
                                    const T* z2, const T* c1, const T* c2, const T* s1, const T* s2,           \
                                    const T* r, T* dx1, T* dz1, T* dx2, T* dz2, T* d1, T* d2, T* dr,           \
                                    int64_t steps, int64_t lanes) {                                            \
    pair_backward(g1, g2, x1, z1, x2, z2, c1, c2, s1, s2, r, dx1, dz1, dx2, dz2, d1, d2, dr, steps, lanes);    \
  }
#define OUTPUT(F, f, T, t)                                                                                     \
  extern "C" void f##_##t(const T* c, const T* z, const T* x, T* h, int64_t, int64_t count) {                  \
    x ? output_of<F, true>(c, z, x, h, count) : output_of<F, false>(c, z, x, h, count);                        \
  }                                                                                                            \
  extern "C" void f##_backward_##t(const T* g, const T* c, const T* z, const T* x, const T* h, T* dc, T* dz,   \
                                   T* dx, int64_t, int64_t count) {                                            \
    x ? output_backward_of<F, true>(g, c, z, x, h, dc, dz, dx, count)                                          \
      : output_backward_of<F, false>(g, c, z, x, h, dc, dz, dx, count);                                        \
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
