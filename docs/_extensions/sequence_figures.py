"""The pictures on the pages of long sequences: centroids' prototypes of images, and their probabilities along
sentences.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

import matplotlib
import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray
from speed_figures import GREY

from training.images.prototypes import GREYS

LEVELS = {letter: level / (len(GREYS) - 1) for level, letter in enumerate(GREYS)}
Picture = NDArray[np.float64]


def prototypes(kept: dict[str, Any]) -> dict[str, str]:
    """The pictures of each label's images, and those of some images, as SVG by name."""
    side = kept["side"]
    return {
        name: _drawn([_tiles(rows, side)], [])
        for name, rows in (("labels", kept["labels"]), ("images", kept["images"]))
    }


def of_sentences(sentences: Sequence[Sequence[Sequence[Any]]]) -> str:
    """For each sentence a picture: a column for each word, and a row for each centroid."""
    pictures = [np.array([row for _, row in sentence]).T for sentence in sentences]
    return _drawn(pictures, [[word for word, _ in sentence] for sentence in sentences])


def _tiles(rows: Sequence[Sequence[str]], side: int) -> Picture:
    """Pictures side by side, with a line between them."""
    whole = np.full((len(rows) * (side + 1) - 1, len(rows[0]) * (side + 1) - 1), 0.5)
    for r, row in enumerate(rows):
        for c, letters in enumerate(row):
            picture = np.array([LEVELS[letter] for letter in letters]).reshape(side, side)
            whole[r * (side + 1) :, c * (side + 1) :][:side, :side] = picture
    return whole


def _drawn(pictures: Sequence[Picture], words: Sequence[Sequence[str]]) -> str:
    with matplotlib.rc_context({"svg.hashsalt": "ratproof", "font.size": 9.0, "text.color": GREY}):
        tall = sum(p.shape[0] / p.shape[1] for p in pictures)
        figure = Figure(figsize=(6.4, 6.4 * tall + 1.1 * len(words)), layout="constrained")
        every = figure.subplots(len(pictures), 1, squeeze=False)[:, 0]
        for number, (axes, picture) in enumerate(zip(every, pictures, strict=True)):
            axes.imshow(picture, cmap="gray", vmin=0, vmax=1, interpolation="nearest")
            axes.set_axis_off()
            if words:
                axes.set_axis_on()
                axes.set_xticks(range(len(words[number])), words[number], rotation=90, color=GREY)
                axes.set_yticks(range(len(picture)), map(str, range(len(picture))), color=GREY)
        text = io.StringIO()
        figure.savefig(text, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    return "\n".join(line.rstrip() for line in text.getvalue().splitlines()) + "\n"
