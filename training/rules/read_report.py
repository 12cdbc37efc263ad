"""A rule system that was read back from a trained classifier, beside the network and the rules that it began
as.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from automata.errors import FormatError, InputError
from automata.io import json_format
from automata.io.files import write_whole
from automata.semirings import BOOLEAN
from automata.wfsa import WFSA
from neural.fa_rnn.classifier import SCALE, Classifier
from neural.fa_rnn.sentences import Sentences
from neural.fa_rnn.sentences import accuracy as network_accuracy
from neural.state_regularized.component import finite
from training.rules.read_back import ReadBack, ReadBackChoice, accuracy, best_of, read_back
from training.rules.rules_read import ReadRule, before_training, rules_of

NAMES = ("read-back.json", "rules.txt", "automata.json", "rules.json")
"""The files that :func:`keep` writes; the last two are the systems' automata."""


@dataclass(frozen=True)
class SystemRow:
    """One system's accuracy.

    Attributes:
        system: its name.
        dev, test: shares of sentences with the right label.
        rules: how many it has; ``None`` for the network.
        choice: what the dev set chose.
    """

    system: str
    dev: float
    test: float
    rules: int | None
    choice: ReadBackChoice | None


@dataclass(frozen=True)
class ReadBackReport:
    """What was read back.

    Attributes:
        rows: the systems.
        rules: the rules that stand apart, in the order in which they decide, as rules.
        default: the label of a sentence that matches none.
        learned: the rules of the automata in which transitions join everything, with the words that they
            learned.
    """

    rows: tuple[SystemRow, ...]
    rules: tuple[ReadRule, ...]
    default: str
    learned: tuple[ReadRule, ...]

    def to_json(self) -> dict[str, Any]:
        """As JSON has it."""
        return asdict(self)


def report(
    model: Classifier, parts: dict[str, Sentences], tell: Callable[[str], None] = lambda line: None
) -> tuple[ReadBackReport, ReadBack, ReadBack]:
    """Read a classifier back, as automata and as rules that stand apart, and measure both beside the network
    and the rules before training.

    Raises :class:`~automata.errors.InputError` for sentences of other words, or training sentences with other
    labels.
    """
    rows, whole, apart = systems(model, parts, tell)
    tell("writing rules")
    result = ReadBackReport(
        rows,
        tuple(rules_of(model, apart, write=True)),
        apart.default,
        tuple(rules_of(model, whole, write=False)),
    )
    return result, whole, apart


def systems(
    model: Classifier, parts: dict[str, Sentences], tell: Callable[[str], None] = lambda line: None
) -> tuple[tuple[SystemRow, ...], ReadBack, ReadBack]:
    """What :func:`report` measures, the automata, and the rules that stand apart."""
    known, labels = set(model.network.words), set(model.labels)
    for part in parts.values():
        strange = next((word for sentence in part.words for word in sentence if word not in known), None)
        if strange is not None:
            raise InputError(
                f"the sentences have the word {strange!r:.40}, which the classifier's vocabulary lacks"
            )
    training = _of_labels(parts["train"], labels)
    dev, test = parts["dev"], parts["test"]
    before, finals = before_training(model), _finals(model)

    def under(what: str) -> Callable[[str], None]:
        return lambda line: tell(f"{what}: {line}")

    whole = read_back(model, training, dev, tell=under("automata"))
    apart = read_back(model, training, dev, apart=True, tell=under("rules"))
    original = best_of(
        model, before.float(), training, dev, (0.5,), (0.5,), False, under("first rules"), finals
    )
    rows = [SystemRow("network", network_accuracy(model, dev), network_accuracy(model, test), None, None)]
    for name, system in (
        ("automata, read back", whole),
        ("rules, read back", apart),
        ("first rules, as a list", original),
    ):
        rows.append(
            SystemRow(name, system.dev, accuracy(system, model, test), len(system.rules), system.choice)
        )
    return tuple(rows), whole, apart


def trained_on(about: dict[str, Any], path: str) -> tuple[float, int]:
    """Share and seed of the sentences that a kept classifier was trained on; all of them, where it does not
    say, or was trained on none.

    Raises :class:`~automata.errors.FormatError` where what it says is neither.
    """
    said = about.get("configuration", {})
    share, seed = (said.get("share", 1.0), said.get("seed", 0)) if isinstance(said, dict) else (-1.0, 0)
    if not finite(share) or not 0 <= share <= 1 or type(seed) is not int:
        raise FormatError(
            f"{path}: its configuration has not the share and the seed of the sentences that it was trained"
            " on"
        )
    return share or 1.0, seed


def keep(report: ReadBackReport, systems: dict[str, ReadBack], model: Classifier, folder: Path) -> list[Path]:
    """Write the report, the automata and the rules into a folder."""
    files = [folder / name for name in NAMES[:2]]
    write_whole(files[0], json.dumps(report.to_json(), indent=1, ensure_ascii=False) + "\n")
    write_whole(files[1], text(report))
    for name, system in systems.items():
        path = folder / f"{name}.json"
        write_whole(
            path, json.dumps(json_format.to_json(automaton(system, model)), ensure_ascii=False) + "\n"
        )
        files.append(path)
    return files


def automaton(system: ReadBack, model: Classifier) -> WFSA:
    """All rules of a system as one boolean automaton: what any of them matches. Which state speaks for which
    label, the report says.
    """
    final = torch.zeros(len(system.initial), dtype=torch.bool)
    final[[state for state, _ in system.rules]] = True
    tables = system.transitions.numpy()
    words = dict(zip(model.network.words, tables, strict=True))
    return WFSA(BOOLEAN, system.initial.numpy(), final.numpy(), words)


def text(report: ReadBackReport) -> str:
    """The list of rules for a person: what decides first stands first."""
    lines = ["// The first rule that matches decides. $787: any of 787 words, which are listed below."]
    for rule in report.rules:
        lines += [f"[{rule.label}]", f"{rule.rule}"]
        lines += [f"//   {name}: {' '.join(words)}" for name, words in rule.sets.items()]
    return "\n".join([*lines, f"// what matches none: {report.default}", ""])


def _finals(model: Classifier) -> Tensor:
    """The readout that the rules began with, without what decides between them."""
    weights = torch.zeros_like(model.readout.weight)
    for block in model.blocks:
        weights[model.labels.index(block.label), list(block.final)] = SCALE
    return weights


def _of_labels(part: Sentences, labels: set[str]) -> Sentences:
    """The sentences with labels that the classifier has: it was trained on no others."""
    kept = [(words, label) for words, label in zip(part.words, part.labels, strict=True) if label in labels]
    if not kept:
        raise InputError("no training sentence has a label of the classifier's")
    return Sentences(tuple(words for words, _ in kept), tuple(label for _, label in kept))
