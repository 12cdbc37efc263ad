"""Tests of ``ratproof train``: its output, refused arguments and entry point."""

import json

import pytest
import typer

from automata.errors import InputError
from automata.io import files
from automata.languages.parentheses import balanced
from proofs_tests.training.command_line import command_line
from proofs_tests.training.small_runs import ratproof
from ratproof.commands import installed
from ratproof.commands.loading import load

__all__ = ["command_line"]
HERE = "--units 8 --centroids 6"


pytestmark = pytest.mark.usefixtures("command_line")


def test_a_run_as_json_and_as_text(tmp_path, capfd):
    line = f"train tomita --grammar 1 {HERE} -o {tmp_path / 'run'}"
    assert ratproof(line, "--json") == 0
    printed = json.loads(capfd.readouterr().out)
    assert printed["exact"] and printed["certified"] == "certified" and printed["accepts_exactly"]
    assert printed["hard"]["states"] == printed["states"] == 2
    assert {"schema_version": 2, **json.loads((tmp_path / "run" / "result.json").read_text())} == printed
    assert ratproof(line, "--resume") == 0
    out = capfd.readouterr().out
    assert "accepts exactly the language" in out
    states = printed["hard"]["automaton_states"]
    assert f"hard automaton (temperature to 0): {states} states, minimal DFA of 2 states" in out
    assert states == len(printed["automaton"]["centroids"]) >= 2


def test_out_of_time_prints_how_to_resume(tmp_path, capfd):
    status = ratproof(f"train nested --depth 2 {HERE} --minutes 1e-9 -o", tmp_path)
    assert status == 1 and "--resume" in capfd.readouterr().out


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("tomita --grammar 8", "grammar"),
        ("tomita", "--grammar"),
        ("tomita --grammar 1 --recipe best", "--recipe"),
        ("tomita --grammar 1 --centroids 1", "--centroids"),
        *((f"tomita --grammar 1 --minutes {minutes}", "--minutes") for minutes in ("-1", "nan", "inf")),
        ("tomita --grammar 1 --noise loud", "--noise"),
        ("tomita --grammar 1 --model lstm --noise 1", "got 'noise'"),
        ("tomita --grammar 1 --resume", "must contain a run to resume"),
        ("nested --depth 0", "--depth"),
        ("dfa none.json", "none.json"),
        *(
            (f"dfa none.json --cell gru --{option}", f"--{option.partition(' ')[0]} must be a")
            for option in ("seed -1", f"seed {2**70}", "units 0", "units -3", "minutes inf")
        ),
        *(
            (f"dfa none.json --cell gru {option}", f"{option.split()[0]} is not supported with --cell")
            for option in ("--recipe ours", "--check-every 5", "--batch 8")
        ),
        ("everything.json", "everything.json"),
    ],
)
def test_bad_input_gives_a_one_line_error(line, says, in_tmp_path, tmp_path, capfd):
    assert ratproof(f"train {line}") == 2
    out, err = capfd.readouterr()
    assert not out and err.count("\n") == 1 and says in err and not list(tmp_path.iterdir())


def test_a_language_from_a_file(tmp_path, capfd):
    from training.state_regularized.languages import from_file

    files.write(balanced(3).to_wfsa(), tmp_path / "three.json")
    language = from_file(tmp_path / "three.json")
    assert language.name == "three" and language.dfa.equivalent(balanced(3))
    (tmp_path / "all.json").write_text(
        '{"semiring": "boolean", "states": 1, "alphabet": ["a"], "initial": [[0, "true"]], "final": [[0,'
        ' "true"]], "transitions": [[0, 0, "a", "true"]]}'
    )
    assert ratproof("train dfa", tmp_path / "all.json") == 2
    assert "every string" in capfd.readouterr().err


def test_without_training_installed_it_gives_a_message(monkeypatch):
    monkeypatch.setattr(installed, "entry_points", lambda group: [])
    with pytest.raises(InputError, match="train is not installed"):
        load("train", typer.Typer())(args=["tomita", "--grammar", "1"], standalone_mode=False)
