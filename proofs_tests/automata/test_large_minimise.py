"""Tests of minimisation of large automata over the rationals, against the dense reduction if that is
feasible.
"""

import json

import numpy as np
import pytest
from hypothesis import strategies as st

from automata.equivalence import Equivalent, equivalent, field
from automata.equivalence.reduction import reduced
from automata.errors import LimitReached
from automata.io.json_format import to_json
from automata.minimise import minimise, rank
from automata.semirings import COUNTING, REAL
from automata.testing.random_pairs import FAMILIES
from automata.testing.strategies import automata
from automata.wfsa import WFSA
from proofs_tests.automata.examples import few_cases, over
from ratproof.main import run

EACH_FIELD = over([REAL, COUNTING])
EACH_FAMILY = pytest.mark.parametrize("family", FAMILIES.values(), ids=lambda family: family.__name__)


def same(a, b):
    return isinstance(field.decide(a.replace(semiring=REAL), b, lambda stage: None), Equivalent)


@EACH_FIELD
@few_cases(st.data())
def test_the_minimal_automaton_of_a_large_one_is_minimal(k, data):
    a = data.draw(automata(k, most_states=4, epsilon="cyclic"))
    least = minimise(a).automaton.states
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("automata.minimise.are_large", lambda *_: True)
        result = minimise(a)
        assert (result.automaton.states, rank(a)) == (least, least) and result.doubt is None
    assert same(a, result.automaton)


@EACH_FAMILY
def test_links_alone_preserve_all_scores_and_merge_duplicates(family):
    a, b = family(np.random.default_rng(5), 20)
    assert same(a, reduced(a, lambda stage: None))
    twice = WFSA.from_edges(
        REAL,
        a.states + b.states,
        a.alphabet,
        [(q + shift, w) for side, shift in ((a, 0), (b, a.states)) for q, w in enumerate(side.initial)],
        [(q + shift, w) for side, shift in ((a, 0), (b, a.states)) for q, w in enumerate(side.final)],
        [(p + s, q + s, x, w) for side, s in ((a, 0), (b, a.states)) for p, q, x, w in side.edges()],
    )
    smaller = reduced(twice, lambda stage: None)
    assert smaller.states <= a.states and same(twice, smaller)


def test_an_automaton_not_proved_minimal_is_not_called_minimal(monkeypatch, tmp_path, capsys):
    a, b = FAMILIES["split and pushed"](np.random.default_rng(1), 40)
    monkeypatch.setattr("automata.minimise.are_large", lambda *_: True)
    file, least, chain = (str(tmp_path / name) for name in ("b.json", "least.json", "chain.json"))
    (tmp_path / "b.json").write_text(json.dumps(to_json(b)))
    assert run(["minimise", file, "-o", least, "--certificate", chain]) == 0
    assert run(["check-certificate", chain]) == 0 and run(["equivalent", file, least]) == 0
    count = rank(b)
    capsys.readouterr()

    monkeypatch.setattr("automata.minimise.MOST_DENSE", 0)
    assert run(["minimise", file, "-o", least, "--json"]) == 3
    answer = json.loads(capsys.readouterr().out)
    assert not answer["least"] and answer["states"] >= count and answer["files"] == [least]
    assert run(["minimise", file]) == run(["rank", file]) == 3
    assert "unknown whether fewer than" in capsys.readouterr().out
    with pytest.raises(LimitReached, match=f"the rank is at most {answer['states']}, but may be less"):
        rank(b)
    monkeypatch.undo()
    assert isinstance(equivalent(a, b), Equivalent)
