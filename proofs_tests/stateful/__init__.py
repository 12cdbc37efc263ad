"""Tests of models with a state, correct and wrong, and of their verdicts."""
