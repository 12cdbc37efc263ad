"""The random search over Table 6 (Peng et al. 2018), with Optuna.

The settings of a model's trials are drawn from a seed, and each trial is an ordinary run. A journal, which
several workers can share, contains the dev accuracy of each trial.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from automata.errors import InputError

if TYPE_CHECKING:
    from optuna.study import Study

SPACE: dict[str, tuple[str, float, float]] = {
    "hidden": ("whole", 100, 300),
    "vertical_dropout": ("even", 0.0, 0.5),
    "recurrent_dropout": ("even", 0.0, 0.5),
    "embedding_dropout": ("even", 0.0, 0.5),
    "rate": ("logarithmic", 1e-4, 1e-2),
    "weight_decay": ("logarithmic", 1e-7, 1e-5),
    "clip": ("even", 1.0, 5.0),
}
"""The ranges of Table 6, and the distributions from which values are drawn."""


def drawn(trials: int, seed: int = 0) -> list[dict[str, Any]]:
    """Draw the settings of the given number of trials; all models have the same settings."""
    optuna = _optuna()
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=seed))
    return [dict(study.ask(_distributions()).params) for _ in range(trials)]


def study(journal: Path, name: str) -> Study:
    """Load a study by name from the journal, or create it."""
    optuna = _optuna()
    journal.parent.mkdir(parents=True, exist_ok=True)
    try:
        storage = optuna.storages.JournalStorage(optuna.storages.journal.JournalFileBackend(str(journal)))
        result: Study = optuna.create_study(
            study_name=name, storage=storage, direction="maximize", load_if_exists=True
        )
    # Optuna raises these errors for a truncated line, and for JSON that is not an entry of a journal.
    except (ValueError, LookupError, TypeError, AttributeError, AssertionError) as error:
        raise InputError(
            f"{journal}: the file must be an Optuna journal ({' '.join(str(error).split()):.80}); delete it"
            " to rebuild it from the trials' results"
        ) from None
    return result


def recorded(journal: Path, name: str) -> set[int]:
    """Return the set of trial IDs in the journal; an ID is the trial's index in :func:`drawn`."""
    return {trial.user_attrs["number"] for trial in study(journal, name).trials}


def record(journal: Path, name: str, number: int, params: dict[str, Any], score: float | None) -> None:
    """Record a trial's score on the dev set (``None`` if it diverged).

    A new score replaces the recorded score, because the trial may have been repeated with other settings.
    """
    optuna = _optuna()
    kept = study(journal, name)
    recorded = [one for one in kept.trials if one.user_attrs.get("number") == number]
    if recorded and (recorded[-1].params, recorded[-1].value) == (params, score):
        return
    kept.add_trial(
        optuna.trial.create_trial(
            params=params,
            distributions=_distributions(),
            value=score,
            state=optuna.trial.TrialState.COMPLETE if score is not None else optuna.trial.TrialState.FAIL,
            user_attrs={"number": number},
        )
    )


def best(journal: Path, name: str, trials: int) -> dict[str, Any] | None:
    """Return the settings of the (first) best trial on the dev set, or ``None`` if trials are missing.

    Raises:
        InputError: If all trials diverged.
    """
    kept = {trial.user_attrs["number"]: trial for trial in study(journal, name).trials}
    if not set(range(trials)) <= set(kept):
        return None
    scored = [kept[number] for number in range(trials) if kept[number].value is not None]
    if not scored:
        raise InputError(f"the search {name}: at least one trial must converge, got {trials} that diverged")
    return dict(max(scored, key=lambda trial: trial.value or 0.0).params)


def _distributions() -> dict[str, Any]:
    distributions = _optuna().distributions
    result: dict[str, Any] = {}
    for name, (how, least, most) in SPACE.items():
        if how == "whole":
            result[name] = distributions.IntDistribution(int(least), int(most))
        else:
            result[name] = distributions.FloatDistribution(least, most, log=how == "logarithmic")
    return result


def _optuna() -> Any:
    import optuna

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    return optuna
