"""Tests of the runner that breaks the code, ``mutants/``."""
