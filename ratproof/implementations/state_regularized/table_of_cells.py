"""The transition table of a state-regularized network, in ball arithmetic (Theorem 3.2, Wang & Niepert 2019).

Each cell is evaluated at each centroid, and the error of torch's floats is bounded.

A state of the product automaton is a tuple with one centroid per layer. It does not include the cell state c
of an LSTM. Instead, a ball covers all values of c that strings can lead to.

With equation 5 the hidden state h is a mixture of centroids. If alpha of the automaton's centroid is at least
``1 - epsilon`` in each layer, the distance of h from this centroid is at most epsilon times the largest
difference between two centroids. If the next alpha is at least ``1 - epsilon`` for all such h, in float
arithmetic and exactly, the bound holds after every string.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
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
"""The index of one centroid per layer, from 0."""
EPSILONS = (2.0**-40, 2.0**-14, 2.0**-7, 2.0**-4)
"""Bounds on 1 - alpha, which are tried in turn. A smaller bound keeps h closer to its centroid."""
OUTWARD = 1 + 2.0**-40


@dataclass(frozen=True)
class CellTableEntry:
    """The next centroid of a cell at a centroid, for one input.

    Attributes:
        centroid: Index of the most similar centroid in exact arithmetic; ``None`` if the balls overlap.
        gap: Lower bound on how much this centroid's similarity exceeds every other, in exact arithmetic and
            in torch's floats. The rounding of the division by the temperature and of the softmax is
            subtracted.
    """

    centroid: int | None
    gap: float


class CellTable:
    """The transition table of a network's cells in ball arithmetic, computed on demand and cached.

    Args:
        kind: Kind of the cells.
        cells: One cell per layer, in order.
        longest: Maximum number of symbols that are read, which bounds c.
    """

    def __init__(self, kind: str, cells: Sequence[SRCell], longest: int) -> None:
        self.kind, self.cells, self.longest = kind, cells, longest
        form = format_of(cells[0].component.centroids.dtype)
        self.unit, self.tiny = form.unit, form.tiny
        self.parameters: list[Mapping[str, Floats]] = [
            {name: values.detach().double().cpu().numpy() for name, values in cell.state_dict().items()}
            for cell in cells
        ]
        self._entries: dict[tuple[int, int, bytes, float], CellTableEntry] = {}

    def after(self, state: State, inputs: Tensor, epsilon: float = 0.0) -> tuple[State | None, float]:
        """Return the state after one input, and a lower bound on the margin between similarities.

        Args:
            state: Index of the centroid of each layer.
            inputs: The input, shape ``(input_size,)``.
            epsilon: Bound on 1 - alpha of each layer's centroid, which also bounds the errors of h and of the
                input of the next layer.

        Returns:
            The next state, or ``None`` if it is not determined; and the smallest gap of the layers, as in
            :class:`CellTableEntry`.
        """
        after: list[int] = []
        least, off = math.inf, 0.0
        for layer, centroid in enumerate(state):
            answer = self._entry(layer, centroid, inputs, epsilon, off)
            least = min(least, answer.gap)
            if answer.centroid is None or not answer.gap > 0:
                return None, least
            after.append(answer.centroid)
            inputs = self.cells[layer].component.centroids[:, answer.centroid].detach()
            off = self.slack(layer, epsilon)
        return tuple(after), least

    def slack(self, layer: int, epsilon: float) -> float:
        """Bound the difference in each component between centroid i and a mixture with a large alpha_i.

        alpha_i is at least ``1 - epsilon``. The other centroids change the mixture by at most epsilon times
        the largest difference of two centroids. In addition, alpha and the sum are rounded.
        """
        if not epsilon:
            return 0.0
        centroids = self.parameters[layer]["component.centroids"]
        distance = float((centroids.max(axis=1) - centroids.min(axis=1)).max())
        rounded = 8 * centroids.shape[1] * self.unit * float(abs(centroids).max())
        off: float = (epsilon * distance + rounded) * OUTWARD
        return off

    def _entry(self, layer: int, centroid: int, inputs: Tensor, epsilon: float, off: float) -> CellTableEntry:
        key = layer, centroid, inputs.double().cpu().numpy().tobytes(), epsilon
        if key not in self._entries:
            exact = self._in_balls(layer, centroid, inputs)
            best = _greatest(exact)
            gap = 0.0
            if best is not None:
                gap = self._gap(exact, best, self._errors(layer, centroid, inputs, epsilon, off), layer)
            self._entries[key] = CellTableEntry(best, gap)
        return self._entries[key]

    def _in_balls(self, layer: int, centroid: int, inputs: Tensor) -> list[Any]:
        parameters = self.parameters[layer]
        h = list(map(ball_cells.ball, parameters["component.centroids"][:, centroid]))
        c = None if self.cells[layer].memoryless else [arb(0, self._most)] * len(h)
        x = list(map(ball_cells.ball, inputs.double().cpu().numpy()))
        similarity = self.cells[layer].component.similarity
        return ball_cells.similarities(self.kind, similarity, parameters, h, c, x)

    def distribution(self, centroid: int, inputs: Tensor) -> tuple[Floats, Floats]:
        """Return alpha of a first layer at a centroid (equations 2 and 3), and a bound on torch's error.

        The bound is infinite if the error of an argument of exp may be 1 or more.

        alpha_i is 1 / sum_j exp((b_j - b_i) / tau). The argument of exp is rounded in two values and three
        operations, and the softmax in two functions, a sum of k terms and a quotient.
        """
        tau = self.cells[0].component.temperature
        with flint.ctx.workprec(ball_cells.PRECISION):
            exact = self._in_balls(0, centroid, inputs)
            alpha = [1 / ball_cells.total(((other - b) / arb(tau)).exp() for other in exact) for b in exact]
        size = max(abs(float(b)) for b in exact)
        errors = float(self._errors(0, centroid, inputs, 0.0, 0.0).max())
        off = 2 * ((errors + 8 * self.unit * (size + errors)) / tau * OUTWARD + 8 * self.tiny)
        values = np.array([float(p) for p in alpha])
        if off >= 1:
            return values, np.full(len(values), np.inf)
        relative = math.expm1(off) + (len(values) + 2 * FUNCTION_ROUNDINGS + 4) * self.unit * math.exp(off)
        return values, (values * relative + 8 * self.tiny) * OUTWARD

    @property
    def _most(self) -> float:
        """Return a bound on |c|, which grows by at most 1 per symbol because f, i and |g| are at most 1."""
        return self.longest + 1.0

    def _gap(self, exact: list[Any], best: int, errors: Floats, layer: int) -> float:
        """Return a lower bound on how much the similarity of the centroid ``best`` exceeds every other.

        The rounding of the softmax is subtracted. The bound holds for any evaluation within ``errors``. It
        does not use torch's result, because a wrong cell must be refuted rather than skipped.
        """
        low = np.array([float(b.lower()) for b in exact]) - errors
        high = np.array([float(b.upper()) for b in exact]) + errors
        tau = self.cells[layer].component.temperature
        rounded = self.unit * (8 * float(np.abs(high).max()) + 64 * tau)
        margin: float = (low[best] - np.delete(high, best).max()).item()
        return margin * (1 - 2.0**-40) - rounded

    def _errors(self, layer: int, centroid: int, inputs: Tensor, epsilon: float, off: float) -> Floats:
        """Return bounds on the errors of torch's similarities at a centroid.

        The errors of the state are at most :meth:`slack`, and those of the input at most ``off``.
        """
        cell = self.cells[layer]
        h, *more = (part.detach() for part in cell.at_centroid(centroid))
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
        return 2 * errors  # another evaluation has an error of at most the same size


def _greatest(balls: Sequence[Any]) -> int | None:
    """Return the index of the ball that is greater than all others, or ``None`` if they overlap."""
    for index, ball in enumerate(balls):
        if all(index == i or ball > other for i, other in enumerate(balls)):
            return index
    return None


def settled(
    cell_table: CellTable, inputs: Mapping[str, Tensor], string: Sequence[str], start: State
) -> list[State] | None:
    """Return the states of the network for temperature -> 0 after each prefix of a string.

    The result is ``None`` if a state could not be determined.
    """
    states = [start]
    for x in string:
        after, _ = cell_table.after(states[-1], inputs[x])
        if after is None:
            return None
        states.append(after)
    return states


def followed(
    cell_table: CellTable, inputs: Mapping[str, Tensor], start: State, temperature: float
) -> float | None:
    """Return a bound on 1 - alpha that holds after every string, for equation 5 at this temperature.

    alpha is the weight of the automaton's centroid in the network's state.

    Args:
        cell_table: The cells.
        inputs: The input of each symbol.
        start: The first state.
        temperature: tau.

    Returns:
        The first of :data:`EPSILONS` that is proved to hold, or ``None`` if none is.
    """
    for epsilon in EPSILONS:
        if _closes(cell_table, inputs, start, temperature, epsilon):
            return epsilon
    return None


def transitions(
    cell_table: CellTable, inputs: Mapping[str, Tensor], start: State, epsilon: float = 0.0
) -> Iterator[tuple[State, str, State | None, float]]:
    """Yield a state, a symbol, and the two results of :meth:`CellTable.after`, for all reachable states."""
    waiting = [start]
    for state in waiting:
        for symbol, x in inputs.items():
            after, gap = cell_table.after(state, x, epsilon)
            if after is not None and after not in waiting:
                waiting.append(after)
            yield state, symbol, after, gap


def _closes(
    cell_table: CellTable, inputs: Mapping[str, Tensor], start: State, tau: float, epsilon: float
) -> bool:
    k = cell_table.cells[0].component.k
    return all(
        after is not None and (k - 1) * math.exp(-gap / tau * (1 - 2.0**-20)) * (1 + 2.0**-10) <= epsilon
        for _, _, after, gap in transitions(cell_table, inputs, start, epsilon)
    )


def always_certain(
    cell_table: CellTable, inputs: Mapping[str, Tensor], start: State, temperature: float
) -> bool:
    """Return whether the float alpha is 1 for one centroid and 0 for the others after every string.

    If so, sampling by equation 4 is deterministic.
    """
    nothing = 200 if cell_table.unit > 2.0**-50 else 1000  # exp(-nothing) underflows to 0 in the dtype
    return all(
        after is not None and not gap / temperature < nothing
        for _, _, after, gap in transitions(cell_table, inputs, start)
    )
