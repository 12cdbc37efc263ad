"""Uses of the Python API as on the pages, which ``nox -s types`` checks in strict mode."""

from fractions import Fraction
from pathlib import Path

import torch
from torch import Tensor, nn

from ratproof import (
    BOOLEAN,
    DFA,
    REAL,
    WFSA,
    check,
    classifier,
    equivalent,
    kernel_claim,
    minimise,
    rank,
    read,
    score,
    step_claim,
    write,
)


def test_weights_may_be_lists_of_numbers_and_strings(tmp_path: Path) -> None:
    halves = WFSA(REAL, [1, 0], [0, Fraction(1)], {"a": [[1, 1], [0, "1/2"]]}, epsilon=None)
    write(halves, tmp_path / "halves.json")
    copied = read(tmp_path / "halves.json")
    assert (rank(copied), minimise(copied).num_states, score(copied, "aa")) == (2, 2, Fraction(3, 2))
    equivalent(halves, copied).check()
    step_claim("mine", start=0, step=lambda c, x: c / 2 + 1, automaton=halves).check(examples=5)


def test_the_parts_of_a_dfa_may_be_lists_sets_and_text() -> None:
    even = DFA("ab", start=0, table=[(1, 0), [0, 1]], final={0})
    network = classifier(nn.GRU(2, 2), nn.Linear(2, 1))
    report = check(network, even, embeddings=torch.eye(2), alphabet="ab", accepts=0.0, examples=1)
    assert DFA.from_wfsa(even.to_wfsa(BOOLEAN)) == even and len(report.results) == 2


def test_a_kernel_is_a_function_of_tensors() -> None:
    def kernel(*, f: Tensor, u: Tensor, initial_state: Tensor) -> tuple[Tensor, Tensor]:
        return f * u, initial_state

    claim = kernel_claim("mine", family="elementwise", kernel=kernel, sizes={"D": [1]}, without=["empty"])
    assert claim.variants[0].kinds[0] == "exact"
