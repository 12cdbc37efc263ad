"""By how much a kernel's floats may differ from the recurrence's results, and from its gradients.

The bound follows a running error from step to step. ``u`` is the unit of rounding; every product, sum and
exponential of the kernel is within it, in any order of a sum, fused or not:

* exp(g) is within (4 + 2 |g|) u of itself: four units of the function, and a rounding of its argument.
* A recurrent step adds terms in any order, and may multiply them out first: an element of the new state is
  the sum of d S_ and k v, and the error is u ((x + 1) |d S_-| + 2 |k v|) with x = 5 + 2 |g|; what was there
  before is multiplied by d. The output adds (K + 5) u |q|^T A, with A = |d S_-| + |k v|: it may be read from
  the old state, as (q d)^T S_- + (q . k) v. An initial state may be kept apart from the sum of all else, as a
  cumulative sum has it: then |S_-| is the sum of both sizes, and they are added at the end.
* Where a step corrects, a kernel may multiply the state by a matrix, such as I - beta k k^T. Then an element
  is the sum of up to K + 3 products of as many as four factors, and the error is (K + 10 + x) u A, with A =
  |d S_-| + beta |k| (|k|^T |d S_-| + |v|).
* A chunked form takes decays as exponentials of differences of cumulated logarithms: a product of them within
  a chunk is off by a factor of exp(n u) at most, where n has C sums over tokens, the roundings s of such a
  difference (and 2) times the sum of |g| in the chunk, and 8 more. It is multiplied with A, the recurrence of
  absolute values since the chunk began; the output adds (K + 4) u |q|^T A.
* Where a step corrects the state along a direction, a bound element by element grows without end; each column
  is bounded in the 2-norm, by the step's own 2-norm. Where that says little, an ellipsoid holds the column's
  error (:mod:`~ratproof.laws.kernels.bounds.ellipsoid`), and the smaller of both bounds is taken. Within a
  chunk the corrections solve a triangular system (:mod:`~ratproof.laws.kernels.bounds.corrections`). An
  error is rounded as the state is, relative to absolute values: a step that leaves nothing of it leaves that.
* Gradients are products of the state with the adjoint state, which is the same recurrence backwards
  (:mod:`~ratproof.laws.kernels.bounds.adjoint`).
"""

from ratproof.laws.kernels.bounds.forward import BoundedResult, run
from ratproof.laws.kernels.bounds.gradients import gradients

__all__ = ["BoundedResult", "gradients", "run"]
