"""Tests that small networks learn small languages, and that an interrupted run gives the same network, bit by
bit.
"""

import json
import pickle
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest
import torch

from automata.errors import FormatError, InputError
from automata.io import files as automata_files
from automata.languages.parentheses import balanced
from neural import checkpoints as tensors
from neural.state_regularized import files as network_files
from ratproof.certification.soft_networks.boxes import count_closed_boxes
from ratproof.certification.soft_networks.numbers import numbers_of
from training import experiments
from training.campaign import plan as campaign
from training.data_folder import Data
from training.engine import checkpoint, results
from training.engine.loop import Diverged, Loop
from training.engine.names import NETWORK, RESULT, RUN
from training.engine.noise import Noise
from training.engine.processes import fabric_for
from training.engine.run import RunOptions
from training.engine.threads import one_thread
from training.experiments import settings_for
from training.state_regularized import strings
from training.state_regularized.experiment import learn
from training.state_regularized.languages import grammar, language_of
from training.state_regularized.settings import NEVER, PRESETS, FromFile, Recipe, recipe_of
from training.state_regularized.strings import LabelledStrings
from training.state_regularized.task import LearningTask
from training.tables import tables


def recipe(name: str, **options: Any) -> Recipe:
    """Return a recipe for grammar 1 with 8 units and 6 centroids."""
    small = {"grammar": 1, "model": "sr-gru", "units": 8, "centroids": 6}
    result = settings_for("tomita", name, {**small, **options}, "test")
    assert isinstance(result, Recipe)
    return result


SMALL, CLUSTERS, PAPER = map(recipe, PRESETS)
HASTY = replace(SMALL, restart_after=5, look_every=2, steps=7)


@cache
def drawn(number: int, seed: int, near_misses: bool) -> tuple[LabelledStrings, LabelledStrings]:
    return strings.draw(grammar(number), seed, near_misses)


def loop_of(number: int = 1, how: Recipe = SMALL) -> tuple[LearningTask, Loop]:
    task = LearningTask(("0", "1"), how, *drawn(number, how.seed, how.near_misses))
    return task, Loop(task, how, fabric_for("cpu", "32-true"))


def iterate(loop: Loop, count: int) -> None:
    """Run ``count`` iterations, or all that are left."""
    end = loop.progress.step + count
    loop.run(stop=lambda: loop.progress.step >= end)


def same(one: LearningTask, other: LearningTask) -> bool:
    pairs = zip(one.network.parameters(), other.network.parameters(), strict=True)
    return one.progress == other.progress and all(torch.equal(a, b) for a, b in pairs)


def run(how: Recipe, folder: Path, resume: bool = False, stop: Callable[[], bool] = bool) -> dict[str, Any]:
    where = RunOptions(folder, resume=resume, tensorboard=False, minutes=10)
    return learn("tomita", how, folder, where, stop)


def test_a_small_network_learns(tmp_path):
    trained = run(SMALL, tmp_path)
    assert trained["outcome"] == "trained" and trained["exact"] and trained["certified"] == "certified"
    assert trained["accepts_exactly"] and trained["soft"]["difference"] is None and trained["states"] == 2
    assert results.read(tmp_path / RESULT) == trained and all(key in trained for key in results.KEYS)
    network, about = network_files.load(tmp_path / NETWORK)
    assert about["trained"]["iterations"] == trained["iterations"] == trained["steps"]
    assert network.accepts(["1" * 50, "1" * 49 + "0", ""]) == [True, False, True]


def bare(task: LearningTask, count: int) -> None:
    """Run iterations without the engine: backward, clip and optimiser step; a restart has a new optimiser."""
    optimiser = task.optimiser()
    for _ in range(count):
        loss = task.losses(task.network, task.chosen, Noise(0, 0, task.chosen)).mean()
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(task.network.parameters(), task.settings.clip)
        optimiser.step()
        if task.stepped():
            optimiser = task.optimiser()


