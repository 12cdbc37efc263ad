"""Mutation testing, which changes the code in one position at a time and checks whether a test fails.

``nox -s mutants`` runs it. cosmic-ray provides the mutations (``mutations.py``). Neither its runner nor
mutmut is used. They do not draw a seeded sample that is spread over the code's lines. They test all mutants
in the same way, whereas here the tests of a package run first, the nearest to the mutated file before the
others. cosmic-ray mutates the working tree in place, and mutmut selects tests by a traced run of the full
suite.
"""
