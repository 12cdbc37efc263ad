"""Tests of the Coq development: what it accepts, computes and must reject. They are skipped if Coq is
missing.
"""
