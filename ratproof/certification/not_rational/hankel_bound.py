"""A lower bound on the number of states, from a Hankel determinant whose ball excludes 0.

Let H[p, s] = f(ps) for n prefixes p and n suffixes s. If an automaton with m states over a field that
contains the real numbers computes f, H is the product of an n by m and an m by n matrix. Its rank is at most
m, so n independent rows require n states.

A ball that contains 0 proves nothing, because it may be too wide, the strings may be unsuitable, or an
automaton may exist. The answer is then :class:`UndecidedBound`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import flint

from automata.aliases import JsonObject
from automata.errors import InputError
from ratproof.certification.not_rational.matrix import Word, first_strings, hankel
from theory.not_rational.arithmetic import BALLS
from theory.not_rational.cells import CELLS
from theory.not_rational.weights import WeightedCell

FIRST_BITS, MOST_BITS = 64, 4096


@dataclass(frozen=True)
class Bound:
    """A proof that an automaton that computes the unit has at least as many states as there are prefixes.

    Attributes:
        weighted, unit: The cell with its weights, and the index of the unit.
        prefixes, suffixes: The strings of the rows and columns.
        bits: The precision in bits at which the determinant's ball excludes 0.
        determinant: The ball of the determinant, (middle, radius) as decimals.
        seconds: The duration, including the attempts at lower precisions.
    """

    weighted: WeightedCell
    unit: int
    prefixes: tuple[Word, ...]
    suffixes: tuple[Word, ...]
    bits: int
    determinant: tuple[str, str]
    seconds: float

    @property
    def states(self) -> int:
        """Return a lower bound on the number of states of an automaton that computes the unit."""
        return len(self.prefixes)

    def to_json(self) -> JsonObject:
        """Return the certificate, which ``ratproof/checkers/check_hankel.py`` checks.

        The cell must be in ``CELLS``, because the certificate contains only its name.
        """
        if CELLS.get(self.weighted.cell.name) is not self.weighted.cell:
            raise InputError(
                f"the cell must be one of {', '.join(CELLS)}, which the checker knows, got"
                f" {self.weighted.cell.name}"
            )
        return {
            "format": "ratproof certificate 1",
            "about": "a cell",
            "claims": f"at least {self.states} states",
            "cell": self.weighted.cell.name,
            "units": self.weighted.units,
            "unit": self.unit,
            "states": self.states,
            "bits": self.bits,
            "determinant": list(self.determinant),
            **self.weighted.to_json(),
            "prefixes": [list(p) for p in self.prefixes],
            "suffixes": [list(s) for s in self.suffixes],
        }


@dataclass(frozen=True)
class UndecidedBound:
    """A determinant whose ball contains 0 at every precision that was tried.

    Attributes:
        size: Size of the matrix.
        bits: The last precision.
    """

    size: int
    bits: int


def bound(
    weighted: WeightedCell,
    unit: int,
    prefixes: Sequence[Word],
    suffixes: Sequence[Word],
    most_bits: int = MOST_BITS,
    progress: Callable[[str], None] = lambda stage: None,
) -> Bound | UndecidedBound:
    """Try to prove that an automaton that computes the unit has at least as many states as prefixes.

    The precision starts at 64 bits and doubles up to ``most_bits``.
    """
    if not 0 <= unit < weighted.units:
        raise InputError(f"the unit must be between 0 and {weighted.units - 1}, got {unit}")
    if len(prefixes) != len(suffixes):
        raise InputError(
            f"there must be as many prefixes as suffixes, got {len(prefixes)} and {len(suffixes)}"
        )
    start_time, bits = time.perf_counter(), FIRST_BITS
    while True:
        progress(f"{len(prefixes)} states, {bits} bits")
        with flint.ctx.workprec(bits):
            determinant = flint.arb_mat(hankel(weighted, unit, prefixes, suffixes, BALLS)).det()
            if not determinant.contains(0):
                middle, radius, exponent = determinant.mid_rad_10exp(20)
                decimals = f"{middle}e{exponent}", f"{radius}e{exponent}"
                return Bound(
                    weighted,
                    unit,
                    tuple(prefixes),
                    tuple(suffixes),
                    bits,
                    decimals,
                    time.perf_counter() - start_time,
                )
        if 2 * bits > most_bits:
            return UndecidedBound(len(prefixes), bits)
        bits *= 2


def largest(
    weighted: WeightedCell,
    unit: int = 0,
    sizes: Iterable[int] = (3, 7, 15, 31, 63),
    letters: Sequence[str] | None = None,
    most_bits: int = MOST_BITS,
    progress: Callable[[str], None] = lambda stage: None,
) -> tuple[Bound | None, UndecidedBound | None]:
    """Return the largest bound among these sizes, and the first larger size that is undecided.

    The prefixes and suffixes are the first strings over the letters. A size may fail although larger sizes
    succeed: for example, an RCNN of bigrams is 0 on all strings of length 1. The search stops after two
    consecutive failures. Then it tries the sizes between the last success and the first failure.

    >>> from theory.not_rational.cells import CELLS
    >>> from theory.not_rational.weights import some
    >>> best, unknown = largest(some(CELLS["gru"]), sizes=[3, 7])
    >>> best.states, unknown
    (7, None)
    >>> best, unknown = largest(some(CELLS["sru"]))
    >>> best.states, unknown
    (2, UndecidedBound(size=3, bits=4096))
    """
    best: Bound | None = None
    failed: list[UndecidedBound] = []  # failures since the last success

    def bound_of_size(size: int) -> Bound | UndecidedBound:
        strings = first_strings(weighted.letters if letters is None else letters, size, weighted.cell.counts)
        return bound(weighted, unit, strings, strings, most_bits, progress)

    for size in sorted(sizes):
        result = bound_of_size(size)
        best, failed = (result, []) if isinstance(result, Bound) else (best, [*failed, result])
        if len(failed) == 2:
            break
    for size in range(1 if best is None else best.states + 1, failed[0].size if failed else 0):
        between = bound_of_size(size)
        best = between if isinstance(between, Bound) else best
    return best, failed[0] if failed else None
