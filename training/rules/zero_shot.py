"""The results of rules, and of untrained networks that are built from the rules, on test sentences.

See Jiang et al. 2020, section 4.3 and Table 4.
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
"""A label matches if its score, clamped to at most 1, is larger than this."""


@dataclass(frozen=True)
class ZeroShotRow:
    """The result of one system.

    Attributes:
        system: the name of the system.
        accuracy: the share of sentences that are assigned the correct label.
        agrees: the share of sentences that are assigned the same label as by the rules.
        unmatched: the number of sentences that match no label.
        several: the number of sentences that match several labels.
        seconds: the time for all sentences, without building the network.
    """

    system: str
    accuracy: float
    agrees: float
    unmatched: int
    several: int
    seconds: float

    def to_json(self) -> dict[str, Any]:
        """Return the row as a JSON object."""
        return asdict(self)


@dataclass(frozen=True)
class ZeroShotChoice:
    """The choice of a label among the labels whose rules a sentence matches.

    Attributes:
        labels: the rules' labels, in the file's order.
        ties: ``first`` or ``last``, the label in this order that is chosen if several match.
        unmatched: the label if no rule matches; ``None`` means no label, which is never correct.
    """

    labels: tuple[str, ...]
    ties: Ties = "last"
    unmatched: str | None = None

    def labels_of(self, matches: Tensor) -> list[str | None]:
        """Return the label of each sentence from its matches, shape ``(B, R)``."""
        labels: list[str | None] = []
        for row in matches.tolist():
            matched = [number for number, match in enumerate(row) if match]
            labels.append(
                self.labels[matched[0 if self.ties == "first" else -1]] if matched else self.unmatched
            )
        return labels


@dataclass(frozen=True)
class ZeroShotReport:
    """The results of all systems.

    Attributes:
        sentences: the number of sentences.
        states: the number of states of the automata of the rules and of the mirrored rules.
        rank: the ranks of the factors of both automata.
        error: the errors of the factors of both automata, ||T - T'|| / ||T||; 0 if the factors are exact.
        missing: words of rules that occur in no sentence.
        rows: the results of the systems.
    """

    sentences: int
    states: tuple[int, int]
    rank: tuple[int, int]
    error: tuple[float, float]
    missing: tuple[str, ...]
    rows: tuple[ZeroShotRow, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the results as a JSON object."""
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
    progress: Callable[[str], None] = lambda line: None,
) -> ZeroShotReport:
    """Run the rules and the four untrained networks with beta = 1.

    Args:
        rules: the labelled rules.
        words: the vocabulary.
        test: the sentences.
        ties: which label is chosen if several match, ``first`` or ``last``.
        unmatched: the label if none matches.
        seed: the seed of the gates' weights.
        rank: the rank of the factors; by default, the factors are exact.
        logic: formulas over the rules' labels, which define the matches; networks compute the formulas with
            the soft aggregation layer.
        progress: called with each stage.
    """
    labels = tuple(dict.fromkeys(str(rule.label) for rule in rules if rule.label is not None))
    if not labels:
        raise InputError("the rules must have [label] headers, which label their matches")
    layer = None if logic is None else SoftLogic(logic, labels)
    if layer is not None:
        labels = layer.labels
    if unmatched is not None and unmatched not in labels and unmatched not in test.labels:
        raise InputError(
            f"--unmatched must be a label of the rules or of the sentences, got {shorten(unmatched)}"
        )
    choice = ZeroShotChoice(labels, ties, unmatched)
    progress("compiling rules")
    forward_rules = rule_set(rules, words)
    mirrored_rules = rule_set([replace(rule, rule=mirrored(rule.rule)) for rule in rules], words)
    start_time = time.perf_counter()
    system = torch.as_tensor(matches(forward_rules, test.words))
    if logic is not None:
        names = [str(label) for label in forward_rules.labels]
        system = torch.tensor(
            [[f.holds(dict(zip(names, row, strict=True))) for f in logic.values()] for row in system.tolist()]
        )
    by_rules = choice.labels_of(system)
    rows = [_row("rules", system, by_rules, by_rules, test, time.perf_counter() - start_time)]
    torch.manual_seed(seed)
    ranks, errors = [], []
    for name, gated in (("FA-RNN", False), ("FA-GRU", True)):
        one, other = (
            FARNN.of_rules(rules, gated=gated, rank=rank) for rules in (forward_rules, mirrored_rules)
        )
        ranks.append((one.rank, other.rank))
        errors.append((one.decomposition_error, other.decomposition_error))
        for system_name, network in ((name, one), (f"Bi{name}", Bidirectional(one, other))):
            progress(system_name)
            start_time = time.perf_counter()
            hits = _matches(network, test.words, layer) > MATCH
            rows.append(
                _row(
                    system_name,
                    hits,
                    choice.labels_of(hits),
                    by_rules,
                    test,
                    time.perf_counter() - start_time,
                )
            )
    states = (forward_rules.automaton.states, mirrored_rules.automaton.states)
    return ZeroShotReport(len(test), states, ranks[0], errors[0], forward_rules.missing, tuple(rows))


def _matches(
    network: FARNN | Bidirectional, sentences: Sequence[tuple[str, ...]], layer: SoftLogic | None
) -> Tensor:
    """Return how well each sentence matches each label, from 0 to 1, shape ``(B, R)``.

    Scores are clamped to at most 1, because Table 2 of Jiang et al. 2020 requires values from 0 to 1.
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
