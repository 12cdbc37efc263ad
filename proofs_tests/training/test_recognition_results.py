"""Tests of the results that are stored for pictures, and of the certificates of runs.

The results are those of parentheses and of learned languages. A certificate describes the actual network.
"""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import torch

from automata.dfa import DFA
from automata.languages import parentheses as brackets
from automata.languages.tomita import tomita
from neural.state_regularized import files
from neural.state_regularized.acceptor import Acceptor
from proofs_tests.training.command_line import command_line
from proofs_tests.training.small_runs import train
from ratproof.certification.soft_networks.certify import certify
from training.engine import results
from training.engine.names import NETWORK
from training.engine.results import read_archive
from training.language_recognition import parentheses, tables
from training.language_recognition.certified import CERTIFICATE, certified
from training.language_recognition.network import TrainedAcceptor
from training.language_recognition.reach import DEPTHS, LENGTHS, reach
from training.language_recognition.settings import MODELS, PRESETS, Recognition
from training.language_recognition.states_along import RANKED_OVER, STRING, along, read
from training.language_recognition.strings import DrawnStrings, Strings
from training.results_command import KEPT
from training.state_regularized.extracted import a_string, extracted

__all__ = ["command_line"]

EXAMPLES = Path(files.__file__).parents[2] / "ratproof" / "examples"


def kept_result(name: str) -> dict[str, Any]:
    return read_archive(KEPT / "memory")[f"{name}.json"]


def _some_strings() -> Strings:
    words = ["a(b)", "()", "c", "(())d()"]
    return Strings.of(
        [DrawnStrings([parentheses.ALPHABET.index(x) for x in word], True, "some") for word in words]
    )


def test_the_string_is_balanced_and_deeper_than_training_strings():
    assert brackets.is_balanced(STRING)
    depths = [STRING[:n].count("(") - STRING[:n].count(")") for n in range(len(STRING))]
    assert max(depths) == 8 > parentheses.TRAINING.depths[1]


@pytest.mark.parametrize("model", MODELS)
def test_rows_are_the_states_along_the_string(model):
    torch.manual_seed(0)
    options: dict[str, Any] = {"k": 3} if model.startswith("sr-") else {}
    network = TrainedAcceptor(Acceptor(parentheses.ALPHABET, model, 6, **options), Recognition(model=model))
    data = along(network, _some_strings())
    tokens = torch.tensor([[parentheses.ALPHABET.index(symbol)] for symbol in STRING])
    with torch.no_grad():
        states = network.states(tokens)
    assert data["string"] == STRING and data["units"] == list(range(6))
    assert ("c" in data) == (len(states) == 2)
    for name, state in zip(("h", "c"), states, strict=False):
        torch.testing.assert_close(torch.tensor(read(data[name])), state[:, 0].T, atol=5e-3, rtol=5e-3)
    if not model.startswith("sr-"):
        assert not {"alpha", "centroids", "ranked"} & set(data)
        return
    alpha, centroids = torch.tensor(read(data["alpha"])), torch.tensor(read(data["centroids"]))
    torch.testing.assert_close(centroids.T @ alpha, states[0][:, 0].T, atol=0.02, rtol=0.02)
    assert data["ranked"] == sorted(data["ranked"], reverse=True)
    assert sum(data["ranked"]) == pytest.approx(1, abs=1e-3)


def test_ranked_probabilities_are_means_over_steps_without_padding():
    """The mean is over all steps of all strings, so a longer string has more weight."""
    torch.manual_seed(1)
    network = TrainedAcceptor(Acceptor(parentheses.ALPHABET, "sr-lstm", 5, k=3), Recognition())
    many = _some_strings()
    sums, steps = torch.zeros(3, dtype=torch.float64), 0
    for n in range(len(many)):
        tokens, lengths, _ = many.at(torch.tensor([n]))
        one = Strings(tokens.T.to(torch.uint8), lengths, many.labels[n : n + 1], ("some",))
        share = along(network, one)["ranked"]
        sums += torch.tensor(share, dtype=torch.float64) * (int(lengths) + 1)
        steps += int(lengths) + 1
    assert len(many) < RANKED_OVER
    torch.testing.assert_close(
        torch.tensor(along(network, many)["ranked"], dtype=torch.float64), sums / steps, atol=2e-4, rtol=0
    )


def test_a_counter_up_to_twenty_reaches_depth_twenty():
    def right(strings: Strings) -> torch.Tensor:
        turns = (strings.tokens == parentheses.OPEN).long() - (strings.tokens == parentheses.CLOSE).long()
        return ~strings.labels | (torch.cumsum(turns, dim=1).amax(dim=1) <= 20)

    data = reach(right, 4, 0)
    assert (data["depths"], data["lengths"], data["strings"]) == (list(DEPTHS), list(LENGTHS), 4)
    for depth, row in zip(DEPTHS, data["errors"], strict=True):
        # Half of the strings are balanced, and each has the depth of its row.
        assert row == [0.5 * (depth > 20)] * len(LENGTHS)


