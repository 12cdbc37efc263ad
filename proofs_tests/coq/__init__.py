"""Tests of the Coq development: accepted theorems, computed values and rejected mutations.

They are skipped if Coq is not installed.
"""
