"""The automaton of a state-regularized network, by asking its cells at each centroid (Theorem 3.2): in balls,
and how far torch's floats may be from that.

A state is a tuple with a centroid for each layer: the product automaton. A cell state c, of an LSTM, is no
part of it: every answer is asked for all c that strings can lead to, as one ball, and holds whatever c is.

With equation 5 the hidden state is a mixture. Let alpha of the automaton's centroid be at least 1 - epsilon
in each layer: then h is within epsilon of it, times the largest difference of two centroids. Where from all
such h the next alpha is at least 1 - epsilon too, in floats as well as exactly, it is so after every string.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import flint
import numpy as np
import torch
from flint import arb
from torch import Tensor

from automata.aliases import Floats
from neural.rounding import FUNCTION_ROUNDINGS, format_of
from neural.state_regularized.layers import SRCell
from neural.tracked import RunningErrorTensor, tracking
from ratproof.implementations.state_regularized import ball_cells

State = tuple[int, ...]
"""A centroid of each layer, from 0."""
EPSILONS = (2.0**-40, 2.0**-14, 2.0**-7, 2.0**-4)
"""How much of alpha may be off, tried in turn: the less it is, the nearer h is to its centroid."""
OUTWARD = 1 + 2.0**-40


@dataclass(frozen=True)
class TableAnswer:
    """What a cell says at a centroid, for an input.

    Attributes:
        place: the most similar centroid, by exact arithmetic; ``None`` where balls overlap.
        gap: by how much it is more similar than any other, at least, in exact arithmetic and in torch's
            floats, beyond what a division by the temperature and a softmax may round away.
    """

    place: int | None
    gap: float


class TableQuestion:
    """The answers of a network's cells, each asked for once.

    Args:
        kind: of the cells.
        cells: of the layers, the first one first.
        longest: the most symbols that are read, which bounds c.
    """

    def __init__(self, kind: str, cells: Sequence[SRCell], longest: int) -> None:
        self.kind, self.cells, self.longest = kind, cells, longest
        form = format_of(cells[0].component.centroids.dtype)
        self.unit, self.tiny = form.unit, form.tiny
        self.parameters: list[Mapping[str, Floats]] = [
            {name: values.detach().double().cpu().numpy() for name, values in cell.state_dict().items()}
            for cell in cells
        ]
        self._answers: dict[tuple[int, int, bytes, float], TableAnswer] = {}

    def after(self, state: State, inputs: Tensor, epsilon: float = 0.0) -> tuple[State | None, float]:
        """The state after an input, shape ``(input_size,)``; ``None`` where it is not settled. And the least
        gap of the layers.

        With ``epsilon`` each layer's h, and so the input of the layer above, may be that far off.
        """
        after: list[int] = []
        least, off = math.inf, 0.0
        for layer, place in enumerate(state):
            answer = self._ask(layer, place, inputs, epsilon, off)
            least = min(least, answer.gap)
            if answer.place is None or not answer.gap > 0:
                return None, least
            after.append(answer.place)
            inputs = self.cells[layer].component.centroids[:, answer.place].detach()
            off = self.slack(layer, epsilon)
        return tuple(after), least

    def slack(self, layer: int, epsilon: float) -> float:
        """How far a mixture may be from the centroid that has alpha >= 1 - epsilon, in any number: the others
        pull it by the largest difference, and alpha and the sum are rounded.
        """
        if not epsilon:
            return 0.0
        centroids = self.parameters[layer]["component.centroids"]
        apart = float((centroids.max(axis=1) - centroids.min(axis=1)).max())
        rounded = 8 * centroids.shape[1] * self.unit * float(abs(centroids).max())
        off: float = (epsilon * apart + rounded) * OUTWARD
        return off

    def _ask(self, layer: int, place: int, inputs: Tensor, epsilon: float, off: float) -> TableAnswer:
        key = layer, place, inputs.double().cpu().numpy().tobytes(), epsilon
        if key not in self._answers:
            exact = self._in_balls(layer, place, inputs)
            best = _greatest(exact)
            gap = 0.0
            if best is not None:
                gap = self._gap(exact, best, self._errors(layer, place, inputs, epsilon, off), layer)
            self._answers[key] = TableAnswer(best, gap)
        return self._answers[key]

    def _in_balls(self, layer: int, place: int, inputs: Tensor) -> list[Any]:
        parameters = self.parameters[layer]
        h = list(map(ball_cells.ball, parameters["component.centroids"][:, place]))
        c = None if self.cells[layer].memoryless else [arb(0, self._most)] * len(h)
        x = list(map(ball_cells.ball, inputs.double().cpu().numpy()))
        similarity = self.cells[layer].component.similarity
        return ball_cells.similarities(self.kind, similarity, parameters, h, c, x)

    def distribution(self, place: int, inputs: Tensor) -> tuple[Floats, Floats]:
        """Alpha of a first layer at a centroid (equations 2 and 3), and how far any evaluation by torch may
        be from it; infinite where that may be all of it.

        alpha_i is 1 / sum_j exp((b_j - b_i) / tau). Of b less its greatest, over tau, two numbers and three
        operations more are rounded; of the softmax, two functions, a sum of k terms and a quotient.
        """
        tau = self.cells[0].component.temperature
        with flint.ctx.workprec(ball_cells.PRECISION):
            exact = self._in_balls(0, place, inputs)
            alpha = [1 / ball_cells.total(((other - b) / arb(tau)).exp() for other in exact) for b in exact]
        size = max(abs(float(b)) for b in exact)
        errors = float(self._errors(0, place, inputs, 0.0, 0.0).max())
        off = 2 * ((errors + 8 * self.unit * (size + errors)) / tau * OUTWARD + 8 * self.tiny)
        values = np.array([float(p) for p in alpha])
        if off >= 1:
            return values, np.full(len(values), np.inf)
        relative = math.expm1(off) + (len(values) + 2 * FUNCTION_ROUNDINGS + 4) * self.unit * math.exp(off)
        return values, (values * relative + 8 * self.tiny) * OUTWARD

    @property
    def _most(self) -> float:
        """|c| grows by at most 1 a symbol: f is at most 1, and so are i and g."""
        return self.longest + 1.0

    def _gap(self, exact: list[Any], best: int, errors: Floats, layer: int) -> float:
        """By how much the similarity of ``best`` exceeds all others, at least, in any evaluation that may be
        that far off; and not by rounding of the softmax alone. What torch computes is not asked: a wrong cell
        is to be refuted, and not left out.
        """
        low = np.array([float(b.lower()) for b in exact]) - errors
        high = np.array([float(b.upper()) for b in exact]) + errors
        tau = self.cells[layer].component.temperature
        rounded = self.unit * (8 * float(np.abs(high).max()) + 64 * tau)
        apart: float = (low[best] - np.delete(high, best).max()).item()
        return apart * (1 - 2.0**-40) - rounded

    def _errors(self, layer: int, place: int, inputs: Tensor, epsilon: float, off: float) -> Floats:
        """How far any evaluation by torch may be from the similarities at the centroid, where the state and
        the input are that far off.
        """
        cell = self.cells[layer]
        h, *more = (part.detach() for part in cell.at_centroid(place))
        slack = torch.full(h.shape, self.slack(layer, epsilon), dtype=torch.float64, device=h.device)
        state = [
            RunningErrorTensor(h, slack),
            *(RunningErrorTensor(c, torch.full_like(slack, self._most)) for c in more),
        ]
        x = inputs.unsqueeze(0)
        around = RunningErrorTensor(x, torch.full(x.shape, off, dtype=torch.float64, device=x.device))
        with torch.no_grad(), tracking():
            u, *_ = cell.part.step(cell.part.read(around), tuple(state))  # type: ignore[arg-type]
            b: Any = cell.component.similarities(u)
        errors: Floats = b.error[0].double().cpu().numpy()
        return 2 * errors  # another evaluation's own error is like this one's


def _greatest(balls: Sequence[Any]) -> int | None:
    """The place of the ball that is greater than all others; ``None`` where they overlap."""
    for place, ball in enumerate(balls):
        if all(place == i or ball > other for i, other in enumerate(balls)):
            return place
    return None


def settled(
    asked: TableQuestion, inputs: Mapping[str, Tensor], string: Sequence[str], start: State
) -> list[State] | None:
    """The states of the limit network after each prefix; ``None`` where one is not settled."""
    states = [start]
    for x in string:
        after, _ = asked.after(states[-1], inputs[x])
        if after is None:
            return None
        states.append(after)
    return states


def followed(
    asked: TableQuestion, inputs: Mapping[str, Tensor], start: State, temperature: float
) -> float | None:
    """How much of alpha may be off the automaton's centroid after any string, with equation 5 at that
    temperature; ``None`` where no such number is known.

    Args:
        asked: the cells.
        inputs: of each symbol.
        start: the first state.
        temperature: tau.
    """
    for epsilon in EPSILONS:
        if _closes(asked, inputs, start, temperature, epsilon):
            return epsilon
    return None


def _closes(
    asked: TableQuestion, inputs: Mapping[str, Tensor], start: State, tau: float, epsilon: float
) -> bool:
    k, waiting, seen = asked.cells[0].component.k, [start], {start}
    for state in waiting:
        for x in inputs.values():
            after, gap = asked.after(state, x, epsilon)
            if after is None or (k - 1) * math.exp(-gap / tau * (1 - 2.0**-20)) * (1 + 2.0**-10) > epsilon:
                return False
            if after not in seen:
                seen.add(after)
                waiting.append(after)
    return True


def always_certain(
    asked: TableQuestion, inputs: Mapping[str, Tensor], start: State, temperature: float
) -> bool:
    """Is every alpha that strings lead to 1 for one centroid in floats, and 0 for the others? Then nothing is
    left to chance where equation 4 samples.
    """
    nothing = 200 if asked.unit > 2.0**-50 else 1000  # e^-nothing is 0 in the format
    waiting, seen = [start], {start}
    for state in waiting:
        for x in inputs.values():
            after, gap = asked.after(state, x)
            if after is None or gap / temperature < nothing:
                return False
            if after not in seen:
                seen.add(after)
                waiting.append(after)
    return True
