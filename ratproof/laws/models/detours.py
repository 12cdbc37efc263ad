"""Hypothesis strategies for detours.

A detour consists of inputs that are read between two uses, before a rewind, or after a snapshot. A server
that caches states by prefix can only make errors if two inputs have a prefix in common. Random tokens of a
large vocabulary almost never have one. Therefore, half of the detours share their first tokens with the
inputs that replace them, and then differ or end.
"""

from __future__ import annotations

from hypothesis import strategies as st

from ratproof.laws.models.declared import Declared

EDGES = (1, 16, 32, 64, 128)
BETWEEN = (1, 2, 5, 17)
"""Possible numbers of tokens of a detour after the tokens that it shares with the inputs."""
WAYS = {"rewind": ("one call", "calls"), "snapshot": ("restored", "twice", "original")}
"""The possible values of ``StatefulProblem.way`` for the laws ``rewind`` and ``snapshot``."""


def ways(model: Declared, kind: str, time: int) -> tuple[str, ...]:
    """Return the possible values of ``StatefulProblem.way`` for a law.

    For ``reuse``, they are the objects that may be used again.
    """
    if kind != "reuse":
        return WAYS[kind]
    objects = ["model"]
    if "clear" not in model.without:
        objects.append("cleared")
    if not model.without & {"pieces", "state-twice"} and time > 1:
        objects.append("state")
    return tuple(objects)


@st.composite
def reuses(
    draw: st.DrawFn, model: Declared, way: str, batch: int, pieces: tuple[int, ...]
) -> dict[str, object]:
    """Draw the fields of a problem for the inputs between two uses of a model or state."""
    time, begin = sum(pieces), pieces[0] if way == "state" else 0
    longest = time if model.longest is None else max(1, min(time, model.longest - time + 1))
    drawn: dict[str, object] = {}
    if way == "model" and "batch" not in model.without:
        drawn["before_rows"] = draw(st.sampled_from((batch, batch + 1, 1)))
    shared = draw(shared_prefixes(time - begin))
    # the last call may have one token, because states after a prompt and after one token can differ in kind
    one_call = "pieces" in model.without
    if not shared:
        numbers = [n for n in BETWEEN if n <= longest]
        return drawn | {"before": _calls(draw(st.sampled_from(numbers)), one_call)}
    longest = time + 1 if model.longest is None else model.longest - begin
    number = min(shared + draw(st.sampled_from((1, 0, 1, 2))), longest)
    one_call = one_call or draw(st.booleans())
    return drawn | {"before": _calls(number, one_call), "shared": min(shared, number)}


@st.composite
def rewinds(draw: st.DrawFn, model: Declared, way: str, pieces: tuple[int, ...]) -> dict[str, object]:
    """Draw the fields of a problem for the tokens that are read and then rewound.

    The first ``shared`` tokens are kept, like drafts that are accepted.
    """
    shared = draw(shared_prefixes(pieces[1] - 1))
    longest = BETWEEN[-1] if model.longest is None else model.longest - pieces[0] - shared
    number = shared + draw(st.sampled_from([n for n in BETWEEN if n <= max(1, longest)]))
    step_by_step = way == "calls" and number <= BETWEEN[-1] and draw(st.booleans())
    return {
        "before": (1,) * number if step_by_step else _calls(number, draw(st.booleans())),
        "shared": shared,
    }


@st.composite
def snapshots(draw: st.DrawFn, model: Declared, pieces: tuple[int, ...]) -> dict[str, object]:
    """Draw the fields of a problem for the tokens that are read before a snapshot is restored."""
    longest = BETWEEN[-1] if model.longest is None else model.longest - pieces[0]
    number = draw(st.sampled_from([n for n in BETWEEN if n <= max(1, longest)]))
    return {"before": _calls(number, draw(st.booleans()))}


@st.composite
def shared_prefixes(draw: st.DrawFn, time: int) -> int:
    """Draw a number of shared tokens, at most ``time``, and 0 in half of the cases.

    Positive numbers are often the lengths of the blocks in which servers cache states.
    """
    edges = {n for edge in EDGES for n in (edge, time - edge)} | {time // 2, time}
    some = [n for n in sorted(edges) if 0 < n <= time]
    if not some or not draw(st.booleans()):
        return 0
    blocks = [n for n in EDGES[1:] if n <= time]
    at_block = bool(blocks) and draw(st.booleans())
    return draw(st.sampled_from(blocks if at_block else some))


def _calls(number: int, one_call: bool) -> tuple[int, ...]:
    return (number,) if number == 1 or one_call else (number - 1, 1)
