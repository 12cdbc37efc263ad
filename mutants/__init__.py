"""Mutation testing: break one place of the code at a time, and see whether a test notices.

``nox -s mutants`` runs it. cosmic-ray brings the mutations (``mutations.py``). Its own runner is not used,
nor is mutmut: neither draws a seeded sample spread over the code's lines; both have one way to test every
mutant, where a room's own tests have to run before the rest, the nearest to the mutated file first;
cosmic-ray mutates the working tree in place; and mutmut chooses tests by a traced run of the whole suite.
"""
