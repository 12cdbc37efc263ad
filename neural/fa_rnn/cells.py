"""The cells of FA-RNNs (Jiang et al. 2020) with forward (plus-times) or Viterbi (max-times) scoring.

The tensor cell and the factored cell process complete sentences. The gated cell computes one step of a batch
of sentences. The paper's Viterbi score replaces matrix multiplication by max-plus (equation 3). With the
weights zero and one, that is incorrect: an automaton that accepts only ``a`` would score 3 on ``a``, 2 on
``b`` and 1 on the empty string. These cells use max-times, which is correct.
"""

from __future__ import annotations

from typing import Any, Literal

import torch
from torch import Tensor, nn

from automata.errors import InputError
from automata.wfsa import WFSA
from neural.fa_rnn import fused_steps
from neural.fa_rnn.factors import Factors
from neural.scan import matrix_scan
from neural.unrolled import one_of

Scoring = Literal["forward", "viterbi"]
SCORINGS = ("forward", "viterbi")


def advance(h: Tensor, matrices: Tensor, scoring: Scoring) -> Tensor:
    """Multiply h by one matrix per sentence, with maxima instead of sums for Viterbi scoring.

    Shapes ``(B, K)`` and ``(B, K, K)`` give ``(B, K)``.
    """
    if scoring == "forward":
        return torch.einsum("bi,bij->bj", h, matrices)
    return (h.unsqueeze(2) * matrices).amax(dim=1)


