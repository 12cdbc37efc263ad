"""Proposition 7: a hidden unit of Example 6 is the Forward score of the two-state automaton of Figure 1.

Peng et al. 2018, section 3.1, equations 5 to 8. For any nonempty string x, ``[c_t]_i = B_i[x_:t]``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from typing import Any

from hypothesis import strategies as st

from automata import forward
from automata.semirings import REAL, Semiring, semiring
from automata.strategies import LETTERS, weights
from automata.wfsa import WFSA
from theory.claim import Claim, Recurrence, Source, Variant

# The weights of one unit.


@dataclass(frozen=True)
class Cell:
    """One hidden unit: its gates as functions of the symbol (equations 5a, 5b, row i), and the state that it starts in.

    Attributes:
        forget: f of each symbol.
        update: u of each symbol.
        start: c_0, which the paper never says.
        feedback: how the forget gate reads the state before it, f_t = f(x_t) + feedback * c_{t-1}; zero in a memoryless gate.
        over: the semiring of the weights.
    """

    forget: dict[str, Any]
    update: dict[str, Any]
    start: Any = Fraction(0)
    feedback: Any = Fraction(0)
    over: Semiring = field(default=REAL)

    @property
    def alphabet(self) -> str:
        """The symbols, in order."""
        return "".join(self.forget)

    def describe(self) -> str:
        """The weights on one line."""
        parts = [f"c_0 = {self.start}"]
        for x in self.alphabet:
            parts += [f"f({x}) = {self._gate(x)}", f"u({x}) = {self.update[x]}"]
        return ", ".join(parts)

    def _gate(self, symbol: str) -> str:
        if self.feedback == 0:
            return str(self.forget[symbol])
        reads = {1: "c", -1: "-c"}.get(self.feedback, f"{self.feedback} c")
        return reads if self.forget[symbol] == 0 else f"{self.forget[symbol]} + {reads}"

    def renamed(self, names: dict[str, str]) -> Cell:
        """The same gates for the letters named, under their new names."""
        forget, update = ({new: gate[old] for old, new in names.items()} for gate in (self.forget, self.update))
        return Cell(forget, update, self.start, self.feedback, self.over)

    def to_json(self) -> dict[str, Any]:
        """The weights as strings."""
        write = self.over.format
        return {
            "semiring": self.over.name,
            "start": write(self.start),
            "forget": {x: write(w) for x, w in self.forget.items()},
            "update": {x: write(w) for x, w in self.update.items()},
            "feedback": write(self.feedback),
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Cell:
        """What :meth:`to_json` wrote."""
        over = semiring(data["semiring"])
        forget, update = ({x: over.parse(w) for x, w in data[name].items()} for name in ("forget", "update"))
        return cls(forget, update, over.parse(data["start"]), over.parse(data["feedback"]), over)


# The recurrence, as printed (equation 5c), over any semiring.


def step(cell: Cell, c: Any, symbol: str) -> Any:
    """c_t = f_t c_{t-1} + u_t (equation 5c)."""
    k = cell.over
    forget = k.plus(cell.forget[symbol], k.times(cell.feedback, c)) if cell.feedback else cell.forget[symbol]
    return k.plus(k.times(forget, c), cell.update[symbol])


example_6 = Recurrence(start=lambda cell: cell.start, step=step, out=lambda cell, c: (c,))


# The construction: Figure 1, with mu = u and phi = f (equation 7).


def figure_1(cell: Cell) -> list[WFSA]:
    """The automaton B: q_0 loops on every symbol with weight one, goes to q_1 with mu, and q_1 loops with phi."""
    one, zero = cell.over.one, cell.over.zero
    tables = {x: [[one, cell.update[x]], [zero, cell.forget[x]]] for x in cell.alphabet}
    return [WFSA(cell.over, initial=[one, zero], final=[zero, one], transitions=tables)]


def figure_1_from_c_0(cell: Cell) -> list[WFSA]:
    """The corrected automaton: lambda(q_1) = c_0. Then it is right on the empty string too, whatever c_0 is."""
    return [b.replace(initial=WFSA(cell.over, [cell.over.one, cell.start], [0, 0], {}).initial) for b in figure_1(cell)]


# Equation 3b literally: Omega_{i+1} reads x_i, so the first step reads nothing, and the last symbol is never read. The state is
# Omega before and after the symbol that was read last; only the former is ever read out.

forward_as_printed = Recurrence(
    start=lambda automaton: (forward.start(automaton), forward.start(automaton)),
    step=lambda automaton, omegas, x: (omegas[1], forward.step(automaton, omegas[1], x)),
    out=lambda automaton, omegas: (forward.read_out(automaton, omegas[0]),),
)


# Random cells, and all small ones.

GRID = tuple(Fraction(w) for w in ("0", "1", "-1", "1/2"))


ZERO, ONE = Fraction(0), Fraction(1)
AT_ZERO, AT_ONE, ANYWHERE = st.just(ZERO), st.just(ONE), st.just(ZERO) | weights(REAL)
READS_STATE = weights(REAL, extreme=False).filter(bool)


def cells(
    alphabet: str, start: st.SearchStrategy[Any] = AT_ZERO, feedback: st.SearchStrategy[Any] = AT_ZERO
) -> st.SearchStrategy[Cell]:
    """Random cells over the alphabet; c_0 and the feedback are 0 unless strategies for them are given."""
    gate = st.fixed_dictionaries({x: weights(REAL) for x in alphabet})
    return st.builds(Cell, gate, gate, start, feedback)


def small_cells(
    letters: int, starts: Sequence[Fraction] = (GRID[0],), feedbacks: Sequence[Fraction] = (GRID[0],)
) -> Iterator[Cell]:
    """All cells over that many letters whose weights are 0, 1, -1 or 1/2, zeros first."""
    names = LETTERS[:letters]
    for start, feedback, gates in product(starts, feedbacks, product(GRID, repeat=2 * letters)):
        yield Cell(
            dict(zip(names, gates[:letters], strict=True)), dict(zip(names, gates[letters:], strict=True)), start, feedback
        )


CLAIM = Claim(
    name="proposition-7",
    title="A gated unit is a two-state automaton",
    statement=(
        "The i-th unit of the gated recurrent network of Example 6, run over a string, has at time t the score that the "
        "two-state automaton B_i of Figure 1 gives to the first t symbols, when mu and phi of a symbol are the i-th "
        "components of the update and of the forget gate."
    ),
    source=Source("peng2018rational", "3.1", "Proposition 7", ("5a", "5b", "5c", "6", "7", "8")),
    hypotheses=(
        "The gates are memoryless: f_t and u_t depend on the symbol x_t alone, not on the state before it.",
        "The network starts in c_0 = 0, or the automaton in lambda(q_1) = c_0. The paper does not say it.",
    ),
    case=Cell,
    variants=(
        Variant(
            name="corrected",
            expected="holds",
            says="with lambda(q_1) = c_0, for every string, the empty one too, and every c_0",
            recurrence=example_6,
            construction=figure_1_from_c_0,
            cases=lambda alphabet: cells(alphabet, start=ANYWHERE),
            small_cases=lambda letters: small_cells(letters, starts=GRID),
        ),
        Variant(
            name="printed",
            expected="refuted",
            says="Figure 1 as drawn, with c_0, which is never said, taken as 1",
            recurrence=example_6,
            construction=figure_1,
            cases=lambda alphabet: cells(alphabet, start=AT_ONE),
            small_cases=lambda letters: small_cells(letters, starts=[ONE]),
        ),
        Variant(
            name="printed-equation-3b",
            expected="refuted",
            says="the Forward algorithm as equation 3b prints it, where step i + 1 reads x_i",
            recurrence=example_6,
            construction=figure_1,
            cases=cells,
            small_cases=small_cells,
            kinds=("sampled", "exhausted", "decided"),
            algorithm=forward_as_printed,
        ),
        Variant(
            name="without-memoryless-gates",
            expected="refuted",
            says="a forget gate that also reads the state before it, f_t = f(x_t) + w c_{t-1} with w not 0",
            recurrence=example_6,
            construction=figure_1,
            cases=lambda alphabet: cells(alphabet, feedback=READS_STATE),
            small_cases=lambda letters: small_cells(letters, feedbacks=GRID[1:]),
            kinds=("sampled", "cross-checked", "exhausted"),  # not decided: the step is not affine, and no automaton of this kind
            no_automaton=True,
        ),
    ),
    example=Cell({"a": Fraction(1, 2), "b": Fraction(1)}, {"a": Fraction(3), "b": Fraction(-1)}),
)
