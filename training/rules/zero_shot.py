"""Rules and the networks built from them, untrained, on test sentences (Jiang et al. 2020, section
4.3 and Table 4).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

import torch
from torch import Tensor

from automata.errors import InputError
from automata.rules.logic import Formula
from automata.rules.matching import matches, mirrored
from automata.rules.rule_files import Labelled
from automata.rules.rule_set import rule_set
from automata.text.number_text import shorten
from neural.fa_rnn.aggregation import SoftLogic
from neural.fa_rnn.bidirectional import Bidirectional
from neural.fa_rnn.network import FARNN
from neural.fa_rnn.sentences import Sentences

Ties = Literal["first", "last"]
AT_ONCE = 1024
MATCH = 0.5
"""A label matches whose score, clamped to at most 1, is larger."""


@dataclass(frozen=True)
class ZeroShotRow:
    """What one system did.

    Attributes:
        system: its name.
        accuracy: the share of sentences with the right label.
        agrees: the share of sentences with the rule system's label.
        unmatched: sentences that match no label.
        several: sentences that match more than one.
        seconds: of all sentences, those of making the network left out.
    """

    system: str
    accuracy: float
    agrees: float
    unmatched: int
    several: int
    seconds: float

    def to_json(self) -> dict[str, Any]:
        """As JSON has it."""
        return asdict(self)


@dataclass(frozen=True)
class ZeroShotChoice:
    """Which label a sentence gets of those whose rules it matches.

    Attributes:
        labels: the rules' labels, in the file's order.
        ties: of several the first, or the last one in that order.
        unmatched: where there is none; ``None``: no label, which is never right.
    """

    labels: tuple[str, ...]
    ties: Ties = "last"
    unmatched: str | None = None

    def of(self, matches: Tensor) -> list[str | None]:
        """The label of each sentence, from whether it matches each label, shape ``(B, R)``."""
        labels: list[str | None] = []
        for row in matches.tolist():
            places = [place for place, match in enumerate(row) if match]
            labels.append(
                self.labels[places[0 if self.ties == "first" else -1]] if places else self.unmatched
            )
        return labels


@dataclass(frozen=True)
class Found:
    """What came of it.

    Attributes:
        sentences: how many.
        states: of the rules' automaton, and of that of the mirrored rules.
        rank: of the factors, for both.
        error: of the factors, ||T - T'|| / ||T||, for both; 0 where they are exact.
        missing: words of rules that no sentence has.
        rows: the systems.
    """

    sentences: int
    states: tuple[int, int]
    rank: tuple[int, int]
    error: tuple[float, float]
    missing: tuple[str, ...]
    rows: tuple[ZeroShotRow, ...]

    def to_json(self) -> dict[str, Any]:
        """As JSON has it."""
        return asdict(self)


def zero_shot(
    rules: tuple[Labelled, ...],
    words: tuple[str, ...],
    test: Sentences,
    ties: Ties = "last",
    unmatched: str | None = None,
    seed: int = 0,
    rank: int | None = None,
    logic: Mapping[str, Formula] | None = None,
    tell: Callable[[str], None] = lambda line: None,
) -> Found:
    """Run the rule system and the four untrained networks, at beta = 1.

    Args:
        rules: under labels.
        words: the vocabulary.
        test: the sentences.
        ties: which label where several match.
        unmatched: the label where none does.
        seed: of the gates' weights.
        rank: of the factors; exact ones without.
        logic: formulas over the rules' labels, which say what a match means: then the soft aggregation layer
            stands on the scores.
        tell: called with each stage.
    """
    labels = tuple(dict.fromkeys(str(rule.label) for rule in rules if rule.label is not None))
    if not labels:
        raise InputError("the rules have no [label] headers, which say what a match means")
    layer = None if logic is None else SoftLogic(logic, labels)
    if layer is not None:
        labels = layer.labels
    if unmatched is not None and unmatched not in labels and unmatched not in test.labels:
        raise InputError(f"{shorten(unmatched)} is no label of the rules or of the sentences")
    choice = ZeroShotChoice(labels, ties, unmatched)
    tell("compiling rules")
    forth = rule_set(rules, words)
    back = rule_set([replace(rule, rule=mirrored(rule.rule)) for rule in rules], words)
    started = time.perf_counter()
    system = torch.as_tensor(matches(forth, test.words))
    if logic is not None:
        names = [str(label) for label in forth.labels]
        system = torch.tensor(
            [[f.holds(dict(zip(names, row, strict=True))) for f in logic.values()] for row in system.tolist()]
        )
    by_rules = choice.of(system)
    rows = [_row("rules", system, by_rules, by_rules, test, time.perf_counter() - started)]
    torch.manual_seed(seed)
    ranks, errors = [], []
    for name, gated in (("FA-RNN", False), ("FA-GRU", True)):
        one, other = (FARNN.of_rules(rules, gated=gated, rank=rank) for rules in (forth, back))
        ranks.append((one.rank, other.rank))
        errors.append((one.decomposition_error, other.decomposition_error))
        for system_name, network in ((name, one), (f"Bi{name}", Bidirectional(one, other))):
            tell(system_name)
            started = time.perf_counter()
            hits = _matches(network, test.words, layer) > MATCH
            rows.append(
                _row(system_name, hits, choice.of(hits), by_rules, test, time.perf_counter() - started)
            )
    states = (forth.automaton.states, back.automaton.states)
    return Found(len(test), states, ranks[0], errors[0], forth.missing, tuple(rows))


def _matches(
    network: FARNN | Bidirectional, sentences: Sequence[tuple[str, ...]], layer: SoftLogic | None
) -> Tensor:
    """How far each sentence matches each label, shape ``(B, R)``; scores are clamped to at most 1, for Table
    2 asks for values from 0 to 1.
    """
    with torch.no_grad():
        parts = [
            network(sentences[at : at + AT_ONCE]).clamp(max=1) for at in range(0, len(sentences), AT_ONCE)
        ]
        scores = torch.cat(parts)
        return scores if layer is None else layer(scores)


def _row(
    name: str,
    matches: Tensor,
    chosen: list[str | None],
    by_rules: list[str | None],
    test: Sentences,
    seconds: float,
) -> ZeroShotRow:
    right = sum(a == b for a, b in zip(chosen, test.labels, strict=True))
    agrees = sum(a == b for a, b in zip(chosen, by_rules, strict=True))
    counts = matches.sum(dim=1)
    return ZeroShotRow(
        name,
        right / len(test),
        agrees / len(test),
        int((counts == 0).sum()),
        int((counts > 1).sum()),
        round(seconds, 3),
    )
