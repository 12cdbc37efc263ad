"""Tests that Coq rejects mutations of the files that several claims share, and of the checker.

``nox -s mutants -- claims`` plants faults in the files of single claims (``mutants/coq_breaks.py``).
"""

import os
import shutil
from pathlib import Path

import pytest

from proofs_tests.coq.conftest import Session
from ratproof.coq import programs as coq
from ratproof.coq.development import copy_sources
from ratproof.coq.sources import modules

BROKEN = {
    "rational_recurrences/shared/appendix_A.v": {
        "no padding: q of the first history is left out": (
            "inl h, inr h' => towards (remember h x) h' (u h x)",
            "inl h, inr h' => if h == h_0 then 0 else towards (remember h x) h' (u h x)",
        )
    },
    "state_regularized/shared/softmax.v": {
        "the bound counts only one of the other centroids": (
            "(1 + n%:R * e (- (gap / tau)))^-1",
            "(1 + e (- (gap / tau)))^-1",
        )
    },
    "fa_rnn/shared/matches.v": {
        "the deterministic automaton follows transitions backwards": (
            "has_element s p && moves x p q)",
            "has_element s p && moves x q p)",
        )
    },
    "rational_recurrences/shared/no_automaton.v": {
        "the values are the scores of an automaton": (
            "first ++ nseq m x) = 2%:R ^+ (2 ^ m))",
            "first ++ nseq m x) = 2%:R ^+ m)",
        )
    },
    "rational_recurrences/shared/feedback.v": {
        "the theorem also covers gates without feedback": ("(w : F) : w != 0 ->", "(w : F) :")
    },
    "checker.v": {
        "the final weights of a certificate are not checked": (
            "all (fun p => same (total (states A) (fun q => entries X p q * entry (last A) q))"
            " (entry (last B) p)) P",
            "true",
        ),
        "one symbol of a certificate is not checked": ("(iota 0 (maxn (size", "(iota 1 (maxn (size"),
        "epsilon transitions of a certificate may form a cycle": ("(rank p < rank q)%N ||", "true ||"),
    },
}
BREAKS = {name: (file, *change) for file, changes in BROKEN.items() for name, change in changes.items()}
"""The file, the correct text and the wrong text of each mutation."""


def with_text(compiled: Path, root: Path, name: str, text: str) -> Path:
    """Return a copy of the compiled development in which one file has another text and is not compiled."""
    shutil.copytree(compiled, root, copy_function=os.symlink)
    for link in root.glob(name.removesuffix(".v") + ".*"):
        link.unlink()
    (root / name).write_text(text)
    return root


def test_mutated_files_are_rejected(compiled):
    """Each mutated file runs after all files that it imports."""
    libraries = "From mathcomp Require all_ssreflect all_algebra.\n"
    session = Session(libraries + "".join(f"Require {module}.\n" for module in modules()), compiled)
    accepted = []
    for broken, (name, right, wrong) in BREAKS.items():
        text = (compiled / name).read_text()
        assert text.count(right) == 1
        if session.accepts(text.replace(right, wrong)):
            accepted.append(broken)
    assert accepted == []
    assert [name for name in BROKEN if not session.accepts((compiled / name).read_text())] == []
    session.close()


def test_a_failed_build_leaves_no_files(compiled, tmp_path, monkeypatch):
    """A cache contains only complete builds."""
    from ratproof.coq import development

    def broken(root: Path) -> None:
        copy_sources(root)
        (root / "semiring.v").write_text("Theorem t : 1 = 2. Proof. reflexivity. Qed.\n")

    monkeypatch.setenv("RATPROOF_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(development, "copy_sources", broken)
    with pytest.raises(coq.Rejected):
        development.build()
    assert [path.name for path in (tmp_path / "coq").iterdir()] == ["lock"]
