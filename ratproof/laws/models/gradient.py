"""The law of gradients: splitting a sequence into several calls does not change its gradients.

The differentiated function is a weighted sum of outputs. Its gradients are compared for all parameters, for
inputs that are vectors, and for the tensors of the state from which the calls start. Final states are not
compared, because a model may represent equal states in different ways. They are tested indirectly: if only
the last output has a weight, its gradients reach earlier calls only through the states.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import torch
from torch import Tensor, nn
from torch.utils._pytree import tree_leaves, tree_map

from ratproof.laws.models.copies import parameters
from ratproof.laws.models.model import State
from ratproof.laws.models.precision import real_parts, unit_of
from ratproof.laws.models.problem import StatefulProblem
from ratproof.laws.models.session import Session, Unusable

ALL, LAST, STATE = "all outputs", "the last output", "a state"
"""The possible values of ``StatefulProblem.way`` for the law of gradients: which outputs have weights.

With ``STATE``, all outputs have weights, but only the calls after the first one are differentiated.
"""


WEIGHTS = 2
"""The seed of the perturbation of the weights; those of the inputs are 0 and 1."""


def gradients(session: Session, pieces: Sequence[int] | None) -> list[Tensor]:
    """Return the gradients in the order of :func:`names`; complex ones have a last axis for their two parts.

    Args:
        session: A session of a fresh model.
        pieces: The lengths of the calls, or None for one call of all tokens.
    """
    problem, tokens = session.problem, session.tokens()
    begin = problem.pieces[0] if problem.way == STATE else 0
    state = None
    if begin:
        _, state = session.run(tokens[:, :begin])
        state = tree_map(_leaf, state)
    read = tokens[:, begin:]
    read = read.clone().requires_grad_(read.is_floating_point())
    of: list[Tensor] = [p for p in parameters(session.model) if p.requires_grad]
    of += [leaf for leaf in tree_leaves((read, state)) if isinstance(leaf, Tensor) and leaf.requires_grad]
    session.differentiable = True
    outputs, _ = session.read(
        _usable(read), (read.shape[1],) if pieces is None else pieces, tree_map(_usable, state)
    )
    # without perturbed weights, rounding in the gradient of a linear function would not be measured
    weights = session.placed(_weights(problem, outputs), WEIGHTS)
    return list(map(real_parts, session.derivative(outputs, weights, of)))


def later_pieces(problem: StatefulProblem) -> tuple[int, ...]:
    """Return the lengths of the calls through which gradients are computed."""
    return problem.pieces[1:] if problem.way == STATE else problem.pieces


def names(session: Session) -> list[str]:
    """Return the names of the tensors whose gradients are compared."""
    module = session.model.module
    named = [] if module is None else list(module.named_parameters())
    own = [name for name, parameter in named if parameter.requires_grad]
    tokens = session.tokens()
    if tokens.is_floating_point():
        own.append("inputs")
    begin = session.problem.pieces[0] if session.problem.way == STATE else 0
    if begin:
        _, state = session.run(tokens[:, :begin])
        leaves = [leaf for leaf in tree_leaves(state) if _differentiable(leaf)]
        own += [f"state[{index}]" for index in range(len(leaves))]
    return own


def has_gradients(session: Session) -> bool:
    """Return whether gradients can be computed for a small problem, and flow through the states.

    Gradients do not flow if a model detaches its states to truncate gradients on purpose.
    """
    try:
        if not any(bool(flow.any()) for flow in gradients(session, session.problem.pieces)):
            return False
        session.differentiable = True
        tokens = session.tokens()
        _, state = session.run(tokens.requires_grad_(tokens.is_floating_point()))
    except (Unusable, RuntimeError, AssertionError):  # torch asserts that it was built for the device
        return False
    return any(tensor.requires_grad for tensor in _tensors(state))


def _tensors(value: object) -> Iterator[Tensor]:
    """Yield all tensors in a state, including those in attributes of its objects."""
    for leaf in tree_leaves(value):
        if isinstance(leaf, Tensor):
            yield leaf
        elif hasattr(leaf, "__dict__") and not isinstance(leaf, nn.Module | type):
            yield from _tensors(dict(vars(leaf)))


def _differentiable(value: object) -> bool:
    return isinstance(value, Tensor) and unit_of(value.dtype) > 0


def _leaf(value: object) -> object:
    return value.detach().clone().requires_grad_() if _differentiable(value) else value  # type: ignore[attr-defined]


def _usable(value: State) -> State:
    """Return a copy of a leaf, because a model cannot modify a leaf in place."""
    return value.clone() if isinstance(value, Tensor) and value.requires_grad else value


def _weights(problem: StatefulProblem, outputs: Tensor) -> Tensor:
    """Return normally distributed weights of all outputs, or of the last token's output only."""
    generator = torch.Generator().manual_seed(problem.seed ^ 0x9E3779B9)
    weights = torch.randn(outputs.shape, generator=generator, dtype=torch.float64)
    if problem.way == LAST:
        weights[:, :-1] = 0.0
    return weights
