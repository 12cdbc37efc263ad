"""Tests of the mutation runner, ``mutants/``."""
