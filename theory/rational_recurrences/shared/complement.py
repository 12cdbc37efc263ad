"""Shared parts of Corollary 10 and RRNN(B): units of Example 6 with the update (1 - f) times an input.

Peng et al. 2018, section 4.1. In this section, "input representations are computed without the bias term or
any nonlinearity: u_t = W_u v_t". The networks themselves (Lei et al. 2017; Balduzzi and Ghifary
2016) and appendix D multiply by 1 - f_t.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from theory.claim import Variant, holding, refuted
from theory.rational_recurrences import proposition_7
from theory.reading import Equality
from theory.signature import Signature, WeightEntry, by_symbol, constant
from theory.theorem import Theorem

GATED = (by_symbol("f"), by_symbol("z"), by_symbol("u", derived=lambda w, x: (1 - w.f[x]) * w.z[x]))
"""The forget gate f, the input z = W_u v, and the update u = (1 - f) z; in proofs, u is any weight."""


def gated(start: Sequence[Any] | None = None, *more: WeightEntry) -> Signature:
    """Return the names and shapes of the weights of a unit with tied gates: its update has the factor 1 - f.

    ``start`` restricts c_0, and ``more`` are additional weights.
    """
    return Signature((constant("c_0", only=start), *more, *GATED))


ANYWHERE, AT_ZERO = gated(), gated([0])
UNDERSCORES = str.maketrans("-.", "__")


UPDATE = "let u : S -> of_ring R := fun x => ((1 - f x) * z x)%R in"
"""The update in Coq's theorem, which is computed from the gate and the input."""
WEIGHTS = "forall (S : Type) (c_0 : of_ring R) (f z : S -> of_ring R) word,"


def variants(claim: str, printed: str, says: str) -> tuple[Variant, Variant]:
    """Return two variants: with mu = (1 - f) z, and with mu = z, which the paper states elsewhere.

    Args:
        claim: the claim's module, which is the name of its Coq file and the prefix of its theorems.
        printed: the second variant's name.
        says: the second variant's statement.
    """
    return (
        holding(
            name="corrected",
            says="with mu = (1 - f) z, where z = W_u v, and lambda(q_1) = c_0",
            reading=Equality(
                recurrence=proposition_7.example_6, construction=proposition_7.figure_1_from_c_0
            ),
            cases=ANYWHERE.random,
            proof=proposition_7.two_states(ANYWHERE),
            theorem=Theorem(
                f"rational_recurrences.{claim}.{claim}",
                network="unit {c_0} {f} {u} {word}",
                automaton="figure_1 {f} {u} {c_0}",
                claims=f"forall R : comRingType, {WEIGHTS} {UPDATE} {{automaton}} = {{network}}",
            ),
        ),
        refuted(
            name=printed,
            theorem=Theorem(
                f"rational_recurrences.{claim}.{printed.translate(UNDERSCORES)}_is_refuted",
                network="unit {c_0} {f} {u} {word}",
                automaton="figure_1 {f} {z} {c_0}",
                claims=f"forall R : comRingType, not ({WEIGHTS} {UPDATE} {{automaton}} = {{network}})",
            ),
            says=says,
            reading=Equality(
                recurrence=proposition_7.example_6,
                construction=lambda w: proposition_7.figure_1_from_c_0(w.changed(u=w.z)),
            ),
            cases=AT_ZERO.random,
        ),
    )


def input_representation(claim: str) -> tuple[Variant, Variant]:
    """Return the two variants of :func:`variants`; the second has the formula mu = z of section 4.1."""
    return variants(
        claim,
        "printed-input-representation",
        "with mu = z = W_u v, as in section 4.1 for the inputs of these networks; the corollary itself holds",
    )
