"""Delta rules with momentum, whose state is a memory and its momentum.

A token changes the momentum by m_j <- mu m_j + left_j (sum over i of right_i s_i) + write_j, and then the
memory by s_j <- keep s_j + amount m_j. The query reads the memory. The automaton has 2 K + 2 states.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from theory.linear_recurrences.shared.affine import AffineLayer, AtPlace, ByPart, Output

STATES = "the automaton with 2 K + 2 states: 1, the memory, the momentum, and the output"


@dataclass(frozen=True)
class Momentum:
    """A delta rule with momentum, given by the factors of its step.

    Attributes:
        step: the next memory and momentum, as the paper prints them.
        mu, keep, amount: functions from a token to the momentum's decay, the memory's decay, and the factor
            of the momentum in the memory.
        left, right: the factors of the term of rank one.
        write: the summand of the momentum that does not depend on the state.
        memory, momentum: the names of both vectors.
    """

    step: ByPart
    mu: Any
    keep: Any
    amount: Any
    left: AtPlace
    right: AtPlace
    write: AtPlace
    memory: str
    momentum: str

    def layer(self) -> AffineLayer:
        """Return the layer in which the memory is updated with the new momentum."""
        s, m = self.memory, self.momentum
        return AffineLayer(
            step=self.step,
            update={m: self.write, s: lambda t, j: self.amount(t) * self.write(t, j)},
            decay={
                (s, s): lambda t, j: self.keep(t),
                (m, s): lambda t, j: self.amount(t) * self.mu(t),
                (m, m): lambda t, j: self.mu(t),
            },
            terms={
                (s, s): ((lambda t, j: self.amount(t) * self.left(t, j), self.right),),
                (s, m): ((self.left, self.right),),
            },
            reading=Output(
                printed=lambda t: t.sum(lambda i: t.q[i] * getattr(t, s)[i]), weight={s: lambda t, i: t.q[i]}
            ),
            parts=(s, m),
        )

    def reading_old_momentum(self) -> AffineLayer:
        """Return the layer in which the memory is updated with the momentum before the token."""
        s, m = self.memory, self.momentum
        new = self.layer()
        return AffineLayer(
            step=self.step,
            update={m: self.write},
            decay={
                (s, s): lambda t, j: self.keep(t),
                (m, s): lambda t, j: self.amount(t),
                (m, m): lambda t, j: self.mu(t),
            },
            terms={(s, m): ((self.left, self.right),)},
            reading=new.reading,
            parts=(s, m),
        )
