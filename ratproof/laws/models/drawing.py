"""Hypothesis strategies for cases of a model, with all lengths at which chunked programs often fail."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from hypothesis import strategies as st

from ratproof.laws.models.declared import Declared
from ratproof.laws.models.detours import EDGES, reuses, rewinds, shared_prefixes, snapshots, ways
from ratproof.laws.models.gradient import ALL, LAST, STATE
from ratproof.laws.models.laws import Law
from ratproof.laws.models.problem import StatefulProblem

LENGTHS = (1, 2, 3, 7, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 257)
"""Lengths that every run of every law covers: those near multiples of the usual chunk lengths."""
LONG = (321, 513, 1025)
"""Further lengths that every run of every law covers, in few cases."""
MANY, MOST_CALLS = LONG[0], LONG[1]
"""The number of uses before the last in the stage of many uses; the most tokens that are read one by one."""
ROWS = (1, 2, 3, 4)
MORE_ROWS = {33: tuple(range(5, 18)), 3: (33,)}
"""Larger numbers of rows, keyed by the maximum number of tokens for which they are drawn."""
FEW_ROWS = 8
"""Factor by which small numbers of rows are more likely than larger ones."""
TIMES = (2, 3)
"""Factors by which the number of a state's rows may grow."""
LEAST = 2
"""Minimum number of cases of each length. The first case of Hypothesis is always the simplest one."""


@dataclass(frozen=True)
class Stage:
    """Cases of a law that are drawn in the same way.

    Attributes:
        name: Name, unique among the stages of the law.
        times: Strategy for the number of tokens.
        examples: Number of cases.
        uses: Number of times that other inputs are read before a second use.
    """

    name: str
    times: st.SearchStrategy[int]
    examples: int
    uses: int = 1


