"""A state-regularized network that accepts or rejects strings (Wang & Niepert 2019, sections 3.3 and 4.1).

The network reads a start token, the symbols and an end token. The start token moves it from zero to its first
state. At the end token, the last layer's recurrent component computes one more step, without the stochastic
component, and a linear classifier reads the result. The paper's baselines have no centroids and read strings
in the same way.

>>> network = Acceptor(("0", "1"), hidden_size=4, k=3)
>>> network([("0", "1"), (), ("1",)]).shape  # one logit per string: positive means accept
torch.Size([3])
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from inspect import signature
from typing import Any

import torch
from torch import Tensor, nn

from automata.checks import checked_integer
from automata.errors import InputError, UnknownSymbol
from automata.text.number_text import shorten
from neural.shapes import Layout
from neural.stacked import Stacked
from neural.state_regularized.component import Similarity, Transition
from neural.state_regularized.layers import ALONE, KINDS, PartCell, SRCell
from neural.unrolled import one_of

OF_CENTROIDS = ("k", "similarity", "transition", "temperature", "noise")
"""The options that apply only to networks with centroids."""


class Acceptor(nn.Module):
    """A network that accepts or rejects strings.

    It consists of an embedding, recurrent layers with or without centroids, and a linear classifier.

    Args:
        alphabet: the symbols. Their tokens are 0, 1, ..., followed by the start token and the end token.
        kind: ``"sr-elman"``, ``"sr-gru"``, ``"sr-lstm"`` or ``"sr-lstm-p"``, or without centroids ``"gru"``,
            ``"lstm"`` or ``"lstm-p"``. Without centroids, ``k`` and the arguments from ``similarity`` to
            ``noise`` must have their default values.
        hidden_size: d.
        k: the number of centroids of each layer.
        embedding_size: the size of a token's embedding; the number of tokens by default.
        num_layers: the number of layers.
        start_token: whether every string begins with a start token, which makes the initial state learnable.
            Otherwise, the initial h is centroid 0, or zero if there are no centroids.
        similarity, transition, temperature, noise: as in
            :class:`~neural.state_regularized.component.StochasticComponent`.
        device, dtype: as in torch.
    """

    def __init__(
        self,
        alphabet: Sequence[Hashable],
        kind: str = "sr-gru",
        hidden_size: int = 100,
        k: int = 50,
        embedding_size: int | None = None,
        num_layers: int = 1,
        start_token: bool = True,
        similarity: Similarity = "dot",
        transition: Transition = "mixture",
        temperature: float = 1.0,
        noise: float = 0.0,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.alphabet = tuple(alphabet)
        if not self.alphabet or len(set(self.alphabet)) != len(self.alphabet):
            raise InputError(
                f"the alphabet must have at least one symbol and no duplicates, got {self.alphabet!r:.100}"
            )
        self.kind, self.start_token = (
            one_of("kind", kind, (*KINDS, *ALONE)),
            one_of("start_token", start_token, (True, False)),
        )
        tokens = len(self.alphabet) + 2
        size = checked_integer("embedding_size", embedding_size) if embedding_size is not None else tokens
        weight = torch.empty(tokens, size, device=device, dtype=dtype)
        self.embedding = nn.Embedding(tokens, size, _weight=weight)
        if not weight.is_meta:  # there, normal_ would import torch's compiler, which takes a second
            self.embedding.reset_parameters()
        of_centroids: dict[str, Any] = {
            "k": k,
            "similarity": similarity,
            "transition": transition,
            "temperature": temperature,
            "noise": noise,
        }
        if not self.has_centroids:
            _require_defaults(kind, of_centroids)
        self.layers: Stacked = {**KINDS, **ALONE}[kind](
            size,
            hidden_size,
            num_layers,
            device=device,
            dtype=dtype,
            **(of_centroids if self.has_centroids else {}),
        )
        self.classifier = nn.Linear(hidden_size, 1, device=device, dtype=dtype)

    @property
    def options(self) -> dict[str, Any]:
        """Return the arguments of :class:`Acceptor` that construct a network like this one, by name."""
        shape = {
            "alphabet": list(self.alphabet),
            "kind": self.kind,
            "hidden_size": self.layers.hidden_size,
            "embedding_size": self.embedding.embedding_dim,
            "num_layers": self.layers.num_layers,
            "start_token": self.start_token,
        }
        if not self.has_centroids:
            return shape
        first = self.cells[0].component
        return shape | {name: getattr(first, name) for name in OF_CENTROIDS}

    @property
    def has_centroids(self) -> bool:
        """Return whether the network has centroids: a stochastic component after each recurrent component."""
        return self.kind in KINDS

    @property
    def recurrent_cells(self) -> list[PartCell]:
        """Return the cell of each layer, from the first layer on."""
        return [cell for cell in self.layers.cells if isinstance(cell, PartCell)]

    @property
    def cells(self) -> list[SRCell]:
        """Return the cell of each layer of a network with centroids, from the first layer on.

        Raises:
            InputError: If the network has no centroids.
        """
        if not self.has_centroids:
            raise InputError(
                f"the network must be of a kind with centroids ({', '.join(KINDS)}), got {self.kind}"
            )
        return [cell for cell in self.layers.cells if isinstance(cell, SRCell)]

    def set_temperature(self, value: float) -> None:
        """Set the temperature of the stochastic components of all layers."""
        for cell in self.cells:
            cell.component.temperature = value

    def tokens(self, strings: Sequence[Sequence[Hashable]]) -> tuple[Tensor, Tensor]:
        """Convert strings to tensors.

        Returns:
            The tokens of the symbols, padded with zeros, shape ``(T, B)``, and the strings' lengths, shape
            ``(B,)``.
        """
        index = {symbol: token for token, symbol in enumerate(self.alphabet)}
        try:
            rows = [
                torch.tensor([index[symbol] for symbol in string], dtype=torch.long) for string in strings
            ]
        except KeyError as error:
            symbols = ", ".join(map(repr, self.alphabet))
            raise UnknownSymbol(
                f"symbol {shorten(error.args[0])} is not in the network's alphabet: {symbols}"
            ) from None
        lengths = torch.tensor([len(row) for row in rows], dtype=torch.long)
        device = self.embedding.weight.device
        padded = nn.utils.rnn.pad_sequence(rows) if rows else torch.zeros(0, 0, dtype=torch.long)
        return padded.to(device), lengths.to(device)

    def first_states(self, batch: int) -> list[tuple[Tensor, ...]]:
        """Return each layer's state before the first symbol, for a batch of this size.

        With a start token, it is the state after this token. Otherwise, h is centroid 0, or zero if there are
        no centroids.
        """
        return self._begin(batch)[1]

    def forward(self, strings: Any, lengths: Tensor | None = None) -> Tensor:
        """Return one logit per string, shape ``(B,)``; the network accepts if it is positive.

        Args:
            strings: sequences of symbols, or their tokens, shape ``(T, B)``.
            lengths: the lengths of the strings of tokens, shape ``(B,)``; T by default.
        """
        tokens, lengths = self._tokens_and_lengths(strings, lengths)
        firsts = self.first_states(tokens.shape[1])
        _, states = self._run(self.embedding(tokens), firsts)
        return self.classify(
            [_last(first, after, lengths) for first, after in zip(firsts, states, strict=True)]
        )

    def probabilities(self, strings: Any, lengths: Tensor | None = None) -> Tensor:
        """Return the last layer's probabilities alpha of the centroids, at the start and after every symbol.

        The first row is alpha after the start token, or without this token the one-hot vector of centroid 0.

        Returns:
            A tensor of shape ``(T + 1, B, k)``, which is NaN after a string's end.

        Raises:
            InputError: If the network has no centroids.
        """
        _ = self.cells
        tokens, lengths = self._tokens_and_lengths(strings, lengths)
        first, states = self._begin(tokens.shape[1])
        alpha, _ = self._run(self.embedding(tokens), states)
        alpha = torch.cat([first, alpha])
        behind = torch.arange(len(alpha), device=alpha.device)[:, None] > lengths
        return alpha.masked_fill(behind.unsqueeze(-1), torch.nan)

    def classify(self, states: Sequence[tuple[Tensor, ...]]) -> Tensor:
        """Read the end token in the given states of the layers, and return the logits, shape ``(B,)``."""
        inputs = self.embedding.weight[len(self.alphabet) + 1].expand(states[0][0].shape[0], -1)
        cells = self.recurrent_cells
        for cell, state in zip(cells, states, strict=True):
            u, *_ = cell.part.step(cell.part.read(inputs), state)
            inputs = cell.component(u)[0] if isinstance(cell, SRCell) and cell is not cells[-1] else u
        logits: Tensor = self.classifier(inputs)
        return logits.squeeze(-1)

    def accepts(self, strings: Sequence[Sequence[Hashable]]) -> list[bool]:
        """Return whether the network accepts each string."""
        with torch.no_grad():
            return [bool(value) for value in self(strings) > 0]

    def _tokens_and_lengths(self, strings: Any, lengths: Tensor | None) -> tuple[Tensor, Tensor]:
        if not isinstance(strings, Tensor):
            if lengths is not None:
                raise InputError("lengths must be None for strings of symbols, whose lengths are known")
            return self.tokens(strings)
        if strings.dim() != 2:
            raise InputError(f"a tensor of tokens must have shape (time, batch), got {tuple(strings.shape)}")
        form = Layout(strings, len(self.alphabet), batch_first=False, reads_symbols=True, lengths=lengths)
        full_length = torch.full((strings.shape[1],), len(strings), device=strings.device)
        return form.inputs, full_length if form.ends is None else form.ends

    def _begin(self, batch: int) -> tuple[Tensor, list[tuple[Tensor, ...]]]:
        """Return the last layer's scores and every layer's state before the first symbol.

        The scores are alpha, shape ``(1, B, k)``, or h, shape ``(1, B, d)``, if there are no centroids.
        """
        weight = self.embedding.weight
        if not self.start_token and not self.has_centroids:
            starts = [cell.start(batch) for cell in self.recurrent_cells]
            return starts[-1][0].unsqueeze(0), starts
        if not self.start_token:
            one_hot = torch.eye(self.cells[-1].component.k, device=weight.device, dtype=weight.dtype)[0]
            return one_hot.expand(1, batch, -1), [cell.at_centroid(0, batch) for cell in self.cells]
        token = weight[len(self.alphabet)].expand(1, batch, -1)
        alpha, after = self._run(token, [cell.start(batch) for cell in self.recurrent_cells])
        return alpha, [tuple(part[-1] for part in parts) for parts in after]

    def _run(
        self, inputs: Tensor, states: Sequence[tuple[Tensor, ...]]
    ) -> tuple[Tensor, list[tuple[Tensor, ...]]]:
        """Return the last layer's scores and every layer's states after each step.

        The scores are alpha, or h if there are no centroids.
        """
        ends, alpha, values = [], inputs, inputs
        for cell, state in zip(self.recurrent_cells, states, strict=True):
            result = cell.run(values, state)
            alpha, values = result.scores, result.outputs
            ends.append(result.states)
        return alpha, ends


def _last(first: tuple[Tensor, ...], after: tuple[Tensor, ...], lengths: Tensor) -> tuple[Tensor, ...]:
    """Return a layer's state after the last symbol of each string.

    ``first`` is the state before the first symbol, with tensors of shape ``(B, ...)``. ``after`` contains the
    states after each symbol, with tensors of shape ``(T, B, ...)``.
    """
    batch = torch.arange(len(lengths), device=lengths.device)
    return tuple(
        torch.cat([one.unsqueeze(0), many])[lengths, batch] for one, many in zip(first, after, strict=True)
    )


def _require_defaults(kind: str, options: dict[str, Any]) -> None:
    """Raise InputError if one of the options, which apply only to centroids, differs from its default."""
    defaults = signature(Acceptor).parameters
    for name, value in options.items():
        if value != defaults[name].default:
            raise InputError(
                f"{name} must be the default {defaults[name].default!r} for a network of kind {kind}, which"
                f" has no centroids, got {shorten(value)}"
            )