@pytest.mark.parametrize("number", [1, 5])
@pytest.mark.parametrize("name", [*PRESETS, "hasty"])
def test_the_engine_makes_the_iterations_of_a_plain_loop(name, number):
    """The engine and a plain loop give bit-identical results."""
    how = HASTY if name == "hasty" else recipe(name)
    (task, loop), (other, _) = loop_of(number, how), loop_of(number, how)
    iterate(loop, 40)
    with one_thread():
        bare(other, 40)
    assert same(task, other) and (name != "hasty" or task.progress.restarts >= 5)


@pytest.mark.parametrize("how", [SMALL, CLUSTERS, PAPER], ids=recipe_of)
def test_an_interrupted_run_gives_the_same_network(tmp_path, how):
    (full, full_loop), (cut, cut_loop) = loop_of(how=how), loop_of(how=how)
    iterate(full_loop, 70)
    for count in (1, 36, 23, 10):
        checkpoint.write(cut_loop, {"what": 1}, tmp_path / "run")
        before, (cut, cut_loop) = cut, loop_of(how=how)
        checkpoint.read(cut_loop, {"what": 1}, tmp_path / "run")
        iterate(cut_loop, count)
        assert before.progress != cut.progress
    assert same(cut, full)
    for name, tensor in full.network.state_dict().items():
        assert torch.equal(tensor, cut.network.state_dict()[name])


def in_its_finish() -> tuple[LearningTask, Loop]:
    """Return a run in its final phase; its recurrent component alone classifies all training strings
    correctly.
    """
    task, loop = loop_of(how=replace(CLUSTERS, rate=0.01))
    loop.run(stop=lambda: task.finishing)
    return task, loop


def test_a_finish_with_clusters_is_resumed(tmp_path):
    full, full_loop = in_its_finish()
    iterate(full_loop, 20)
    checkpoint.write(full_loop, {}, tmp_path / "run")
    other, other_loop = loop_of(how=full.settings)
    checkpoint.read(other_loop, {}, tmp_path / "run")
    assert full_loop.run() == other_loop.run() == "trained"
    assert same(full, other) and full.progress.noise > CLUSTERS.noises[0]


def test_noise_grows_while_the_batch_stays_right():
    task, _ = in_its_finish()
    assert CLUSTERS.clusters and task.progress.noise == CLUSTERS.noises[0]
    for right in (1.0, 0.96, 0.94, 0.95):
        before, task.right = task.progress.noise, right
        task._adjust_noise()
        grown = before * (CLUSTERS.louder if right >= 0.95 else CLUSTERS.softer)
        assert task.progress.noise == pytest.approx(max(CLUSTERS.noises[0], grown))
    task.progress.noise, task.right = CLUSTERS.loudest, 1.0
    task._adjust_noise()
    assert task.progress.noise == CLUSTERS.loudest


def test_an_interrupted_restart_gives_the_same_network(tmp_path):
    (full, full_loop), (other, other_loop) = loop_of(5, HASTY), loop_of(5, HASTY)
    for _ in range(33):
        iterate(full_loop, 1)
        iterate(other_loop, 1)
        checkpoint.write(other_loop, {}, tmp_path / "run")
        other, other_loop = loop_of(5, HASTY)
        checkpoint.read(other_loop, {}, tmp_path / "run")
    assert full.progress.restarts >= 5 and same(full, other)
    assert full_loop.progress.history == other_loop.progress.history


def test_a_restart_is_a_run_of_a_new_network():
    """After a restart, the weights, the optimiser and the best network are new."""
    task, loop = loop_of(5, HASTY)
    loop.run(stop=lambda: task.progress.restarts == 1)
    fresh, _ = loop_of(5, HASTY)
    assert not same(task, fresh) and not loop.optimiser.state and loop.progress.best is None
    fresh.progress = replace(task.progress, restarts=0, history=[])
    fresh._start_again()
    pairs = zip(task.network.parameters(), fresh.network.parameters(), strict=True)
    assert all(torch.equal(a, b) for a, b in pairs)
    assert all(torch.equal(loop.best[name], t) for name, t in task.network.state_dict().items())
    assert task.progress.noise == HASTY.noises[1]


