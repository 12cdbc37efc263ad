"""Specimens of a cell's weights, corpora, and word vectors."""

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np

from proofs_tests.mutated_files.edits import archived, array_file
from proofs_tests.mutated_files.kind import Kind, writer_for


def cell_weights(folder: Path) -> tuple[str, ...]:
    from theory.not_rational.cells import CELLS
    from theory.not_rational.weights import some

    (folder / "w.json").write_text(json.dumps(some(CELLS["elman"], 2).to_json()))
    return ("w.json",)


def npz(**arrays: Any) -> bytes:
    return archived({f"{name}.npy": array_file(array) for name, array in arrays.items()})


GLOVE = "the 0.5 -1 2e-1\nlamp 1 0 0.25\n. . 0 1 0\nplay -0.125 3 1\na 1 2 3\n"
WORDS = ["the", "lamp", "play", "a"]


def corpus(folder: Path) -> None:
    (folder / "text.txt").write_text("turn the lamp on\n\nplay jazz\n")
    (folder / "glove.txt").write_text(GLOVE)
    (folder / "glove.txt.gz").write_bytes(gzip.compress(GLOVE.encode(), mtime=0))


def vectors_npz(folder: Path) -> tuple[str, ...]:
    corpus(folder)
    table = np.arange(12, dtype=np.float32).reshape(4, 3) / 8
    (folder / "glove.npz").write_bytes(npz(vectors=table, words=np.array(WORDS), unk_mean=table.mean(axis=0)))
    return ("glove.npz",)


def vectors_beside(folder: Path) -> tuple[str, ...]:
    corpus(folder)
    (folder / "glove.npz").write_bytes(npz(vectors=np.arange(12, dtype=np.float32).reshape(4, 3) / 8))
    (folder / "words.txt.gz").write_bytes(gzip.compress("\n".join(WORDS).encode(), mtime=0))
    return ("glove.npz", "words.txt.gz")


def vectors_published(folder: Path) -> tuple[str, ...]:
    (folder / "glove.npz").write_bytes(npz(emb=np.arange(12, dtype=np.float32).reshape(4, 3) / 8))
    (folder / "vocab_labels.json").write_text(json.dumps({"vocab": WORDS, "labels": ["x"]}))
    return ("glove.npz", "vocab_labels.json")


KINDS = (
    Kind(
        "weights of a cell",
        cell_weights,
        (
            "not-rational elman --weights w.json --size 3 --json",
            "not-rational elman --weights w.json --every-size",
        ),
    ),
    Kind("corpus", writer_for(corpus, "text.txt"), ("corpus text.txt", "corpus text.txt glove.txt")),
    Kind(
        "embeddings (GloVe)",
        writer_for(corpus, "glove.txt"),
        ("corpus text.txt glove.txt", "vectors glove.txt"),
    ),
    Kind("embeddings (.gz)", writer_for(corpus, "glove.txt.gz"), ("corpus text.txt glove.txt.gz",)),
    Kind("embeddings (.npz)", vectors_npz, ("corpus text.txt glove.npz", "vectors glove.npz")),
    Kind("embeddings (.npz, words beside)", vectors_beside, ("corpus text.txt glove.npz",)),
    Kind("embeddings (.npz, as published)", vectors_published, ("vectors glove.npz",)),
)