def stages_of(model: Declared, law: Law, examples: int) -> list[Stage]:
    """Return the stages of a law, shortest cases first.

    The stages have lengths near the edges of chunks, arbitrary lengths, long inputs, and many uses.

    Args:
        model: The model.
        law: The law.
        examples: Total number of cases; it is exceeded if the minimum numbers of the stages require it.
    """
    longest = min(n for n in (model.longest, law.longest, LONG[-1]) if n is not None)
    known = sorted({n for n in (*LENGTHS, *LONG, longest) if law.shortest <= n <= longest})
    edges = [n for n in known if n <= LENGTHS[-1]]
    stages = [Stage(str(n), st.just(n), LEAST) for n in known if n > LENGTHS[-1]]
    if edges:
        stages.insert(0, Stage("any", st.integers(edges[0], edges[-1]), LEAST))
    if law.kind == "reuse":
        stages.append(Stage("many uses", st.just(law.shortest), LEAST, MANY))
    left = max(0, examples - LEAST * (len(edges) + len(stages)))
    if edges:  # half of the remaining cases have any length
        stages[0] = replace(stages[0], examples=LEAST + left // 2)
    each, more = divmod(left - left // 2, max(1, len(edges)))
    return [
        *(Stage(str(n), st.just(n), LEAST + each + (index < more)) for index, n in enumerate(edges)),
        *stages,
    ]


@st.composite
def problems(
    draw: st.DrawFn, model: Declared, law: Law, formats: Sequence[str], time: int, uses: int = 1
) -> StatefulProblem:
    """Draw problems with ``time`` tokens.

    Args:
        draw: The draw function of Hypothesis.
        model: The model.
        law: The law.
        formats: Names of the dtypes in which the model runs.
        time: The number T of tokens.
        uses: Number of times that other inputs are read before a second use.
    """
    batch = 1 if "batch" in model.without else draw(_rows(law, time))
    drawn: dict[str, Any] = {}
    if law.kind in ("reuse", "rewind", "snapshot"):
        drawn["way"] = way = "model" if uses > 1 else draw(st.sampled_from(ways(model, law.kind, time)))
    if law.kind == "padding":
        drawn["side"] = draw(st.sampled_from(_sides(model)))
    pieces = draw(_pieces(model, law, time, drawn))
    if law.kind == "gradient":
        drawn["way"] = draw(st.sampled_from((ALL, LAST) if len(pieces) < 3 else (ALL, LAST, STATE)))
    if law.kind == "batch":
        drawn["shared"] = draw(shared_prefixes(time))
    if law.kind == "reuse":
        drawn |= {"uses": uses} if uses > 1 else draw(reuses(model, way, batch, pieces))
    if law.kind == "rewind":
        drawn |= draw(rewinds(model, way, pieces))
    if law.kind == "snapshot":
        drawn |= draw(snapshots(model, pieces))
    if law.kind == "padding":
        drawn["pads"] = draw(_pads(batch, pieces[0]))
    if law.kind == "reorder":
        orders = draw(_orders(model, batch, time, len(pieces) - 1))
        batch = max(orders["prompt_rows"], *map(len, orders["orders"]))
        drawn |= orders
        sides = [side for side in _sides(model) if f"after-{side}-padding" not in model.without]
        if sides and pieces[0] > 1 and draw(st.booleans()):
            drawn["side"] = draw(st.sampled_from(sides))
            drawn["pads"] = draw(_pads(orders["prompt_rows"], pieces[0]))
    seed = draw(st.integers(0, 2**32 - 1))
    return StatefulProblem(time, batch, pieces, draw(st.sampled_from(formats)), seed, **drawn)


def _sides(model: Declared) -> list[str]:
    """Return the sides on which rows may be padded."""
    if "padding" in model.without:
        return []
    return [side for side in ("left", "right") if f"{side}-padding" not in model.without]


def _rows(law: Law, time: int) -> st.SearchStrategy[int]:
    """Return a strategy for the number of rows; larger numbers are drawn for short inputs only.

    The smallest number comes first, because counterexamples shrink to it.
    """
    few = [rows for rows in ROWS if rows >= law.rows]
    more = [rows for most, some in MORE_ROWS.items() if time <= most for rows in some]
    return st.sampled_from(few * FEW_ROWS + more)


@st.composite
def _pieces(
    draw: st.DrawFn, model: Declared, law: Law, time: int, drawn: Mapping[str, Any]
) -> tuple[int, ...]:
    """Draw the number of tokens of each call.

    The laws ``batch``, ``padding`` and ``reuse`` have one or two calls, and the other laws at least two.
    """
    continued = law.kind in ("reorder", "rewind", "snapshot")
    if drawn.get("way") == "state" or (continued and (time < 3 or draw(st.booleans()))):
        return draw(_two(1, time))
    if continued:  # an error may appear only in a later call
        return draw(_many(time))
    if law.kind in ("pieces", "gradient"):
        hows = ["two", "tokens", "many"] if time > 2 else ["two"]
        if time > LENGTHS[-1]:
            hows.remove("tokens")
            hows[:0] = ["tokens"] * (time <= MOST_CALLS)
        how = draw(st.sampled_from(hows))
        return draw(_two(1, time)) if how == "two" else (1,) * time if how == "tokens" else draw(_many(time))
    least = 2 if law.kind == "padding" else 1
    last = drawn.get("side") == "right" and "after-right-padding" in model.without
    if last or "pieces" in model.without or time <= least or draw(st.booleans()):
        return (time,)
    return draw(_two(least, time))


def _two(least: int, time: int) -> st.SearchStrategy[tuple[int, ...]]:
    """Return a strategy for two calls, the first with at least ``least`` tokens."""
    cuts = {time // 2, time - 1, least, *EDGES, *(time - edge for edge in EDGES)}
    return st.sampled_from([(cut, time - cut) for cut in sorted(cuts) if least <= cut < time])


def _many(time: int) -> st.SearchStrategy[tuple[int, ...]]:
    """Return a strategy for the lengths of three to six calls that sum to ``time``."""

    def cut(seed: int) -> tuple[int, ...]:
        random = Random(seed)
        cuts = sorted(random.sample(range(1, time), min(time - 1, random.randint(2, 5))))
        return tuple(end - begin for begin, end in zip((0, *cuts), (*cuts, time), strict=True))

    return st.builds(cut, st.integers(0, 2**16))


@st.composite
def _pads(draw: st.DrawFn, batch: int, first: int) -> tuple[int, ...]:
    """Draw the amount of padding of each row.

    At least one row has padding, and no row consists of padding in the whole first call. In a quarter of the
    cases there is no padding, and the mask is true everywhere.
    """
    if draw(st.integers(0, 3)) == 3:
        return (0,) * batch
    some = st.sampled_from(sorted({1, first // 2, first - 1} - {0}))
    at = draw(st.integers(0, batch - 1))
    return tuple(draw(some) if row == at else draw(st.one_of(st.just(0), some)) for row in range(batch))


@st.composite
def _orders(draw: st.DrawFn, model: Declared, batch: int, time: int, number: int) -> dict[str, Any]:
    """Draw the rows of the first call, and the order of the state's rows after each call.

    The first order is not the identity. The number of rows may stay the same, grow, shrink or be multiplied,
    and rows may repeat, as in a beam search. Later orders are the identity or any other permutation.
    """
    hows = ["same", "more", "fewer"] + ["times"] * (batch in ROWS and time <= LENGTHS[-1])
    how = draw(st.sampled_from(hows[:1] if "resize" in model.without else hows))
    before = draw(st.sampled_from(sorted({1, batch - 1}))) if how == "more" else batch
    after = draw(st.integers(1, batch - 1)) if how == "fewer" else batch
    orders = _order(before, after).filter(lambda order: order != tuple(range(before)))
    if how == "times":
        times = draw(st.sampled_from(TIMES))
        after = batch * times
        each = tuple(row for row in range(batch) for _ in range(times))
        orders = st.just(each) | _order(before, after)
    first = draw(orders)
    later = [draw(st.just(()) | _order(after, after)) for _ in range(number - 1)]
    return {"prompt_rows": before, "orders": (first, *later)}


def _order(before: int, after: int) -> st.SearchStrategy[tuple[int, ...]]:
    return st.lists(st.integers(0, before - 1), min_size=after, max_size=after).map(tuple)