def _ends(steps: Any) -> bool:
    return next(steps, None) is None


def test_a_run_is_resumed(tmp_path):
    cut = run(SMALL, tmp_path / "cut", stop=partial(_ends, iter(range(40))))
    assert cut["outcome"] == "interrupted" and cut["iterations"] == 40
    assert not (tmp_path / "cut" / RESULT).exists()
    with pytest.raises(InputError, match="--resume"):
        run(SMALL, tmp_path / "cut")
    rest, full = run(SMALL, tmp_path / "cut", resume=True), run(SMALL, tmp_path / "whole")
    assert rest["iterations"] == full["iterations"]
    states = [network_files.load(tmp_path / name / NETWORK)[0].state_dict() for name in ("cut", "whole")]
    assert all(torch.equal(states[0][name], states[1][name]) for name in states[0])
    assert run(SMALL, tmp_path / "cut", resume=True) == rest  # the run is done


def test_a_file_that_is_not_a_checkpoint_of_the_run_gives_a_one_line_error(tmp_path):
    file = tmp_path / RUN
    with pytest.raises(InputError, match="must contain a run to resume"):
        run(SMALL, tmp_path, resume=True)
    run(SMALL, tmp_path, stop=lambda: True)
    content = file.read_bytes()
    bad = (("complete checkpoint", content[: len(content) // 2]), ("pickle", pickle.dumps({"network": 1})))
    for says, data in (*bad, ("complete checkpoint", b"what is this")):
        file.write_bytes(data)
        with pytest.raises(FormatError, match=says):
            run(SMALL, tmp_path, resume=True)
    tensors.write(file, "state-regularized acceptor", {}, {"x": torch.zeros(1)})
    with pytest.raises(FormatError, match="run of an experiment"):
        run(SMALL, tmp_path, resume=True)
    file.write_bytes(content)
    for other in (replace(SMALL, seed=1), recipe("ours", grammar=2)):
        with pytest.raises(FormatError, match=r"seed 1, got 0|grammar 2, got 1"):
            run(other, tmp_path, resume=True)


def test_a_result_of_another_automaton_is_not_used(tmp_path):
    trained = run(SMALL, tmp_path)
    trained["dfa"]["final"] = [1]
    (tmp_path / RESULT).write_text(json.dumps(trained))
    with pytest.raises(InputError, match="must be a run on the same automaton"):
        run(SMALL, tmp_path, resume=True)
    for name in ("hard", "soft", "certified", "strings", "exact", "iterations", "outcome"):
        (tmp_path / RESULT).write_text(json.dumps({**trained, name: 0.5 if name != "iterations" else {}}))
        with pytest.raises(FormatError, match="must be the result of a run that learned a language"):
            run(SMALL, tmp_path, resume=True)


SPOILED: dict[str, Any] = {
    "model.classifier.weight": None,
    "model.classifier.bias": torch.tensor([torch.nan]),
    "optimiser.0.exp_avg": torch.zeros(3),
    "carried.counts": torch.tensor([0, 1, 1, 99, 0, -1]),
    "carried.history": torch.tensor([[1, -1]]),
    "carried.generator": torch.zeros(3),
    "carried.noise": torch.tensor(-1.0, dtype=torch.double),
    "carried.wrong": torch.tensor([10**6]),
    "carried.chosen": torch.full((64,), 10**6),
    "carried.chosen ": torch.arange(64),
}


@pytest.mark.parametrize("name", SPOILED)
def test_a_checkpoint_with_wrong_contents(tmp_path, name):
    _, broken = loop_of()
    iterate(broken, 1)
    checkpoint.write(broken, {}, tmp_path / "run")
    about, kept = tensors.read(tmp_path / "run", checkpoint.KIND)
    assert name.strip() in kept
    kept[name.strip()] = SPOILED[name]
    spoiled = {one: tensor for one, tensor in kept.items() if tensor is not None}
    tensors.write(tmp_path / "run", checkpoint.KIND, about, spoiled)
    with pytest.raises(FormatError, match="the file must be a complete checkpoint of this run"):
        checkpoint.read(loop_of()[1], {}, tmp_path / "run")


def test_a_nan_loss_reports_the_strings():
    task, loop = loop_of()
    torch.nn.init.constant_(task.acceptor.classifier.bias, torch.nan)
    named = ", ".join(map(str, sorted(task.chosen.tolist())[:8]))
    with pytest.raises(Diverged, match=f"the loss is nan in epoch 1, batch 1 .* {named} and 56 more"):
        loop.run()


def test_an_untrained_network_closes_no_boxes():
    network = loop_of(5)[0].acceptor
    closed = count_closed_boxes(numbers_of(network))
    assert closed is None or closed == 1  # the network may treat all its strings identically


def test_recipes_have_their_names():
    assert [recipe_of(recipe(name, seed=3, units=100)) for name in PRESETS] == list(PRESETS)
    assert recipe_of(replace(SMALL, review=0.5)) == "own"
    assert [recipe("ours", units=units).rate for units in (50, 51)] == [5e-3, 2e-3]
    assert PAPER.rate == 0.01 and not PAPER.finishes and PAPER.shortest == NEVER


def test_a_run_limited_to_few_iterations_has_a_result_and_a_row(tmp_path):
    automata_files.write(balanced(2).to_wfsa(), tmp_path / "two.json")
    options = {"file": "two.json", "units": 5, "centroids": 3, "steps": 4, "epochs": 2, "penalty": 0.5}
    settings = settings_for("dfa", "ours", options, "test")
    trained = experiments.run(
        "dfa", settings, Data(tmp_path), RunOptions(tmp_path / "run", tensorboard=False)
    )
    assert isinstance(trained, dict)
    assert trained["outcome"] == "out of iterations" and trained["iterations"] == 8
    assert trained["language"] == "two" and trained["recipe"] == "own"
    assert trained["configuration"]["file"] == "two.json"
    ((title, header, (row,)),) = tables(results.results_in(tmp_path))
    assert "languages" in title and len(header) == len(row)
    assert row[:5] == ["two", str(balanced(2).minimal().states), "own", "1", "0"]


def test_a_missing_file_of_an_automaton_is_reported(tmp_path):
    with pytest.raises(InputError, match="'file' must be the name of a file with a boolean automaton"):
        language_of(FromFile(), tmp_path)


def test_the_campaign_has_the_languages_of_the_page():
    path = Path(campaign.__file__).parents[1] / "campaigns" / "languages.toml"
    plan = campaign.read(path)
    pairs = [(job, plan.settings(job)) for job in plan.jobs]
    recipes = Counter((job.experiment, recipe_of(how)) for job, how in pairs if isinstance(how, Recipe))
    assert recipes == {
        ("tomita", "ours"): 35,
        ("tomita", "paper"): 21,
        ("tomita", "clusters"): 35,
        ("nested", "clusters"): 3,
        ("dfa", "clusters"): 9,
    }
    others = Counter(job.model for job, how in pairs if not isinstance(how, Recipe))
    assert others == dict.fromkeys(("lstm", "gru", "sr-lstm", "sr-lstm-p"), 35)  # 7 grammars, 5 seeds


def test_several_processes_are_refused(tmp_path, monkeypatch):
    monkeypatch.setenv("WORLD_SIZE", "2")
    with pytest.raises(InputError, match="in one process, got 2 from torchrun"):
        run(SMALL, tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_a_checkpoint_whose_first_byte_is_that_of_a_pickle_is_read(tmp_path):
    first = set()
    for length in range(0, 260, 8):  # the file starts with the header's size
        tensors.write(tmp_path / "kept", "kind", {"x": "-" * length}, {"x": torch.zeros(1)})
        first.add((tmp_path / "kept").read_bytes()[0])
        assert tensors.read(tmp_path / "kept", "kind")[0] == {"x": "-" * length}
        (tmp_path / "kept").write_bytes((tmp_path / "kept").read_bytes()[:100])
        with pytest.raises(FormatError, match="complete checkpoint"):
            tensors.read(tmp_path / "kept", "kind")
    assert 0x80 in first
