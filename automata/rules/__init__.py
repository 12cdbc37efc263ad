"""Rules over words (Jiang et al. 2020, section 2.2) and their conversion to automata.

>>> from automata.rules.parser import parse
>>> from automata.rules.compiling import compiled
>>> automaton = compiled(parse("( show | list ) $ * flights"), ["show", "list", "me", "flights"])
>>> automaton
<WFSA: 3 states, 4 symbols, boolean semiring, exact>
>>> from automata.forward import score
>>> bool(score(automaton, "show me flights".split())), bool(score(automaton, "me flights".split()))
(True, False)
"""
