"""Specimens of rules, labelled sentences, and classifiers initialised with them."""

import json
from pathlib import Path

import torch

from proofs_tests.mutated_files.kind import Kind, writer_for

RULES = "[light]\n$ * lamp $ *\n[music] // songs\n$ * play ( it | jazz ){1,2} $ *\n"
LABELLED = "light\tturn the lamp on\nmusic\tplay jazz\nmusic\tBOS please play it EOS\nlight\tso dark\n"


def sentences(folder: Path) -> None:
    """Write rules and labelled sentences."""
    (folder / "home.config").write_text(RULES)
    for part in ("train", "dev", "test"):
        (folder / f"{part}.tsv").write_text(LABELLED)
    (folder / "logic.txt").write_text(
        "[quiet]\n!light & !music // nothing\n[loud]\nmusic | (light & music)\n"
    )
    (folder / "words.txt").write_text("turn\nthe\nlamp\nplay\nit\n")
    (folder / "words.json").write_text(json.dumps({"vocab": ["turn", "the", "lamp", "play"], "more": 1}))


def classifier(folder: Path) -> tuple[str, ...]:
    """Write an FA-RNN classifier with word vectors."""
    from automata.rules.rule_files import loads
    from automata.rules.rule_set import rule_set
    from neural.fa_rnn import files as classifiers
    from neural.fa_rnn.classifier import Classifier

    sentences(folder)
    torch.manual_seed(0)
    written = loads(RULES)
    words = ("turn", "the", "lamp", "on", "play", "jazz", "please", "it", "so", "dark")
    vectors = torch.randn(12, 2)
    model = Classifier.of_rules(
        rule_set(written, words),
        ("light", "music", "none"),
        [str(r.rule) for r in written],
        noise=0.1,
        embeddings=vectors,
        beta=0.5,
    )
    path = folder / "fa.safetensors"
    classifiers.save(model.eval(), path, {"configuration": {"share": 1.0, "seed": 0}})
    (folder / "more.config").write_text("[late]\n$ * on EOS\n")
    return (path.name,)


TRAIN = (
    "train fa-rnn --data . --rules home.config --vectors one-hot --beta 0.5 --epochs 2 --no-tensorboard"
    " --minutes 0.000001 -o run"
)
DATA = "--rules home.config --data ."
LABELS = writer_for(sentences, "train.tsv", "dev.tsv", "test.tsv")
COMPILE = "compile home.config -o out.json"
KINDS = (
    Kind(
        "FA-RNN classifier",
        classifier,
        (
            "rules show fa.safetensors --json",
            "rules show fa.safetensors",
            "rules add fa.safetensors --rules more.config -o out.safetensors --json",
            "rules disable fa.safetensors 1 -o out.safetensors --data . --json",
            "rules read-back fa.safetensors --data . --json",
        ),
        share=2,
    ),
    Kind(
        "rules",
        writer_for(sentences, "home.config"),
        (
            f"{COMPILE} --json",
            "compile home.config --vocabulary lamp,play,it,x -o out.att --json",
            f"rules zero-shot {DATA} --json",
            f"rules decide {DATA} --json",
        ),
        share=2,
    ),
    Kind(
        "rules to add",
        writer_for(classifier, "more.config"),
        ("rules add fa.safetensors --rules more.config -o out.safetensors",),
        share=0.5,
    ),
    Kind(
        "vocabulary (.txt)",
        writer_for(sentences, "words.txt"),
        (f"{COMPILE} --vocabulary words.txt --json",),
        share=0.5,
    ),
    Kind(
        "vocabulary (.json)",
        writer_for(sentences, "words.json"),
        (f"{COMPILE} --vocabulary words.json --json",),
        share=0.5,
    ),
    Kind("labelled sentences", LABELS, (f"rules zero-shot {DATA} --json", f"rules decide {DATA} --json")),
    Kind("labelled sentences to train on", LABELS, (f"{TRAIN} --json",), share=0.5),
    Kind(
        "formulas", writer_for(sentences, "logic.txt"), (f"rules zero-shot {DATA} --logic logic.txt --json",)
    ),
)
