"""Tests that nested runs of evidence preserve the interpreter settings of the outer run."""

import gc

from ratproof.process.interpreter import COLLECTIONS, rare_collections


def test_a_nested_run_preserves_the_settings():
    with rare_collections():
        aside = gc.get_freeze_count()
        with rare_collections():
            assert gc.get_threshold() == COLLECTIONS
        assert gc.get_freeze_count() == aside > 0
        assert gc.get_threshold() == COLLECTIONS