@pytest.mark.usefixtures("command_line")
def test_an_old_run_gets_its_pictures_when_it_is_resumed(tmp_path):
    folder = tmp_path / "run"
    assert train(folder, "parentheses", "--model sr-lstm --epochs 1") == 0
    full = json.loads((folder / "result.json").read_text())
    before = {name: value for name, value in full.items() if name not in ("along", "reach")}
    assert set(full) - set(before) == {"along", "reach"}
    results.write(before, folder / "result.json")
    assert train(folder, "parentheses", "--model sr-lstm --epochs 1 --resume") == 0
    assert json.loads((folder / "result.json").read_text()) == full


def test_the_certificate_of_a_run_is_in_its_result(tmp_path):
    results.write(kept_result("parentheses-sr-lstm-p-large-first-seed-0"), tmp_path / "result.json")
    shutil.copy(EXAMPLES / "counter.safetensors", tmp_path / NETWORK)
    answer = certified(tmp_path, height=1, length=6, saturated_height=0)
    assert answer["soft"]["proved"] and answer["checked"] is True and answer["word"] is None
    assert (tmp_path / CERTIFICATE).exists()
    assert results.read(tmp_path / "result.json")["certified"] == answer


def test_a_method_is_identified_by_its_recipe():
    for experiment, presets in PRESETS.items():
        for name, method in (("ours", tables.METHODS[True]), ("paper", tables.METHODS[False])):
            how = Recognition(**presets[name]).to_json()
            assert tables.method_of({"configuration": how}) == method, experiment


@pytest.mark.parametrize(("preset", "name"), [("ours", "ours"), ("first", "first recipe")])
def test_our_method_with_another_finish_has_its_own_name(preset, name):
    how = Recognition(**PRESETS["parentheses"][preset]).to_json()
    run = {"experiment": "parentheses", "configuration": how}
    longer = run | {"configuration": how | {"finish": 90}}
    assert [tables.method_of(one) for one in (run, longer)] == [name, f"{name}, 90 epochs of finish"]


def test_results_from_before_restarts_belong_to_the_initial_method():
    for experiment, preset, method in (
        ("parentheses", "first", tables.FIRST),
        ("palindromes", "ours", "ours"),
    ):
        how = Recognition(**PRESETS[experiment][preset]).to_json()
        older = {name: value for name, value in how.items() if name not in ("restart_after", "dev_wanted")}
        assert tables.method_of({"experiment": experiment, "configuration": older}) == method


def test_results_from_before_a_setting_belong_to_the_same_row():
    kept = kept_result("parentheses-lstm-large-first-seed-0")
    configuration = {name: v for name, v in kept["configuration"].items() if name != "gate_margin"}
    other = kept | {"seed": 9, "configuration": configuration | {"seed": 9}}
    (row,) = tables.rows_of([kept, other])
    assert row.seeds == (0, 9)
    (row, more) = tables.rows_of([kept, other | {"configuration": configuration | {"gate_margin": 3.0}}])
    assert len(row.seeds) == len(more.seeds) == 1


def test_a_test_set_that_some_runs_lack_has_the_mean_of_the_others():
    """Results of an unknown model, or without any test set, have no row."""
    kept = kept_result("parentheses-lstm-large-first-seed-0")
    name = "test_error d 20, l 1000"
    fewer = {metric: value for metric, value in kept["metrics"].items() if metric != name}
    (row,) = tables.rows_of([kept | {"seed": 9, "metrics": fewer}, kept])
    assert row.errors["d 20, l 1000"] == (kept["metrics"][name],)
    assert all(len(shares) == 2 for test, shares in row.errors.items() if test != "d 20, l 1000")
    assert tables.rows_of([kept | {"model": "x"}, kept | {"metrics": {name: None}}]) == []


# Learned languages.


def test_the_extraction_from_a_network_that_equals_its_language():
    network, _ = files.load(EXAMPLES / "tomita-2.safetensors")
    answer, dfa = certify(network), tomita(2).dfa
    words = [word for n in range(7) for word in _words(n)]
    data = extracted(answer, dfa, words)
    automaton = data["automaton"]
    machine = DFA(tuple(automaton["alphabet"]), 0, automaton["table"], frozenset(automaton["final"]))
    assert machine.equivalent(dfa) and len(automaton["centroids"]) == machine.states
    for reading in ("hard", "soft"):
        counted = data["counted"][reading]
        assert counted == {"otherwise": 0, "unseen": 0, "several": 0, "states": 3, "difference": None}
    over_time = data["over_time"]
    assert len(over_time["alpha"]) == len(over_time["centroids"])
    sums = torch.tensor(read(over_time["alpha"])).sum(dim=0)
    assert len(sums) == len(over_time["string"]) + 1
    assert bool((sums > 0.9).all()) and bool((sums < 1.01).all())


def test_few_strings_show_no_whole_table():
    network, _ = files.load(EXAMPLES / "tomita-2.safetensors")
    counted = extracted(certify(network), tomita(2).dfa, [("1",), ("1", "0")])["counted"]["hard"]
    assert counted["unseen"] > 0 and counted["states"] is None and counted["difference"] is None


@pytest.mark.parametrize("number", range(1, 8))
def test_the_string_over_time_stays_alive_and_visits_every_living_state(number):
    dfa = tomita(number).dfa
    run = dfa.run(a_string(dfa))
    assert not set(run) & dfa.dead and set(run) == set(range(dfa.states)) - dfa.dead


def _words(length: int) -> list[tuple[str, ...]]:
    return [tuple(f"{n:0{length}b}") if length else () for n in range(2**length)]
