"""Mutation testing, which changes the code in one position at a time and checks whether a test fails.

Run it with ``nox -s mutants``. cosmic-ray provides the mutations (``mutations.py``). We do not use the runner
of cosmic-ray or mutmut for three reasons:

- They do not draw a random sample that is spread over the lines of the code and repeatable from a seed.
- They run the same tests for every mutant. Our runner orders the tests of the package: those nearest to
  the mutated file run first.
- cosmic-ray mutates the working tree in place, and mutmut selects tests by tracing a run of the full suite.
"""
