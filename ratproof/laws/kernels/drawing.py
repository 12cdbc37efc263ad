"""Hypothesis strategies for calls of a kernel, with the lengths and sizes at which errors are likely.

The product B H K V T of a call is the number of elements in the states of all tokens. Each call has a budget,
which limits this product.

The sizes of a call that exceeds its budget are reduced. If its length is random, the length is reduced. If
its length is near a multiple of a usual chunk length, its other sizes are reduced.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import prod
from random import Random

from hypothesis import strategies as st

from ratproof.evidence.lengths import LENGTHS
from ratproof.laws.kernels.formats import WIDE
from ratproof.laws.kernels.kernel import Kernel
from ratproof.laws.kernels.layouts import CONTIGUOUS, FAR, FAR_ROWS, LAYOUTS, may_be_far
from ratproof.laws.kernels.problem import Numbers, Problem

BUDGETS = (2**14, 2**15, 2**16, 2**16, 2**17, 2**18, 2**20, 2**22)
"""Possible budgets of a call, in elements."""
LARGEST = 2**23
"""The budget of the one large call in each check."""
VERY_LONG, FEW_KEYS = 8_193, (4, 3, 2, 1)
"""The number of tokens in the long calls of ``sampled``, and their possible numbers of keys and values."""
FEW_LENGTHS = 3
"""The number of different lengths of calls whose offsets exceed 32 bits; the smallest lengths are used."""
MOST_PAIRS = 2**23
"""Maximum number of elements in an array of the reference over pairs of tokens in a chunk.

It applies to families with a correction.
"""
_EDGES = (*range(1, 18), 31, 32, 33, 63, 64, 65, 100, 127, 128, 129, 256)
SIZES = {"B": tuple(range(1, 10)), "H": tuple(range(1, 9)), "K": _EDGES, "V": _EDGES, "W": (1, 2, 3, 4, 5, 8)}
"""Possible sizes of each axis; the number of lanes has the possible sizes of K."""
WIDE_KEYS, WIDE_TIME, ODD_KEYS = 64, 129, 100
"""Sizes that each check covers: for keys and values, for tokens, and a second size for keys.

The second size for keys is not a multiple of 16.
"""
SHORTENED = (range(2, 9), range(9, 65), range(65, 513))
"""Ranges for the minimum length of a call in tokens, below which it is not reduced to fit its budget."""
KEEPS_TIME = ("KVBHDT", "VKHBDT", "BHDKVT")
KEEPS_KEYS = ("TKVBHD", "TVKHBD", "TBHDKV")
KEEPS_BOTH = ("BHTDKV",)
"""Orders of axes in which a call's sizes are reduced until it fits into its budget."""
LEAST = 2
"""Minimum number of calls of each length. The first call of Hypothesis is always the simplest one."""


@dataclass(frozen=True)
class CallSizes:
    """The sizes that a call may have.

    Attributes:
        times: Ranges of lengths T, which are equally likely.
        choices: Possible sizes by axis.
        budgets: Possible limits on the product of all sizes.
        orders: Possible orders in which the sizes of a call that exceeds its budget are reduced.
        layouts: Possible memory layouts, if the kernel supports tensors that are not contiguous.
    """

    times: tuple[Sequence[int], ...]
    choices: dict[str, tuple[int, ...]]
    budgets: tuple[int, ...]
    orders: tuple[str, ...] = KEEPS_TIME
    layouts: tuple[str, ...] = tuple(LAYOUTS)


@dataclass(frozen=True)
class Group:
    """A group of calls that are searched together, with its name, the number of calls, and their sizes."""

    name: str
    examples: int
    sizes: CallSizes


