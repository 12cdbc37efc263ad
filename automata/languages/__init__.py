"""Families of automata: Tomita's grammars, brackets, n-grams, random ones."""
