"""The command line's ``train mnist`` and ``train fashion-mnist``."""

from __future__ import annotations

from collections.abc import Callable

from training.experiment_command import experiment_command
from training.images.settings import PRESETS, PixelByPixel
from training.sequences.shown import show

TITLES = {"mnist": "MNIST", "fashion-mnist": "Fashion-MNIST"}


def command(experiment: str) -> Callable[..., int]:
    """The command that trains on a set."""
    return experiment_command(
        experiment,
        PixelByPixel,
        PRESETS,
        show,
        f"""Classify {TITLES[experiment]} pixel by pixel (Wang & Niepert 2019, section 4.3).

        The epoch that is best on the dev part, the end of the training file, is kept, and measured on the
        test part. A state-regularized model's result has a picture of each centroid.
        """,
        holds="mnist/ or fashion_mnist/",
    )
