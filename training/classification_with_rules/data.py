"""Labelled sentences, the rules about them, and which rules each sentence matches."""

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
from training.classification_with_rules.sources import RuleSource
from training.data_folder import Data

AT_ONCE = 256


class SentenceBatch(NamedTuple):  # Fabric looks into tuples, where it converts numbers
    """Sentences as a network reads them.

    Attributes:
        words: places in the vocabulary, shape ``(T, B)``, zeros behind a sentence's end.
        mirrored: the same with BOS in its place and the rest reversed.
        lengths: shape ``(B,)``.
        matches: whether a rule of each label matches, shape ``(B, labels)``, 0 or 1.
    """

    words: Tensor
    mirrored: Tensor
    lengths: Tensor
    matches: Tensor


class EncodedSentences:
    """Labelled sentences as places of words.

    Args:
        part: the sentences.
        index: the place of each word.
        labels: of all sentences and rules; one that is not there has the place -1.
        hits: whether a rule of each label matches, shape ``(N, labels)``.
    """

    def __init__(self, part: Sentences, index: dict[str, int], labels: Sequence[str], hits: Tensor) -> None:
        place = {label: number for number, label in enumerate(labels)}
        self.rows = [torch.tensor([index[word] for word in sentence]) for sentence in part.words]
        self.labels = torch.tensor([place.get(label, -1) for label in part.labels], dtype=torch.long)
        self.lengths = torch.tensor([len(row) for row in self.rows])
        self.hits = hits.float()

    def __len__(self) -> int:
        return len(self.rows)

    def at(self, places: Tensor, device: torch.device) -> tuple[SentenceBatch, Tensor]:
        """Some of them, and their labels, shape ``(B,)``."""
        chosen = places.cpu()
        rows = [self.rows[i] for i in chosen.tolist()]
        back = [torch.cat([row[:1], row[1:].flip(0)]) for row in rows]
        words, mirrored = (nn.utils.rnn.pad_sequence(one).to(device) for one in (rows, back))
        batch = SentenceBatch(words, mirrored, self.lengths[chosen].to(device), self.hits[chosen].to(device))
        return batch, self.labels[chosen].to(device)

    def portions(self) -> Iterator[Tensor]:
        """The places of all, by length."""
        yield from torch.split(self.lengths.argsort(descending=True, stable=True), AT_ONCE)


@dataclass(frozen=True)
class RuledSentences:
    """A set's sentences and its rules.

    Attributes:
        parts: of the set; ``train`` is the share that is trained on.
        labels: the rules' in the file's order, then the others of the training sentences.
        written: the rules.
        rules: compiled over the sentences' words.
        hits: for each part whether a rule of each label matches, shape ``(N, labels)``.
        default: the label that the rule system gives where no rule matches: the most frequent one of the dev
            sentences.
        described: what a result says of the data.
    """

    parts: dict[str, Sentences]
    labels: tuple[str, ...]
    written: tuple[Labelled, ...]
    rules: RuleSet
    hits: dict[str, Tensor]
    default: str
    described: dict[str, Any]

    @property
    def words(self) -> tuple[str, ...]:
        """The vocabulary with BOS and EOS, in the rules' order."""
        return tuple(map(str, self.rules.automaton.index))

    def by_rules(self, part: str) -> Tensor:
        """The place of the label that the rule system gives each sentence, shape ``(N,)``: of several that
        match, the last one in the file.
        """
        hits = self.hits[part]
        order = torch.arange(1, hits.shape[1] + 1)
        last = (hits * order).amax(dim=1) - 1
        return torch.where(last >= 0, last, self.labels.index(self.default))


def load(source: RuleSource, where: Data, share: float, seed: int) -> RuledSentences:
    """Labelled sentences and the rules about them.

    Args:
        source: which set; of :data:`~training.classification_with_rules.sources.SOURCES`.
        where: the user's folder.
        share: of the training sentences, drawn with the seed.
        seed: of that draw.

    Raises:
        FormatError: a file is missing, cut off or no such text: which, what is right, and where it is
            published.
    """
    place = where.folder / source.folder
    parts = _parts(source, place, where.any_size)
    file = where.rules or rule_file_in(place)
    written = rule_files.read(str(file))
    if any(rule.label is None for rule in written):
        raise FormatError(f"{file}: has a rule without a [label] above it, which says what a match means")
    rules = rule_set(written, sentences.vocabulary(parts))
    known = [str(label) for label in rules.labels]
    labels = tuple(dict.fromkeys([*known, *sorted(set(parts["train"].labels))]))
    if len(labels) < 2:
        raise FormatError(f"{place}: rules and sentences have one label, where two or more are right")
    hits = {name: _hits(rules, part, len(labels)) for name, part in parts.items()}
    ((default, _),) = Counter(parts["dev"].labels).most_common(1)
    if default not in labels:
        raise FormatError(
            f"{place / 'dev.tsv'}: its most frequent label, {shorten(default)}, is none of the training"
            " sentences'"
        )
    chosen = drawn_places(len(parts["train"]), share, seed)
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
        described["folder"] = place.resolve().name
    parts["train"] = at(parts["train"], chosen)
    hits["train"] = hits["train"][chosen]
    return RuledSentences(parts, labels, written, rules, hits, default, described)


def _parts(source: RuleSource, place: Path, any_size: bool) -> dict[str, Sentences]:
    """The sentences in a folder; those of a published set are as many as were published."""
    if not place.is_dir():
        raise FormatError(
            f"{place}: is no folder; right is one with train.tsv, dev.tsv and test.tsv, with label<TAB>words"
            f" on each line, and a .config file of rules{source.at}"
        )
    parts = sentences.read(place)
    for name, size in source.sizes.items():
        if len(parts[name]) != size and not any_size:
            raise FormatError(
                f"{place / name}.tsv: has {len(parts[name]):,} sentences, where the published one has"
                f" {size:,}: was it cut? --any-size takes it as it is{source.at}"
            )
    return parts


def at(part: Sentences, places: Sequence[int]) -> Sentences:
    """Some of the sentences."""
    return Sentences(tuple(part.words[i] for i in places), tuple(part.labels[i] for i in places))


def drawn_places(count: int, share: float, seed: int) -> list[int]:
    """The places of a share of so many sentences, drawn with the seed, in their order.

    >>> drawn_places(10, 0.3, seed=0)
    [1, 6, 9]
    """
    if not 0 <= share <= 1:
        raise InputError(f"--share is {share}, where a number from 0 to 1 is right")
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
