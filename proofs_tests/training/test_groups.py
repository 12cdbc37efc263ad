"""Tests of the rows of tables: a row has one recipe, the same data, each seed once, and its command."""

import copy
import json
import shlex
from dataclasses import fields
from pathlib import Path
from typing import Any, get_type_hints

import pytest

from proofs_tests.training.command_line import command_line
from ratproof import main
from training.engine.results import results_in
from training.engine.settings import option
from training.experiment_list import record_of
from training.groups import (
    RunGroup,
    by_unique_key,
    command_of,
    differing_settings,
    groups_of,
    in_words,
    settings_of,
)
from training.results_command import KEPT
from training.tables import row_of_each_model, rows_of, tables

__all__ = ["command_line"]
Result = dict[str, Any]


@pytest.fixture(scope="module")
def kept():
    return results_in(KEPT)


@pytest.fixture(scope="module")
def run(kept):
    return next(one for one in kept if one["experiment"] == "cr" and "test_accuracy" in one["metrics"])


def changed(result: Result, **entries: Any) -> Result:
    """Return a copy with some entries changed; a dictionary as a value updates the entry."""
    other = copy.deepcopy(result)
    for name, value in entries.items():
        other[name] = other[name] | value if isinstance(value, dict) else value
    return other


def write(results: list[Result], folder: Path) -> None:
    for number, one in enumerate(results):
        (folder / str(number)).mkdir()
        (folder / str(number) / "result.json").write_text(json.dumps(one))


def test_no_two_rows_of_stored_results_look_the_same(kept):
    groups = groups_of(kept)
    assert len(groups) == 448 and sum(len(group.runs) for group in groups) == len(kept)

    def name(group: RunGroup) -> tuple[str, str]:
        return group.name, group.model

    texts = [in_words(settings) for settings in differing_settings(groups, name)]
    assert len({(*name(group), text) for group, text in zip(groups, texts, strict=True)}) == len(groups)
    for title, _, rows in tables(kept):
        known = [tuple(row[:3]) + tuple(row[-1:]) for row in rows]
        assert len(set(known)) == len(known), title


def test_rows_show_only_the_settings_that_differ(run):
    other = changed(run, configuration={"hidden": 7})
    third = changed(run, model="gru", configuration={"model": "gru", "hidden": 9})
    rows = rows_of([run, other, third])
    assert [row.settings for row in rows] == [{"hidden": run["configuration"]["hidden"]}, {"hidden": 7}, {}]
    with pytest.raises(ValueError, match="lstm: a row must have one recipe"):
        row_of_each_model([run, other])
    assert set(row_of_each_model([run, third])) == {"lstm", "gru"}
    with pytest.raises(ValueError, match="1: a row"):
        by_unique_key([1, 1.0], int)


def test_a_second_recipe_with_rules_has_a_row(kept):
    one = next(
        one for one in kept if (one["experiment"], one["model"]) == ("qc", "cnn") and one["paper"] is not None
    )
    rows = tables([one, changed(one, configuration={"rate": 0.5}, metrics={"test_accuracy": 0.125})])
    assert [row for title, _, body in rows if "other recipes" in title for row in body] == [
        ["cnn", "F", f"{100 * one['configuration']['share']:g} %", "1", "12.5", "rate 0.5"]
    ]


def test_a_seed_in_two_folders_counts_once(run):
    again = changed(run, seconds=7.0, when="later", metrics={"words_per_second": 1})
    (group,) = groups_of([run, again, changed(run, seed=9, configuration={"seed": 9})])
    assert group.seeds == (run["seed"], 9) and not group.warning
    (row,) = rows_of([run, again])
    assert row.accuracies == (run["metrics"]["test_accuracy"],) and row.deviation is None


@pytest.mark.usefixtures("command_line")
def test_results_of_a_seed_that_disagree_are_reported_once(run, tmp_path, capfd):
    write([run, changed(run, metrics={"test_accuracy": 0.5})], tmp_path)
    assert main.run(["results", str(tmp_path)]) == 0
    out = capfd.readouterr().out
    assert out.count("cr lstm: the results of seed 0 disagree") == 1
    assert main.run(["results", str(tmp_path), "--json", "--html", str(tmp_path / "page.html")]) == 0
    (group,) = json.loads(capfd.readouterr().out)["groups"]
    assert group["seeds"] == group["disagreeing"] == [0]
    assert "disagree" in (tmp_path / "page.html").read_text()


def test_runs_on_different_data_are_not_pooled(run):
    part = {"test": {"sentences": 378, "sha256": "another"}}
    rows = rows_of([run, changed(run, seed=1, data=part)])
    assert [row.seeds for row in rows] == [(0,), (1,)]
    digests = [row.settings["data"] for row in rows]
    assert len(set(digests)) == 2 and [list(row.settings) for row in rows] == [["data"], ["data"]]


def test_runs_on_different_automata_are_not_pooled(kept):
    learned = next(one for one in kept if one["experiment"] == "dfa")
    other = changed(learned, seed=5, dfa={"final": [0]})
    assert len(groups_of([learned, other])) == 2


def test_commands_repeat_the_stored_runs(kept):
    for group in groups_of(kept):
        result = group.runs[0]
        record = record_of(result["experiment"], result["model"])
        command = command_of(result)
        assert record is not None and command is not None
        words = shlex.split(command)
        assert words[:2] == ["ratproof", "train"] and words[2] == result["experiment"]
        types = get_type_hints(record.settings)
        names = {option(one.name): one.name for one in fields(record.settings)}
        values: dict[str, Any] = {"file": words[3]} if result["experiment"] == "dfa" else {}
        for at, word in enumerate(words):
            if word in names and types[names[word]] is not bool:
                values[names[word]] = types[names[word]](words[at + 1])
            elif word in names or word.replace("--no-", "--") in names:
                values[names[word.replace("--no-", "--")]] = word in names
        preset = next(words[at + 1] for at, word in enumerate(words) if word in ("--preset", "--recipe"))
        settings = record.settings(**{**record.presets[preset], **values})
        assert settings.seed == result["seed"] and settings.model == result["model"]
        assert settings_of(result | {"configuration": settings.to_json()}) == group.settings, command
        assert len(words) < 60


@pytest.mark.usefixtures("command_line")
def test_commands_are_printed_on_request(tmp_path, capfd):
    assert main.run(["results", "languages"]) == 0
    assert "ratproof train" not in capfd.readouterr().out
    assert main.run(["results", "languages", "--commands", "--html", str(tmp_path / "page.html")]) == 0
    command = "ratproof train tomita --recipe ours --model lstm --grammar 3 --seed 0"
    assert command in capfd.readouterr().out and command in (tmp_path / "page.html").read_text()
    learned = next(one for one in results_in(KEPT / "languages") if one["experiment"] == "nested")
    options = {"weighted": False, "noise": "a b"}
    flags = command_of(changed(learned, configuration=options))
    assert flags is not None and " --no-weighted " in flags and " --noise 'a b' " in flags
    assert command_of({"experiment": "nobody's", "model": "", "configuration": {}}) is None


def test_a_retired_setting_distinguishes_rows_only_where_it_had_an_effect(kept):
    old = next(one for one in kept if "momentum" in one["configuration"])
    new = changed(old, seed=8, configuration={"smoothing": 0.9, "seed": 8})
    del new["configuration"]["momentum"]
    assert [group.seeds for group in groups_of([old, new])] == [(old["seed"], 8)]
    old, new = (changed(one, configuration={"optimiser": "rmsprop"}) for one in (old, new))
    assert len(groups_of([old, new])) == 2 and command_of(old) is None and command_of(new) is not None
