"""Training: small networks learn small languages; a run that was interrupted gives the same network, bit by
bit.
"""

from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from automata.errors import FormatError, InputError
from neural import checkpoints as tensors
from neural.state_regularized import files as network_files
from ratproof.papers.certification.boxes import count_closed_boxes
from ratproof.papers.certification.numbers import numbers_of
from training.state_regularized import checkpoints, strings
from training.state_regularized.experiments import CHECKPOINT, NETWORK, Experiment, run
from training.state_regularized.languages import grammar
from training.state_regularized.recipe import CLUSTERS, PAPER, Recipe, recipe
from training.state_regularized.trainer import Trainer

SMALL = recipe("ours", 8)


def trainer(number: int = 1, seed: int = 0, how: Recipe = SMALL) -> Trainer:
    training, validation = strings.draw(grammar(number), seed, how.near_misses)
    return Trainer(("0", "1"), 8, 6, how, seed, training, validation)


def test_a_small_network_learns(tmp_path: Path) -> None:
    report = run(Experiment(grammar(1), 0, 8, 6, folder=tmp_path))
    assert (
        report.outcome == "trained"
        and report.exact
        and report.certified == "certified"
        and report.accepts_exactly
    )
    assert report.soft is not None and report.soft.difference is None and report.states == 2
    network, about = network_files.load(tmp_path / NETWORK)
    assert about["trained"]["iterations"] == report.iterations
    assert network.accepts(["1" * 50, "1" * 49 + "0", ""]) == [True, False, True]


@pytest.mark.parametrize("how", [SMALL, CLUSTERS, PAPER], ids=lambda how: how.name)
@pytest.mark.parametrize("cut", [1, 37, 60])
def test_an_interrupted_run_gives_the_same_network(tmp_path: Path, how: Recipe, cut: int) -> None:
    whole, before, after = trainer(how=how), trainer(how=how), trainer(how=how)
    for _ in range(70):
        whole.iterate()
    for _ in range(cut):
        before.iterate()
    checkpoints.write(before, {"what": 1}, tmp_path / "run")
    checkpoints.read(after, {"what": 1}, tmp_path / "run")
    for _ in range(70 - cut):
        after.iterate()
    assert before.progress != after.progress == whole.progress
    for name, tensor in whole.network.state_dict().items():
        assert torch.equal(tensor, after.network.state_dict()[name])


def in_its_finish() -> Trainer:
    """A run whose recurrent part, alone, is right on all training strings."""
    how = trainer(how=replace(CLUSTERS, rate=0.01))
    while not how.finishing:
        how.iterate()
    return how


def test_a_finish_with_clusters_is_gone_on_with(tmp_path: Path) -> None:
    whole = in_its_finish()
    for _ in range(20):
        whole.iterate()
    checkpoints.write(whole, {}, tmp_path / "run")
    other = trainer(how=whole.recipe)
    checkpoints.read(other, {}, tmp_path / "run")
    while not whole.progress.done:
        whole.iterate()
        other.iterate()
    assert whole.progress == other.progress and whole.progress.noise > CLUSTERS.noise[0]
    assert all(
        torch.equal(a, b) for a, b in zip(whole.network.parameters(), other.network.parameters(), strict=True)
    )


def test_noise_grows_as_long_as_the_batch_stays_right() -> None:
    how, clusters = in_its_finish(), CLUSTERS.clusters
    assert clusters is not None and how.progress.noise == CLUSTERS.noise[0]
    for right in (1.0, 0.96, 0.94, 0.95):
        before, how.right = how.progress.noise, right
        how._louder(clusters)
        grown = before * (clusters.louder if right >= 0.95 else clusters.softer)
        assert how.progress.noise == pytest.approx(max(CLUSTERS.noise[0], grown))
    how.progress.noise, how.right = clusters.loudest, 1.0
    how._louder(clusters)
    assert how.progress.noise == clusters.loudest


def test_an_interrupted_restart_gives_the_same_network(tmp_path: Path) -> None:
    hasty = Recipe("hasty", patience=5, every=2)
    whole, other = trainer(5, how=hasty), trainer(5, how=hasty)
    for _ in range(33):
        whole.iterate()
        other.iterate()
        checkpoints.write(other, {}, tmp_path / "run")
        other = trainer(5, how=hasty)
        checkpoints.read(other, {}, tmp_path / "run")
    assert whole.progress.restarts >= 5 and whole.progress == other.progress
    assert all(
        torch.equal(a, b) for a, b in zip(whole.network.parameters(), other.network.parameters(), strict=True)
    )