class TensorCell(nn.Module):
    """A cell that computes h_t = h_{t-1} T[x_t] (Jiang et al. 2020, equation 4).

    Each distinct matrix is stored once, so the memory grows with the number of distinct matrices.

    Args:
        automaton: boolean, counting or real, without epsilon transitions; its symbols are the words.
        scoring: ``"forward"`` or ``"viterbi"``.
        device, dtype: as in torch.

    Attributes:
        matrices: the distinct matrices, a parameter of shape ``(m, K, K)``.
        letters: the index of each word's matrix, shape ``(V,)``.
    """

    def __init__(
        self, automaton: WFSA, scoring: Scoring = "forward", device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__()
        factory_kwargs = {"device": device, "dtype": dtype or torch.get_default_dtype()}
        self.scoring: Scoring = one_of("scoring", scoring, SCORINGS)
        self.states, self.words = automaton.states, len(automaton.index)
        self.matrices = nn.Parameter(torch.as_tensor(automaton.matrices.astype(float), **factory_kwargs))
        self.register_buffer(
            "letters", torch.tensor(list(automaton.index.values()), dtype=torch.long, device=device)
        )

    letters: Tensor

    def forward(self, words: Tensor, h: Tensor) -> Tensor:
        """Return the state after each word, shape ``(T, B, K)``.

        ``words`` has shape ``(T, B)``; ``h`` is the first state.
        """
        semiring = "real" if self.scoring == "forward" else "max_times"
        return matrix_scan(self.matrices, self.letters[words], h, semiring=semiring)


class FactoredCell(nn.Module):
    """A cell that computes equations 5 and 6.

    The equations are z_t = beta v_t + (1 - beta) u_t G and h_t = ((h_{t-1} D_1) o z_t) D_2^T.

    Args:
        factors: the factors of the automaton's tensor.
        extra: K', the number of isolated states that training may connect. Their rows of D_1 and D_2 are
            small random numbers, because the gradients of zero rows would stay zero.
        embeddings: E_w, a pretrained vector for each word, shape ``(V, D)``; it is not trained.
        beta: the weight of the rules: 1 uses only the rules, 0 only the pretrained embeddings.
        scoring: ``"forward"`` or ``"viterbi"``.
        noise: the standard deviation of the random rows of the isolated states.
        dropout: the dropout probability of the entries of the pretrained vectors.
        device, dtype: as in torch.

    Attributes:
        rules: E_R, shape ``(V, r)``; a buffer, because the paper does not train it.
        before, after: D_1 and D_2, parameters of shape ``(K + K', r)``.
        turn: G, initially pinv(E_w) E_R, a parameter of shape ``(D, r)``; ``None`` without embeddings.
        apart: the wildcard's matrix, shape ``(K + K', K + K')``; a buffer.
        stands: 1 for the words to which the wildcard's matrix applies, else 0, shape ``(V,)``; a buffer.
    """

    rules: Tensor
    pretrained: Tensor
    apart: Tensor
    stands: Tensor

    def __init__(
        self,
        factors: Factors,
        extra: int = 0,
        embeddings: Tensor | None = None,
        beta: float = 1.0,
        scoring: Scoring = "forward",
        noise: float = 1e-3,
        dropout: float = 0.0,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        factory_kwargs: dict[str, Any] = {"device": device, "dtype": dtype or torch.get_default_dtype()}
        self.scoring: Scoring = one_of("scoring", scoring, SCORINGS)
        words, rank = factors.words.shape
        if not 0 <= beta <= 1:
            raise InputError(f"beta must be a number from 0 to 1, got {beta!r}")
        if beta != 1 and embeddings is None:
            raise InputError(f"embeddings must be passed if beta is below 1, got beta = {beta}")
        if embeddings is not None and (embeddings.dim() != 2 or len(embeddings) != words):
            raise InputError(f"embeddings must have shape ({words}, D), got {tuple(embeddings.shape)}")
        self.beta, self.extra, self.words = beta, extra, words
        self.dropout = nn.Dropout(dropout)
        self.states = len(factors.before) + extra
        self.register_buffer("rules", torch.as_tensor(factors.words, **factory_kwargs))
        own = [torch.as_tensor(part, **factory_kwargs) for part in (factors.before, factors.after)]
        self.before, self.after = (
            nn.Parameter(torch.cat([part, noise * torch.randn(extra, rank, **factory_kwargs)]))
            for part in own
        )
        wide = torch.zeros(self.states, self.states, **factory_kwargs)
        wide[: self.states - extra, : self.states - extra] = torch.as_tensor(factors.apart, **factory_kwargs)
        self.register_buffer("apart", wide)
        self.register_buffer("stands", torch.as_tensor(factors.stands, **factory_kwargs))
        self.has_apart = bool(factors.apart.any())
        self.turn: nn.Parameter | None = None
        if embeddings is not None:
            self.register_buffer("pretrained", embeddings.to(**factory_kwargs))
            exact = torch.linalg.pinv(embeddings.double()) @ torch.as_tensor(factors.words).to(
                embeddings.device
            )
            self.turn = nn.Parameter(exact.to(**factory_kwargs))

    def table(self) -> Tensor:
        """Return the vector z (equation 6) of every word in the vocabulary, shape ``(V, r)``."""
        if self.turn is None or self.beta == 1:
            return self.rules
        return self.beta * self.rules + (1 - self.beta) * self.pretrained @ self.turn

    def tensor(self) -> Tensor:
        """Return the current tensor T (equation 9), shape ``(V, K, K)``.

        T[x, i, j] is the sum over r of z[x, r] D_1[i, r] D_2[j, r].
        """
        tensor = torch.einsum("xr,ir,jr->xij", self.table(), self.before, self.after)
        return tensor + self.stands[:, None, None] * self.apart

    def read(self, words: Tensor) -> tuple[Tensor, Tensor]:
        """Look up the quantities of a step that depend only on the words.

        Returns:
            z of each word, shape ``(..., r)``, and 1 for the words to which the wildcard's matrix applies,
            else 0, shape ``(..., 1)``.
        """
        z = self.rules[words]
        if self.turn is not None and self.beta != 1:
            z = self._mixed(z, self.dropout(self.pretrained[words]), self.turn)
        return z, self.stands[words].unsqueeze(-1)

    def forward(self, words: Tensor, there: Tensor, h: Tensor) -> Tensor:
        """Return the state of each sentence after its last word, shape ``(B, K)``.

        On a GPU, one kernel computes all steps (:mod:`neural.fa_rnn.fused_steps`). The quantities that depend
        only on the words are computed once for all steps.

        Args:
            words: the indices of the sentences' words, shape ``(T, B)``, the longest sentence first.
            there: true at the positions before each sentence's end, shape ``(T, B)``.
            h: the first state, shape ``(B, K)``.
        """
        z, stands, rows = self._looked_up(words, there)
        if self.scoring == "viterbi":
            symbols = torch.zeros_like(words).masked_scatter(there, rows)
            # without words, there are no matrices, so the steps after the longest sentence are omitted
            return self._maxima(z, stands, symbols[: int(there.any(dim=1).sum())], there, h)
        before: Tensor = self.before
        after: Tensor = self.after
        if self.has_apart:  # one more column for each source state of the wildcard's transitions
            leads = self.apart.any(dim=1)
            unit = torch.eye(self.states, device=before.device, dtype=before.dtype)
            before = torch.cat([before, unit[:, leads]], dim=1)
            after = torch.cat([after, self.apart[leads].T], dim=1)
            z = torch.cat([z, stands.expand(-1, before.shape[1] - z.shape[1])], dim=1)
        if fused_steps.is_fused(before, after, z, h):
            row_of_word = torch.full_like(words, -1).masked_scatter(there, rows)
            return fused_steps.run(before, after, z, row_of_word, h)
        done = []  # the states of finished sentences
        for read in torch.split(nn.functional.embedding(rows, z), there.sum(dim=1).tolist()):
            if len(read) < len(h):
                done.append(h[len(read) :])
                h = h[: len(read)]
            h = ((h @ before) * read) @ after.T
        return torch.cat([h, *done[::-1]])

    def _maxima(self, z: Tensor, stands: Tensor, symbols: Tensor, there: Tensor, h: Tensor) -> Tensor:
        """Compute :meth:`forward` for Viterbi scoring, with maxima instead of sums."""
        matrices = self._matrices(z, stands)
        states = torch.cat([h.unsqueeze(0), matrix_scan(matrices, symbols, h, semiring="max_times")])
        return states[there.sum(dim=0), torch.arange(len(h), device=h.device)]

    def _matrices(self, z: Tensor, stands: Tensor) -> Tensor:
        """Return the matrices of m words (equation 9), shape ``(m, K, K)``, from the result of ``read``."""
        if len(z) < self.before.shape[1]:  # needs less memory for fewer words than columns
            matrices = (self.before * z.unsqueeze(1)) @ self.after.T
            return matrices + stands.unsqueeze(2) * self.apart if self.has_apart else matrices
        # Multiply z by the outer products of the factors' columns, and add the wildcard's matrix in the same
        # product. This allocates no second tensor of shape (m, K, K).
        outer = torch.einsum("ir,jr->rij", self.before, self.after)
        if self.has_apart:
            z, outer = torch.cat([z, stands], dim=1), torch.cat([outer, self.apart.unsqueeze(0)])
        return (z @ outer.flatten(1)).view(-1, *self.apart.shape)

    def _looked_up(self, words: Tensor, there: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return the result of :meth:`read` for the distinct words of the sentences.

        If dropout is active, there is one row for each occurrence of a word instead of each distinct word.

        Returns:
            z and the wildcard's column of :meth:`read`, and for each word before a sentence's end the index
            of its row in both.
        """
        packed = words[there]
        alike = isinstance(self.dropout, nn.Dropout) and not (self.training and self.dropout.p)
        if alike or self.turn is None or self.beta == 1:
            different, rows = torch.unique(packed, return_inverse=True)
            return *self.read(different), rows
        vectors = self.dropout(self.pretrained[words])[there]
        z = self._mixed(self.rules[packed], vectors, self.turn)
        return z, self.stands[packed].unsqueeze(-1), torch.arange(len(packed), device=packed.device)

    def _mixed(self, rules: Tensor, vectors: Tensor, turn: Tensor) -> Tensor:
        """Return z = beta ``rules`` + (1 - beta) ``vectors`` G (equation 6), where G is ``turn``."""
        return self.beta * rules + (1 - self.beta) * vectors @ turn

    def step(self, read: tuple[Tensor, Tensor], h: Tensor) -> Tensor:
        """Return the state after one word of each sentence, shape ``(B, K)``.

        Args:
            read: the result of :meth:`read` for the words.
            h: the state before the words, shape ``(B, K)``.
        """
        z, stands = read
        if self.scoring == "viterbi":
            return advance(h, self._matrices(z, stands), "viterbi")
        after = ((h @ self.before) * z) @ self.after.T
        return after + stands * (h @ self.apart) if self.has_apart else after


class FAGRUCell(nn.Module):
    """An FA-GRU (Jiang et al. 2020, equation 7), with an update gate f_t and a reset gate r_t.

    The reset gate resets the state to h_1, the state after BOS.

    Args:
        inner: the cell to which the gates apply.
        bias: the initial bias of both gates; the larger it is, the closer the cell is to the inner cell.
        steepness: the factor of the gates' inputs before the sigmoid; 1 in the paper, 5 in the authors'
            program.
    """

    def __init__(self, inner: FactoredCell, bias: float = 10.0, steepness: float = 1.0) -> None:
        super().__init__()
        self.inner, self.steepness = inner, steepness
        self.states, self.words = inner.states, inner.words
        like = inner.before
        rank = inner.rules.shape[1]
        for name in ("update", "reset"):
            gate = nn.Linear(rank + self.states, self.states, device=like.device, dtype=like.dtype)
            nn.init.xavier_uniform_(gate.weight[:, :rank])
            nn.init.xavier_uniform_(gate.weight[:, rank:])
            nn.init.constant_(gate.bias, bias)
            setattr(self, name, gate)

    update: nn.Linear
    reset: nn.Linear

    def read(self, words: Tensor) -> tuple[Tensor, Tensor]:
        """Look up the quantities of a step that depend only on the words; see :meth:`FactoredCell.read`."""
        return self.inner.read(words)

    def forward(self, read: tuple[Tensor, Tensor], h: Tensor, first: Tensor) -> Tensor:
        """Return the state after one word of each sentence, shape ``(B, K)``.

        Args:
            read: the result of :meth:`read` for the words.
            h: the state before the words, shape ``(B, K)``.
            first: h_1, the state after BOS, shape ``(B, K)``.
        """
        features = torch.cat([read[0], h], dim=1)
        f = torch.sigmoid(self.steepness * self.update(features))
        r = torch.sigmoid(self.steepness * self.reset(features))
        new: Tensor = self.inner.step(read, (1 - r) * first + r * h)
        return (1 - f) * h + f * new
