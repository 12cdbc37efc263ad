"""Tests that a claim's module, its tests and its Coq file share one name, and that a theorem's name contains
its variant.
"""

from pathlib import Path

import pytest

import theory
from proofs_tests.test_ladder import LADDER
from theory.registry import modules

MODULES = modules()
COQ = Path(next(iter(theory.__path__))) / "coq"
THEOREMS = [
    (name, variant)
    for name, claim in MODULES.items()
    for variant in claim.variants
    if variant.theorem is not None
]


def theorem_named_after(claim: str, variant: str) -> str:
    """Return the theorem's name for the names of a claim's module and of a variant.

    >>> theorem_named_after("model_f", "corrected")
    'model_f'
    >>> theorem_named_after("model_f", "corrected-with-fewer-states")
    'model_f_with_fewer_states'
    >>> theorem_named_after("model_b", "printed-section-6.1")
    'printed_section_6_1_is_refuted'
    """
    words = variant.replace("-", "_").replace(".", "_")
    return claim + words.removeprefix("corrected") if words.startswith("corrected") else f"{words}_is_refuted"


@pytest.mark.parametrize("module", MODULES)
def test_a_claim_is_on_the_ladder(module):
    """Every claim is run by the generated tests, whether or not it has tests of its own."""
    assert {step.kind for step in LADDER if step.claim is MODULES[module]} == {
        kind for variant in MODULES[module].variants for kind in variant.kinds
    }


@pytest.mark.parametrize(
    ("module", "variant"), THEOREMS, ids=[f"{name.rpartition('.')[2]}-{v.name}" for name, v in THEOREMS]
)
def test_a_theorem_is_in_the_claims_file_and_named_after_the_variant(module, variant):
    _, paper, claim = module.split(".")
    name = theorem_named_after(claim, variant.name)
    assert variant.theorem is not None
    assert variant.theorem.name == f"{paper}.{claim}.{name}"
    assert variant.theorem.refutes is (variant.expected == "refuted")
    assert f"\nTheorem {name} " in (COQ / paper / f"{claim}.v").read_text(encoding="utf-8")


def test_every_coq_file_of_a_paper_belongs_to_a_claim_or_is_shared():
    papers = {module.split(".")[1] for module in MODULES}
    files = {f"theory.{paper}.{file.stem}" for paper in papers for file in (COQ / paper).glob("*.v")}
    assert files == {module for module, _ in THEOREMS}


def test_every_module_next_to_a_claim_is_a_claim():
    """Helpers are in folders of their own."""
    papers = {module.split(".")[1] for module in MODULES}
    files = {
        f"theory.{paper}.{file.stem}"
        for paper in papers
        for file in (COQ.parent / paper).glob("*.py")
        if file.stem != "__init__"
    }
    assert files == set(MODULES)
