"""Tests of faults planted in the claims: the stored matrix shows that each fault is detected.

A sample of the faults is run again.
"""

import json
import re
from collections import Counter
from pathlib import Path
from random import Random

import pytest

import theory
from mutants import audit, coq_faults
from mutants.coq_breaks import BREAKS
from mutants.faults import text_faults
from ratproof.coq.development import build
from ratproof.coq.programs import NoCoq
from ratproof.coq.sources import source_folder
from theory.claim import KERNEL_REALS, TORCH
from theory.registry import claims

ROOT = Path(next(iter(theory.__path__))).parent
ROWS = [audit.AuditRow(**row) for row in json.loads((ROOT / "mutants" / "matrix.json").read_text())["rows"]]
FAULTS = [row for row in ROWS if row.says != audit.NOTHING]
AUDITED = [claim for claim in claims().values() if any(row.claim == claim.name for row in ROWS)]
"""The claims into which faults were planted; docs/explanation/fault_matrix.md lists the other claims."""
SAMPLE = 3
"""Number of faults that are run again; each takes some seconds if a check holds."""


UNSEEN: dict[str, str] = {}
"""The keys of the faults that no check detects, each with the reason."""


def test_every_other_fault_is_detected_by_a_check():
    assert {row.key for row in FAULTS if not row.seen_by} == set(UNSEEN)


def test_every_claim_holds_without_a_fault():
    assert [row.key for row in ROWS if row.says == audit.NOTHING and row.seen_by] == []


def test_some_claims_are_audited():
    assert AUDITED


@pytest.mark.parametrize("claim", AUDITED, ids=lambda claim: claim.name)
def test_every_check_that_holds_detects_a_fault(claim):
    for variant in audit.holding(claim):
        mine = [row for row in FAULTS if (row.claim, row.variant) == (claim.name, variant.name)]
        promised = {audit.COLUMNS[kind] for kind in variant.kinds if kind != KERNEL_REALS}
        promised |= {"cpu"} if TORCH in claim.runs_of(variant) and not variant.torch_in_tests else set()
        assert promised <= {rung for row in mine for rung in row.seen_by}


@pytest.mark.parametrize("claim", AUDITED, ids=lambda claim: claim.name)
def test_every_part_of_a_claim_has_three_faults(claim):
    faults = Counter(row.part for row in FAULTS if row.claim == claim.name)
    parts = {"network", "automaton"}
    for variant in audit.holding(claim):
        parts |= {"theorem"} if variant.theorem is not None else set()
        parts |= {"program"} if variant.programs else set()
        parts |= {"layer", "gradient"} if claim.layers_of(variant) and claim.differentiable else set()
    assert {part for part in parts if faults[part] < 3} == set()


def test_the_order_of_quantifiers_is_not_a_fault():
    text = "Definition symmetric := forall i j, A i j = A j i.\n"
    changed = [
        fault.text for fault in coq_faults._faults_in_file("a.v", text, {"symmetric"}, coq_faults.OPERATORS)
    ]
    assert changed == [text.replace("A i j", "A j i")]


@pytest.mark.parametrize("fault", text_faults(), ids=lambda fault: fault.says)
def test_a_fault_in_the_text_changes_one_location(fault):
    text = (ROOT / fault.file).read_text(encoding="utf-8")
    assert fault.planted(text) != text
    assert set(fault.claims) <= set(claims())


@pytest.mark.parametrize("fault", BREAKS)
def test_a_mutation_of_a_coq_file_changes_one_location_and_is_detected(fault):
    name, before, after = BREAKS[fault]
    assert (source_folder() / name).read_text(encoding="utf-8").count(before) == 1 and before != after
    assert any(row.says == fault for row in FAULTS)


def sample():
    """Return some faults in networks, automata or gradients of different claims whose checks are fast.

    Faults that are changes of text run in a separate process.
    """
    texts = {fault.says for fault in text_faults()}
    quick = [
        r
        for r in FAULTS
        if r.says not in texts
        and r.part in ("network", "automaton", "gradient")
        and "holds" not in r.rungs.values()
    ]
    Random(0).shuffle(quick)
    return list({row.claim: row for row in quick}.values())[:SAMPLE]


def late():
    """Return faults that only strings of more than 40 symbols show: of layers, gradients and programs."""
    names = ("corollary-14", "model-b", "hgrn", "fa-rnn-viterbi")
    rows = [row for row in FAULTS if row.claim in names and re.search("after 40|ends 40", row.says)]
    return list({row.part: row for row in reversed(rows)}.values())


@pytest.mark.parametrize("row", [*sample(), *late()], ids=lambda row: row.key)
def test_the_same_checks_detect_a_fault_when_it_runs_again(row):
    try:
        build()
    except NoCoq as error:
        pytest.skip(str(error))
    with audit.up_to_the_first_refutation():
        (again,) = audit.rows(row.claim, [row.key])
    assert again == row
