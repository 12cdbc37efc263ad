"""Small sets of sentences in the published formats, for tests."""

import random
from pathlib import Path

GOOD, BAD = ("good", "fine", "great"), ("bad", "poor", "dull")
OTHER = ("the", "film", "is", "a", "camera", "not", "very", "long")


def write_sets(folder: Path, sentences: int = 50, seed: int = 0) -> Path:
    """Write a folder with sst2, subj, cr, amazon and glove, in which one word of each sentence determines its
    label.
    """
    rng = random.Random(seed)
    for name in (
        "sst2/stsa.binary.train",
        "sst2/stsa.binary.dev",
        "sst2/stsa.binary.test",
        "subj/subj.all",
        "cr/custrev.all",
    ):
        lines = "".join(f"{label} {sentence(rng, label)}\n" for label in rng.choices((0, 1), k=sentences))
        write(folder / name, lines)
    for name in ("elec-25k-train", "elec-test"):
        labels = rng.choices((0, 1), k=sentences)
        write(folder / f"amazon/{name}.txt.tok", "".join(f"{sentence(rng, label)}\n" for label in labels))
        write(folder / f"amazon/{name}.cat", "".join(f"{label + 1}\n" for label in labels))
    words = (*GOOD, *BAD, *OTHER)
    vectors = "".join(f"{word} {' '.join(f'{rng.gauss(0, 1):.3f}' for _ in range(4))}\n" for word in words)
    write(folder / "glove" / "glove.tiny.txt", vectors)
    return folder


def write_text(folder: Path, lines: int = 40, seed: int = 0) -> Path:
    """Write a folder with ptb, whose dev and test sets have only words of the training set."""
    rng = random.Random(seed)
    every = " ".join((*GOOD, *BAD, *OTHER)) + "\n"
    for part in ("train", "valid", "test"):
        text = every + "".join(f"{sentence(rng, 1)}\n" for _ in range(lines))
        write(folder / f"ptb/ptb.{part}.txt", text)
    return folder


def sentence(rng: random.Random, label: int) -> str:
    words = rng.choices(OTHER, k=rng.randint(0, 9))
    words.insert(rng.randint(0, len(words)), rng.choice(GOOD if label else BAD))
    return " ".join(words)


def write(path: Path, text: str | bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)


RULES = "[good]\n$ * ( good | fine ) $ *\n$ * great film $ *\n[bad]\n$ * ( bad | poor ) $ *\n"


def write_rule_sets(folder: Path, sentences: int = 40, seed: int = 0, ragged: bool = False) -> Path:
    """Write a folder with re2rnn and glove, with the labels good, bad and none.

    Rules contain some of the words of the labels. In ATIS, most sentences have the label none, which has no
    rules; in TREC and SMS, most have the label good. Unless they are ragged, the sentences with the label
    none have four words.
    """
    rng = random.Random(seed)
    for name in ("ATIS", "TREC", "SMS"):
        for part in ("train", "dev", "test"):
            others = sentences // 2 if name == "ATIS" else sentences // 8
            counts = [rng.randint(1, 10) if ragged else 4 for _ in range(others)]
            lines = [f"none\tBOS {' '.join(rng.choices(OTHER, k=count))} EOS\n" for count in counts]
            for label in rng.choices((0, 1), weights=(1, 2), k=sentences - others):
                lines.append(f"{('bad', 'good')[label]}\tBOS {both(rng, label)} EOS\n")
            write(folder / f"re2rnn/{name}/{part}.tsv", "".join(lines))
        write(folder / f"re2rnn/{name}/rules.config", RULES)
    write_sets(folder)
    return folder


def both(rng: random.Random, label: int) -> str:
    """Return a sentence, sometimes preceded by a word of the other label."""
    begin = f"{rng.choice(BAD if label else GOOD)} " if rng.random() < 0.2 else ""
    return begin + sentence(rng, label)
