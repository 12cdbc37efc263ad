"""The laws: for each two ways to ask a model for the same, the plain one first."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from ratproof.laws.models.problem import StatefulProblem
from ratproof.laws.models.session import Session

Rows = list[Tensor]
"""The outputs of each row that are compared, those for its last tokens."""
Way = Callable[[Session], Rows]
Words = Callable[[StatefulProblem, int], tuple[str, str]]


@dataclass(frozen=True)
class Law:
    """Two ways that give the same.

    Attributes:
        kind: of evidence.
        plain, other: the two ways.
        words: for a problem and a row, the two ways in words: the other one, and the plain one.
        rows: so many at least.
        shortest: tokens at least.
    """

    kind: str
    plain: Way
    other: Way
    words: Words
    rows: int = 1
    shortest: int = 1


def whole(session: Session) -> Rows:
    """All tokens in one call."""
    return list(session.run(session.tokens())[0])


def in_pieces(session: Session) -> Rows:
    """In several calls, the state handed from one to the next."""
    return list(session.read(session.tokens(), session.problem.pieces)[0])


def alone(session: Session) -> Rows:
    """Each row by itself, read by a fresh model."""
    tokens, pieces = session.tokens(), session.problem.pieces
    return [session.anew().read(tokens[row : row + 1], pieces)[0][0] for row in range(len(tokens))]


def unpadded(session: Session) -> Rows:
    """Each row by itself, without what is padding in it, read by a fresh model."""
    first, *rest = session.problem.pieces
    tokens, kept = session.tokens(), _kept(session)
    return [
        session.anew().read(tokens[row : row + 1, kept[row]], (first - pad, *rest))[0][0]
        for row, pad in enumerate(session.problem.pads)
    ]


def padded(session: Session) -> Rows:
    """All rows in a batch, the first or the last tokens of their first call masked. A mask that masks nothing
    is given with each call.
    """
    pieces, kept = session.problem.pieces, _kept(session)
    masks = torch.split(kept, list(pieces), 1)
    outputs, _ = session.read(
        session.tokens(), pieces, masks=masks[:1] if any(session.problem.pads) else masks
    )
    return [row[mask] for row, mask in zip(outputs, kept, strict=True)]


def _kept(session: Session) -> Tensor:
    """Return which tokens of each row are no padding, of shape ``(B, T)``."""
    problem = session.problem
    positions = torch.arange(problem.time, device=session.device)
    pads = torch.tensor(problem.pads, device=session.device)[:, None]
    if problem.side == "left":
        return positions >= pads
    return (positions < problem.pieces[0] - pads) | (positions >= problem.pieces[0])


def first_use(session: Session) -> Rows:
    """From no state; where a state is used again, its first use."""
    tokens = session.tokens()
    if session.problem.way != "state":
        return list(session.read(tokens, session.problem.pieces)[0])
    begin = session.problem.pieces[0]
    _, state = session.run(tokens[:, :begin])
    return list(session.run(tokens[:, begin:], state)[0])


def second_use(session: Session) -> Rows:
    """The same after other tokens: of the model, from a cleared state, or from a state that they began at."""
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
    """The rows of the state take another order, or another number, between calls; the last call's outputs."""
    problem = session.problem
    first, *rest = torch.split(session.tokens(), list(problem.pieces), 1)
    outputs, state = session.run(first[: problem.prompt_rows])
    rows = problem.prompt_rows
    for piece, order in zip(rest, problem.orders, strict=True):
        if order:
            state, rows = session.reorder(state, order), len(order)
        outputs, state = session.run(piece[:rows], state)
    return list(outputs)


def in_that_order(session: Session) -> Rows:
    """What each of the last rows has read, in that order from the beginning; the last call's outputs."""
    problem = session.problem
    pieces = torch.split(session.tokens(), list(problem.pieces), 1)
    last = next((len(order) for order in reversed(problem.orders) if order), problem.prompt_rows)
    rows = list(range(last))
    read = [pieces[-1][rows]]
    for piece, order in zip(pieces[-2::-1], reversed(problem.orders), strict=True):
        rows = [order[row] for row in rows] if order else rows
        read.insert(0, piece[rows])
    outputs, _ = session.read(torch.cat(read, 1), problem.pieces)
    return list(outputs[:, -problem.pieces[-1] :])


def _reuse_in_words(problem: StatefulProblem, row: int) -> tuple[str, str]:
    number = sum(problem.before)
    tokens = f"{number} other token{'' if number == 1 else 's'}"
    if problem.uses > 1:
        tokens = f"{problem.uses} uses of {tokens}"
    elif problem.before_rows not in (0, problem.batch):
        tokens += f" in a batch of {problem.before_rows}"
    again = "second" if problem.uses == 1 else "later"
    return {
        "model": (f"in a {again} use, after {tokens}", "in the first use"),
        "cleared": (f"from a state that was cleared after {tokens}", "from no state"),
        "state": (f"in a second use of the state, after {tokens} from it", "in the first use of the state"),
    }[problem.way]


def _pads_in_words(problem: StatefulProblem, row: int) -> tuple[str, str]:
    if not any(problem.pads):
        return "with a mask that masks nothing", "without a mask"
    pad = problem.pads[row]
    tokens = f"{pad} token{'' if pad == 1 else 's'} of padding"
    where = f"after {tokens}" if problem.side == "left" else f"with {tokens} on the right"
    return where if pad else "beside a row with padding", "without padding"


LAWS = {
    law.kind: law
    for law in (
        Law("pieces", whole, in_pieces, lambda problem, row: (problem.cut(), "whole"), shortest=2),
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
    )
}
"""The laws, by kind."""
