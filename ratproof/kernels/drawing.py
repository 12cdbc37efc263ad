"""What is drawn for a kernel: problems of every length that a chunked kernel might get wrong, as Hypothesis
shrinks them.
"""

from __future__ import annotations

from hypothesis import strategies as st

from ratproof.kernels.formats import WIDE
from ratproof.kernels.kernel import Kernel
from ratproof.kernels.problem import Numbers, Problem
from ratproof.sides.lengths import LENGTHS

MOST_NUMBERS = 200_000
"""In the states of all tokens of a problem: of the longest, shapes are small."""


def lengths_of(kernel: Kernel) -> tuple[int, ...]:
    """The lengths that a kernel takes: of one that reads multiples of some length, the next ones up."""
    lengths = {-(-length // kernel.multiple) * kernel.multiple for length in LENGTHS}
    if kernel.longest is not None:
        most = min(kernel.longest, max(lengths)) // kernel.multiple * kernel.multiple
        lengths = {length for length in lengths if length <= most} | {most}
    return tuple(sorted(lengths - {0} if "empty" in kernel.without else lengths))


@st.composite
def problems(
    draw: st.DrawFn, kernel: Kernel, numbers: Numbers, time: int, least_rows: int = 1, least_heads: int = 1
) -> Problem:
    """A problem of that many tokens.

    Args:
        draw: Hypothesis's.
        kernel: what is to solve it.
        numbers: what its numbers are like.
        time: T, of all sequences together where they are packed.
        least_rows: so many strings at least.
        least_heads: so many heads at least.
    """
    family, lacks = kernel.family, kernel.without
    small = time <= 300
    packed = family.packed and "cu_seqlens" not in lacks and draw(st.integers(0, 3)) == 1
    # the smallest first: a counterexample is shrunk to it
    rows = draw(st.sampled_from([n for n in (1, 2, 3, 4) if n >= least_rows and (small or n <= 2 or packed)]))
    lengths = draw(_parts(time, rows, "empty" not in lacks)) if packed else (time,)
    heads = draw(st.sampled_from([n for n in (1, 2, 3) if n >= least_heads]))
    keys, values = draw(st.sampled_from((1, 2, 3, 4, 8, 16))), draw(st.sampled_from((1, 2, 3, 5, 8, 16)))
    if not small or rows * heads * keys * values * time > MOST_NUMBERS:
        keys, values = min(keys, 4), min(values, 3)
    exact = numbers == "exact"
    gates = ["none", "mild", "bursts", "infinite"]
    if "infinite-gates" in lacks or family.rate:
        gates.remove("infinite")
    if exact:
        gates = [g for g in gates if g in ("none", "infinite")]
    scale = _scale(draw, kernel, exact)
    dtype = draw(st.sampled_from(kernel.dtypes))
    return Problem(
        family=family,
        dtype=dtype,
        accumulation=dtype if dtype in WIDE or kernel.accumulation is None else kernel.accumulation,
        lengths=lengths,
        batch=1 if packed else rows,
        heads=heads,
        keys=1 if family.lanes else keys,
        values=1 if family.lanes else values,
        packed=packed,
        # the family of real factors always has an initial state
        started=(bool(family.factor) and not family.pairs)
        or ("initial-state" not in lacks and draw(st.booleans())),
        scale=scale,
        numbers=numbers if exact else draw(st.sampled_from(("plain", "real", "real", "real"))),
        gates=draw(st.sampled_from(gates)),
        directions=draw(st.sampled_from(("hot", "free"))),
        apart="non-contiguous" not in lacks and draw(st.booleans()),
        seed=draw(st.integers(0, 2**32 - 1)),
    )


def _scale(draw: st.DrawFn, kernel: Kernel, exact: bool) -> float | None:
    if not kernel.family.scaled:
        return None
    always = kernel.family.scaled == "always"
    if "scale" in kernel.without:
        return 1.0 if always else None
    if exact:
        return draw(st.sampled_from((1.0, 0.5, 2.0)))
    return draw(st.sampled_from((1.0, 0.5, 2.0) if always else (None, 1.0, 0.5, 2.0)))


@st.composite
def _parts(draw: st.DrawFn, time: int, number: int, empty: bool) -> tuple[int, ...]:
    """Lengths of so many sequences, or fewer, with so many tokens together; of none and of one token too."""
    number = number if empty else max(1, min(number, time))
    least = 0 if empty else 1
    lengths: list[int] = []
    for left in range(number - 1, 0, -1):
        most = time - sum(lengths) - least * left
        lengths.append(draw(st.sampled_from(sorted({least, min(1, most), most // 2, most}))))
    return (*lengths, time - sum(lengths))
