r"""The FA-RNN: a torch module that maps a batch of sentences to a score for each group of rules.

Sentences may have different lengths.

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
    """A network that computes a score for each of R groups of final states (Jiang et al. 2020, equation 8).

    Args:
        words: the vocabulary, in the cell's order.
        cell: a cell for equation 4, 5, 6 or 7.
        initial: alpha_0, shape ``(K,)``.
        final: alpha_infinity of each group, shape ``(R, K)``.
        scoring: how a group's score is computed from h_N: the sum over its final states, or the maximum.

    Attributes:
        initial, final: buffers; K includes the cell's extra states, whose weights are zero.
        decomposition_error: ||T - T'|| / ||T|| of the initial factors; 0 for exact factors.
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
        self.index = {word: number for number, word in enumerate(self.words)}
        if len(self.words) != cell.words or final.shape[1:] != initial.shape:
            raise InputError(
                f"words, initial and final weights must fit the cell's {cell.words} words, got"
                f" {len(self.words)} words and shapes {tuple(initial.shape)} and {tuple(final.shape)}"
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
        separate_wildcard: bool = True,
        rank: int | None = None,
        device: Any = None,
        dtype: Any = None,
        **more: Any,
    ) -> FARNN:
        """Return a network that computes the scores of an automaton.

        The scores are exact if the dtype represents the automaton's weights exactly and beta is 1.

        Args:
            automaton: boolean, counting or real, without epsilon transitions; its symbols are the words.
            groups: the indices of the states of each group; by default, one group of all states.
            decomposed: whether to use equation 5 instead of equation 4, which stores the full tensor.
            gated: whether to use equation 7.
            scoring: ``"forward"`` counts accepting paths; ``"viterbi"`` tests whether there is one.
            separate_wildcard: whether to store the wildcard's matrix separately from the factors.
            rank: r; if it is below the number of columns of the exact factors, CP decomposition approximates
                them. By default, the factors are exact.
            device: as in torch.
            dtype: as in torch.
            more: ``extra``, ``embeddings``, ``beta`` and ``noise`` of
                :class:`~neural.fa_rnn.cells.FactoredCell`.
        """
        factory_kwargs: dict[str, Any] = {"device": device, "dtype": dtype or torch.get_default_dtype()}
        error = 0.0
        cell: TensorCell | FactoredCell | FAGRUCell
        if decomposed:
            wild = (
                [word for word in automaton.index if stands_for("$", str(word))] if separate_wildcard else ()
            )
            factors, error = (
                (exact_factors(automaton, wild), 0.0) if rank is None else cp_factors(automaton, rank, wild)
            )
            cell = FactoredCell(factors, scoring=scoring, **more, **factory_kwargs)
            cell = FAGRUCell(cell) if gated else cell
        elif gated or more or rank is not None:
            raise InputError(
                f"{', '.join(['gated'] * gated + ['rank'] * (rank is not None) + list(more))} must not be"
                " used without the decomposed network"
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
        """Return a network that computes the scores of a set of rules.

        There is one score for each label, in the order of the rules.

        The keyword arguments ``more`` are passed to :meth:`of`.
        """
        return cls.of(rules.automaton, list(rules.labels.values()), **more)

    @property
    def rank(self) -> int:
        """Return r, the number of columns of the transition tensor's factors.

        If the network is not decomposed, return the maximum rank of a tensor of this size.
        """
        cell = self.cell.inner if isinstance(self.cell, FAGRUCell) else self.cell
        return (
            cell.rules.shape[1]
            if isinstance(cell, FactoredCell)
            else min(cell.words * cell.states, cell.states**2)
        )

    def tokens(self, sentences: Sequence[Sequence[Hashable]]) -> tuple[Tensor, Tensor]:
        """Convert sentences to word indices, shape ``(T, B)``, and their lengths, shape ``(B,)``.

        The indices are padded with zeros.
        """
        try:
            rows = [
                torch.tensor([self.index[word] for word in sentence], dtype=torch.long)
                for sentence in sentences
            ]
        except KeyError as error:
            raise UnknownSymbol(f"{shorten(error.args[0])} is not in the vocabulary") from None
        lengths = torch.tensor([len(row) for row in rows], dtype=torch.long)
        padded = nn.utils.rnn.pad_sequence(rows) if rows else torch.zeros(0, 0, dtype=torch.long)
        return padded.to(self.initial.device), lengths.to(self.initial.device)

    def states(self, sentences: Any, lengths: Tensor | None = None) -> Tensor:
        """Return the state h_N of each sentence after its last word, shape ``(B, K)``.

        Args:
            sentences: sequences of words, or word indices of shape ``(T, B)``.
            lengths: the sentence lengths, shape ``(B,)``, if ``sentences`` contains indices; T by default.
        """
        if not isinstance(sentences, Tensor):
            if lengths is not None:
                raise InputError("lengths must be None for sentences of words, whose lengths are known")
            sentences, lengths = self.tokens(sentences)
        form = Layout(sentences, len(self.words), batch_first=False, reads_symbols=True, lengths=lengths)
        words = form.inputs
        time, batch = words.shape
        ends = torch.full((batch,), time, device=words.device) if form.ends is None else form.ends
        h = self.initial.expand(batch, -1)
        if isinstance(self.cell, TensorCell):
            every = torch.cat([h.unsqueeze(0), self.cell(words, h)])
            return every[ends, torch.arange(batch, device=words.device)]
        order = torch.argsort(ends, descending=True, stable=True)  # the longest sentences come first
        there = torch.arange(time, device=words.device)[:, None] < ends[order]
        if isinstance(self.cell, FactoredCell):
            return self.cell(words[:, order], there, h)[torch.argsort(order)]
        return self._gated(self.cell, words[:, order], there.sum(dim=1).tolist(), h)[torch.argsort(order)]

    def _gated(self, cell: FAGRUCell, words: Tensor, sizes: Sequence[int], h: Tensor) -> Tensor:
        """Return the last state of each sentence for a cell with gates, which computes one step per call.

        ``sizes`` contains the number of sentences with a word at each position. The longest sentence comes
        first.
        """
        first, done = h, []  # done contains the states of finished sentences
        # Look up all words at once and split the result with unbind. Indexing at every step would allocate a
        # gradient for all words at every step.
        reads = list(zip(*(part.unbind(0) for part in cell.read(words)), strict=True))
        for t, size in enumerate(sizes):
            done.append(h[size:])
            h = self._step(cell, tuple(part[:size] for part in reads[t]), h[:size], first[:size], t)
            first = h if t == 0 else first
        return torch.cat([*done, h][::-1])

    def _step(self, cell: FAGRUCell, read: tuple[Any, ...], h: Tensor, first: Tensor, t: int) -> Tensor:
        # The gates apply from the second word on, because they read h_1, the state after BOS.
        z, stands = read
        after: Tensor = cell.inner.step((z, stands), h) if t == 0 else cell((z, stands), h, first)
        return after

    def forward(self, sentences: Any, lengths: Tensor | None = None) -> Tensor:
        """Return each sentence's score for each group of final states, shape ``(B, R)``.

        The arguments are those of :meth:`states`.
        """
        h = self.states(sentences, lengths)
        if self.scoring == "forward":
            return h @ self.final.T
        return (h.unsqueeze(1) * self.final).amax(dim=2)
