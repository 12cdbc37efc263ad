"""A report on the rule systems that are extracted from a trained classifier.

The report compares them with the network and with the initial rules.
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
from training.rules.read_back import ReadBack, ReadBackChoice, accuracy, read_back
from training.rules.rules_read import ReadRule, before_training, rules_of

NAMES = ("read-back.json", "rules.txt", "automata.json", "rules.json")
"""The files that :func:`keep` writes; the last two contain the automata of the two rule systems."""


@dataclass(frozen=True)
class SystemRow:
    """The accuracy of one system.

    Attributes:
        system: the name of the system.
        dev, test: the shares of sentences that are assigned the correct label.
        rules: the number of rules; ``None`` for the network.
        choice: the values chosen on the dev set.
    """

    system: str
    dev: float
    test: float
    rules: int | None
    choice: ReadBackChoice | None


@dataclass(frozen=True)
class ReadBackReport:
    """The result of extracting rules from a network.

    Attributes:
        rows: the accuracies of the systems.
        rules: the separate rules as text, in order of priority.
        default: the label of a sentence that matches no rule.
        learned: the rules of the automaton with all transitions, and the words that their transitions gained.
    """

    rows: tuple[SystemRow, ...]
    rules: tuple[ReadRule, ...]
    default: str
    learned: tuple[ReadRule, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the report as a JSON object."""
        return asdict(self)


def report(
    model: Classifier, parts: dict[str, Sentences], progress: Callable[[str], None] = lambda line: None
) -> tuple[ReadBackReport, ReadBack, ReadBack]:
    """Convert a classifier to an automaton with all transitions and to separate rules, and measure both.

    The report also includes the network and the rules before training.

    Raises:
        InputError: If the sentences have unknown words, or the training sentences have no known label.
    """
    rows, joined, separate = systems(model, parts, progress)
    progress("writing rules")
    result = ReadBackReport(
        rows,
        tuple(rules_of(model, separate, write=True)),
        separate.default,
        tuple(rules_of(model, joined, write=False)),
    )
    return result, joined, separate


def systems(
    model: Classifier, parts: dict[str, Sentences], progress: Callable[[str], None] = lambda line: None
) -> tuple[tuple[SystemRow, ...], ReadBack, ReadBack]:
    """Return the rows of :func:`report`, the system with all transitions, and the separate rules."""
    known, labels = set(model.network.words), set(model.labels)
    for part in parts.values():
        unknown = next((word for sentence in part.words for word in sentence if word not in known), None)
        if unknown is not None:
            raise InputError(
                f"words of the sentences must be in the classifier's vocabulary, got {unknown!r:.40}"
            )
    training = _with_known_labels(parts["train"], labels)
    dev, test = parts["dev"], parts["test"]
    before, finals = before_training(model), _finals(model)

    def under(what: str) -> Callable[[str], None]:
        return lambda line: progress(f"{what}: {line}")

    joined = read_back(model, training, dev, progress=under("automata"))
    separate = read_back(model, training, dev, separate_rules=True, progress=under("rules"))
    halves = {"gammas": (0.5,), "speaks": (0.5,)}
    original = read_back(
        model, training, dev, False, under("first rules"), before.float(), readout=finals, **halves
    )
    rows = [SystemRow("network", network_accuracy(model, dev), network_accuracy(model, test), None, None)]
    for name, system in (
        ("automata, read back", joined),
        ("rules, read back", separate),
        ("first rules, as a list", original),
    ):
        rows.append(
            SystemRow(name, system.dev, accuracy(system, model, test), len(system.rules), system.choice)
        )
    return tuple(rows), joined, separate


def trained_on(about: dict[str, Any], path: str) -> tuple[float, int]:
    """Return the share of the training sentences, and its seed, with which a stored classifier was trained.

    The share is 1 if the file does not contain it, or if the classifier was not trained.

    Raises:
        FormatError: If the share or seed in the file is invalid.
    """
    own = about.get("configuration", {})
    share, seed = (own.get("share", 1.0), own.get("seed", 0)) if isinstance(own, dict) else (-1.0, 0)
    if not finite(share) or not 0 <= share <= 1 or type(seed) is not int:
        raise FormatError(
            f"{path}: its configuration must have the share and the seed of the sentences on which it was"
            " trained"
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
    """Return one boolean automaton, which accepts the sentences that match any rule of a system.

    The report lists the label for which each state votes.
    """
    final = torch.zeros(len(system.initial), dtype=torch.bool)
    final[[state for state, _ in system.rules]] = True
    tables = system.transitions.numpy()
    words = dict(zip(model.network.words, tables, strict=True))
    return WFSA(BOOLEAN, system.initial.numpy(), final.numpy(), words)


def text(report: ReadBackReport) -> str:
    """Return the rules as text, in order of priority."""
    lines = [
        "// Rules, in order of priority; the first match decides.",
        "// A name such as $787 stands for any of the words that are listed below the rule.",
    ]
    for rule in report.rules:
        lines += [f"[{rule.label}]", f"{rule.rule}"]
        lines += [f"//   {name}: {' '.join(words)}" for name, words in rule.sets.items()]
    return "\n".join([*lines, f"// no match: {report.default}", ""])


def _finals(model: Classifier) -> Tensor:
    """Return the readout before training, without the small differences that determine the rules' order."""
    weights = torch.zeros_like(model.readout.weight)
    for block in model.blocks:
        weights[model.labels.index(block.label), list(block.final)] = SCALE
    return weights


def _with_known_labels(part: Sentences, labels: set[str]) -> Sentences:
    """Return the sentences whose label is a label of the classifier."""
    kept = [(words, label) for words, label in zip(part.words, part.labels, strict=True) if label in labels]
    if not kept:
        raise InputError("at least one training sentence must have a label of the classifier")
    return Sentences(tuple(words for words, _ in kept), tuple(label for _, label in kept))
