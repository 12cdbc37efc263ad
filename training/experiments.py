"""The experiments that the engine runs, by name: each one's settings, presets and function."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from automata.errors import InputError
from training.classification_with_rules import presets as rules
from training.classification_with_rules.settings import RuleClassification
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
LANGUAGE = ("ptb",)
RULES = ("atis", "qc", "sms")
DRAWN = tuple(recognition.PRESETS)
IMAGES = ("mnist", "fashion-mnist")
REVIEWS = ("imdb",)
ARTICLES = ("wikipedia",)
Kind = tuple[type[Settings], dict[str, dict[str, Any]]]
KINDS: dict[str, Kind] = {
    **dict.fromkeys(TEXT, (text.Classification, text.PRESETS)),
    "amazon": (text.Classification, text.AMAZON_PRESETS),
    **dict.fromkeys(LANGUAGE, (language.LanguageModelling, language.PRESETS)),
    **{name: (RuleClassification, rules.presets(name)) for name in RULES},
    **{name: (recognition.Recognition, recognition.PRESETS[name]) for name in DRAWN},
    **dict.fromkeys(IMAGES, (images.PixelByPixel, images.PRESETS)),
    **dict.fromkeys(ARTICLES, (wikipedia.WikipediaModelling, wikipedia.PRESETS)),
    **dict.fromkeys(REVIEWS, (reviews.Sentiment, reviews.PRESETS)),
    "nested": (languages.Nested, languages.PRESETS),
    "dfa": (languages.FromFile, languages.PRESETS),
}
"""By experiment: the class of its settings, and its presets."""
OF_MODELS: dict[tuple[str, str], Kind] = {
    ("tomita", languages.SR_GRU): (languages.TomitaGrammar, languages.PRESETS)
}
"""By experiment and model, where a model has other ones."""


@dataclass(frozen=True)
class Data:
    """Where the data are; ``vectors`` and ``any_size`` as the command line has them."""

    folder: Path
    vectors: Path | None = None
    any_size: bool = False


def settings_for(experiment: str, preset: str, given: dict[str, Any], where: str) -> Settings:
    """The settings of a run: a preset's, and what is given besides.

    Raises :class:`~automata.errors.InputError`: there is no such experiment, preset or setting.
    """
    if experiment not in KINDS:
        raise InputError(
            f"{where}: {experiment!r:.40} is no experiment of the engine; there are {', '.join(KINDS)}"
        )
    kind, presets = OF_MODELS.get((experiment, str(given.get("model"))), KINDS[experiment])
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
    if isinstance(settings, languages.Recipe):
        from training.state_regularized.experiment import run as learn

        return learn(experiment, settings, data.folder, where, stop)
    if isinstance(settings, recognition.Recognition):
        from training.language_recognition.experiment import run as recognise

        return recognise(experiment, settings, where, stop, test)
    if isinstance(settings, RuleClassification):
        from training.classification_with_rules.experiment import Files
        from training.classification_with_rules.experiment import run as with_rules

        files = Files(data.folder, data.vectors, data.any_size)
        return with_rules(experiment, settings, files, where, stop, test)
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
