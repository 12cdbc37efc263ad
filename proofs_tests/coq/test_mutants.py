"""Tests that Coq rejects the theorems about mutated constructions of theory/coq."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import pytest

from ratproof.coq import programs as coq
from ratproof.coq.development import copy_sources
from ratproof.coq.sources import source_folder

BROKEN = {
    "rational_recurrences/proposition_7.v": {
        "the initial weight of q_1 is 0": ("[:: 1; l] (fun x", "[:: 1; 0] (fun x"),
        "mu and phi are exchanged": ("[:: [:: 1; u x]; [:: 0; f x]]", "[:: [:: 1; f x]; [:: 0; u x]]"),
    },
    "rational_recurrences/model_c.v": {
        "the update of c2 reads the new c1": (
            "c.2 * f2 x + c.1 * u2 x)",
            "c.2 * f2 x + (c.1 * f1 x + u1 x) * u2 x)",
        )
    },
    "rational_recurrences/model_f.v": {
        "the epsilon transition is lost": ("[:: [:: 0; 0; 0; r]] p q", "[:: [:: 0; 0; 0; 0]] p q")
    },
    "rational_recurrences/shared/appendix_A.v": {
        "no padding: q of the first history is left out": (
            "inl h, inr h' => towards (remember h x) h' (u h x)",
            "inl h, inr h' => if h == h_0 then 0 else towards (remember h x) h' (u h x)",
        )
    },
    "rational_recurrences/proposition_11_qrnn.v": {
        "the number of histories is one too small": ("2 + \\sum_(1 <= i < k.+1)", "2 + \\sum_(1 <= i < k)"),
        "windows of one symbol are included": (
            "k : (0 < k)%N ->\n  ~ (forall (S : finType)",
            "k :\n  ~ (forall (S : finType)",
        ),
    },
    "rational_recurrences/proposition_12.v": {
        "an index is shifted: q_j goes to q_j+2": ("p.+1 == q :> nat", "p.+2 == q :> nat")
    },
    "rational_recurrences/proposition_13.v": {
        "W is not transposed": ("| inl j, inl k => W x k j", "| inl j, inl k => W x j k"),
        "the row of the constant has b of the wrong index": (
            "| None, Some k => b x k\n",
            "| None, Some k => b x i\n",
        ),
    },
    "fa_rnn/eq_5.v": {
        "D_1 and D_2 are exchanged": (
            "\\sum_(s : C) D_1 i s * E_R x s * D_2 j s.",
            "\\sum_(s : C) D_2 i s * E_R x s * D_1 j s.",
        ),
        "E_R is transposed in the factors with a column for each pair": (
            "(fun x c => T x c.1 c.2) (fun j c",
            "(fun x c => T x c.2 c.1) (fun j c",
        ),
    },
    "fa_rnn/eq_9.v": {
        "the row and the column index of the unfolding are exchanged": (
            "unfolding (Ordinal (row_number i j)) x",
            "unfolding (Ordinal (row_number j i)) x",
        ),
        "only weights below the threshold are kept": (
            "bit K (at_most gamma (T x i j))",
            "bit K (at_most (T x i j) gamma)",
        ),
    },
    "state_regularized/theorem_3_1.v": {
        "transitions lead to the separate start state": (
            "if p is Some i then centroid i else h_0) x i' else 0)",
            "if p is Some i then centroid i else h_0) x i' else 1)",
        ),
        "the second layer reads the previous state of the first one": (
            "alpha' (centroid' q.2) (centroid r.1) r.2)",
            "alpha' (centroid' q.2) (centroid q.1) r.2)",
        ),
        "the cell state is not kept": ("nth 0 c (i : 'I_d) + inner (map (V i)", "inner (map (V i)"),
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
    "fa_rnn/beta_1.v": {
        "the wildcard's matrix is not added": ("T x p q + any p q.", "T x p q."),
        "the additional state of the complement does not accept": (
            "if q is Some q' then ~~ accepts q' else true.",
            "if q is Some q' then ~~ accepts q' else false.",
        ),
    },
    "fa_rnn/beta_0.v": {
        "the pseudo-inverse is on the wrong side": (
            "equal_tables (product (product A P) A) A.",
            "equal_tables (product (product P A) P) P.",
        )
    },
    "fa_rnn/soft_logic.v": {
        "counts are not clamped": (": R := Num.min 1 (values r).", ": R := values r."),
        "a conjunction subtracts one too much": ("((size values)%:R - 1)).", "(size values)%:R)."),
        "nested disjunctions are sums": (
            "foldl (fun b c => disjunction [:: b; c]) a rest",
            "foldl +%R a rest",
        ),
    },
    "fa_rnn/disable.v": {
        "the search for states that lead to an end has the wrong direction": (
            "~~ of_rule q || reaching (fun p r => joined r p)",
            "~~ of_rule q || reaching joined",
        )
    },
    "fa_rnn/bidirectional.v": {
        "the rule is not read from its end": ("bool := moves x q p.", "bool := moves x p q."),
        "the start state is left on any word": (
            "| None, None, Some q' => initial A q'",
            "| _, None, Some q' => initial A q'",
        ),
    },
    "fa_rnn/viterbi.v": {
        "factors are added instead of taking the maximum": ("Num.max (F q) most", "(F q + most)")
    },
    "state_regularized/extraction.v": {
        "the last step of the data is left out": ("shorter S longest.+1]", "shorter S longest]"),
        "the network is reset between words": (
            "without_reset (run moved h w) words'",
            "without_reset h words'",
        ),
        "the counts are searched in reverse order": (
            "index (foldr maxn 0%N numbers) numbers)",
            "index (foldr maxn 0%N numbers) (rev numbers))",
        ),
    },
    "state_regularized/no_drift.v": {
        "each pair of centroids counts twice": (
            "total (fun j : place n.+1 => if (i < j)%N then",
            "total (fun j : place n.+1 => if i != j then",
        ),
        "an additional term is added to the mixture": (
            "alpha i * centroid i m).",
            "alpha i * centroid i m + centroid i m).",
        ),
    },
    "state_regularized/theorem_3_2.v": {
        "the DFA's transitions have the weights of the reversed transitions": (
            "then alpha p x q else 0)%W",
            "then alpha q x p else 0)%W",
        )
    },
    "rational_recurrences/sopa.v": {
        "a soft pattern cannot take two epsilon transitions in a row": (
            "h j + left_out h j' * e j else 1",
            "h j + from_one h j' * e j else 1",
        ),
        "the last state of a match has no self-loop": (
            "(if (q == 0%N :> nat) || (q == n.+1 :> nat) then 1 else s x q)",
            "(if q == 0%N :> nat then 1 else s x q)",
        ),
    },
    "rational_recurrences/cnn_max_pooled.v": {
        "each position of a window is scored as its first position": (
            "scored.2 * f x scored.1.+1)",
            "scored.2 * f x 1)",
        )
    },
    "rational_recurrences/closed_sums.v": {
        "a closed sum counts its last term twice": (
            "foldl (fun term y => term * f y) (u x) w' + closed_sum w'",
            "foldl (fun term y => term * f y) (u x) w' + (if w' is [::] then u x else closed_sum w')",
        )
    },
    "rational_recurrences/back_tracing.v": {
        "back-tracing ignores the final weights": (
            "omap (fun q => back (rev w) q [::]) (best (fun q => forward A w q * final A q))",
            "omap (fun q => back (rev w) q [::]) (best (forward A w))",
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


@pytest.mark.parametrize("broken", BREAKS)
def test_a_mutated_file_is_rejected(broken: str, compiled: Path, tmp_path: Path) -> None:
    """The mutated file is compiled with all others unchanged."""
    name, right, wrong = BREAKS[broken]
    text = (compiled / name).read_text()
    assert text.count(right) == 1
    root = with_text(compiled, tmp_path / "coq", name, text.replace(right, wrong))
    with pytest.raises(coq.Rejected, match=re.escape(name)):
        coq.compile_file(root / name, root)


def test_unmutated_files_are_accepted(compiled: Path, tmp_path: Path) -> None:
    """If unmutated files were also rejected, the tests above would show nothing.

    The build has compiled every file with the same command. In a copy of the build, a file compiles again.
    """
    for name in {name for name, _, _ in BREAKS.values()}:
        assert (compiled / name).read_bytes() == (source_folder() / name).read_bytes()
        assert (compiled / name).with_suffix(".vo").stat().st_size > 0
    name = "fa_rnn/viterbi.v"
    shortest = with_text(compiled, tmp_path / "coq", name, (compiled / name).read_text()) / name
    assert not shortest.with_suffix(".vo").exists()
    coq.compile_file(shortest, shortest.parents[1])
    assert shortest.with_suffix(".vo").stat().st_size > 0


def test_a_failed_build_leaves_no_files(
    compiled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
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
