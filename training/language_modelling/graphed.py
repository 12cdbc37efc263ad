"""Training steps of a language model on a window (consecutive words of a text) as CUDA graphs.

The forward pass and the backward pass are one launch each, so that the GPU does not wait for the CPU between
hundreds of small kernels.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from training.engine.noise import Noise
from training.language_modelling.network import LanguageModel, State

Read = tuple[Tensor, Tensor, Tensor, Tensor]


class Window(nn.Module):
    """A module that computes the losses of a window and the next state from tensors only.

    Args:
        network: the language model.
        parts: the number of tensors in each layer's state.
    """

    def __init__(self, network: LanguageModel, parts: list[int]) -> None:
        super().__init__()
        self.network, self.parts = network, parts

    def forward(
        self, ids: Tensor, following: Tensor, step: Tensor, examples: Tensor, *state: Tensor
    ) -> tuple[Tensor, ...]:
        """Return the losses, shape ``(B,)``, and the tensors of the next state, detached.

        Args:
            ids: word indices, shape ``(T, B)``.
            following: the index of the word after each word, shape ``(T, B)``.
            step: the key of the step's noise, shape ``(1,)``.
            examples: the indices of the columns in the training set, shape ``(B,)``.
            state: the tensors of the states of all layers in order, each of shape ``(1, B, d)``.
        """
        tensors = iter(state)
        before: State = [tuple(next(tensors) for _ in range(part)) for part in self.parts]
        scores, after = self.network(ids, before, Noise.of_step(step, examples))
        return window_losses(scores, following), *(x.detach() for layer in after for x in layer)


class GraphedWindow:
    """A :class:`Window` that is captured at its first call; later calls must have the same shapes."""

    def __init__(self, network: LanguageModel) -> None:
        self.network = network
        self.captured: Any = None

    def __call__(self, read: Read, state: State) -> tuple[Tensor, State]:
        """Return the losses and the next state; the next call overwrites all of these tensors.

        Args:
            read: the first four arguments of :meth:`Window.forward`.
            state: the state before the first word.
        """
        arguments = (*read, *(x for layer in state for x in layer))
        if self.captured is None:
            parts = [len(layer) for layer in state]
            capture: Any = torch.cuda.make_graphed_callables
            # gradients are captured on a separate stream, which is intended
            torch.autograd.graph.set_warn_on_accumulate_grad_stream_mismatch(False)
            self.captured = capture(Window(self.network, parts), tuple(x.clone() for x in arguments))
        losses, *after = self.captured(*arguments)
        tensors = iter(after)
        return losses, [tuple(next(tensors) for _ in layer) for layer in state]


def window_losses(scores: Tensor, following: Tensor) -> Tensor:
    """Return the cross-entropies of a window, summed over its words, shape ``(B,)``."""
    every = functional.cross_entropy(scores.flatten(0, 1), following.flatten(), reduction="none")
    return every.view(following.shape).sum(0)