def lengths_of(kernel: Kernel) -> tuple[int, ...]:
    """Return the lengths that every check covers.

    If the claim lists its lengths, these are used. Otherwise, they are lengths near multiples of the usual
    chunk lengths. If the kernel supports only multiples of a length, they are rounded up.
    """
    if kernel.lengths:
        return kernel.lengths
    lengths = {-(-length // kernel.multiple) * kernel.multiple for length in LENGTHS}
    if kernel.longest is not None:
        most = min(kernel.longest, max(lengths)) // kernel.multiple * kernel.multiple
        lengths = {length for length in lengths if length <= most} | {most}
    return tuple(sorted(lengths - {0} if "empty" in kernel.without else lengths))


def groups_of(
    kernel: Kernel, examples: int, shortest: int, small: bool, long: bool = False
) -> Iterator[Group]:
    """Yield the groups of calls of a check.

    Half of the calls have the lengths that every check covers, half have random lengths, and a few are large.

    Args:
        kernel: The kernel that is called.
        examples: Minimum number of calls.
        shortest: Minimum number of tokens.
        small: Whether the groups ``wide``, ``odd`` and ``large`` have a quarter of their usual budget.
        long: Whether there are also calls of :data:`VERY_LONG` tokens, and calls whose offsets exceed 32
            bits.
    """
    choices = _choices(kernel)
    lengths = [length for length in lengths_of(kernel) if length >= shortest]
    for_edges = examples if kernel.lengths else examples // 2
    for index, length in enumerate(lengths):
        number = max(LEAST, for_edges // len(lengths) + (index < for_edges % len(lengths)))
        yield Group(str(length), number, CallSizes(((length,),), choices, BUDGETS))
    if not kernel.lengths:
        anything = CallSizes(_any_time(kernel, shortest, max(lengths)), choices, BUDGETS, KEEPS_KEYS)
        yield Group("random lengths", max(LEAST, examples - for_edges), anything)
    most = LARGEST // 4 if small else LARGEST
    wide = _near(choices, {"K": (WIDE_KEYS,), "V": (WIDE_KEYS,)})
    odd = _near(choices, {"K": (ODD_KEYS,)})
    huge = _near(choices, {"K": (WIDE_KEYS, 128, 256), "V": (128, 256)})
    longer = _longer(kernel, lengths)
    yield Group("wide", LEAST, CallSizes(longer, wide, (most // 2,), KEEPS_BOTH))
    yield Group("odd", LEAST, CallSizes(longer, odd, (most // 8,), KEEPS_KEYS))
    yield Group("large", 1, CallSizes(((max(lengths),),), huge, (most,), KEEPS_BOTH))
    if long:
        yield from _long(kernel, max(lengths), choices)
        yield from _far(kernel, lengths, choices)


def _long(kernel: Kernel, usual: int, choices: dict[str, tuple[int, ...]]) -> Iterator[Group]:
    """Yield the group of long calls with few keys and values.

    There is no such group in these cases:

    - The claim lists its lengths.
    - One chunk covers all usual lengths, as in a parallel form.
    - The smallest sizes exceed :data:`LARGEST`.
    - The reference is another kernel, which would run a dozen times.
    """
    most = VERY_LONG if kernel.longest is None else min(kernel.longest, VERY_LONG)
    time = most // kernel.multiple * kernel.multiple
    least = {axis: min(sizes) for axis, sizes in choices.items()}
    one_chunk = kernel.form.chunk is not None and kernel.form.chunk >= usual
    if kernel.against is not None or kernel.lengths or time <= usual or one_chunk:
        return
    if prod(least.values()) * time > LARGEST:
        return
    few = {a: tuple(n for n in FEW_KEYS if n in sizes) or (least[a],) for a, sizes in choices.items()}
    few |= {axis: (least[axis],) for axis in "BH" if axis in few}
    yield Group("long", LEAST, CallSizes(((time,),), few, (LARGEST,), KEEPS_BOTH))


def _far(kernel: Kernel, lengths: list[int], choices: dict[str, tuple[int, ...]]) -> Iterator[Group]:
    """Yield the group of calls whose third row begins at an offset that exceeds 32 bits.

    There is no such group if the kernel does not support three rows or tensors that are not contiguous. There
    is also none if the reference is another kernel, or if the process cannot address the memory.
    """
    unsupported = kernel.against is not None or "non-contiguous" in kernel.without
    if unsupported or FAR_ROWS not in choices["B"] or not may_be_far(kernel.device):
        return
    few = {a: tuple(n for n in FEW_KEYS if n in sizes) or (min(sizes),) for a, sizes in choices.items()}
    times = [time for time in lengths if time][:FEW_LENGTHS]
    sizes = CallSizes((times,), few | {"B": (FAR_ROWS,)}, (LARGEST,), KEEPS_BOTH, (FAR,))
    yield Group("far", LEAST, sizes)


def shorter_than(kernel: Kernel, time: int, shortest: int) -> CallSizes:
    """Return sizes of calls with at most ``time`` tokens, for a smaller counterexample."""
    if kernel.lengths:
        times: Sequence[int] = [n for n in kernel.lengths if shortest <= n <= time]
    else:
        times = _multiples(kernel, shortest, time)
    return CallSizes((times,), _choices(kernel), BUDGETS)


def _choices(kernel: Kernel) -> dict[str, tuple[int, ...]]:
    axes = kernel.family.axes
    every = {**SIZES, "D": SIZES["K"], **kernel.sizes}
    return {axis: every[axis] for axis in axes}


def _near(
    choices: dict[str, tuple[int, ...]], wanted: dict[str, tuple[int, ...]]
) -> dict[str, tuple[int, ...]]:
    """Restrict each axis to the wanted sizes, or to its largest size if no wanted size is possible."""
    own = {axis: wanted.get("K" if axis == "D" else axis, sizes) for axis, sizes in choices.items()}
    return {a: tuple(n for n in own[a] if n in sizes) or (max(sizes),) for a, sizes in choices.items()}


def _multiples(kernel: Kernel, least: int, most: int) -> range:
    step = kernel.multiple
    least = -(-(max(least, 1) if "empty" in kernel.without else least) // step) * step
    return range(least, max(least, most) + 1, step)


def _any_time(kernel: Kernel, shortest: int, most: int) -> tuple[range, ...]:
    """Return the ranges of short, medium and long lengths."""
    ends = sorted({min(end, most) for end in (16, 300, most)})
    firsts = (max(shortest, first) for first in (1, 17, 301))
    return tuple(_multiples(kernel, *ends) for ends in zip(firsts, ends, strict=False))


def _longer(kernel: Kernel, lengths: list[int]) -> tuple[Sequence[int], ...]:
    """Return the lengths of large calls, at least :data:`WIDE_TIME` tokens if the kernel supports that."""
    if kernel.lengths:
        return ([n for n in lengths if n >= WIDE_TIME] or lengths[-1:],)
    return (_multiples(kernel, min(WIDE_TIME, max(lengths)), max(lengths)),)


def has_several_sequences_or_heads(kernel: Kernel) -> bool:
    """Return whether a call may have more than one sequence or head (or lane)."""
    return (
        _may_pack(kernel) or _most(kernel, "B") > 1 or _most(kernel, "D" if kernel.family.lanes else "H") > 1
    )


def _may_pack(kernel: Kernel) -> bool:
    return kernel.family.packed and "cu_seqlens" not in kernel.without


def _most(kernel: Kernel, axis: str) -> int:
    return max(_choices(kernel).get(axis, (1,)))


@st.composite
def problems(
    draw: st.DrawFn,
    kernel: Kernel,
    numbers: Numbers,
    sizes: CallSizes,
    least_rows: int = 1,
    least_heads: int = 1,
) -> Problem:
    """Draw a call of a kernel.

    Args:
        draw: The draw function of Hypothesis.
        kernel: The kernel that is called.
        numbers: Kind of the values.
        sizes: Sizes that the call may have.
        least_rows: Minimum number of sequences, unless the kernel only has fewer rows.
        least_heads: Minimum number of heads, or of lanes, unless the kernel only has fewer.
    """
    family, unsupported = kernel.family, kernel.without
    # Hypothesis tends to repeat equal draws within a case, so a random number generator makes the choices; a
    # counterexample shrinks to the first choice
    random = draw(st.randoms(use_true_random=False))
    one_in_four = (False, True, False, False)
    heads_axis = "D" if family.lanes else "H"
    one_row = _most(kernel, "B") == 1
    must_pack = least_rows > 1 and one_row and _most(kernel, heads_axis) < least_heads
    may_pack = _may_pack(kernel) and sizes.layouts != (FAR,)
    packed = may_pack and (random.choice(one_in_four) or must_pack)
    least = {"B": least_rows, heads_axis: least_heads}
    choices = {
        axis: tuple(n for n in every if n >= least.get(axis, 1)) or (max(every),)
        for axis, every in sizes.choices.items()
    }
    if packed and one_row:  # tensors of packed sequences have one row
        choices["B"] = tuple(n for n in SIZES["B"] if n >= least_rows)
    drawn = {axis: _size_of(random, every) for axis, every in choices.items()}
    drawn["T"] = random.choice(random.choice(sizes.times))
    shortest = random.choice(random.choice(SHORTENED))
    times = kernel.lengths or _multiples(kernel, shortest, drawn["T"])
    choices["T"] = tuple(time for time in times if time >= shortest)
    drawn = _fitted(kernel, drawn, choices, random.choice(sizes.orders), random.choice(sizes.budgets))
    time, rows = drawn["T"], drawn["B"]
    exact = numbers == "exact"
    gates = ["none", "mild", "bursts", "infinite"]
    if "infinite-gates" in unsupported or family.rate:
        gates.remove("infinite")
    if exact:
        gates = [g for g in gates if g in ("none", "infinite")]
    dtype = random.choice(kernel.dtypes)
    return Problem(
        family=family,
        dtype=dtype,
        accumulation=dtype if dtype in WIDE or kernel.accumulation is None else kernel.accumulation,
        lengths=_parts(random, time, rows, "empty" not in unsupported) if packed else (time,),
        batch=1 if packed else rows,
        heads=drawn.get(heads_axis, 1),
        keys=drawn.get("W" if family.window else "K", 1),
        values=drawn.get("V", 1),
        packed=packed,
        # an elementwise recurrence always has an initial state
        has_initial_state="initial-state" not in unsupported
        and (
            (bool(family.factor) and not family.pairs and not family.packed) or random.choice((False, True))
        ),
        scale=_scale(random, kernel, exact),
        numbers=numbers if exact else random.choice(("plain", "real", "real", "real")),
        gates=random.choice(gates),
        directions=random.choice(("hot", "free")),
        seed=random.randrange(2**32),
        layout=CONTIGUOUS if "non-contiguous" in unsupported else random.choice(sizes.layouts),
        large=random.choice(one_in_four),
        final="final-state" not in unsupported and not random.choice(one_in_four),
        substeps=random.choice((1, 2, 3)) if family.substeps else 1,
        mode="inference" if random.choice(one_in_four) else "plain",
        offsets=random.choice(("int64",) if "int32-offsets" in unsupported else ("int64", "int32")),
    )


def _size_of(random: Random, choices: Sequence[int]) -> int:
    """Draw a size that is at most 16 with probability 1/2, and larger otherwise."""
    parts = [[n for n in choices if n <= 16], [n for n in choices if n > 16]]
    return random.choice(random.choice([part for part in parts if part]))


def _fitted(
    kernel: Kernel, drawn: dict[str, int], choices: dict[str, tuple[int, ...]], order: str, budget: int
) -> dict[str, int]:
    """Reduce the sizes, in the given order of axes, until the call fits into its budget."""
    fitted = _shortened(drawn, choices, order, budget, lambda sizes: prod(sizes.values()))
    chunk, family = kernel.form.chunk, kernel.family
    if chunk is None or family.correction == "none":
        return fitted
    per_key = "K" in family.tensors.get(family.decay, "")

    def pairs(sizes: dict[str, int]) -> int:
        length = min(chunk, sizes["T"])
        return sizes["B"] * sizes["H"] * (sizes["K"] if per_key else 1) * length**2

    return _shortened(fitted, choices, "BHK", MOST_PAIRS, pairs)


def _shortened(
    sizes: dict[str, int],
    choices: dict[str, tuple[int, ...]],
    order: str,
    most: int,
    cost: Callable[[dict[str, int]], int],
) -> dict[str, int]:
    for axis in order:
        if axis not in sizes:
            continue
        if cost(sizes) <= most:
            break
        smaller = sorted((n for n in choices[axis] if n < sizes[axis]), reverse=True)
        kept = (n for n in smaller if cost({**sizes, axis: n}) <= most)
        sizes = {**sizes, axis: next(kept, min([sizes[axis], *smaller]))}
    return sizes


def _scale(random: Random, kernel: Kernel, exact: bool) -> float | None:
    if not kernel.family.scaled:
        return None
    always = kernel.family.scaled == "always"
    if "scale" in kernel.without:
        return 1.0 if always else None
    some: list[float | None] = [1.0, 0.5, 2.0] if exact or always else [None, 1.0, 0.5, 2.0]
    return random.choice(some if "zero-scale" in kernel.without else [*some, 0.0])


def _parts(random: Random, time: int, number: int, empty: bool) -> tuple[int, ...]:
    """Return at most ``number`` sequence lengths that sum to ``time``, often including 0 and 1."""
    number = number if empty else max(1, min(number, time))
    least = 0 if empty else 1
    lengths: list[int] = []
    for left in range(number - 1, 0, -1):
        most = time - sum(lengths) - least * left
        lengths.append(random.choice(sorted({least, min(1, most), most // left, most // 2, most})))
    return (*lengths, time - sum(lengths))
