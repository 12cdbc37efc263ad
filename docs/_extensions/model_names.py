"""What pages call the models of Wang & Niepert 2019, in the order of the tables."""

from __future__ import annotations

NAMES = {
    "lstm": "LSTM",
    "lstm-p": "LSTM-P",
    "sr-lstm": "SR-LSTM",
    "sr-lstm-p": "SR-LSTM-P",
    "gru": "GRU",
    "sr-gru": "SR-GRU",
}
