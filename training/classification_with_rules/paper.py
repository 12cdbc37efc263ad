"""The figures of Jiang et al. 2020: Tables 4, 5 and 6, test accuracies in %."""

from __future__ import annotations

from typing import Any

from training.classification_with_rules.settings import FA, RuleClassification

SETS = ("atis", "qc", "sms")
SHARES = (0.01, 0.1, 1.0)
TABLE_4: dict[str, tuple[float, float, float]] = {
    "fa-rnn": (86.53, 61.95, 93.00),
    "fa-gru": (86.81, 62.90, 93.20),
    "bifa-rnn": (88.10, 62.90, 93.00),
    "bifa-gru": (88.63, 62.90, 93.20),
    "bigru+i": (2.66, 17.25, 71.15),
    "bigru+o": (44.68, 37.35, 50.75),
    "bigru+io": (27.94, 37.05, 68.30),
    "bigru+pr": (1.88, 16.65, 65.95),
    "bigru+kd": (1.88, 16.65, 65.95),
}
"""Test accuracies without training, on ATIS, QC and SMS."""
RULES = (87.01, 64.40, 93.20)
"""Test accuracies of the rules, on ATIS, QC and SMS."""
TABLE_5: dict[str, tuple[float, ...]] = {
    "fa-rnn": (90.54, 90.79, 96.52, 65.4, 79.6, 91.3, 94.1, 96.75, 98.8),
    "fa-gru": (90.73, 90.85, 96.61, 66.65, 80.7, 91.85, 94.15, 96.8, 99.2),
    "bifa-rnn": (90.65, 90.85, 96.72, 65.3, 81.5, 91.55, 94.1, 96.7, 99.0),
    "bifa-gru": (89.89, 90.26, 96.64, 66.15, 82.8, 91.0, 94.15, 96.75, 98.8),
    "cnn": (76.71, 86.09, 94.74, 46.65, 74.9, 89.25, 89.35, 95.9, 98.8),
    "dan": (74.5, 83.68, 90.4, 49.45, 65.4, 77.8, 88.75, 93.7, 98.6),
    "rnn": (71.19, 75.17, 91.55, 39.1, 67.9, 85.0, 89.8, 89.85, 97.75),
    "lstm": (75.06, 78.14, 95.72, 50.65, 75.75, 90.0, 92.2, 95.75, 97.85),
    "gru": (74.69, 88.52, 96.3, 51.85, 79.75, 91.2, 92.65, 95.55, 98.05),
    "birnn": (72.34, 79.98, 93.39, 47.0, 75.95, 87.35, 89.7, 94.9, 97.8),
    "bilstm": (75.87, 87.12, 96.25, 47.35, 76.75, 90.95, 92.15, 95.8, 97.7),
    "bigru": (76.12, 88.35, 96.75, 48.35, 80.05, 91.5, 92.4, 95.95, 98.4),
    "bigru+i": (82.42, 90.01, 96.56, 64.3, 80.25, 92.0, 93.0, 96.75, 98.55),
    "bigru+o": (77.35, 89.22, 96.33, 52.15, 80.2, 91.7, 93.05, 95.95, 98.4),
    "bigru+io": (82.61, 89.95, 95.46, 59.6, 79.65, 90.7, 93.15, 96.75, 98.25),
    "bigru+pr": (75.67, 88.89, 96.5, 53.65, 80.45, 91.85, 92.75, 96.05, 98.45),
    "bigru+kd": (75.5, 88.86, 96.75, 49.2, 80.3, 91.25, 92.15, 96.0, 98.55),
}
"""Test accuracies with 1 %, 10 % and 100 % of the training sentences: three for ATIS, for QC and for SMS."""
TABLE_6: dict[str, tuple[dict[str, str], tuple[float, float, float]]] = {
    "F": ({}, (96.52, 91.30, 98.80)),
    "V": ({"scoring": "viterbi"}, (95.66, 88.20, 97.85)),
    "F-O": ({"tensor": "whole"}, (94.51, 87.80, 99.20)),
    "F-Rand": ({"weights": "random"}, (92.16, 80.60, 95.40)),
    "V-Rand": ({"scoring": "viterbi", "weights": "random"}, (91.26, 78.60, 97.00)),
    "F-Rand E_w": ({"word_vectors": "random"}, (94.17, 84.40, 97.00)),
    "Train E_R": ({"word_features": "trained"}, (96.41, 89.20, 99.00)),
}
"""The settings of each FA-RNN variant, and its test accuracies on ATIS, QC and SMS with all sentences."""
CHANGED = ("scoring", "tensor", "weights", "word_vectors", "word_features")
ORDINARY = RuleClassification()


def variant(settings: RuleClassification) -> str | None:
    """Return the name of the variant in Table 6, or ``None``; ``F`` means the default settings."""
    changes = {
        name: getattr(settings, name)
        for name in CHANGED
        if getattr(settings, name) != getattr(ORDINARY, name)
    }
    return next((name for name, (own, _) in TABLE_6.items() if own == changes), None)


def paper(experiment: str, settings: RuleClassification) -> dict[str, Any] | None:
    """Return the paper's test accuracy for these settings and its source, or ``None`` if there is none."""
    if experiment not in SETS:
        return None
    index, which = SETS.index(experiment), variant(settings)
    figure: float | None = None
    table = 5
    if settings.share == 0 and settings.model in TABLE_4 and which == "F":
        figure, table = TABLE_4[settings.model][index], 4
    elif which not in (None, "F") and settings.share == 1 and settings.model == "fa-rnn":
        assert which is not None
        figure, table = TABLE_6[which][1][index], 6
    elif which == "F" and settings.share in SHARES:
        figure = TABLE_5[settings.model][3 * index + SHARES.index(settings.share)]
    if figure is None:
        return None
    figures = {"test_accuracy": round(figure / 100, 6), "source": f"Jiang et al. 2020, Table {table}"}
    return figures | ({"rules_test_accuracy": RULES[index] / 100} if settings.model in FA else {})
