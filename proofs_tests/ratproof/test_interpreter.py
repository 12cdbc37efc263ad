"""Runs of evidence within a run: the outer one's settings of the interpreter stay."""

from __future__ import annotations

import gc

from ratproof.process.interpreter import COLLECTIONS, rare_collections


def test_a_run_within_a_run_leaves_what_is_set_aside() -> None:
    with rare_collections():
        aside = gc.get_freeze_count()
        with rare_collections():
            assert gc.get_threshold() == COLLECTIONS
        assert gc.get_freeze_count() == aside > 0
        assert gc.get_threshold() == COLLECTIONS
