"""Tests that equation 9 as printed has inconsistent shapes."""

import numpy as np
from hypothesis import given

from ratproof.implementations.fa_rnn.program import floats
from theory.fa_rnn.eq_9 import state_after_first, unfolded
from theory.registry import claim_named

CLAIM = "fa-rnn-eq-9"


@given(claim_named(CLAIM).variant("corrected").cases("abc"))
def test_the_unfolding_as_printed_has_the_shape_of_its_transpose(case):
    """(D_2 (.) D_1) E_R^T has K^2 rows and V columns; the mode-1 unfolding of T, whose columns are in the
    order j K + i, is its transpose.
    """
    d_1, d_2, words = floats(case.D_1), floats(case.D_2), floats([case.v[x] for x in case.alphabet])
    k, v = len(d_1), len(words)
    khatri_rao = np.einsum("js,is->jis", d_2, d_1).reshape(k * k, -1)
    tensor = np.array([floats(state_after_first(unfolded(case, x), k)) for x in case.alphabet])
    mode_1 = tensor.transpose(0, 2, 1).reshape(v, k * k)
    assert mode_1.shape == (v, k * k) and (khatri_rao @ words.T).shape == (k * k, v)
    assert np.allclose(mode_1, (khatri_rao @ words.T).T, rtol=1e-9, atol=1e-9)
