"""The experiments that the engine runs, by name: each one's settings, presets and function."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from automata.errors import InputError
from training.classification_with_rules import presets as rules
from training.classification_with_rules.settings import RuleClassification
from training.classification_with_rules.sources import SOURCES
from training.data_folder import Data as Data
from training.engine.settings import Settings, from_json
from training.images import settings as images
from training.language_modelling import settings as language
from training.language_recognition import settings as recognition
from training.rational_recurrences import settings as text
from training.reviews import settings as reviews
from training.wikipedia import settings as wikipedia

if TYPE_CHECKING:
    from training.engine.run import Where

TEXT = ("sst2", "subj", "cr", "amazon")
LANGUAGE = ("ptb",)
RULES = tuple(SOURCES)
DRAWN = tuple(recognition.PRESETS)
IMAGES = ("mnist", "fashion-mnist")
REVIEWS = ("imdb",)
ARTICLES = ("wikipedia",)
KINDS: dict[str, tuple[type[Settings], dict[str, dict[str, Any]]]] = {
    **dict.fromkeys(TEXT, (text.Classification, text.PRESETS)),
    "amazon": (text.Classification, text.AMAZON_PRESETS),
    **dict.fromkeys(LANGUAGE, (language.LanguageModelling, language.PRESETS)),
    **{name: (RuleClassification, rules.presets(name)) for name in RULES},
    **{name: (recognition.Recognition, recognition.PRESETS[name]) for name in DRAWN},
    **dict.fromkeys(IMAGES, (images.PixelByPixel, images.PRESETS)),
    **dict.fromkeys(ARTICLES, (wikipedia.WikipediaModelling, wikipedia.PRESETS)),
    **dict.fromkeys(REVIEWS, (reviews.Sentiment, reviews.PRESETS)),
}
"""By experiment: the class of its settings, and its presets."""


def settings_for(experiment: str, preset: str, given: dict[str, Any], where: str) -> Settings:
    """The settings of a run: a preset's, and what is given besides.

    Raises :class:`~automata.errors.InputError`: there is no such experiment, preset or setting.
    """
    if experiment not in KINDS:
        raise InputError(
            f"{where}: {experiment!r:.40} is no experiment of the engine; there are {', '.join(KINDS)}"
        )
    kind, presets = KINDS[experiment]
    if preset not in presets:
        raise InputError(f"{where}: {preset!r:.40} is no preset; there are {', '.join(presets)}")
    return from_json(kind, {**presets[preset], **given}, where)


def run(
    experiment: str,
    settings: Settings,
    data: Data,
    where: Where,
    stop: Callable[[], bool] = lambda: False,
    test: bool = True,
) -> dict[str, Any] | str:
    """Run an experiment: its result, or why there is none yet; ``test`` as the text classification has it."""
    if isinstance(settings, wikipedia.WikipediaModelling):
        from training.language_modelling.experiment import Text as Articles
        from training.wikipedia.experiment import run as model_articles

        return model_articles(settings, Articles(data.folder, data.any_size), where, stop)
    if isinstance(settings, language.LanguageModelling):
        from training.language_modelling.experiment import Text
        from training.language_modelling.experiment import run as model

        return model(settings, Text(data.folder, data.any_size), where, stop)
    if isinstance(settings, recognition.Recognition):
        from training.language_recognition.experiment import run as recognise

        return recognise(experiment, settings, where, stop, test)
    if isinstance(settings, RuleClassification):
        from training.classification_with_rules.experiment import run as with_rules

        return with_rules(experiment, settings, data, where, stop, test)
    if isinstance(settings, images.PixelByPixel):
        from training.images.experiment import Files as ImageFiles
        from training.images.experiment import run as see

        return see(experiment, settings, ImageFiles(data.folder, data.any_size), where, stop, test)
    if isinstance(settings, reviews.Sentiment):
        from training.reviews.experiment import Files as ReviewFiles
        from training.reviews.experiment import run as judge

        return judge(settings, ReviewFiles(data.folder, data.vectors, data.any_size), where, stop, test)
    from training.rational_recurrences.experiment import Sentences
    from training.rational_recurrences.experiment import run as classify

    assert isinstance(settings, text.Classification)
    sentences = Sentences(data.folder, data.vectors, data.any_size)
    return classify(experiment, settings, sentences, where, stop, test)
