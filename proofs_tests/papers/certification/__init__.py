"""Tests of certified temperatures and of extracted automata."""
