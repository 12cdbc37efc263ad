"""The laws of stateful models: each has two ways to run a model, which must give the same outputs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from ratproof.laws.models.gradient import LAST, STATE, gradients, later_pieces, names
from ratproof.laws.models.problem import StatefulProblem
from ratproof.laws.models.session import Session

Rows = list[Tensor]
"""The compared outputs of each row: the outputs for its last tokens."""
Way = Callable[[Session], Rows]
Words = Callable[[StatefulProblem, int], tuple[str, str]]


@dataclass(frozen=True)
class Law:
    """Two ways to run a model that must give the same outputs.

    Attributes:
        kind: Kind of evidence.
        plain, other: The reference way and the other way.
        words: A function of a problem and a row that returns descriptions of the other way and of the
            reference way.
        rows: Minimum number of rows.
        shortest: Minimum number of tokens.
        longest: Maximum number of tokens, if the law takes long.
        names: A function that returns the names of the gradients, if gradients are compared. Each gradient is
            compared relative to its own size. ``None`` if rows of outputs are compared.
    """

    kind: str
    plain: Way
    other: Way
    words: Words
    rows: int = 1
    shortest: int = 1
    longest: int | None = None
    names: Callable[[Session], list[str]] | None = None


def in_one_call(session: Session) -> Rows:
    """Run all tokens in one call, and return the outputs of each row."""
    return list(session.run(session.tokens())[0])


def in_pieces(session: Session) -> Rows:
    """Run the tokens in several calls, each from the previous call's state, and return the outputs."""
    return list(session.read(session.tokens(), session.problem.pieces)[0])


def alone(session: Session) -> Rows:
    """Run each row separately with a fresh model, and return the outputs."""
    tokens, pieces = session.tokens(), session.problem.pieces
    return [session.anew().read(tokens[row : row + 1], pieces)[0][0] for row in range(len(tokens))]


def unpadded(session: Session) -> Rows:
    """Run each row separately, without its padding, with a fresh model, and return the outputs."""
    first, *rest = session.problem.pieces
    tokens, kept = session.tokens(), _kept(session)
    return [
        session.anew().read(tokens[row : row + 1, kept[row]], (first - pad, *rest))[0][0]
        for row, pad in enumerate(session.problem.pads)
    ]


def padded(session: Session) -> Rows:
    """Run all rows as a batch with a mask, and return the outputs of the tokens that are not padding.

    Only the first call has padding and a mask. If there is no padding, each call has a mask that is true
    everywhere.
    """
    pieces, kept = session.problem.pieces, _kept(session)
    masks = torch.split(kept, list(pieces), 1)
    outputs, _ = session.read(
        session.tokens(), pieces, masks=masks[:1] if any(session.problem.pads) else masks
    )
    return [row[mask] for row, mask in zip(outputs, kept, strict=True)]


def _first_mask(session: Session, rows: slice | list[int]) -> list[Tensor]:
    """Return the mask of the first call for these rows, or an empty list if the call has no mask."""
    problem = session.problem
    return [_kept(session)[rows, : problem.pieces[0]]] if problem.pads else []


def _kept(session: Session) -> Tensor:
    """Return a mask of the tokens that are not padding, with a row for each entry of ``problem.pads``."""
    problem = session.problem
    positions = torch.arange(problem.time, device=session.device)
    pads = torch.tensor(problem.pads, device=session.device)[:, None]
    if problem.side == "left":
        return positions >= pads
    return (positions < problem.pieces[0] - pads) | (positions >= problem.pieces[0])


def first_use(session: Session) -> Rows:
    """Return the outputs of a run without a state or, if a state is used twice, of its first use."""
    tokens = session.tokens()
    if session.problem.way != "state":
        return list(session.read(tokens, session.problem.pieces)[0])
    begin = session.problem.pieces[0]
    _, state = session.run(tokens[:, :begin])
    return list(session.run(tokens[:, begin:], state)[0])


def second_use(session: Session) -> Rows:
    """Return the outputs of a second run after other tokens were read.

    ``problem.way`` is the object that is used a second time: the model, a cleared state, or the state before
    the other tokens.
    """
    tokens, between = session.tokens(), session.between()
    if session.problem.way == "state":
        begin = session.problem.pieces[0]
        _, state = session.run(tokens[:, :begin])
        session.read(between, session.problem.before, state)
        return list(session.run(tokens[:, begin:], state)[0])
    for _ in range(session.problem.uses):
        _, state = session.read(between, session.problem.before)
    again = session.clear(state) if session.problem.way == "cleared" else None
    return list(session.read(tokens, session.problem.pieces, again)[0])


def reordered(session: Session) -> Rows:
    """Reorder or select rows of the state between the calls, and return the outputs of the last call."""
    problem = session.problem
    first, *rest = torch.split(session.tokens(), list(problem.pieces), 1)
    rows = problem.prompt_rows
    masks = _first_mask(session, slice(rows))
    outputs, state = session.read(first[:rows], problem.pieces[:1], masks=masks)
    for piece, order in zip(rest, problem.orders, strict=True):
        if order:
            state, rows = session.reorder(state, order), len(order)
        outputs, state = session.run(piece[:rows], state)
    return list(outputs)


