"""The command line's ``train atis``, ``qc``, ``sms`` and ``fa-rnn``: which model and settings, and where the
run is kept.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from ratproof.commands.terminal import console, headed
from training.classification_with_rules.presets import preset_for, presets
from training.classification_with_rules.settings import RuleClassification
from training.classification_with_rules.sources import OWN
from training.data_folder import Data
from training.engine.names import NETWORK
from training.experiment_command import experiment_command

TITLES = {"atis": "ATIS", "qc": "QC", "sms": "SMS"}


def command(experiment: str) -> Callable[..., int]:
    """The command that trains on a published set."""
    return experiment_command(
        experiment,
        RuleClassification,
        presets(experiment),
        show,
        f"""Classify {TITLES[experiment]}'s sentences, with rules (Jiang et al. 2020, section 4).

        An FA-RNN begins as the rules; the other networks are what the paper compares it with. The epoch that
        is best on the dev part is kept, and measured on the test part. --share 0 trains nothing.
        """,
        holds="re2rnn/ and glove/",
        options=("data", "vectors", "any_size"),
    )


def by_sentences(data: Data, given: dict[str, Any]) -> str:
    """The preset for one's own sentences: by how many there are to train on, and the model."""
    from neural.fa_rnn.sentences import part_of
    from training.classification_with_rules.data import drawn_places

    default = RuleClassification()
    share, seed = given.get("share", default.share), given.get("seed", default.seed)
    taken = drawn_places(len(part_of(data.folder / "train.tsv")), share, seed)
    return preset_for(len(taken), given.get("model", default.model))


def show(said: dict[str, Any], folder: Path) -> None:
    """Print a result."""
    out, metrics = console(), said["metrics"]
    count = said["data"]["trained_on"]
    epochs = f"{count:,} sentences, {said['epochs']} epochs, {said['seconds']:.0f} s"
    best = f"; epoch {said['best_epoch']} was best on the dev part" if said["epochs"] else ""
    name = said["data"].get("folder", said["experiment"])
    out.print(headed(f"{name} {said['model']}", f", seed {said['seed']}: {epochs}{best}"), soft_wrap=True)
    data = said["data"]
    if data["vectors"] is not None:
        without = f"; {data.get('words_without_a_vector', 0)} words have none of their own"
        out.print(headed("  word vectors", f": {data['vectors']}{without}"), soft_wrap=True)
    missing = data["words_of_rules_that_no_sentence_has"]
    if missing:
        out.print(f"  words of rules that no sentence has: {', '.join(missing)}", soft_wrap=True)
    for part in ("dev", "test"):
        accuracy, error = metrics[f"{part}_accuracy"], metrics[f"{part}_standard_error"]
        beside = ""
        if part == "test" and said["paper"] is not None:
            beside = f"; {said['paper']['source']}: {said['paper']['test_accuracy']:.1%}"
        size = said["data"][part]["sentences"]
        out.print(
            f"  right on {accuracy:.1%} ± {error:.1%} of {size:,} {part} sentences (standard error){beside}",
            soft_wrap=True,
        )
    out.print(
        f"  the rules are right on {metrics['rules_test_accuracy']:.1%} of the test sentences; the untrained"
        f" network says the same on {metrics['untrained_test_agrees_with_rules']:.1%}",
        soft_wrap=True,
    )
    kept = folder / NETWORK
    readable = RuleClassification(**said["configuration"]).is_classifier
    reads = f"; ratproof rules read-back {kept} --data DIR reads its rules" if readable else ""
    out.print(f"  kept in {folder}{reads}", soft_wrap=True)


fa_rnn = experiment_command(
    OWN,
    RuleClassification,
    presets(OWN),
    show,
    """Train an FA-RNN that begins as rules of one's own on one's own labelled sentences (Jiang et al. 2020,
    section 4.4).

    --model names another network. The epoch that is best on the dev part is kept, and measured on the test
    part. --share 0 trains nothing; --vectors one-hot gives each word a vector of its own. Exit status 1
    where the time was up before.
    """,
    holds="train.tsv, dev.tsv and test.tsv: label<TAB>words",
    options=("data", "vectors", "rules"),
    preset="by the number of sentences",
    choose=by_sentences,
    called=lambda data: f"{OWN}-{data.folder.resolve().name}",
)
