"""Families of automata, such as Tomita's grammars, balanced parentheses, n-grams and random DFAs."""
