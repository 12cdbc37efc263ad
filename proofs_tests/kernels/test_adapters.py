"""Tests that kernels with other layouts and names hold with an adapter, and that a wrong layout is
refuted.
"""

import pytest
import torch

from automata.errors import InputError
from proofs_tests.kernels.chunked import gla
from proofs_tests.kernels.recurrent import KERNELS
from proofs_tests.kernels.test_believe_kernel import FEW, results, verdicts
from ratproof import believe_kernel
from ratproof.laws.kernels.adapters import axes, renamed, transposed_states


def foreign(*, query, k, v, log_decay, scale, initial_state, output_final_state=False, cu_seqlens=None):
    """Compute gated linear attention with heads before time, states of V x K, and other argument names."""
    q, k, v, g = (x.transpose(1, 2) for x in (query, k, v, log_decay))
    start = None if initial_state is None else initial_state.mT
    outputs, states = KERNELS["gla"](
        q=q,
        k=k,
        v=v,
        g=g,
        scale=scale,
        initial_state=start,
        output_final_state=output_final_state,
        cu_seqlens=cu_seqlens,
    )
    return outputs.transpose(1, 2), None if states is None else states.mT


def adapted(kernel=foreign):
    return renamed(transposed_states(axes(kernel, "BTH", "BHT")), q="query", g="log_decay")


def test_an_adapted_kernel_holds():
    claim = believe_kernel("adapted", family="gla", kernel=adapted())
    assert set(verdicts(claim).values()) == {"holds"}


@pytest.mark.usefixtures("unshrunk")
def test_an_adapted_kernel_that_is_wrong_is_refuted():
    def wrong(*, query, **rest):
        return foreign(query=query.flip(-1), **rest)

    claim = believe_kernel("wrong", family="gla", kernel=adapted(wrong))
    assert verdicts(claim, 100, "sampled") == {"sampled": "refuted"}


@pytest.mark.usefixtures("unshrunk")
@pytest.mark.parametrize(
    "kernel", [axes(gla, "BTH", "BHT"), transposed_states(gla), renamed(gla, q="k", k="q")]
)
def test_a_wrong_layout_of_a_kernel_does_not_hold(kernel):
    claim = believe_kernel("other", family="gla", kernel=kernel, form="chunked", chunk=16)
    assert "holds" not in {str(r.verdict) for r in results(claim, FEW).values() if r.kind != "independence"}


@torch.no_grad()
def decorated(**arguments):
    return foreign(**arguments)


ADAPTED = renamed(decorated, q="query")


@pytest.mark.parametrize(
    ("kernel", "name"), [(decorated, "decorated"), (ADAPTED, "ADAPTED"), (adapted(), None), (print, None)]
)
def test_a_script_loads_a_kernel_by_its_global_name(kernel, name):
    claim = believe_kernel("mine", family="gla", kernel=kernel, without=("cu_seqlens", "initial-state"))
    assert claim.kernel.source() == (name and (__file__, name))


def test_options_that_an_adapted_kernel_lacks_are_not_passed():
    def plain(*, inputs, log_decay, initial_state=None):
        return KERNELS["hgrn"](x=inputs, g=log_decay, initial_state=initial_state)

    kernel = renamed(plain, x="inputs", g="log_decay")
    claim = believe_kernel("plain", family="hgrn", kernel=kernel, without=("cu_seqlens",))
    assert set(verdicts(claim).values()) == {"holds"}


def test_an_argument_with_the_name_of_a_renamed_one_is_not_passed():
    def kernel(*, x, log_decay, g=None, initial_state=None):
        return KERNELS["hgrn"](x=x, g=log_decay, initial_state=initial_state)

    claim = believe_kernel(
        "mine", family="hgrn", kernel=renamed(kernel, g="log_decay"), without=("cu_seqlens",)
    )
    assert verdicts(claim, kind="sampled") == {"sampled": "holds"}


@pytest.mark.parametrize(("ours", "theirs"), [("BTH", "BT"), ("BTH", "BTD"), ("BBT", "BTB")])
def test_axes_are_a_permutation_of_the_letters(ours, theirs):
    with pytest.raises(InputError, match="axes must be two permutations of the same distinct letters"):
        axes(gla, ours, theirs)
