// Products of a vector with one matrix after another over a semiring: h_t = h_{t-1} M[x_t] + o_t, for B sequences
// whose symbols x select one of S matrices of n x n, forward and backward.
//
// Arrays have rows of `stride` elements, n of them used, so that all vectors are full. A step processes the sequences
// with the same symbol together: it multiplies four rows of states by two vectors of a matrix's row at a time and
// keeps the sums in registers. Each sum runs over the states in order, regardless of other sequences and threads.
// The file is compiled with contraction: a product and a sum are fused.
//
// Derivatives: let y_ij = h_i M_ij, and let w_j be the gradient of the j-th state, divided among equal terms of a
// maximum. The gradient of h_i is the sum over j of part(h_i, M_ij), the gradient of M_ij is the sum over all uses of
// the matrix. Rows of w that are all zero are skipped: they are a sequence's padding, where h may be infinite.

#include <ATen/Parallel.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <vector>

namespace {

constexpr int BYTES = 64, ROWS = 4, COLUMNS = 2;
// The number of uses and of rows of a matrix that are processed together, while the cache holds them.
constexpr int USES = 64, BAND = 64;

template <typename T>
struct Vectors;
template <>
struct Vectors<float> {
  typedef float Numbers __attribute__((vector_size(BYTES)));
  typedef int32_t Integers __attribute__((vector_size(BYTES)));
};
template <>
struct Vectors<double> {
  typedef double Numbers __attribute__((vector_size(BYTES)));
  typedef int64_t Integers __attribute__((vector_size(BYTES)));
};
template <typename T>
using Vector = typename Vectors<T>::Numbers;
template <typename T>
constexpr int WIDTH = BYTES / sizeof(T);
template <typename T>
constexpr T INF = std::numeric_limits<T>::infinity();

template <typename T>
inline Vector<T> load(const T* from) {
  Vector<T> value;
  std::memcpy(&value, from, BYTES);
  return value;
}
template <typename T>
inline void store(T* to, Vector<T> value) {
  std::memcpy(to, &value, BYTES);
}
template <typename T>
inline Vector<T> all(T value) {
  return value - Vector<T>{};
}

// exp(x) for x <= 0, as in the elementwise kernels: within 2 units in the last place, and 0 if the result is
// subnormal. Adding and subtracting LARGE rounds to an integer.
inline Vector<float> exponential(Vector<float> x) {
  const float LARGE = 12582912.f;
  Vector<float> bounded = x < -87.3365f ? all(-87.3365f) : x;
  Vector<float> n = (bounded * 1.44269504f + LARGE) - LARGE;
  Vector<float> r = n * -0.693145752f + bounded;
  r = n * -1.42860677e-6f + r;
  Vector<float> sum = all(1.f / 5040);
  for (float next : {1.f / 720, 1.f / 120, 1.f / 24, 1.f / 6, .5f, 1.f, 1.f}) sum = sum * r + next;
  Vectors<float>::Integers bits = (__builtin_convertvector(n, Vectors<float>::Integers) + 127) << 23;
  Vector<float> power;
  std::memcpy(&power, &bits, BYTES);
  return x < -87.3365f ? Vector<float>{} : sum * power;
}
inline Vector<double> exponential(Vector<double> x) {
  const double LARGE = 6755399441055744.;
  Vector<double> bounded = x < -708.3964 ? all(-708.3964) : x;
  Vector<double> n = (bounded * 1.4426950408889634 + LARGE) - LARGE;
  Vector<double> r = n * -0.69314718036912382 + bounded;
  r = n * -1.9082149292705877e-10 + r;
  Vector<double> sum = all(1. / 6227020800);
  for (double next : {1. / 479001600, 1. / 39916800, 1. / 3628800, 1. / 362880, 1. / 40320, 1. / 5040, 1. / 720,
                      1. / 120, 1. / 24, 1. / 6, .5, 1., 1.})
    sum = sum * r + next;
  Vectors<double>::Integers bits = (__builtin_convertvector(n, Vectors<double>::Integers) + 1023) << 52;
  Vector<double> power;
  std::memcpy(&power, &bits, BYTES);
  return x < -708.3964 ? Vector<double>{} : sum * power;
}

template <typename V>
inline V larger(V a, V b) {  // NaN propagates
  return (a > b) | (a != a) ? a : b;
}

// part_of_state and part_of_matrix are the gradients of h and m from w; the product of h and m is one of the terms of
// a state whose value is `after`.
struct Real {
  static constexpr bool MAXIMUM = false, LOGARITHM = false;
  template <typename T>
  static constexpr T NOTHING = 0;
  template <typename V>
  static V join(V sum, V h, V m) {
    return h * m + sum;
  }
  template <typename V>
  static V part_of_state(V, V m, V, V w) {
    return m * w;
  }
  template <typename V>
  static V part_of_matrix(V h, V, V, V w) {
    return h * w;
  }
  template <typename V>
  static V part_of_offset(V, V, V w) {
    return w;
  }
};

struct MaxPlus {
  static constexpr bool MAXIMUM = true, LOGARITHM = false;
  template <typename T>
  static constexpr T NOTHING = -INF<T>;
  template <typename V>
  static V product(V h, V m) {
    return h + m;
  }
  template <typename V>
  static V join(V sum, V h, V m) {
    return larger(h + m, sum);
  }
  template <typename V>
  static V part_of_state(V h, V m, V after, V w) {
    return h + m == after ? w : V{};
  }
  template <typename V>
  static V part_of_matrix(V h, V m, V after, V w) {
    return part_of_state(h, m, after, w);
  }
  template <typename V>
  static V part_of_offset(V offset, V after, V w) {
    return offset == after ? w : V{};
  }
};

struct MaxTimes : MaxPlus {
  template <typename V>
  static V product(V h, V m) {
    return h * m;
  }
  template <typename V>
  static V join(V sum, V h, V m) {
    return larger(h * m, sum);
  }
  template <typename V>
  static V part_of_state(V h, V m, V after, V w) {
    return h * m == after ? w * m : V{};
  }
  template <typename V>
  static V part_of_matrix(V h, V m, V after, V w) {
    return h * m == after ? w * h : V{};
  }
};

struct Log : MaxPlus {
  static constexpr bool MAXIMUM = false, LOGARITHM = true;
  template <typename V>
  static V part_of_offset(V offset, V after, V w) {
    V apart = offset < after ? offset - after : V{};
    return after == -std::numeric_limits<std::remove_cvref_t<decltype(after[0])>>::infinity()
               ? V{}
               : exponential(apart) * w;
  }
  template <typename V>
  static V part_of_state(V h, V m, V after, V w) {
    return part_of_offset(h + m, after, w);
  }
  template <typename V>
  static V part_of_matrix(V h, V m, V after, V w) {
    return part_of_offset(h + m, after, w);
  }
};

// A loop that the compiler unrolls, so that the indexed values stay in registers.
#define EACH(i, N) _Pragma("GCC unroll 8") for (int i = 0; i < N; ++i)

template <typename T, int C>
inline void load_each(Vector<T> (&vectors)[C], const T* from) {
  EACH(c, C) vectors[c] = load(from + c * WIDTH<T>);
}

// Some rows of states after a symbol, in some columns. The array of offsets is null if there are none.
template <typename S, typename T, int R, int C>
void advance(const T* const* before, const T* matrix, const T* const* offset, T* const* after, int64_t n,
             int64_t stride) {
  using V = Vector<T>;
  V sum[R][C];
  EACH(r, R) EACH(c, C) sum[r][c] = offset ? load(offset[r] + c * WIDTH<T>) : all(S::template NOTHING<T>);
  for (int64_t i = 0; i < n; ++i) {
    V m[C];
    load_each<T, C>(m, matrix + i * stride);
    EACH(r, R) EACH(c, C) sum[r][c] = S::join(sum[r][c], all(before[r][i]), m[c]);
  }
  if constexpr (S::LOGARITHM) {
    V shift[R][C], total[R][C];
    EACH(r, R) EACH(c, C) {
      V largest = sum[r][c];
      shift[r][c] = (largest == INF<T>) | (largest == -INF<T>) ? V{} : largest;
      total[r][c] = offset ? exponential(load(offset[r] + c * WIDTH<T>) - shift[r][c]) : V{};
    }
    for (int64_t i = 0; i < n; ++i) {
      V m[C];
      load_each<T, C>(m, matrix + i * stride);
      EACH(r, R) EACH(c, C) total[r][c] += exponential(all(before[r][i]) + m[c] - shift[r][c]);
    }
    EACH(r, R) EACH(c, C) {
      V largest = sum[r][c], logarithm;
      for (int l = 0; l < WIDTH<T>; ++l) logarithm[l] = std::log(total[r][c][l]);
      sum[r][c] = (largest == INF<T>) | (largest == -INF<T>) ? largest : largest + logarithm;
    }
  }
  EACH(r, R) EACH(c, C) store(after[r] + c * WIDTH<T>, sum[r][c]);
}

// The number of terms of each maximum that equal it, among the products and the offset.
template <typename S, typename T, int R, int C>
void count(const T* const* before, const T* matrix, const T* const* offset, const T* const* after, T* const* counts,
           int64_t n, int64_t stride) {
  using V = Vector<T>;
  V sum[R][C], largest[R][C];
  EACH(r, R) EACH(c, C) {
    largest[r][c] = load(after[r] + c * WIDTH<T>);
    sum[r][c] = offset ? (load(offset[r] + c * WIDTH<T>) == largest[r][c] ? all(T(1)) : V{}) : V{};
  }
  for (int64_t i = 0; i < n; ++i) {
    V m[C];
    load_each<T, C>(m, matrix + i * stride);
    EACH(r, R) EACH(c, C)
      sum[r][c] += S::product(all(before[r][i]), m[c]) == largest[r][c] ? all(T(1)) : V{};
  }
  EACH(r, R) EACH(c, C) store(counts[r] + c * WIDTH<T>, sum[r][c]);
}

// The gradient of some rows of states before a symbol, in some columns; `turned` is the matrix transposed.
template <typename S, typename T, int R, int C>
void go_back(const T* const* before, const T* turned, const T* const* after, const T* const* weight, T* const* flow,
             int64_t n, int64_t stride) {
  using V = Vector<T>;
  V sum[R][C], h[R][C];
  EACH(r, R) EACH(c, C) sum[r][c] = V{}, h[r][c] = load(before[r] + c * WIDTH<T>);
  for (int64_t j = 0; j < n; ++j) {
    V m[C];
    load_each<T, C>(m, turned + j * stride);
    EACH(r, R) {
      V value = all(after[r][j]), w = all(weight[r][j]);
      EACH(c, C) sum[r][c] += S::part_of_state(h[r][c], m[c], value, w);
    }
  }
  EACH(r, R) EACH(c, C) store(flow[r] + c * WIDTH<T>, sum[r][c]);
}

// Adds the gradient of some rows of a matrix, in some columns, from some of its uses.
template <typename S, typename T, int R, int C>
void gather(const T* const* before, const T* const* after, const T* const* weight, int64_t uses, const T* matrix,
            T* flow, int64_t row, int64_t column, int64_t stride) {
  using V = Vector<T>;
  V sum[R][C], m[R][C];
  EACH(r, R) EACH(c, C) {
    sum[r][c] = load(flow + (row + r) * stride + column + c * WIDTH<T>);
    m[r][c] = load(matrix + (row + r) * stride + column + c * WIDTH<T>);
  }
  for (int64_t k = 0; k < uses; ++k) {
    V value[C], w[C];
    EACH(c, C) {
      value[c] = load(after[k] + column + c * WIDTH<T>);
      w[c] = load(weight[k] + column + c * WIDTH<T>);
    }
    EACH(r, R) {
      V h = all(before[k][row + r]);
      EACH(c, C) sum[r][c] += S::part_of_matrix(h, m[r][c], value[c], w[c]);
    }
  }
  EACH(r, R) EACH(c, C) store(flow + (row + r) * stride + column + c * WIDTH<T>, sum[r][c]);
}

// Calls work.template operator()<R, C>(first row, first column) for blocks of at most ROWS rows and COLUMNS vectors.
template <typename T, int C, typename Work>
void by_rows(int64_t rows, int64_t column, const Work& work) {
  int64_t row = 0;
  for (; row + ROWS <= rows; row += ROWS) work.template operator()<ROWS, C>(row, column);
  if (rows - row == 3) work.template operator()<3, C>(row, column);
  if (rows - row == 2) work.template operator()<2, C>(row, column);
  if (rows - row == 1) work.template operator()<1, C>(row, column);
}
template <typename T, typename Work>
void by_blocks(int64_t rows, int64_t stride, const Work& work) {
  int64_t column = 0;
  for (; column + COLUMNS * WIDTH<T> <= stride; column += COLUMNS * WIDTH<T>)
    by_rows<T, COLUMNS>(rows, column, work);
  if (column < stride) by_rows<T, 1>(rows, column, work);
}

// Sorts rows by their symbols, stably.
struct Sorter {
  int64_t number;  // number of symbols
  std::vector<int64_t> places, sorted;

