"""Bounds on the difference between a kernel's floats and the recurrence's results and gradients.

The bound follows a running error from step to step. ``u`` is the unit roundoff. Every product, sum and
exponential of the kernel is assumed to be within it, for any order of a sum, fused or not:

* exp(g) is within (4 + 2 |g|) u of itself: four units for the function, and the rounding of its argument.
* A recurrent step adds terms in any order, and may multiply them out first. An element of the new state is
  the sum of d S_ and k v, with the error u ((x + 1) |d S_-| + 2 |k v|) for x = 5 + 2 |g|. The earlier error
  is multiplied by d. The output adds (K + 5) u |q|^T A with A = |d S_-| + |k v|, because a kernel may read it
  from the old state, as (q d)^T S_- + (q . k) v. A kernel may store the initial state separately from the sum
  of all other terms, as a cumulative sum does. Then |S_-| is the sum of both sizes, and they are added
    at the end.
* If a step corrects, a kernel may multiply the state by a matrix such as I - beta k k^T. Then an element is
    the sum of up to K + 3 products of at most four factors, and the error is (K + 10 + x) u A with A = |d
    S_-| + beta |k| (|k|^T |d S_-| + |v|).
* A chunked form computes decays as exponentials of differences of cumulative logarithms. A product of decays
    within a chunk is off by a factor of at most exp(n u). Here n is the sum of C for sums over tokens, of 8,
    and of (s + 2) times the sum of |g| in the chunk, where s is the number of roundings of such a difference.
    The factor is multiplied by A, the recurrence of absolute values since the chunk began. The output adds (K
    + 4) u |q|^T A.
* If a step corrects the state along a direction, an elementwise bound would grow without limit. So each
    column is bounded in the 2-norm, by the step's own 2-norm. If that bound is too large to be useful, an
    ellipsoid contains the column's error (:mod:`~ratproof.laws.kernels.bounds.ellipsoid`), and the smaller of
    both bounds is used. Within a chunk the corrections solve a triangular system
    (:mod:`~ratproof.laws.kernels.bounds.corrections`). An error is rounded like the state, relative to
    absolute values, even if a step cancels all of it.
* Gradients are products of the state with the adjoint state, which is the same recurrence backwards
    (:mod:`~ratproof.laws.kernels.bounds.adjoint`).
"""

from ratproof.laws.kernels.bounds.forward import BoundedResult, run
from ratproof.laws.kernels.bounds.gradient_bounds import gradients

__all__ = ["BoundedResult", "gradients", "run"]
