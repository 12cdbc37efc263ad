"""Tests that each theorem of theory/coq assumes nothing, has its stored statement, and belongs to
its claims.
"""

import re
import shutil

import pytest

from proofs_tests.coq.statements import as_text
from ratproof.coq import programs as coq
from ratproof.coq.development_report import theorem_variants
from ratproof.coq.sources import KEPT, modules, source_folder, statements
from ratproof.coq.theorems import CLOSED, theorem_answers
from theory.claim import KERNEL
from theory.registry import claims

NAMED = sorted(
    {v.theorem.name for claim in claims().values() for v in claim.variants if v.theorem is not None}
)


def test_nothing_is_assumed(compiled):
    """Coq's command Print Assumptions reports no assumption for any theorem."""
    answers = theorem_answers(compiled)
    assert {name: a.assumptions for name, a in answers.items() if a.assumptions != CLOSED} == {}
    assert answers.keys() == statements().keys()


def test_coqchk_finds_no_axiom_of_ours(compiled):
    """coqchk cannot inspect mathcomp's sealed modules, so it lists their fields as axioms."""
    assert [name for name in coq.run_coqchk(compiled, modules()) if name.startswith("ratproof.")] == []


@pytest.mark.parametrize("name", NAMED)
def test_each_theorem_of_a_claim_exists_and_has_a_description(name):
    assert re.match(r"(?!and |or |but ).*\.$", statements()[name].says) and statements()[name].text


def test_every_proved_variant_is_kernel_checked_too():
    assert [
        (c.name, v.name)
        for c in claims().values()
        for v in c.variants
        if "proved" in v.kinds and KERNEL not in v.kinds
    ] == []


def test_coqchk_reports_an_axiom_that_no_theorem_uses(tmp_path, compiled):
    """coqchk reports an axiom that no theorem uses, and a fixpoint whose guard check is disabled."""
    root = tmp_path / "coq"
    shutil.copytree(compiled, root)
    file = root / "slip.v"
    file.write_text(
        "Axiom h : 1 = 2.\nUnset  Guard Checking.\nFixpoint f (n : nat) : nat := f n.\nTheorem fine :"
        " True.\nProof.\nexact I. Qed.\n"
    )
    coq.compile_file(file, root)
    axioms = coq.run_coqchk(root, ["ratproof.slip"])
    assert "ratproof.slip.h" in axioms and "ratproof.slip.f" in axioms


def test_statements_are_the_stored_ones(compiled):
    """``statements.txt`` contains Coq's output for each theorem, so that an accidentally weakened statement
    is detected.

    After a deliberate change, run ``python -m proofs_tests.coq.statements``.
    """
    assert (source_folder() / KEPT).read_text(encoding="utf-8") == as_text(theorem_answers(compiled))


def test_each_theorem_of_a_variant_is_found_by_its_name():
    named = theorem_variants()
    assert named["rational_recurrences.proposition_7.printed_is_refuted"] == ["proposition-7, printed"]
    every = [v for claim in claims().values() for v in claim.variants if v.theorem is not None]
    assert sum(map(len, named.values())) == len(every) > 0
