"""Labelled sentences, the rules of a data set, and the matches of rules with sentences."""

from __future__ import annotations

import hashlib
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from automata.errors import FormatError, InputError
from automata.rules import rule_files
from automata.rules.matching import matches
from automata.rules.rule_files import Labelled, rule_file_in
from automata.rules.rule_set import RuleSet, rule_set
from automata.text.number_text import shorten
from neural.fa_rnn import sentences
from neural.fa_rnn.sentences import Sentences
from training.classification_with_rules.copies import copies
from training.classification_with_rules.sources import RuleSource
from training.data_folder import Data

AT_ONCE = 256


class SentenceBatch(NamedTuple):  # a NamedTuple, because Fabric converts the tensors in tuples
    """A batch of sentences as tensors for a network.

    Attributes:
        words: word indices, shape ``(T, B)``, padded with zeros.
        mirrored: the same sentences, reversed after BOS.
        lengths: shape ``(B,)``.
        matches: whether a rule of each label matches, shape ``(B, labels)``, 0 or 1.
    """

    words: Tensor
    mirrored: Tensor
    lengths: Tensor
    matches: Tensor


class EncodedSentences:
    """Labelled sentences as word indices.

    Args:
        part: the sentences.
        index: the index of each word.
        labels: the labels in the order of their indices; a label that is not in this list has the index -1.
        hits: whether a rule of each label matches, shape ``(N, labels)``.
    """

    def __init__(self, part: Sentences, index: dict[str, int], labels: Sequence[str], hits: Tensor) -> None:
        label_index = {label: number for number, label in enumerate(labels)}
        self.rows = [torch.tensor([index[word] for word in sentence]) for sentence in part.words]
        self.labels = torch.tensor([label_index.get(label, -1) for label in part.labels], dtype=torch.long)
        self.lengths = torch.tensor([len(row) for row in self.rows])
        self.hits = hits.float()

    def __len__(self) -> int:
        return len(self.rows)

    def at(self, indices: Tensor, device: torch.device) -> tuple[SentenceBatch, Tensor]:
        """Return the sentences at these indices as a batch, and their labels, shape ``(B,)``."""
        chosen = indices.cpu()
        words = nn.utils.rnn.pad_sequence([self.rows[i] for i in chosen.tolist()])
        lengths, positions = self.lengths[chosen], torch.arange(len(words))[:, None]
        mirrored = words.gather(0, (lengths - positions) % lengths) * (positions < lengths)
        batch = SentenceBatch(words, mirrored, lengths, self.hits[chosen])
        return SentenceBatch(*(tensor.to(device) for tensor in batch)), self.labels[chosen].to(device)

    def portions(self) -> Iterator[Tensor]:
        """Yield the indices of all sentences in batches, longest sentences first."""
        yield from torch.split(self.lengths.argsort(descending=True, stable=True), AT_ONCE)


@dataclass(frozen=True)
class RuledSentences:
    """The sentences of a data set and its rules.

    Attributes:
        parts: the splits of the data set; ``train`` contains only the share that is used for training.
        labels: the rules' labels in the order of the rules' file, then the other labels of the training
            sentences.
        written: the rules.
        rules: the rules compiled over the sentences' words.
        hits: for each split, whether a rule of each label matches, shape ``(N, labels)``.
        default: the label that the rule system assigns if no rule matches: the most frequent label of the dev
            sentences.
        described: the description of the data in a result.
        copied: for the dev and the test set, whether each sentence also occurs in the complete training file,
            shape ``(N,)``.
    """

    parts: dict[str, Sentences]
    labels: tuple[str, ...]
    written: tuple[Labelled, ...]
    rules: RuleSet
    hits: dict[str, Tensor]
    default: str
    described: dict[str, Any]
    copied: dict[str, Tensor]

    @property
    def words(self) -> tuple[str, ...]:
        """Return the vocabulary with BOS and EOS, in the order of the compiled rules."""
        return tuple(map(str, self.rules.automaton.index))

    def by_rules(self, part: str) -> Tensor:
        """Return the index of the label that the rules assign to each sentence, shape ``(N,)``.

        If the rules of several labels match, the label that comes last in the file is assigned.
        """
        hits = self.hits[part]
        order = torch.arange(1, hits.shape[1] + 1)
        last = (hits * order).amax(dim=1) - 1
        return torch.where(last >= 0, last, self.labels.index(self.default))

    def right_by_rules(self, part: str) -> Tensor:
        """Return, for each sentence, whether the rules assign the correct label, with shape ``(N,)``."""
        truth = [
            self.labels.index(label) if label in self.labels else -1 for label in self.parts[part].labels
        ]
        return self.by_rules(part) == torch.tensor(truth, dtype=torch.long)


