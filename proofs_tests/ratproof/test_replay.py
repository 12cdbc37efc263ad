"""Tests that ``ratproof replay`` shows an actual run, ignores the file's results, and checks weights."""

import json
from dataclasses import replace
from fractions import Fraction

import pytest

from automata.semirings import REAL
from proofs_tests.mutated_files import specimen_counterexamples as specimens
from ratproof.implementations.comparison import Difference, counterexample
from ratproof.implementations.exact import ExactComparison
from ratproof.implementations.fa_rnn.comparison import FARNNComparison
from ratproof.ladder import counterexample_files
from ratproof.ladder.counterexample_files import keep, replay
from ratproof.main import run
from theory.registry import claim_named
from theory.weights import Weights

SHOWN = ["weights", "automata", "says", "string", "unit", "network", "automaton", "bound"]


@pytest.fixture
def kept(in_tmp_path, tmp_path):
    """Save a counterexample in the current folder, and return its data."""
    specimens.kept(specimens.exact("proposition-7", "printed"), ["", "a", "ab"])(tmp_path)
    return json.loads((tmp_path / "kept.json").read_text())


def replayed(data, capsys, *options):
    """Return the status, standard output and standard error of a replay."""
    with open("kept.json", "w") as file:
        json.dump(data, file)
    status = run(["replay", "kept.json", *options])
    return (status, *capsys.readouterr())


@pytest.mark.parametrize("field", SHOWN)
def test_replay_shows_the_run_regardless_of_the_files_statements(kept, capsys, field):
    _, right, note = replayed(kept, capsys)
    assert not note
    lie = {"unit": 7, "string": [*kept["string"], "a"], "automata": []}.get(
        field, "\x1b[2Jc_0 = 17, and it holds"
    )
    status, out, err = replayed({**kept, field: lie}, capsys)
    assert status == 1 and out == right
    assert err.startswith(f"ratproof: note: kept.json: field '{field}' must match the data that runs, got ")
    assert err.count("\n") == 1
    assert "\x1b" not in err
    _, out, _ = replayed({**kept, field: lie}, capsys, "--json")
    answer = json.loads(out)
    assert answer["otherwise"] == [field]
    assert answer["string"] == kept["string"]
    assert answer["weights"] == kept["weights"]


def test_agreement_now_is_not_reported_as_a_difference(kept, capsys):
    """The corrected claim agrees for the weights that refute the printed one; the scores in the file are
    attributed to the file.
    """
    status, out, err = replayed({**kept, "variant": "corrected", "network": "\x1b[2J7"}, capsys)
    agree = "the network and the automaton agree; the file has the scores '\\x1b[2J7' and '0'"
    assert status == 0 and agree in out
    assert "field 'automata'" in err


def test_a_comparison_of_nothing_is_not_agreement(in_tmp_path, tmp_path, capsys):
    """Floats that may underflow have no bound: nothing is compared."""
    tiny = Fraction(1, 2**60)
    entries = {
        "alpha_0": (tiny,),
        "D_1": ((tiny,),),
        "v": {"a": (tiny,)},
        "D_2": ((tiny,),),
        "alpha_inf": (tiny,),
    }
    comparison = FARNNComparison("fa-rnn-eq-5", "corrected", Weights(REAL, "a", entries, ("K", 1)))
    (compared,) = comparison.compare(["a"])
    assert compared.cases == 0
    pretended = counterexample(comparison, replace(compared, difference=Difference(1, 0, "1", "0", "0")))
    keep(pretended, tmp_path, None, "test").rename("kept.json")
    status, out, _ = replayed(json.loads((tmp_path / "kept.json").read_text()), capsys, "--json")
    assert status == 3 and json.loads(out)["verdict"] == "unknown"


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (lambda w: w.pop("f"), "the weights must be c_0, f, u; 'f' is missing"),
        (lambda w: w.update(g="1"), "'g' is unknown"),
        (lambda w: w.update(f="1"), "the weight f must be a table, got a constant"),
        (lambda w: w.update(c_0={"a": "1", "b": "0"}), "the weight c_0 must be a constant, got a table"),
        (lambda w: w["f"].pop("a"), "the weight f must have one value for each symbol over 'ab'"),
        (lambda w: w["f"].update(a=["1", "2"]), "the weight f must have the same shape throughout"),
        (
            lambda w: w["f"].update(a=["1"], b=["1"]),
            "the weight f must have the same shape throughout, that of a number",
        ),
        (lambda w: w["f"].update(a=1), "the weight 'f' must be a string"),
        (lambda w: w["f"].update(a="1/0"), "the weight 'f': weight '1/0' must not divide by zero"),
    ],
)
def test_weights_outside_the_variant_are_refused(kept, capsys, spoil, says):
    spoil(kept["comparison"]["case"]["weights"])
    status, out, err = replayed(kept, capsys)
    assert status == 2 and not out and err.count("\n") == 1 and says in err


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"size": ["n", "2"]}, "the field size must be null, or a name and an integer, got ['n', '2']"),
        ({"size": ["n", 10**9]}, "must be between 1 and the number of weights"),
        ({"size": ["n", 1]}, "the size must be null"),
        ({"semiring": "max-plus"}, "the semiring must be real, got max-plus"),
        ({"alphabet": "aa"}, "must be a string of distinct letters"),
        ({"more": 1}, "the case must be an object with"),
    ],
)
def test_cases_of_another_kind_are_refused(kept, capsys, change, says):
    kept["comparison"]["case"].update(change)
    status, out, err = replayed(kept, capsys)
    assert status == 2 and not out and err.count("\n") == 1 and says in err


