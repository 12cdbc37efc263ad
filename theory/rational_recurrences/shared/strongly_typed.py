"""Proposition 11 for strongly-typed networks, whose gates read two symbols.

Peng et al. 2018, section 4.1, equation 10, and appendix A; Balduzzi and Ghifary 2016.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

from theory.claim import Claim, Effort, Source, TableRow
from theory.rational_recurrences.shared import windows
from theory.rational_recurrences.shared.windowed_variants import from_gates, own_unit, table_1, variants
from theory.signature import by_window
from theory.weights import Weights


def claim(
    name: str,
    equation: str,
    gates: str,
    reads: str,
    update: Callable[[Weights, str], Any],
    mu: str,
    score: str,
) -> Claim:
    """Return the claim that a strongly-typed network is rational.

    Args:
        name: the network's name, such as ``T-GRU``.
        equation: the equation of a unit.
        gates: the names of the gates, which depend on the last two symbols.
        reads: the names of the gates that ``update`` reads.
        update: the function that computes the update u from the gates of a window. The update is also a
            weight; in proofs, it is any weight.
        mu: the formula of the update.
        score: the difference between the paper and the variants that is about the score and the gates.
    """
    module = f"proposition_11_{name.lower().replace('-', '_')}"
    in_coq, read = (" ".join(f"{gate}_w" for gate in some) for some in (gates, reads))
    entries = (*(by_window(gate, 2) for gate in gates), by_window("u", 2, derived=update))
    anywhere, from_zero = (windows.signature(2, *entries, start=start) for start in (None, (0,)))
    unit = own_unit(name.lower().replace("-", "_"), *gates)
    # proofs with K = 2 are checked for these instances
    instances = tuple(product((anywhere, from_zero), ("a", "ab", "abc")))
    return Claim(
        name=module.replace("_", "-"),
        title=f"{name} is rational",
        statement=(
            f"A unit of the strongly-typed {name}, {equation}, whose gates read two symbols, is the Forward"
            " score of an automaton that remembers one symbol: with s symbols and c_0 = 0 it has 2s + 1"
            " states, and s + 2 suffice."
        ),
        source=Source("peng2018rational", "4.1", "Proposition 11", ("10", "22")),
        hypotheses=(
            "The gates depend only on the last two symbols; before the string there is padding, v_0 = 0.",
            "The network starts in c_0 = 0, or one more state has the initial weight c_0.",
        ),
        variants=(
            *variants(anywhere, from_zero, instances, mu, module, from_gates(in_coq, f"update {read}"), unit),
            table_1(from_zero, "the caption of Table 1", module, in_coq, unit),
        ),
        differences=(
            (
                f"The paper prints no equation of {name} except that of its forget gate. The equations are"
                " those of Balduzzi and Ghifary (2016)."
            ),
            score,
            (
                "Before the string there is padding, and the automaton has the additional transitions"
                " tau(q_0, q_b, b) = mu_pad(b)."
            ),
            "The numbers of states are ours; the paper's number is for QRNN.",
            (
                "c_0 is any number, with one more state unless it is 0; the paper does not state c_0. The"
                " empty string is included."
            ),
        ),
        example=from_zero.example(),
        uses=("proposition-11-qrnn",),
        row=TableRow("1", (name, "c_t = f_t c_{t-1} + u_t", "B, with a memory of one symbol")),
        layers=(name.lower(),),
        effort=Effort(strings=16, longest=8, run=6, exhausted=5),
    )
