"""Families of automata: Tomita's grammars, balanced parentheses, n-grams, random DFAs."""