def in_that_order(session: Session) -> Rows:
    """Run the batch as if its rows had always been in the last order, and return the last call's outputs."""
    problem = session.problem
    pieces = torch.split(session.tokens(), list(problem.pieces), 1)
    last = next((len(order) for order in reversed(problem.orders) if order), problem.prompt_rows)
    rows = list(range(last))
    read = [pieces[-1][rows]]
    for piece, order in zip(pieces[-2::-1], reversed(problem.orders), strict=True):
        rows = [order[row] for row in rows] if order else rows
        read.insert(0, piece[rows])
    outputs, _ = session.read(torch.cat(read, 1), problem.pieces, masks=_first_mask(session, rows))
    return list(outputs[:, -problem.pieces[-1] :])


def without_detour(session: Session) -> Rows:
    """Run the tokens without a detour, and return the outputs that a run with the detour also returns.

    They are the outputs after the first call and after the tokens that the detour shares.
    """
    pieces = session.problem.pieces
    outputs, _ = session.read(session.tokens(), pieces)
    return list(outputs[:, pieces[0] + session.problem.shared :])


def rewound(session: Session) -> Rows:
    """Read other tokens after the first call, rewind the state, and return the remaining outputs."""
    problem, tokens, between = session.problem, session.tokens(), session.between()
    begin, shared = problem.pieces[0], problem.shared
    if problem.way == "one call":
        _, state = session.run(torch.cat([tokens[:, :begin], between], 1))
    else:
        _, state = session.read(torch.cat([tokens[:, :begin], between], 1), (begin, *problem.before))
    state = session.rewind(state, between.shape[1] - shared)
    return list(session.read(tokens[:, begin + shared :], _rest(problem), state)[0])


def restored(session: Session) -> Rows:
    """Read other tokens after a snapshot of the state, then return the outputs from the snapshot on.

    ``problem.way`` selects the state that reads the other tokens:

    - ``restored``: the original state. The run continues from the restored snapshot.
    - ``original``: the restored snapshot. The run continues from the original state.
    - ``twice``: both states. The run continues from the snapshot, restored a second time.
    """
    problem, tokens = session.problem, session.tokens()
    begin = problem.pieces[0]
    _, state = session.run(tokens[:, :begin])
    snapshot = session.snapshot(state)
    if problem.way != "original":
        session.read(session.between(), problem.before, state)
        state = session.restore(snapshot)
    if problem.way != "restored":
        other = state if problem.way == "twice" else session.restore(snapshot)
        session.read(session.between(), problem.before, other)
    if problem.way == "twice":
        state = session.restore(snapshot)
    return list(session.read(tokens[:, begin:], problem.pieces[1:], state)[0])


def _rest(problem: StatefulProblem) -> tuple[int, ...]:
    """Return the lengths of the calls that remain after the first call and the shared tokens."""
    _, second, *others = problem.pieces
    return (second - problem.shared, *others)


def _rewind_in_words(problem: StatefulProblem, row: int) -> tuple[str, str]:
    back = sum(problem.before) - problem.shared
    read = "in the call of" if problem.way == "one call" else "after"
    other = f"{problem.detour()}, read {read} the first {problem.pieces[0]}"
    return f"from a state that was rewound by {back} after {other}", "without rewinding"


def _snapshot_in_words(problem: StatefulProblem, row: int) -> tuple[str, str]:
    words = {
        "restored": f"from a snapshot that was restored after {problem.detour()}",
        "twice": f"from a snapshot that was restored a second time, each time after {problem.detour()}",
        "original": f"from a state after {problem.detour()} were read from its restored snapshot",
    }
    return words[problem.way], "without a snapshot"


def _gradient_in_words(problem: StatefulProblem, row: int) -> tuple[str, str]:
    of = {
        LAST: ", where only the last token's output has a weight",
        STATE: f", from the state after {problem.pieces[0]}",
    }.get(problem.way, "")
    return f"{problem.cut()}{of}", "in one call"


def _reuse_in_words(problem: StatefulProblem, row: int) -> tuple[str, str]:
    tokens = problem.detour()
    again = "second" if problem.uses == 1 else "later"
    return {
        "model": (f"in a {again} use, after {tokens}", "in the first use"),
        "cleared": (f"from a state that was cleared after {tokens}", "from no state"),
        "state": (f"in a second use of the state, after {tokens} from it", "in the first use of the state"),
    }[problem.way]


def _pads_in_words(problem: StatefulProblem, row: int) -> tuple[str, str]:
    if not any(problem.pads):
        return "with a mask that is true everywhere", "without a mask"
    pad = problem.pads[row]
    tokens = f"{pad} token{'' if pad == 1 else 's'} of padding"
    where = f"after {tokens}" if problem.side == "left" else f"with {tokens} on the right"
    return where if pad else "in a batch with a padded row", "without padding"


LAWS = {
    law.kind: law
    for law in (
        Law("pieces", in_one_call, in_pieces, lambda problem, row: (problem.cut(), "whole"), shortest=2),
        Law("batch", alone, in_pieces, lambda p, row: (f"in a batch of {p.batch}", "alone"), rows=2),
        Law("padding", unpadded, padded, _pads_in_words, shortest=2),
        Law("reuse", first_use, second_use, _reuse_in_words),
        Law(
            "reorder",
            in_that_order,
            reordered,
            lambda problem, row: (problem.reordered(), "with the rows in that order from the beginning"),
            rows=2,
            shortest=2,
        ),
        Law("rewind", without_detour, rewound, _rewind_in_words, shortest=2),
        Law("snapshot", without_detour, restored, _snapshot_in_words, shortest=2),
        Law(
            "gradient",
            lambda session: gradients(session, None),
            lambda session: gradients(session, later_pieces(session.problem)),
            _gradient_in_words,
            shortest=2,
            longest=257,
            names=names,
        ),
    )
}
"""The laws, keyed by kind."""
