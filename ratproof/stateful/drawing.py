"""What is drawn for a model: inputs of every length that a program in chunks might get wrong, as Hypothesis
shrinks them.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from hypothesis import strategies as st

from ratproof.stateful.declared import Declared
from ratproof.stateful.laws import Law
from ratproof.stateful.problem import StatefulProblem

LENGTHS = (1, 2, 3, 7, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 257)
"""Every run of every law has all of them: the edges of chunks of the usual sizes."""
EDGES = (1, 16, 32, 64, 128)
BETWEEN = (1, 2, 5, 17)
"""Lengths of what is read between two uses."""
MOST_ROWS = 4


def lengths_of(model: Declared, law: Law) -> list[int]:
    """The lengths that a model takes, for a law."""
    most = model.longest or LENGTHS[-1]
    known = sorted({n for n in LENGTHS if n <= most} | {min(most, LENGTHS[-1])})
    return [n for n in known if n >= law.shortest]


@st.composite
def problems(
    draw: st.DrawFn, model: Declared, law: Law, formats: Sequence[str], time: int
) -> StatefulProblem:
    """A problem of that many tokens.

    Args:
        draw: Hypothesis's.
        model: what is to be asked.
        law: what is to be asserted.
        formats: that the model runs in.
        time: T.
    """
    sizes = range(law.rows, MOST_ROWS + 1)  # the smallest first: so a counterexample is shrunk to it
    batch = 1 if "batch" in model.without else draw(st.sampled_from(sizes))
    way = ""
    before: tuple[int, ...] = (1,)
    if law.kind == "reuse":
        way = draw(st.sampled_from(_ways(model, time)))
        before = draw(st.sampled_from(_between(model, time)))
    pieces = draw(_pieces(model, law, time, way))
    return StatefulProblem(
        time=time,
        batch=batch,
        pieces=pieces,
        format=draw(st.sampled_from(formats)),
        seed=draw(st.integers(0, 2**32 - 1)),
        pads=draw(_pads(batch, pieces[0])) if law.kind == "padding" else (),
        rows=draw(_order(batch)) if law.kind == "reorder" else (),
        way=way,
        before=before,
    )


def _ways(model: Declared, time: int) -> list[str]:
    """What may be used again."""
    ways = ["model"]
    if "clear" not in model.without:
        ways.append("cleared")
    if not model.without & {"pieces", "state-twice"} and time > 1:
        ways.append("state")
    return ways


def _between(model: Declared, time: int) -> list[tuple[int, ...]]:
    """The calls between two uses; the last one is a step, since a prompt and a step leave other things
    behind.
    """
    room = time if model.longest is None else max(1, min(time, model.longest - time + 1))
    whole = "pieces" in model.without
    return [(n,) if n == 1 or whole else (n - 1, 1) for n in BETWEEN if n <= room]


@st.composite
def _pieces(draw: st.DrawFn, model: Declared, law: Law, time: int, way: str) -> tuple[int, ...]:
    """How the tokens are cut: in several calls for a law that is about them, else in one or two."""
    if way == "state" or (law.kind == "reorder" and (time < 3 or draw(st.booleans()))):
        return draw(_two(1, time))
    if law.kind == "reorder":  # what is wrong may show in a later call than the next one
        return draw(_many(time))
    if law.kind == "pieces":
        how = draw(st.sampled_from(("two", "tokens", "many") if time > 2 else ("two",)))
        return draw(_two(1, time)) if how == "two" else (1,) * time if how == "tokens" else draw(_many(time))
    least = 2 if law.kind == "padding" else 1
    if "pieces" in model.without or time <= least or draw(st.booleans()):
        return (time,)
    return draw(_two(least, time))


def _two(least: int, time: int) -> st.SearchStrategy[tuple[int, ...]]:
    """Two calls, the first of so many tokens at least."""
    cuts = {time // 2, time - 1, least, *EDGES, *(time - edge for edge in EDGES)}
    return st.sampled_from([(cut, time - cut) for cut in sorted(cuts) if least <= cut < time])


def _many(time: int) -> st.SearchStrategy[tuple[int, ...]]:
    """Three to six calls of any lengths."""

    def cut(seed: int) -> tuple[int, ...]:
        random = Random(seed)
        cuts = sorted(random.sample(range(1, time), min(time - 1, random.randint(2, 5))))
        return tuple(end - begin for begin, end in zip((0, *cuts), (*cuts, time), strict=True))

    return st.builds(cut, st.integers(0, 2**16))


@st.composite
def _pads(draw: st.DrawFn, batch: int, first: int) -> tuple[int, ...]:
    """How much of each row is padding: of one at least some, of none all of the first call."""
    some = st.sampled_from(sorted({1, first // 2, first - 1} - {0}))
    at = draw(st.integers(0, batch - 1))
    return tuple(draw(some) if row == at else draw(st.one_of(st.just(0), some)) for row in range(batch))


def _order(batch: int) -> st.SearchStrategy[tuple[int, ...]]:
    """Any order but the one that is there; rows may repeat, as in a beam search."""
    same = tuple(range(batch))
    return (
        st.lists(st.integers(0, batch - 1), min_size=batch, max_size=batch)
        .map(tuple)
        .filter(lambda rows: rows != same)
    )
