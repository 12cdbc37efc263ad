"""Language modelling as a task of the training engine.

An example is one column of the text in one window. The recurrent state passes from each window to the next.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn
from torch.nn import functional

from automata.errors import InputError
from training.engine.noise import Noise
from training.language_modelling.corpus import LanguageCorpus, columns
from training.language_modelling.graphed import GraphedWindow, window_losses
from training.language_modelling.network import LanguageModel, State

COLUMNS = 1
"""The axis of the text's columns in the tensors of a state."""
AT_ONCE = {"cpu": 512, "cuda": 8192}
"""The number of words of the dev and test sets that are processed at once, by device."""
GRAPHED = ("32-true", "tf32")
"""The precisions in which windows run as CUDA graphs; other precisions cast the weights in each step."""


def perplexity(loss: float) -> float:
    """Return the perplexity of a mean cross-entropy in nats; it is limited, so that JSON can represent it."""
    return math.exp(min(loss, 700.0))


class LanguageTask:
    """A language model and its text.

    Args:
        network: the model.
        corpus: the text.
    """

    carries = True
    finished = False
    average = 0.0

    def __init__(self, network: LanguageModel, corpus: LanguageCorpus) -> None:
        self.network: nn.Module = network
        self.settings, self.corpus = network.settings, corpus
        self.words, self.following = columns(corpus.parts["train"], self.settings.batch)
        self.windows = -(-len(self.words) // self.settings.window)
        self.state: State | None = None
        self.graphed = GraphedWindow(network)

    def batches(self, epoch: int) -> list[Tensor]:
        """Return the windows in order, each as one batch of all columns.

        The index of an example is window * columns + column.
        """
        count = self.settings.batch
        return [torch.arange(count) + count * window for window in range(self.windows)]

    def losses(self, network: nn.Module, examples: Tensor, noise: Noise) -> Tensor:
        """Return the cross-entropy of each column, summed over the window's words, shape ``(B,)``."""
        count, steps = self.settings.batch, self.settings.window
        window, chosen = int(examples[0]) // count, examples % count
        there, device = slice(window * steps, (window + 1) * steps), noise.examples.device
        ids, following = (x[there][:, chosen].to(device) for x in (self.words, self.following))
        state = self._state_of_columns(chosen) if window else self._start(len(chosen))
        if self._is_graphed(network, ids) and state is not None:
            losses, after = self.graphed((ids, following, noise.step_key, noise.examples), state)
        else:
            scores, after = network(ids, state, noise)
            losses = window_losses(scores, following)
        ends = window == self.windows - 1  # after an epoch, no state is saved
        self.state = None if ends else [tuple(tensor.detach() for tensor in layer) for layer in after]
        return losses

    def _is_graphed(self, network: nn.Module, ids: Tensor) -> bool:
        """Return whether the window can run as a CUDA graph: it is complete, and on a GPU."""
        s = self.settings
        full = ids.shape == (s.window, s.batch)
        return ids.is_cuda and full and s.precision in GRAPHED and network.training

    def _state_of_columns(self, chosen: Tensor) -> State | None:
        """Return the state from the previous window for the given columns."""
        if self.state is None or len(chosen) == self.state[0][0].shape[COLUMNS]:
            return self.state
        return [tuple(t.index_select(COLUMNS, chosen.to(t.device)) for t in layer) for layer in self.state]

    @torch.no_grad()
    def _start(self, count: int) -> State:
        """Return the initial state: the state after an end of sentence, as in the authors' program."""
        device = next(self.network.parameters()).device
        state: State = self.network(torch.zeros(1, count, dtype=torch.long, device=device), None)[1]
        return state

    def measure(self, network: nn.Module) -> tuple[float, dict[str, float]]:
        """Return the negative loss on the dev set as the score, and the perplexity."""
        loss = self.loss(network, "dev")
        return -loss, {"dev_perplexity": perplexity(loss)}

    def stepped(self) -> bool:
        """Return False, because this task never restarts the network."""
        return False

    def in_words(self, score: float) -> str:
        """Return the perplexity of a score as text."""
        return f"perplexity {perplexity(-score):.1f}"

    @torch.no_grad()
    def loss(self, network: nn.Module, part: str) -> float:
        """Return the mean cross-entropy of the words of a split, read from first to last."""
        device = next(network.parameters()).device
        words, following = (x.to(device) for x in columns(self.corpus.parts[part], 1))
        state, total = self._start(1), 0.0
        count = AT_ONCE[device.type]
        for at in range(0, len(words), count):
            scores, state = network(words[at : at + count], state)
            total += float(
                functional.cross_entropy(scores[:, 0], following[at : at + count, 0], reduction="sum")
            )
        return total / len(words)

    def optimiser(self) -> torch.optim.Optimizer:
        """Return stochastic gradient descent."""
        s = self.settings
        return torch.optim.SGD(self.network.parameters(), lr=s.rate, weight_decay=s.weight_decay)

    def next_rate(self, epoch: int, rate: float) -> float:
        """Return the next learning rate, which decays after the epoch ``decay_after``."""
        return rate * self.settings.decay if epoch >= self.settings.decay_after else rate

    def carried(self) -> dict[str, Tensor]:
        """Return the state of each layer."""
        return {
            f"{layer}.{part}": tensor
            for layer, tensors in enumerate(self.state or [])
            for part, tensor in enumerate(tensors)
        }

    def carry(self, tensors: dict[str, Tensor]) -> None:
        """Restore the state of each layer.

        Raises:
            InputError: If the tensors do not fit the network.
        """
        if not tensors:
            self.state = None
            return
        like = self._start(self.settings.batch)
        expected = {f"{layer}.{part}": t for layer, parts in enumerate(like) for part, t in enumerate(parts)}
        if {name: (t.shape, t.dtype) for name, t in tensors.items()} != {
            name: (t.shape, t.dtype) for name, t in expected.items()
        }:
            raise InputError("the recurrent state of the checkpoint must fit this network")
        self.state = [
            tuple(tensors[f"{layer}.{part}"].to(t.device) for part, t in enumerate(parts))
            for layer, parts in enumerate(like)
        ]
