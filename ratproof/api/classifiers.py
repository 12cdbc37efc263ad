"""A recurrent layer of torch with a linear classifier, as one module."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from automata.errors import InputError


def classifier(
    rnn: nn.RNNBase,
    linear: nn.Module,
    *,
    embedding: nn.Module | None = None,
    last: bool = True,
    padding: int = 0,
    packed: bool = False,
) -> nn.Module:
    """Return a module that applies a classifier to the outputs of a recurrent layer.

    Pass the result to :func:`~ratproof.api.checks.check` or :func:`~ratproof.api.certification.certify`.

    The module takes inputs of shape ``(T, B, input_size)``, whether or not the recurrent layer has
    ``batch_first=True``.

    >>> rnn, linear = nn.GRU(2, 3, batch_first=True), nn.Linear(3, 1)
    >>> inputs = torch.zeros(5, 4, 2)
    >>> classifier(rnn, linear)(inputs).shape, classifier(rnn, linear, last=False)(inputs).shape
    (torch.Size([4, 1]), torch.Size([5, 4, 1]))

    Args:
        rnn: An ``nn.RNN``, ``nn.GRU`` or ``nn.LSTM``.
        linear: A module that maps the outputs of the recurrent layer at one step to scores of the classes.
        embedding: A module that maps the indices of symbols to vectors. With it, the result takes indices of
            shape ``(T, B)``.
        last: Whether to classify only the last step, in shape ``(B, units)``, instead of each step. For a
            bidirectional layer, the final states of the two directions are classified, as in ``h_n``.
        padding: Number of steps of zeros that are appended to the inputs. The outputs are those at the last
            steps of the strings, as in a padded batch.
        packed: Whether to run the layer on a ``PackedSequence``, which omits the padding.

    Raises:
        InputError: If an argument has the wrong type.
    """
    if not isinstance(rnn, nn.RNNBase):
        raise InputError(f"rnn must be an nn.RNN, nn.GRU or nn.LSTM, got a {type(rnn).__name__}")
    if not callable(linear) or not (embedding is None or callable(embedding)):
        raise InputError(
            f"linear must be a module, and embedding a module or None, got {linear!r:.60} and"
            f" {embedding!r:.60}"
        )
    if type(padding) is not int or padding < 0:
        raise InputError(f"padding must be a non-negative integer, got {padding!r:.60}")
    return RecurrentClassifier(rnn, linear, embedding, last, padding, packed)


class RecurrentClassifier(nn.Module):
    """A recurrent layer followed by a classifier, as :func:`classifier` returns it."""

    def __init__(
        self,
        rnn: nn.RNNBase,
        linear: nn.Module,
        embedding: nn.Module | None,
        last: bool,
        padding: int,
        packed: bool,
    ) -> None:
        super().__init__()
        self.rnn, self.linear, self.embedding = rnn, linear, embedding
        self.last, self.padding, self.packed = last, padding, packed

    def forward(self, inputs: Tensor) -> Tensor:
        """Return outputs of shape ``(T, B, units)``, or ``(B, units)`` for the last step."""
        vectors = inputs if self.embedding is None else self.embedding(inputs)
        steps, batch = vectors.shape[:2]
        padded = torch.cat([vectors, vectors.new_zeros(self.padding, *vectors.shape[1:])])
        if self.rnn.batch_first:
            padded = padded.transpose(0, 1)
        if self.packed:
            lengths = torch.full((batch,), steps)
            packed = pack_padded_sequence(padded, lengths, batch_first=self.rnn.batch_first)
            outputs, _ = pad_packed_sequence(self.rnn(packed)[0], batch_first=self.rnn.batch_first)
        else:
            outputs, _ = self.rnn(padded)
        if self.rnn.batch_first:
            outputs = outputs.transpose(0, 1)
        outputs = outputs[:steps]
        if not self.last:
            return self._classes(outputs)
        if not self.rnn.bidirectional:
            return self._classes(outputs[-1])
        forward, backward = outputs.chunk(2, dim=2)
        return self._classes(torch.cat([forward[-1], backward[0]], dim=1))

    def _classes(self, outputs: Tensor) -> Tensor:
        classes: Tensor = self.linear(outputs)
        return classes