def test_a_run_is_gone_on_with(tmp_path: Path) -> None:
    experiment = Experiment(grammar(1), 0, 8, 6, folder=tmp_path / "cut")
    stops = iter([False] * 40 + [True])
    cut = run(experiment, stop=lambda: next(stops))
    assert cut.outcome == "interrupted" and cut.iterations == 40
    with pytest.raises(InputError, match="--resume"):
        run(experiment)
    rest, whole = (
        run(experiment, resume=True),
        run(Experiment(grammar(1), 0, 8, 6, folder=tmp_path / "whole")),
    )
    assert rest.iterations == whole.iterations
    states = [network_files.load(tmp_path / name / NETWORK)[0].state_dict() for name in ("cut", "whole")]
    assert all(torch.equal(states[0][name], states[1][name]) for name in states[0])


def test_what_is_no_checkpoint_of_the_run_is_one_sentence(tmp_path: Path) -> None:
    good, folder = Experiment(grammar(1), 0, 8, 6, folder=tmp_path), tmp_path / CHECKPOINT
    with pytest.raises(FormatError, match="cannot be read"):
        run(good, resume=True)
    run(good, stop=lambda: True)
    whole = folder.read_bytes()
    bad = {
        "cut short": whole[: len(whole) // 2],
        "pickle": pickle.dumps({"network": 1}),
        "no checkpoint": b"what is this",
    }
    for says, data in bad.items():
        folder.write_bytes(data)
        with pytest.raises(FormatError, match=says):
            run(good, resume=True)
    tensors.write(folder, "state-regularized acceptor", {}, {"x": torch.zeros(1)})
    with pytest.raises(FormatError, match="training run"):
        run(good, resume=True)
    folder.write_bytes(whole)
    for other in (
        Experiment(grammar(1), 1, 8, 6, folder=tmp_path),
        Experiment(grammar(2), 0, 8, 6, folder=tmp_path),
    ):
        with pytest.raises(FormatError, match=r"seed 0.*1|language 'tomita-1'.*'tomita-2'"):
            run(other, resume=True)


@pytest.mark.parametrize("break_", ["missing", "shape", "nan", "level", "generator", "noise", "wrong"])
def test_a_checkpoint_with_something_wrong_inside(tmp_path: Path, break_: str) -> None:
    broken = trainer()
    broken.iterate()
    checkpoints.write(broken, {}, tmp_path / "run")
    about, kept = tensors.read(tmp_path / "run", checkpoints.KIND)
    if break_ == "missing":
        del kept["network.classifier.weight"]
    elif break_ == "shape":
        kept["optimiser.0.exp_avg"] = torch.zeros(3)
    elif break_ == "nan":
        kept["network.classifier.bias"] = torch.tensor([torch.nan])
    elif break_ == "level":
        about["progress"]["level"] = 99
    elif break_ == "noise":
        about["progress"]["noise"] = -1.0
    elif break_ == "wrong":
        about["progress"]["wrong"] = [10**6]
    else:
        kept["generator"] = torch.zeros(3)
    tensors.write(tmp_path / "run", checkpoints.KIND, about, kept)
    with pytest.raises(FormatError, match="no training run that can go on"):
        checkpoints.read(trainer(), {}, tmp_path / "run")


def test_an_untrained_network_closes_no_boxes() -> None:
    network = trainer(5).network
    closed = count_closed_boxes(numbers_of(network))
    assert closed is None or closed == 1  # all its strings may look alike to it


@pytest.mark.parametrize(
    "size", [{"units": 0}, {"centroids": 1}, {"minutes": 0.0}, {"minutes": float("nan")}]
)
def test_sizes_that_are_none(size: dict[str, float]) -> None:
    with pytest.raises(InputError):
        Experiment(grammar(1), **size)  # type: ignore[arg-type]


def test_a_checkpoint_whose_first_byte_is_a_pickles_is_read(tmp_path: Path) -> None:
    first = set()
    for length in range(0, 260, 8):  # the file starts with the header's size
        tensors.write(tmp_path / "kept", "kind", {"x": "-" * length}, {"x": torch.zeros(1)})
        first.add((tmp_path / "kept").read_bytes()[0])
        assert tensors.read(tmp_path / "kept", "kind")[0] == {"x": "-" * length}
        (tmp_path / "kept").write_bytes((tmp_path / "kept").read_bytes()[:100])
        with pytest.raises(FormatError, match="cut short"):
            tensors.read(tmp_path / "kept", "kind")
    assert 0x80 in first
