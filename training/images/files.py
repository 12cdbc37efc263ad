"""Reader for images and labels in IDX files, the format of MNIST and Fashion-MNIST."""

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
from training.published_files import existing_file, read_bytes

SIDE = 28
LABELS = 10
DEV = 5000
"""The number of dev images, which are the last in the training file, as in the paper's Fashion-MNIST."""
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
        """Return the images in a range of indices."""
        return Images(self.pixels[begin:end], self.labels[begin:end])

    def described(self) -> dict[str, Any]:
        """Return the number of images and a hash of them, for a result."""
        both = self.pixels.numpy().tobytes() + self.labels.numpy().tobytes()
        return {"sentences": len(self.labels), "sha256": hashlib.sha256(both).hexdigest()[:16]}


class Pixels:
    """Images as sequences of values from 0 to 1.

    Args:
        images: the images.
        side: the number of rows and of columns to which images are scaled; each pixel is the mean of the
            original pixels that it covers.
        order: the order of the pixels: ``normal`` (row by row), or ``permuted`` (a fixed permutation).
    """

    def __init__(self, images: Images, side: int, order: str) -> None:
        small = functional.avg_pool2d(images.pixels[:, None].float() / 255, SIDE // side)
        flat = small.reshape(len(images.labels), side * side)
        self.values = flat[:, permutation(side)] if order == "permuted" else flat
        self.labels = images.labels
        self.lengths = torch.full((len(images.labels),), side * side)

    def at(self, indices: Tensor) -> Tensor:
        """Return the images at these indices as sequences, shape ``(T, B, 1)``."""
        return self.values[indices].T.unsqueeze(-1)


def permutation(side: int) -> Tensor:
    """Return the row-major index of the pixel that is read at each step."""
    return torch.randperm(side * side, generator=torch.Generator().manual_seed(PERMUTATION_SEED))


def load(experiment: str, folder: Path, any_size: bool = False, test: bool = True) -> dict[str, Images]:
    """Load the splits of a data set; the dev set is the end of the training file, at most a sixth of it.

    Raises:
        FormatError: If a file is missing, truncated or invalid.
    """
    full = _read(experiment, folder, "train", any_size)
    dev = min(DEV, len(full.labels) // 6)
    if not dev:
        raise FormatError(
            f"{folder / FOLDERS[experiment]}: the folder must have at least 6 training images, because a"
            f" sixth is the dev set, got {len(full.labels)}"
        )
    cut = len(full.labels) - dev
    parts = {"train": full.part(0, cut), "dev": full.part(cut, len(full.labels))}
    return parts | ({"test": _read(experiment, folder, "test", any_size)} if test else {})


def _read(experiment: str, folder: Path, part: str, any_size: bool) -> Images:
    images, labels = (existing_file(folder / FOLDERS[experiment] / name, True) for name in FILES[part])
    about = f"; it is published at {WHERE[experiment]}"
    pixels = _idx(images, 3, about)
    named = _idx(labels, 1, about)
    if pixels.shape[1:] != (SIDE, SIDE):
        raise FormatError(
            f"{images}: the file must have images of 28 x 28 pixels, got"
            f" {' x '.join(map(str, pixels.shape[1:]))}{about}"
        )
    if len(pixels) != len(named):
        raise FormatError(
            f"{labels}: the file must have {len(pixels):,} labels like {images.name}, got"
            f" {len(named):,}{about}"
        )
    if named.size and named.max() >= LABELS:
        raise FormatError(f"{labels}: labels must be between 0 and 9, got {named.max()}{about}")
    if len(named) != SIZES[part] and not any_size:
        raise FormatError(
            f"{images}: the file must have {SIZES[part]:,} images, like the published file, got"
            f" {len(named):,}; pass --any-size to accept other sizes{about}"
        )
    if not len(named):
        raise FormatError(f"{images}: the file must have at least one image{about}")
    return Images(torch.from_numpy(pixels), torch.from_numpy(named.astype(np.int64)))


def _idx(path: Path, axes: int, about: str) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """Return the array of bytes in an IDX file.

    The file consists of two zero bytes, the type code 8 (bytes), the number of axes, the length of each axis
    in four bytes (big-endian), and the data.
    """
    data = read_bytes(path, f"; an IDX file is expected{about}")
    start = 4 + 4 * axes
    if data[:4] != bytes([0, 0, 8, axes]) or len(data) < start:
        raise FormatError(f"{path}: the file must be an IDX file of bytes with {axes} axes{about}")
    shape = tuple(np.frombuffer(data, ">u4", axes, 4).tolist())
    wanted = int(np.prod(shape, dtype=object))
    if len(data) - start != wanted:
        raise FormatError(
            f"{path}: the file must have {wanted:,} bytes of data according to its header, got"
            f" {len(data) - start:,}; it may be truncated{about}"
        )
    return np.frombuffer(data, np.uint8, wanted, start).reshape(shape).copy()