def load(source: RuleSource, where: Data, share: float, seed: int) -> RuledSentences:
    """Load labelled sentences and their rules.

    Args:
        source: the data set, one of :data:`~training.classification_with_rules.sources.SOURCES`.
        where: the location of the data.
        share: the share of the training sentences to draw, from 0 to 1.
        seed: the seed for drawing them.

    Raises:
        FormatError: If a file is missing, truncated or invalid.
    """
    folder = where.folder / source.folder
    parts = _parts(source, folder, where.any_size)
    file = where.rules or rule_file_in(folder)
    written = rule_files.read(str(file))
    if any(rule.label is None for rule in written):
        raise FormatError(f"{file}: each rule must be below a [label], which is assigned to its matches")
    rules = rule_set(written, sentences.vocabulary(parts))
    known = [str(label) for label in rules.labels]
    labels = tuple(dict.fromkeys([*known, *sorted(set(parts["train"].labels))]))
    if len(labels) < 2:
        raise FormatError(f"{folder}: rules and sentences must have at least two labels, got one")
    hits = {name: _hits(rules, part, len(labels)) for name, part in parts.items()}
    ((default, _),) = Counter(parts["dev"].labels).most_common(1)
    if default not in labels:
        raise FormatError(
            f"{folder / 'dev.tsv'}: the most frequent label must occur in the rules or the training"
            f" sentences, got {shorten(default)}"
        )
    chosen = drawn_indices(len(parts["train"]), share, seed)
    described: dict[str, Any] = {
        name: {"sentences": len(part), "sha256": _hash(part)} for name, part in parts.items()
    }
    described |= {
        "trained_on": len(chosen),
        "rules": {"file": file.name, "rules": len(written), "sha256": _hash_of(written)},
        "words": len(rules.automaton.index),
        "words_of_rules_that_no_sentence_has": list(rules.missing),
        "labels": list(labels),
        "default": default,
    }
    if source.published is None:
        described["folder"] = folder.resolve().name
    copied = copies(parts)
    parts["train"] = at(parts["train"], chosen)
    hits["train"] = hits["train"][chosen]
    return RuledSentences(parts, labels, written, rules, hits, default, described, copied)


def _parts(source: RuleSource, folder: Path, any_size: bool) -> dict[str, Sentences]:
    """Read the sentences in a folder, and check the sizes of a published data set."""
    if not folder.is_dir():
        raise FormatError(
            f"{folder}: the path must be a folder with train.tsv, dev.tsv and test.tsv, with label<TAB>words"
            f" on each line, and a .config file of rules{source.at}"
        )
    parts = sentences.read(folder)
    for name, size in source.sizes.items():
        if len(parts[name]) != size and not any_size:
            raise FormatError(
                f"{folder / name}.tsv: the file must have {size:,} sentences, like the published file, got"
                f" {len(parts[name]):,}; pass --any-size to accept other sizes{source.at}"
            )
    return parts


def at(part: Sentences, indices: Sequence[int]) -> Sentences:
    """Return the sentences at these indices."""
    return Sentences(tuple(part.words[i] for i in indices), tuple(part.labels[i] for i in indices))


def drawn_indices(count: int, share: float, seed: int) -> list[int]:
    """Return the sorted indices of a share of ``count`` sentences, drawn with the seed.

    >>> drawn_indices(10, 0.3, seed=0)
    [1, 6, 9]
    """
    if not 0 <= share <= 1:
        raise InputError(f"--share must be a number from 0 to 1, got {share}")
    if share in (0, 1):
        return list(range(count)) if share else []
    return sorted(random.Random(f"{seed}, share").sample(range(count), max(1, round(share * count))))


def _hits(rules: RuleSet, part: Sentences, labels: int) -> Tensor:
    hits = torch.as_tensor(matches(rules, part.words))
    return nn.functional.pad(hits, (0, labels - hits.shape[1]))


def _hash(part: Sentences) -> str:
    return hashlib.sha256(repr((part.words, part.labels)).encode()).hexdigest()[:16]


def _hash_of(written: tuple[Labelled, ...]) -> str:
    return hashlib.sha256(repr([(r.label, str(r.rule)) for r in written]).encode()).hexdigest()[:16]
