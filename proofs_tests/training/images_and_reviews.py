"""Small sets of images, reviews and articles in the published formats, for tests."""

import gzip
import random
from pathlib import Path

import numpy as np

from proofs_tests.training.sentences import BAD, GOOD, OTHER, sentence, write


def idx(values: np.ndarray) -> bytes:  # type: ignore[type-arg]
    """Return an array of bytes as an IDX file."""
    shape = b"".join(int(n).to_bytes(4, "big") for n in values.shape)
    return bytes([0, 0, 8, values.ndim]) + shape + values.astype(np.uint8).tobytes()


def write_images(folder: Path, images: int = 36, seed: int = 0, border: int = 0) -> Path:
    """Write a folder with mnist and fashion_mnist, in which an image's brightness determines its label.

    The ``border`` of an image is blank. Most images of MNIST have a border of at least 4 pixels.
    """
    rng = np.random.default_rng(seed)
    for name in ("mnist", "fashion_mnist"):
        for part in ("train", "t10k"):
            labels = rng.integers(0, 10, images)
            pixels = rng.integers(0, 20, (images, 28, 28)) + 20 * labels[:, None, None]
            inside = np.pad(np.ones((28 - 2 * border,) * 2, np.int64), border)
            pixels = pixels * inside
            write(folder / name / f"{part}-images-idx3-ubyte.gz", gzip.compress(idx(pixels), 1))
            write(folder / name / f"{part}-labels-idx1-ubyte.gz", gzip.compress(idx(labels), 1))
    return folder


def write_reviews(folder: Path, reviews: int = 40, seed: int = 0) -> Path:
    """Write a folder with imdb and glove, in which one word of each review determines its label."""
    rng = random.Random(seed)
    for part in ("train", "test"):
        lines = []
        for number, label in enumerate(rng.choices((0, 1), k=reviews)):
            text = sentence(rng, label).replace(" ", "<br />", 1)
            lines.append(f"{('neg', 'pos')[label]}\t{9 if label else 2}\t{number}\t{text.capitalize()}!\n")
        write(folder / f"imdb/{part}.tsv.gz", gzip.compress("".join(lines).encode()))
    words = (*GOOD, *BAD, *OTHER, "!")
    vectors = "".join(f"{word} {' '.join(f'{rng.gauss(0, 1):.3f}' for _ in range(4))}\n" for word in words)
    write(folder / "glove" / "glove.tiny.txt", vectors)
    return folder


def write_articles(folder: Path, lines: int = 30, seed: int = 0) -> Path:
    """Write a folder with wikipedia; dev and test have words that the training set lacks."""
    rng = random.Random(seed)
    for part in ("train", "valid", "test"):
        new = "" if part == "train" else "elsewhere\n"
        text = "".join(f"{sentence(rng, rng.randint(0, 1))}\n" for _ in range(lines))
        write(folder / f"wikipedia/{part}.txt", text + new)
    return folder
