"""Bounds on the difference between a kernel's floats and the recurrence's results and gradients.

The bound follows a running error from step to step. ``u`` is the unit roundoff. The bounds assume that every
product and every sum of two numbers has a relative error of at most u. They also assume that the computed
``exp(g)`` has a relative error of at most ``(4 + 2 |g|) u``: four units for the function, and the rounding of
its argument. Sums may be evaluated in any order, with or without fused operations.

* A recurrent step adds terms in any order, and may multiply them out first. An element of the new state is
  the sum of ``d S_-`` and ``k v``, where ``S_-`` is the old state. It has the error
  ``u ((x + 1) |d S_-| + 2 |k v|)`` for ``x = 5 + 2 |g|``. The error of ``S_-`` is multiplied by d. Computing
  the output adds an error of ``(K + 5) u |q|^T A`` with ``A = |d S_-| + |k v|``. This also covers kernels
  that compute the output from the old state, as ``(q d)^T S_- + (q . k) v``. A kernel may store the initial
  state separately from the sum of all other terms, as a cumulative sum does. It adds the two parts at the
  end. In that case, ``|S_-|`` stands for the sum of their absolute values.
* If a step is a convex combination, ``d S + (1 - d) v`` (HGRN2, minimal GRU), a kernel may also compute ``S
  + (1 - d) (v - S)`` or ``v + d (S - v)``, as ``torch.lerp`` does. The error of a step is then relative to S
  and v, not to d S and (1 - d) v. The bound is the maximum for these forms. In a chunked form, the kernel may
  run the steps of a chunk one by one (:mod:`~ratproof.laws.kernels.naive`).
* If the step has a delta-rule correction, a kernel may multiply the state by a matrix such as
  ``I - beta k k^T``. Then an element is the sum of up to K + 3 products of at most four factors, and the
  error is ``(K + 10 + x) u A`` with ``A = |d S_-| + beta |k| (|k|^T |d S_-| + |v|)``.
* A chunked form computes decays as exponentials of differences of cumulative logarithms. A product of decays
  within a chunk is off by a factor of at most ``exp(n u)`` with ``n = C + 8 + (s + 2) G``. C is the number of
  tokens of the chunk, for sums over tokens. G is the sum of ``|g|`` in the chunk, and s is the number of
  roundings of a difference of cumulative logarithms. The error that arises in the chunk is at most
  ``(exp(n u) - 1) A``, where A is the recurrence of absolute values since the beginning of the chunk.
  Computing the output adds an error of ``(K + 4) u |q|^T A``.
* If a step has a delta-rule or low-rank correction, a bound on single elements would grow without limit. The
  error of each column is therefore bounded in the 2-norm, and a step multiplies the bound by the 2-norm of
  its matrix. If that bound is too large to be useful, the column's error is also bounded by an ellipsoid
  (:mod:`~ratproof.laws.kernels.bounds.ellipsoid`), and the smaller of the two bounds is used. Within a chunk,
  the corrections solve a triangular system (:mod:`~ratproof.laws.kernels.bounds.corrections`). The error at
  the beginning of a step or a chunk is rounded together with the state. This rounding is bounded relative to
  the sum of the absolute values of the terms, even if the terms cancel.
* A causal convolution has bounds of its own (:mod:`~ratproof.laws.kernels.bounds.convolution`).
* Keys, values or gradients of outputs that are computed have errors, which are added to the error of k v^T.
  An output that is divided by a normaliser has the error of a quotient
  (:mod:`~ratproof.laws.kernels.bounds.normaliser`).
* mLSTM and gated slot attention consist of linear recurrences with a quotient or a softmax
  (:mod:`~ratproof.laws.kernels.bounds.two_parts`).
* Gradients are products of the state with the adjoint state, which is the same recurrence backwards
  (:mod:`~ratproof.laws.kernels.bounds.adjoint`).
"""

from ratproof.laws.kernels.bounds.forward import BoundedResult, run
from ratproof.laws.kernels.bounds.gradient_bounds import gradients

__all__ = ["BoundedResult", "gradients", "run"]
