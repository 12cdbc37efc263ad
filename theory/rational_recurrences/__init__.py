"""Rational Recurrences (Peng, Schwartz, Thomson, Smith; EMNLP 2018)."""
