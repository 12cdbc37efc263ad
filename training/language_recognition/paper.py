"""The figures of Wang & Niepert 2019: error rates on parentheses and palindromes, as fractions.

Tables 1, 2 and 12 are about balanced parentheses, and Tables 3 and 11 about palindromes.
"""

from __future__ import annotations

from typing import Any

from training.language_recognition import palindromes, parentheses
from training.language_recognition.settings import Recognition

TABLE_1: dict[tuple[str, str], tuple[float, ...]] = {
    ("large", "lstm"): (0.005, 0.334, 0.341, 0.002, 0.207, 0.543),
    ("large", "sr-lstm"): (0.038, 0.255, 0.313, 0.044, 0.227, 0.540),
    ("large", "lstm-p"): (0.022, 0.308, 0.351, 0.013, 0.254, 0.496),
    ("large", "sr-lstm-p"): (0.000, 0.001, 0.003, 0.000, 0.004, 0.020),
    ("small", "lstm"): (0.068, 0.472, 0.479, 0.042, 0.409, 0.519),
    ("small", "sr-lstm"): (0.037, 0.347, 0.352, 0.028, 0.279, 0.508),
    ("small", "sr-lstm-p"): (0.017, 0.189, 0.196, 0.015, 0.138, 0.380),
}
"""The error rates with k = 5; the error rates of the LSTM with peepholes are from Table 12."""
TABLE_2: dict[int, tuple[float, ...]] = {
    2: (0.019, 0.096, 0.097, 0.014, 0.038, 0.399),
    5: (0.017, 0.189, 0.196, 0.015, 0.138, 0.380),
    10: (0.021, 0.205, 0.213, 0.012, 0.154, 0.432),
    50: (0.034, 0.192, 0.191, 0.047, 0.128, 0.410),
}
"""The error rates of SR-LSTM-P on the small set, keyed by the number of centroids."""
TABLE_11: dict[str, tuple[float, ...]] = {
    "lstm": (0.312, 0.420, 0.477),
    "lstm-p": (0.284, 0.362, 0.415),
    "sr-lstm": (0.280, 0.360, 0.446),
    "sr-lstm-p": (0.105, 0.167, 0.298),
}
"""The error rates at lengths up to 100, 200 and 500; Table 3 lacks the LSTM with peepholes."""


def paper(experiment: str, settings: Recognition) -> dict[str, Any] | None:
    """Return the paper's error rates by test set, and the table; ``None`` if there are none."""
    if experiment in ("tomita", "exchanges"):
        return None  # the paper has no error rate
    if experiment == "palindromes":
        figures = TABLE_11.get(settings.model) if settings.centroids == 5 else None
        names = [column.name for column in palindromes.COLUMNS]
        table = 11
    elif settings.model == "sr-lstm-p" and settings.size == "small":
        figures, names, table = TABLE_2.get(settings.centroids), _columns(), 2
    else:
        has_k = not settings.model.startswith("sr-") or settings.centroids == 5
        figures = TABLE_1.get((settings.size, settings.model)) if has_k else None
        names, table = _columns(), 12 if settings.model == "lstm-p" else 1
    if figures is None:
        return None
    errors = dict(zip(names, figures, strict=False))
    return {"errors": errors, "source": f"Wang & Niepert 2019, Table {table}"}


def _columns() -> list[str]:
    return [column.name for column in parentheses.COLUMNS]
