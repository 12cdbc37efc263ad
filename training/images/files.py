"""Images and labels in IDX files, as MNIST and Fashion-MNIST are published; gzipped, or as they are."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from automata.errors import FormatError
from training.published_files import found, read_bytes

SIDE = 28
LABELS = 10
DEV = 5000
"""So many images, the last ones of the training file, are the dev part, as in the paper's Fashion-MNIST."""
PERMUTATION_SEED = 2019
FOLDERS = {"mnist": "mnist", "fashion-mnist": "fashion_mnist"}
WHERE = {
    "mnist": "http://yann.lecun.com/exdb/mnist/",
    "fashion-mnist": "https://github.com/zalandoresearch/fashion-mnist",
}
FILES = {
    "train": ("train-images-idx3-ubyte", "train-labels-idx1-ubyte"),
    "test": ("t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte"),
}
SIZES = {"train": 60_000, "test": 10_000}


@dataclass(frozen=True)
class Images:
    """Labelled images: bytes, shape ``(N, 28, 28)``, and labels, shape ``(N,)``."""

    pixels: Tensor
    labels: Tensor

    def part(self, begin: int, end: int) -> Images:
        """Those from one place to another."""
        return Images(self.pixels[begin:end], self.labels[begin:end])

    def described(self) -> dict[str, Any]:
        """Their number, and a hash."""
        both = self.pixels.numpy().tobytes() + self.labels.numpy().tobytes()
        return {"sentences": len(self.labels), "sha256": hashlib.sha256(both).hexdigest()[:16]}


class Pixels:
    """Images as sequences of numbers from 0 to 1.

    Args:
        images: which.
        side: to so many rows and columns they are brought, each the mean of the pixels that it covers.
        order: ``normal``, row by row, or ``permuted``: always the same permutation.
    """

    def __init__(self, images: Images, side: int, order: str) -> None:
        small = functional.avg_pool2d(images.pixels[:, None].float() / 255, SIDE // side)
        flat = small.reshape(len(images.labels), side * side)
        self.values = flat[:, permutation(side)] if order == "permuted" else flat
        self.labels = images.labels
        self.lengths = torch.full((len(images.labels),), side * side)

    def at(self, places: Tensor) -> Tensor:
        """Some of them, shape ``(T, B, 1)``."""
        return self.values[places].T.unsqueeze(-1)


def permutation(side: int) -> Tensor:
    """The place, row by row, of the pixel that is read at each step."""
    return torch.randperm(side * side, generator=torch.Generator().manual_seed(PERMUTATION_SEED))


def load(experiment: str, folder: Path, any_size: bool = False, test: bool = True) -> dict[str, Images]:
    """The parts of a set: the dev part is the end of the training file, at most a sixth of it.

    Raises :class:`~automata.errors.FormatError`: a file is missing, cut off or none such: which, what is
    right, and where it is published.
    """
    whole = _read(experiment, folder, "train", any_size)
    dev = min(DEV, len(whole.labels) // 6)
    if not dev:
        raise FormatError(
            f"{folder / FOLDERS[experiment]}: has {len(whole.labels)} training images, too few to take a"
            " sixth of them for the dev part"
        )
    cut = len(whole.labels) - dev
    parts = {"train": whole.part(0, cut), "dev": whole.part(cut, len(whole.labels))}
    return parts | ({"test": _read(experiment, folder, "test", any_size)} if test else {})


def _read(experiment: str, folder: Path, part: str, any_size: bool) -> Images:
    images, labels = (found(folder / FOLDERS[experiment] / name, True) for name in FILES[part])
    about = f"; it is published at {WHERE[experiment]}"
    pixels = _idx(images, 3, about)
    named = _idx(labels, 1, about)
    if pixels.shape[1:] != (SIDE, SIDE):
        raise FormatError(
            f"{images}: has images of {' x '.join(map(str, pixels.shape[1:]))} pixels, where 28 x 28 are"
            f" right{about}"
        )
    if len(pixels) != len(named):
        raise FormatError(
            f"{labels}: has {len(named):,} labels, where {images.name} has {len(pixels):,} images{about}"
        )
    if named.size and named.max() >= LABELS:
        raise FormatError(f"{labels}: has the label {named.max()}, where 0 to 9 are right{about}")
    if len(named) != SIZES[part] and not any_size:
        raise FormatError(
            f"{images}: has {len(named):,} images, where the published one has {SIZES[part]:,};"
            f" --any-size takes it as it is{about}"
        )
    if not len(named):
        raise FormatError(f"{images}: has no image{about}")
    return Images(torch.from_numpy(pixels), torch.from_numpy(named.astype(np.int64)))


def _idx(path: Path, axes: int, about: str) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """The array of bytes in an IDX file: two zeros, 8 for bytes, the number of axes, each axis' length in
    four bytes, the largest first, and the data.
    """
    data = read_bytes(path, f"; an IDX file is right{about}")
    start = 4 + 4 * axes
    if data[:4] != bytes([0, 0, 8, axes]) or len(data) < start:
        raise FormatError(f"{path}: is no IDX file of bytes with {axes} axes{about}")
    shape = tuple(np.frombuffer(data, ">u4", axes, 4).tolist())
    wanted = int(np.prod(shape, dtype=object))
    if len(data) - start != wanted:
        raise FormatError(
            f"{path}: has {len(data) - start:,} bytes of data, where its header says {wanted:,}: was it"
            f" cut?{about}"
        )
    return np.frombuffer(data, np.uint8, wanted, start).reshape(shape).copy()