def test_a_hypothesis_of_the_variant_is_checked_on_the_file(kept, capsys):
    """Without this check, a file could refute a claim by weights that the claim does not cover."""
    case = Weights(
        REAL, "a", {"c_0": (Fraction(1),), "f": {"a": Fraction(1)}, "u": {"a": (Fraction(1),)}}, ("n", 1)
    )
    spoilt = {
        **kept,
        "claim": "proposition-12",
        "variant": "printed",
        "string": ["a"],
        "comparison": {"way": "exact", "case": case.to_json()},
    }
    from_zero = next(
        v for v in claim_named("proposition-12").variants if v.cases.__self__.of(1).entries[0].only == (0,)
    )
    status, _, err = replayed({**spoilt, "variant": from_zero.name}, capsys)
    assert status == 2 and "the weight c_0 must be one of 0, got '1'" in err
    tied = next(
        w for w in claim_named("theorem-3.1").variant("corrected").small_cases(1) if len(set(w.S)) == 2
    )
    tied = Weights(REAL, "a", {**tied.entries, "U": ((Fraction(0),),), "W": {"a": (Fraction(0),)}}, tied.size)
    status, _, err = replayed(
        {
            **spoilt,
            "claim": "theorem-3.2",
            "variant": "corrected-eq-5",
            "comparison": {"way": "exact", "case": tied.to_json()},
        },
        capsys,
    )
    assert status == 2 and "must satisfy the variant's hypothesis" in err


def test_a_network_with_an_initial_state_unknown_to_its_automata_refutes_nothing(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    specimens.kept(specimens.torch_network, ["", "a"])(tmp_path)
    data = json.loads((tmp_path / "kept.json").read_text())
    assert replayed(data, capsys)[0] == 1
    status, _, err = replayed({**data, "variant": "corrected"}, capsys)
    assert status == 2 and "automata_know_start must be true" in err


@pytest.mark.parametrize(
    ("comparison", "change", "says"),
    [
        (
            specimens.fa_rnn_network,
            lambda c: c["case"]["weights"]["v"].update(a=["1/3", "1"]),
            "float32 cannot represent the weight '1/3'",
        ),
        (
            specimens.fa_rnn_network,
            lambda c: c["case"]["weights"].pop("D_2"),
            "the weights must be alpha_0, D_1, v, D_2, alpha_inf; 'D_2' is missing",
        ),
        (specimens.fa_rnn_network, lambda c: c.update(device="cuda:x"), "device must be cpu or cuda"),
        (
            specimens.fa_rnn_network,
            lambda c: c.update(dtype="int8"),
            "dtype must be float32 or float64, got 'int8'",
        ),
        (specimens.fa_rnn_network, lambda c: c.update(program="gru"), "program must be fa-rnn-factors"),
        (
            specimens.sampled_runs,
            lambda c: c.update(runs="9"),
            "runs must be an integer of at least 1, got '9'",
        ),
        (specimens.sampled_runs, lambda c: c.update(first=3), "first must be a centroid from 0 to 2, got 3"),
        (
            specimens.sampled_runs,
            lambda c: c.update(tests=0),
            "tests must be an integer of at least 1, got 0",
        ),
        (
            specimens.sampled_runs,
            lambda c: c["options"].update(k="3"),
            "k must be an integer of at least 2, got '3'",
        ),
        (
            specimens.sampled_runs,
            lambda c: c["parameters"].update({"component.centroids": [[1, 1, 0], [2, 2, 0]]}),
            "parameter component.centroids: the columns must be distinct",
        ),
        (
            specimens.sampled_runs,
            lambda c: c["parameters"].pop("part.input.bias"),
            "parameters must have the shapes",
        ),
        (specimens.torch_network, lambda c: c["embeddings"][0].__setitem__(0, "1"), "must have only numbers"),
        (specimens.torch_network, lambda c: c["options"].update(hidden_size=True), "hidden_size"),
    ],
)
def test_files_that_no_comparison_wrote_are_refused(in_tmp_path, tmp_path, capsys, comparison, change, says):
    specimens.kept(comparison, ["ab"])(tmp_path)
    data = json.loads((tmp_path / "kept.json").read_text())
    change(data["comparison"])
    status, out, err = replayed(data, capsys)
    assert status == 2 and not out and err.count("\n") == 1 and says in err


def test_a_duplicate_field_is_refused(kept, capsys):
    text = json.dumps(kept)
    with open("kept.json", "w") as file:
        file.write(text[:-1] + ', "weights": "none"}')
    assert run(["replay", "kept.json"]) == 2
    assert "field 'weights' must not occur twice" in capsys.readouterr().err


def test_the_text_of_a_counterexample_cannot_control_a_terminal():
    comparison = ExactComparison(
        "proposition-7", "printed", specimens.exact("proposition-7", "printed")().case
    )
    (compared,) = comparison.compare([""])
    written = counterexample(
        comparison, replace(compared, difference=Difference(0, 0, "\x1b[2J", "\x07", "0"))
    )
    assert written.sentence().isprintable()


def test_what_a_users_code_prints_is_no_part_of_the_answer(kept, capsys, monkeypatch):
    def printing(file):
        print("in the step")
        return replay(file)

    monkeypatch.setattr(counterexample_files, "replay", printing)
    _, out, err = replayed(kept, capsys, "--json")
    assert json.loads(out)["string"] == kept["string"] and "in the step" in err
