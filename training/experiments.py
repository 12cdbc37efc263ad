"""The experiments that the engine runs, by name: each one's settings, presets and function."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from automata.errors import InputError
from training.classification_with_rules import presets as rules
from training.classification_with_rules.settings import RuleClassification
from training.classification_with_rules.sources import SOURCES
from training.data_folder import Data
from training.engine.freed_memory import freed_memory_kept
from training.engine.settings import Settings, from_json
from training.images import settings as images
from training.language_modelling import settings as language
from training.language_recognition import settings as recognition
from training.rational_recurrences import settings as text
from training.reviews import settings as reviews
from training.state_regularized import settings as languages
from training.wikipedia import settings as wikipedia

if TYPE_CHECKING:
    from training.engine.run import Where

TEXT = ("sst2", "subj", "cr", "amazon")


@dataclass(frozen=True)
class Kind:
    """How an experiment is run.

    Attributes:
        package: of ``training``, whose module ``experiment`` has a function ``run``, with this module's
            arguments; imported when it is run.
        settings: the class of its settings.
        presets: its presets.
    """

    package: str
    settings: type[Settings]
    presets: dict[str, dict[str, Any]]


KINDS: dict[str, Kind] = {
    **dict.fromkeys(TEXT, Kind("rational_recurrences", text.Classification, text.PRESETS)),
    "amazon": Kind("rational_recurrences", text.Classification, text.AMAZON_PRESETS),
    "ptb": Kind("language_modelling", language.LanguageModelling, language.PRESETS),
    **{name: Kind("classification_with_rules", RuleClassification, rules.presets(name)) for name in SOURCES},
    **{
        name: Kind("language_recognition", recognition.Recognition, presets)
        for name, presets in recognition.PRESETS.items()
    },
    **dict.fromkeys(("mnist", "fashion-mnist"), Kind("images", images.PixelByPixel, images.PRESETS)),
    "wikipedia": Kind("wikipedia", wikipedia.WikipediaModelling, wikipedia.PRESETS),
    "imdb": Kind("reviews", reviews.Sentiment, reviews.PRESETS),
    "nested": Kind("state_regularized", languages.Nested, languages.PRESETS),
    "dfa": Kind("state_regularized", languages.FromFile, languages.PRESETS),
}
"""By experiment."""
OF_MODELS: dict[tuple[str, str], Kind] = {
    ("tomita", languages.SR_GRU): Kind("state_regularized", languages.TomitaGrammar, languages.PRESETS)
}
"""By experiment and model, where a model is trained in another way."""


def kind_of(experiment: str, model: str) -> Kind:
    """How that model is trained on that experiment."""
    return OF_MODELS.get((experiment, model), KINDS[experiment])


def settings_for(experiment: str, preset: str, given: dict[str, Any], where: str) -> Settings:
    """The settings of a run: a preset's, and what is given besides.

    Raises :class:`~automata.errors.InputError`: there is no such experiment, preset or setting.
    """
    if experiment not in KINDS:
        raise InputError(
            f"{where}: {experiment!r:.40} is no experiment of the engine; there are {', '.join(KINDS)}"
        )
    kind = kind_of(experiment, str(given.get("model")))
    if preset not in kind.presets:
        raise InputError(f"{where}: {preset!r:.40} is no preset; there are {', '.join(kind.presets)}")
    return from_json(kind.settings, {**kind.presets[preset], **given}, where)


def run(
    experiment: str,
    settings: Settings,
    data: Data,
    where: Where,
    stop: Callable[[], bool] = lambda: False,
    test: bool = True,
) -> dict[str, Any] | str:
    """Run an experiment: its result, or why there is none yet.

    Args:
        experiment: its name.
        settings: how.
        data: on what.
        where: the run's folder.
        stop: should it stop here?
        test: measure it on the test part, too? Settings are chosen without.
    """
    module = import_module(f"training.{kind_of(experiment, settings.model).package}.experiment")
    with freed_memory_kept():
        said: dict[str, Any] | str = module.run(experiment, settings, data, where, stop, test)
    return said
