"""Tests that the JSON Schema of automata accepts written files and rejects malformed ones."""

import json
from pathlib import Path

import pytest
from hypothesis import strategies as st

from automata.errors import InputError
from automata.io import json_format
from automata.semirings import ALIASES, SEMIRINGS
from automata.testing.strategies import automata
from proofs_tests.automata.examples import few_cases, over

ROOT = Path(__file__).parents[2]
SCHEMA = ROOT / "docs" / "reference" / "automaton.schema.json"
EXAMPLES = sorted((ROOT / "ratproof" / "examples").glob("*.json"))
GOOD = {
    "semiring": "real",
    "states": 2,
    "alphabet": ["a", "b"],
    "initial": [[0, "1"]],
    "final": [[1, "1/2"]],
    "transitions": [[0, 0, "", "1e-3"], [0, 1, "b", 0.25]],
}
pytestmark = pytest.mark.skipif(not SCHEMA.exists(), reason="the pages are not installed with ratproof")


def satisfies(data: object) -> bool:
    """Return whether the data satisfy the schema."""
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema).is_valid(data)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_the_examples_satisfy_the_schema(path):
    assert satisfies(json.loads(path.read_text(encoding="utf-8")))


@over(SEMIRINGS.values())
@few_cases(st.data())
def test_written_files_satisfy_the_schema(k, data):
    automaton = data.draw(automata(k, epsilon="cyclic", extreme=True))
    assert satisfies(json.loads(json_format.dumps(automaton)))


@pytest.mark.parametrize("name", [*SEMIRINGS, *ALIASES])
def test_every_semiring_is_in_the_schema(name):
    weight = "true" if name == "boolean" else "1"
    data = GOOD | {"semiring": name, "initial": [[0, weight]], "final": [], "transitions": []}
    json_format.from_json(data)
    assert satisfies(data)


@pytest.mark.parametrize(
    "change",
    [
        {"semiring": "complex"},
        {"states": -1},
        {"states": "2"},
        {"states": 16_777_217},
        {"alphabet": "ab"},
        {"alphabet": ["a", "b", "a"]},
        {"alphabet": ["a", "b", ""]},
        {"initial": {}},
        {"initial": [[0]]},
        {"initial": [[0, True]]},
        {"initial": [[0, "one"]]},
        {"initial": [[-1, "1"]]},
        {"final": [[1, "1/0"]]},
        {"final": [["1", "1"]]},
        {"final": [[1, "true"]]},
        {"transitions": [[0, 1, "a"]]},
        {"transitions": [[0, 1, 5, "1"]]},
        {"transitions": [[0, 1, "a", "1", "1"]]},
        {"semiring": "boolean"},
        {"more": 1},
    ],
)
def test_malformed_files_are_refused_by_the_schema_and_by_the_reader(change):
    assert satisfies(GOOD)
    assert not satisfies(GOOD | change)
    json_format.from_json(GOOD)
    with pytest.raises(InputError):
        json_format.from_json(GOOD | change)


@pytest.mark.parametrize("name", GOOD)
def test_every_field_is_required(name):
    data = {field: value for field, value in GOOD.items() if field != name}
    assert not satisfies(data)
    with pytest.raises(InputError):
        json_format.from_json(data)
