r"""The FA-RNN: a torch module from a batch of sentences, of any lengths, to a score for each group of rules.

>>> from automata.rules.rule_files import loads
>>> from automata.rules.rule_set import rule_set
>>> rules = rule_set(loads("[fare]\n$ * cost $ *\n[city]\n$ * city EOS"), ["what", "cost", "city"])
>>> network = FARNN.of_rules(rules)
>>> network([("BOS", "what", "city", "EOS"), ("BOS", "cost", "EOS")]).tolist()
[[0.0, 1.0], [1.0, 0.0]]
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from automata.errors import InputError, UnknownSymbol
from automata.rules.rule_set import RuleSet
from automata.rules.words import stands_for
from automata.text.number_text import shorten
from automata.wfsa import WFSA
from neural.fa_rnn.approximate import cp_factors
from neural.fa_rnn.cells import FactoredCell, FAGRUCell, Scoring, TensorCell
from neural.fa_rnn.factors import exact_factors
from neural.shapes import Layout


class FARNN(nn.Module):
    """A cell that runs from the initial weights, with a score for each of R groups of final states
    (equation 8).

    Args:
        words: the vocabulary, in the cell's order.
        cell: equation 4, 5, 6 or 7.
        initial: alpha_0, shape ``(K,)``.
        final: alpha_infinity of each group, shape ``(R, K)``.
        scoring: how a group's score is read from h_N: the sum over its final states, or their maximum.

    Attributes:
        initial, final: buffers; K with the cell's extra states, for which they are zero.
        decomposition_error: ||T - T'|| / ||T|| of its initial factors; 0 for exact ones.
    """

    initial: Tensor
    final: Tensor
    decomposition_error: float = 0.0

    def __init__(
        self,
        words: Sequence[Hashable],
        cell: TensorCell | FactoredCell | FAGRUCell,
        initial: Tensor,
        final: Tensor,
        scoring: Scoring = "forward",
    ) -> None:
        super().__init__()
        self.words = tuple(words)
        self.index = {word: place for place, word in enumerate(self.words)}
        if len(self.words) != cell.words or final.shape[1:] != initial.shape:
            raise InputError(
                f"there are {len(self.words)} words, initial weights {tuple(initial.shape)} and final ones"
                f" {tuple(final.shape)}, where the cell has {cell.words} words"
            )
        self.cell, self.scoring = cell, scoring
        extra = cell.states - len(initial)
        self.register_buffer("initial", nn.functional.pad(initial, (0, extra)))
        self.register_buffer("final", nn.functional.pad(final, (0, extra)))

    @classmethod
    def of(
        cls,
        automaton: WFSA,
        groups: Sequence[Sequence[int]] | None = None,
        decomposed: bool = True,
        gated: bool = False,
        scoring: Scoring = "forward",
        apart: bool = True,
        rank: int | None = None,
        device: Any = None,
        dtype: Any = None,
        **more: Any,
    ) -> FARNN:
        """The network with the scores of an automaton; exact where the weights are floats of that dtype and
        beta is 1.

        Args:
            automaton: boolean, counting or real, without epsilon; its symbols are the words.
            groups: final states, a score for each group; all of them in one without.
            decomposed: equation 5; else equation 4, which keeps the tensor.
            gated: equation 7.
            scoring: ``"forward"`` counts accepting paths, ``"viterbi"`` asks whether there is one.
            apart: keep the wildcard's matrix out of the factors.
            rank: r; with fewer columns than the exact factors have, the nearest ones that CP decomposition
                finds. Exact without.
            device: as in torch.
            dtype: as in torch.
            more: ``extra``, ``embeddings``, ``beta`` and ``noise`` of
                :class:`~neural.fa_rnn.cells.FactoredCell`.
        """
        factory_kwargs: dict[str, Any] = {"device": device, "dtype": dtype or torch.get_default_dtype()}
        error = 0.0
        cell: TensorCell | FactoredCell | FAGRUCell
        if decomposed:
            wild = [word for word in automaton.index if stands_for("$", str(word))] if apart else ()
            factors, error = (
                (exact_factors(automaton, wild), 0.0) if rank is None else cp_factors(automaton, rank, wild)
            )
            cell = FactoredCell(factors, scoring=scoring, **more, **factory_kwargs)
            cell = FAGRUCell(cell) if gated else cell
        elif gated or more or rank is not None:
            raise InputError(
                f"{', '.join(['gated'] * gated + ['rank'] * (rank is not None) + list(more))} asks for the"
                " decomposed network"
            )
        else:
            cell = TensorCell(automaton, scoring, **factory_kwargs)
        weights = torch.as_tensor(automaton.final.astype(float), **factory_kwargs)
        own = [list(range(automaton.states))] if groups is None else [list(group) for group in groups]
        final = torch.zeros(len(own), automaton.states, **factory_kwargs)
        for row, group in enumerate(own):
            final[row, group] = weights[group]
        network = cls(
            automaton.alphabet,
            cell,
            torch.as_tensor(automaton.initial.astype(float), **factory_kwargs),
            final,
            scoring,
        )
        network.decomposition_error = error
        return network

    @classmethod
    def of_rules(cls, rules: RuleSet, **more: Any) -> FARNN:
        """The network of a set of rules: a score for each label, in the file's order. See :meth:`of`."""
        return cls.of(rules.automaton, list(rules.labels.values()), **more)

    @property
    def rank(self) -> int:
        """The number of columns of the factors, r; of an undecomposed network as many as a tensor of its size
        may need.
        """
        cell = self.cell.inner if isinstance(self.cell, FAGRUCell) else self.cell
        return (
            cell.rules.shape[1]
            if isinstance(cell, FactoredCell)
            else min(cell.words * cell.states, cell.states**2)
        )

    def tokens(self, sentences: Sequence[Sequence[Hashable]]) -> tuple[Tensor, Tensor]:
        """Sentences as places of words, shape ``(T, B)`` with zeros behind their ends, and their lengths,
        shape ``(B,)``.
        """
        try:
            rows = [
                torch.tensor([self.index[word] for word in sentence], dtype=torch.long)
                for sentence in sentences
            ]
        except KeyError as error:
            raise UnknownSymbol(f"the vocabulary lacks {shorten(error.args[0])}") from None
        lengths = torch.tensor([len(row) for row in rows], dtype=torch.long)
        padded = nn.utils.rnn.pad_sequence(rows) if rows else torch.zeros(0, 0, dtype=torch.long)
        return padded.to(self.initial.device), lengths.to(self.initial.device)

    def states(self, sentences: Any, lengths: Tensor | None = None) -> Tensor:
        """The state h_N of each sentence after its last word, shape ``(B, K)``.

        Args:
            sentences: sequences of words; or their places in the vocabulary, shape ``(T, B)``.
            lengths: of places, shape ``(B,)``; all T without.
        """
        if not isinstance(sentences, Tensor):
            sentences, lengths = self.tokens(sentences)
        form = Layout(sentences, len(self.words), batch_first=False, reads_symbols=True, lengths=lengths)
        words = form.inputs
        time, batch = words.shape
        ends = torch.full((batch,), time, device=words.device) if form.ends is None else form.ends
        h = self.initial.expand(batch, -1)
        if isinstance(self.cell, TensorCell):
            every = torch.cat([h.unsqueeze(0), self.cell(words, h)])
            return every[ends, torch.arange(batch, device=words.device)]
        order = torch.argsort(ends, descending=True, stable=True)  # the longest sentences stand first
        there = torch.arange(time, device=words.device)[:, None] < ends[order]
        if isinstance(self.cell, FactoredCell):
            return self.cell(words[:, order], there, h)[torch.argsort(order)]
        return self._gated(self.cell, words[:, order], there.sum(dim=1).tolist(), h)[torch.argsort(order)]

    def _gated(self, cell: FAGRUCell, words: Tensor, sizes: Sequence[int], h: Tensor) -> Tensor:
        """The last states, step by step."""
        first, done = h, []  # what has ended is set aside
        # read at once and taken apart by unbind: the gradient of an index would fill a table of all words at
        # every step
        reads = list(zip(*(part.unbind(0) for part in cell.read(words)), strict=True))
        for t, size in enumerate(sizes):
            done.append(h[size:])
            h = self._step(cell, tuple(part[:size] for part in reads[t]), h[:size], first[:size], t)
            first = h if t == 0 else first
        return torch.cat([*done, h][::-1])

    def _step(self, cell: FAGRUCell, read: tuple[Any, ...], h: Tensor, first: Tensor, t: int) -> Tensor:
        # h_1 is the score after the first word, BOS, and no gate reads what is not there yet
        z, stands = read
        after: Tensor = cell.inner.step((z, stands), h) if t == 0 else cell((z, stands), h, first)
        return after

    def forward(self, sentences: Any, lengths: Tensor | None = None) -> Tensor:
        """The score of each group, shape ``(B, R)``; see :meth:`states`."""
        h = self.states(sentences, lengths)
        if self.scoring == "forward":
            return h @ self.final.T
        return (h.unsqueeze(1) * self.final).amax(dim=2)