  void operator()(std::vector<int64_t>& rows, const int64_t* symbols) {
    if (number == 1) return;
    if (number > 4 * int64_t(rows.size()) + 64) {  // few rows, and many symbols to count
      std::sort(rows.begin(), rows.end(), [=](int64_t a, int64_t b) {
        return symbols[a] != symbols[b] ? symbols[a] < symbols[b] : a < b;
      });
      return;
    }
    places.assign(number + 1, 0);
    sorted.resize(rows.size());
    for (int64_t row : rows) ++places[symbols[row] + 1];
    std::partial_sum(places.begin(), places.end(), places.begin());
    for (int64_t row : rows) sorted[places[symbols[row]]++] = row;
    rows.swap(sorted);
  }
};
template <typename Work>
void by_symbol(const std::vector<int64_t>& rows, const int64_t* symbols, const Work& work) {
  for (size_t from = 0, to = 0; from < rows.size(); from = to) {
    int64_t symbol = symbols[rows[from]];
    while (to < rows.size() && symbols[rows[to]] == symbol) ++to;
    work(symbol, rows.data() + from, int64_t(to - from));
  }
}

// Divides sequences among threads, with enough for each that four rows often share a symbol.
int64_t grain(int64_t steps, int64_t n) { return std::max<int64_t>(4, (1 << 18) / ((steps + 1) * n * n + 1)); }

template <typename S, typename T>
void forward(const T* matrices, const int64_t* symbols, const T* start, const T* offsets, T* states, int64_t steps,
             int64_t strings, int64_t n, int64_t stride, int64_t number) {
  at::parallel_for(0, strings, grain(steps, n), [=](int64_t from, int64_t to) {
    std::vector<int64_t> rows(to - from);
    Sorter sort_by_symbol{number, {}, {}};
    for (int64_t t = 0; t < steps; ++t) {
      const int64_t* here = symbols + t * strings;
      const T* before = t ? states + (t - 1) * strings * stride : start;
      T* after = states + t * strings * stride;
      const T* offset = offsets ? offsets + t * strings * stride : nullptr;
      std::iota(rows.begin(), rows.end(), from);
      sort_by_symbol(rows, here);
      by_symbol(rows, here, [&](int64_t symbol, const int64_t* group, int64_t size) {
        by_blocks<T>(size, stride, [&]<int R, int C>(int64_t row, int64_t column) {
          const T *h[R], *o[R];
          T* to[R];
          for (int r = 0; r < R; ++r) {
            int64_t place = group[row + r] * stride;
            h[r] = before + place, o[r] = offset ? offset + place + column : nullptr, to[r] = after + place + column;
          }
          const T* const* none = nullptr;
          advance<S, T, R, C>(h, matrices + symbol * n * stride + column, offset ? o : none, to, n, stride);
        });
      });
    }
  });
}

template <typename T>
bool is_zero(const T* values, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    if (values[i] != 0) return false;
  return true;
}

template <typename S, typename T>
void backward(const T* grad, const T* matrices, const T* turned, const int64_t* symbols, const T* states,
              const T* start, const T* offsets, T* weights, T* to_matrices, T* to_start, T* to_offsets, int64_t steps,
              int64_t strings, int64_t n, int64_t stride, int64_t number) {
  at::parallel_for(0, strings, grain(steps, n), [=](int64_t from, int64_t to) {
    std::vector<int64_t> rows;
    Sorter sort_by_symbol{number, {}, {}};
    for (int64_t b = from; b < to; ++b) std::memset(to_start + b * stride, 0, stride * sizeof(T));
    for (int64_t t = steps - 1; t >= 0; --t) {  // to_start holds the gradient of the states at t
      const int64_t* here = symbols + t * strings;
      int64_t time = t * strings * stride;
      const T *before = t ? states + time - strings * stride : start, *after = states + time;
      const T* offset = offsets ? offsets + time : nullptr;
      T* weight = weights + time;
      rows.clear();
      for (int64_t b = from; b < to; ++b) {
        T* w = weight + b * stride;
        for (int64_t i = 0; i < stride; ++i) w[i] = grad[time + b * stride + i] + to_start[b * stride + i];
        if (!is_zero(w, n)) rows.push_back(b);
        std::memset(to_start + b * stride, 0, stride * sizeof(T));
      }
      sort_by_symbol(rows, here);
      by_symbol(rows, here, [&](int64_t symbol, const int64_t* group, int64_t size) {
        const T *matrix = matrices + symbol * n * stride, *back = turned + symbol * n * stride;
        if constexpr (S::MAXIMUM)
          by_blocks<T>(size, stride, [&]<int R, int C>(int64_t row, int64_t column) {
            const T *h[R], *o[R], *value[R];
            T counts[R][C * WIDTH<T>], *to[R];
            for (int r = 0; r < R; ++r) {
              int64_t place = group[row + r] * stride;
              h[r] = before + place, value[r] = after + place + column, to[r] = counts[r];
              o[r] = offset ? offset + place + column : nullptr;
            }
            const T* const* none = nullptr;
            count<S, T, R, C>(h, matrix + column, offset ? o : none, value, to, n, stride);
            for (int r = 0; r < R; ++r) {
              T* w = weight + group[row + r] * stride + column;
              for (int l = 0; l < C * WIDTH<T>; ++l) w[l] = counts[r][l] > 1 ? w[l] / counts[r][l] : w[l];
            }
          });
        by_blocks<T>(size, stride, [&]<int R, int C>(int64_t row, int64_t column) {
          const T *h[R], *value[R], *w[R];
          T* flow[R];
          for (int r = 0; r < R; ++r) {
            int64_t place = group[row + r] * stride;
            h[r] = before + place + column, value[r] = after + place, w[r] = weight + place;
            flow[r] = to_start + place + column;
          }
          go_back<S, T, R, C>(h, back + column, value, w, flow, n, stride);
        });
      });
      if (offset)
        for (int64_t b = from; b < to; ++b)
          for (int64_t i = b * stride; i < (b + 1) * stride; i += WIDTH<T>)
            store(to_offsets + time + i,
                  S::part_of_offset(load(offset + i), load(after + i), load(weight + i)));
    }
  });
  std::vector<int64_t> uses;
  for (int64_t k = 0; k < steps * strings; ++k)
    if (!is_zero(weights + k * stride, n)) uses.push_back(k);
  Sorter{number, {}, {}}(uses, symbols);
  std::vector<const T*> before, after, weight;
  std::vector<int64_t> ends(number + 1, 0);  // the start of the uses of each matrix
  for (int64_t k : uses) {
    ++ends[symbols[k] + 1];
    before.push_back(k < strings ? start + k * stride : states + (k - strings) * stride);
    after.push_back(states + k * stride);
    weight.push_back(weights + k * stride);
  }
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  int64_t blocks = (n + BAND - 1) / BAND;
  at::parallel_for(0, number * blocks, 1, [&](int64_t from, int64_t to) {
    for (int64_t k = from; k < to; ++k) {
      int64_t symbol = k / blocks, first = (k % blocks) * BAND, rows = std::min<int64_t>(BAND, n - first);
      const T* matrix = matrices + symbol * n * stride;
      T* flow = to_matrices + symbol * n * stride;
      std::memset(flow + first * stride, 0, rows * stride * sizeof(T));
      for (int64_t place = ends[symbol]; place < ends[symbol + 1]; place += USES) {
        int64_t uses = std::min<int64_t>(USES, ends[symbol + 1] - place);
        by_blocks<T>(rows, stride, [&]<int R, int C>(int64_t row, int64_t column) {
          gather<S, T, R, C>(before.data() + place, after.data() + place, weight.data() + place, uses, matrix, flow,
                             first + row, column, stride);
        });
      }
    }
  });
}

}  // namespace

#define MATRICES(S, s, T, t)                                                                                        \
  extern "C" void s##_##t(const T* m, const int64_t* x, const T* start, const T* o, T* states, int64_t steps,        \
                          int64_t strings, int64_t n, int64_t stride, int64_t number) {                              \
    forward<S>(m, x, start, o, states, steps, strings, n, stride, number);                                           \
  }                                                                                                                  \
  extern "C" void s##_backward_##t(const T* g, const T* m, const T* turned, const int64_t* x, const T* states,       \
                                   const T* start, const T* o, T* w, T* dm, T* d_start, T* d_o, int64_t steps,       \
                                   int64_t strings, int64_t n, int64_t stride, int64_t number) {                     \
    backward<S>(g, m, turned, x, states, start, o, w, dm, d_start, d_o, steps, strings, n, stride, number);          \
  }
#define SEMIRINGS(T, t)              \
  MATRICES(Real, real, T, t)         \
  MATRICES(MaxPlus, max_plus, T, t)  \
  MATRICES(MaxTimes, max_times, T, t) \
  MATRICES(Log, log, T, t)

SEMIRINGS(float, float32)
SEMIRINGS(double, float64)
