"""The command line's ``train wikipedia``."""

from __future__ import annotations

from training.experiment_command import experiment_command
from training.language_modelling.commands import show
from training.wikipedia.settings import PRESETS, WikipediaModelling

wikipedia = experiment_command(
    "wikipedia",
    WikipediaModelling,
    PRESETS,
    show,
    """Model the language of Wikipedia's articles (Wang & Niepert 2019, appendix C.2).

    The epoch that is best on the dev part is kept, and measured on the test part.
    """,
    holds="wikipedia/",
)
