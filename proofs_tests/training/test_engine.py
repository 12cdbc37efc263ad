"""Tests of the engine.

An interrupted run gives the same results, random draws belong to examples, and an error gives a one-line
message and preserves the stored files.
"""

import errno
import io
import json
import os
import random
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from rich.console import Console
from torch import Tensor, nn

from automata.errors import FormatError, InputError
from neural import checkpoints
from proofs_tests.training.command_line import command_line
from proofs_tests.training.sentences import write_sets
from proofs_tests.training.small_runs import ratproof, result, same_networks
from training.engine import bar as bars
from training.engine import checkpoint
from training.engine.logs import Logs
from training.engine.loop import Diverged, Loop, TrainingStep
from training.engine.noise import Noise
from training.engine.processes import fabric_for
from training.engine.progress import Progress
from training.engine.sampler import batches, share_of
from training.engine.settings import Settings
from training.engine.task import ExampleTask
from training.rational_recurrences.task import ClassificationTask

__all__ = ["command_line"]

SMALL = (
    "--model rrnn-f --hidden 6 --batch 8 --epochs 4 --rate 0.01 --halve-after 1 --any-size --no-tensorboard"
)


# Random draws.


def test_a_mask_depends_only_on_its_example_step_and_seed():
    together = Noise(3, 5, torch.tensor([10, 11, 12])).kept(0, (7, 4), 0.5)
    alone = Noise(3, 5, torch.tensor([12])).kept(0, (9, 4), 0.5)
    assert torch.equal(together[2], alone[0, :7])
    others = [Noise(*key, torch.tensor([n])) for *key, n in ((3, 6, 12), (4, 5, 12), (3, 5, 13))]
    assert not any(torch.equal(noise.kept(0, (9, 4), 0.5), alone) for noise in others)
    assert not torch.equal(Noise(3, 5, torch.tensor([12])).kept(1, (9, 4), 0.5), alone)


def test_a_mask_drops_its_share_and_preserves_the_mean():
    mask = Noise(0, 0, torch.arange(1000)).kept(0, (1000,), 0.3)
    assert mask.unique().tolist() == [0.0, pytest.approx(1 / 0.7)]
    five_deviations = 5 * (0.3 * 0.7 / mask.numel()) ** 0.5
    assert abs(float((mask == 0).double().mean()) - 0.3) < five_deviations


def test_an_epoch_has_every_example_once_in_batches_that_depend_on_seed_and_epoch():
    lengths = torch.randint(1, 30, (101,), generator=torch.Generator().manual_seed(0))
    one = batches(lengths, 8, seed=1, epoch=2)
    assert torch.equal(torch.cat(one).sort().values, torch.arange(101))
    assert sorted(map(len, one)) == [5, *[8] * 12]
    assert all(bool((lengths[b].diff() <= 0).all()) for b in one)
    same, later, other = (batches(lengths, 8, *key) for key in ((1, 2), (1, 3), (2, 2)))
    assert all(map(torch.equal, one, same))
    assert not torch.equal(torch.cat(one), torch.cat(later))
    assert not torch.equal(torch.cat(one), torch.cat(other))


def test_processes_share_a_batch():
    batch = torch.arange(7)
    assert sorted(torch.cat([share_of(batch, rank, 3) for rank in range(3)]).tolist()) == list(range(7))
    assert len(share_of(batch[:1], 1, 2)) == 0


# The loop.


HOW = {"batch": 5, "rate": 0.1, "patience": 4, "halve_after": 2}


class Scripted(ExampleTask):
    """A task with predefined dev scores; its loss is the square of a parameter or comes from ``spoil``."""

    def __init__(self, scores, spoil=lambda step, x: x, **settings: object):
        how = Settings(**{**HOW, **settings})  # type: ignore[arg-type]
        super().__init__(nn.Linear(1, 1, bias=False), how, torch.ones(10, dtype=torch.long))
        self.scores, self.spoil, self.steps, self.epochs = scores, spoil, 0, 0

    def losses(self, network: nn.Module, examples: Tensor, noise: Noise) -> Tensor:
        self.steps += 1
        one = network(torch.ones(len(examples), 1))[:, 0] ** 2
        return self.spoil(self.steps - 1, one)

    def measure(self, network: nn.Module) -> tuple[float, dict[str, float]]:
        self.epochs += 1
        score = self.scores[self.epochs - 1]
        return score, {"dev": score}


def loop_of(task: Scripted) -> Loop:
    return Loop(task, task.settings, fabric_for("cpu", "32-true"))


def test_training_stops_when_no_epoch_is_better_and_the_rate_is_halved_before():
    loop = loop_of(Scripted([0.5, 0.7, 0.7, 0.6, 0.6, 0.6, 0.9]))
    assert loop.run() == "trained"
    p = loop.progress
    assert (p.best, p.best_epoch, p.epoch, p.step) == (0.7, 2, 6, 12)
    assert [one["rate"] for one in p.history] == [0.1, 0.1, 0.1, 0.1, 0.05, 0.05]


def test_the_best_epochs_weights_are_saved():
    loop = loop_of(Scripted([0.5, 0.9, 0.1], epochs=3))
    weights = []
    loop.run(ended=lambda: weights.append(loop.network.weight.detach().clone()))  # type: ignore[union-attr]
    assert torch.equal(loop.best["weight"], weights[1]) and not torch.equal(weights[1], weights[2])


def test_a_gradient_is_clipped_to_the_norm():
    norms = []
    loop = loop_of(Scripted([0.5], lambda step, x: 1000 * x, epochs=1, clip=1.0))
    loop.run(progress=lambda step: norms.append((step.norm, float(loop.network.weight.grad.norm()))))  # type: ignore[union-attr]
    assert all(before > 1 and after == pytest.approx(1) for before, after in norms)


def test_a_nan_loss_stops_before_its_step_and_reports_the_batch():
    task = Scripted([0.5] * 9, lambda step, x: x * (float("nan") if step == 3 else 1))
    loop = loop_of(task)
    with pytest.raises(
        Diverged, match=r"the loss is nan in epoch 2, batch 2 \(step 3; training examples \d(, \d)*\)"
    ):
        loop.run()
    assert loop.progress.step == 3 and bool(torch.isfinite(loop.network.weight).all())  # type: ignore[arg-type]


def test_a_nan_gradient_stops_too():
    task = Scripted([0.5] * 9, lambda step, x: x if step < 3 else (x - x.detach()).abs().sqrt())
    with pytest.raises(Diverged, match="the gradient's norm is nan in epoch 2, batch 2"):
        loop_of(task).run()


class StartingAnew(Scripted):
    """A task that reinitialises its network after some step, and finishes after another."""

    network: nn.Linear

    def __init__(self, anew: int, end: int, **settings: object) -> None:
        super().__init__([0.9, 0.5, 0.6, 0.7], **settings)
        self.anew, self.end, self.first = anew, end, self.network.weight.detach().clone()

    def optimiser(self) -> torch.optim.Optimizer:
        return torch.optim.Adam(self.network.parameters(), lr=self.settings.rate)

    @property
    def finished(self) -> bool:
        return self.steps >= self.end

    def stepped(self) -> bool:
        if self.steps != self.anew:
            return False
        self.network.load_state_dict({"weight": self.first})
        return True


def test_a_restart_resets_everything_except_the_progress():
    task = StartingAnew(anew=3, end=99, epochs=4)
    loop = loop_of(task)
    loop.run(stop=lambda: loop.progress.step == 3)
    assert not loop.optimiser.state and torch.equal(loop.best["weight"], task.first)
    assert (loop.progress.best, loop.progress.best_epoch, loop.progress.epoch) == (None, 1, 1)
    loop.run(stop=lambda: loop.progress.step == 5)
    other = loop_of(StartingAnew(anew=99, end=99))
    other.network.load_state_dict({"weight": task.first})
    other.run(stop=lambda: other.progress.step == 2)
    assert torch.equal(task.network.weight, other.network.weight)  # type: ignore[arg-type]
    assert loop.run() == "trained"
    assert (loop.progress.best, loop.progress.best_epoch) == (0.7, 4)  # not the first network's 0.9


def test_a_run_resumes_between_a_restart_and_the_epochs_end(tmp_path):
    loop, other = (loop_of(StartingAnew(anew=3, end=99, epochs=4)) for _ in range(2))
    loop.run(stop=lambda: loop.progress.step == 3)
    checkpoint.write(loop, {}, tmp_path / "run")
    checkpoint.read(other, {}, tmp_path / "run")
    assert other.progress == loop.progress
    about, kept = checkpoints.read(tmp_path / "run", checkpoint.KIND)
    about["progress"]["best_epoch"] = 0
    checkpoints.write(tmp_path / "run", checkpoint.KIND, about, kept)
    with pytest.raises(FormatError, match="progress: 'best' must be the score of an epoch, got None"):
        checkpoint.read(other, {}, tmp_path / "run")


def test_a_task_that_is_finished_ends_its_epoch():
    task = StartingAnew(anew=99, end=3, spoil=lambda step, x: 0 * x + step + 1)
    loop = loop_of(task)
    assert loop.run() == "trained" and loop.progress.step == 3
    assert [one["loss"] for one in loop.progress.history] == [1.5, 3]  # for 2 batches and for 1 batch


# The output for users.


def test_a_terminal_gets_a_bar_with_speed_and_time_left(monkeypatch):
    for terminal in (True, False):
        screen = Console(file=io.StringIO(), force_terminal=terminal, width=120)
        monkeypatch.setattr(bars, "console", lambda error, screen=screen: screen)
        monkeypatch.setattr(bars, "shows_bar", lambda terminal=terminal: terminal)
        with bars.bar("cr rrnn-f", 100, 20) as move:
            move(50, "epoch 3, loss 0.250")
        output = screen.file.getvalue()  # type: ignore[attr-defined]
        shown = ("cr rrnn-f", "50%", "epoch 3, loss 0.250", "left at most")
        assert all(words in output for words in shown) if terminal else not output
    assert Scripted([0.5]).in_words(0.5) == "50.00%"


def test_a_missing_device_is_refused(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(InputError, match="--device must be cpu because torch finds no CUDA device"):
        fabric_for("cuda", "32-true")
    monkeypatch.setenv("WORLD_SIZE", "two")
    with pytest.raises(
        InputError, match="WORLD_SIZE, which torchrun sets, must be a positive integer, got 'two'"
    ):
        fabric_for("cpu", "32-true")


# Runs in folders.


def train(folder: Path, *more: str) -> int:
    data = folder.parent / "data"
    if not data.exists():
        write_sets(data)
    return ratproof(f"train cr {SMALL}", "--data", data, "-o", folder, *more)


KILLED = """
import os, random, signal, sys
from pathlib import Path
import lightning_fabric
from training.engine import loop
from training.rational_recurrences import decided, experiment
from ratproof import main

folder, seed, *arguments = sys.argv[1:]
rng = random.Random(int(seed))
step = loop.Loop._step
for number in range(40):
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        def told(self, batch):
            os.write(writing, b".")
            return step(self, batch)
        loop.Loop._step = told
        there = ["--resume"] if (Path(folder) / "run.safetensors").exists() else []
        os._exit(main.run([*arguments, "-o", folder, *there]))
    os.close(writing)
    alive = rng.randint(1, 9)
    while alive and os.read(reading, 1):
        alive -= 1
    if alive:
        print(number, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        break
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    os.close(reading)
"""
"""Source of a program that runs the command in child processes and kills each of them before a random step.

The next child process resumes the run, until a process ends. The program prints the number of killed
processes and the exit status of the last one.
"""


@pytest.mark.usefixtures("command_line")
def test_a_repeatedly_killed_run_equals_an_uninterrupted_one_bit_for_bit(tmp_path):
    full, killed = tmp_path / "whole", tmp_path / "killed"
    assert train(full, "--log-every", "1") == 0
    command = f"train cr {SMALL} --data {tmp_path / 'data'} --log-every 1 --keep-every 0".split()
    ran = subprocess.run(
        [sys.executable, "-c", KILLED, str(killed), str(random.Random().randrange(10**6)), *command],
        capture_output=True,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    kills, status = map(int, ran.stdout.splitlines()[-1].split())
    assert status == 0 and kills >= 2, ran.args
    assert result(full) == result(killed) and same_networks(full, killed), ran.args
    for name in ("steps.csv", "epochs.csv"):
        assert (full / name).read_bytes() == (killed / name).read_bytes(), (name, ran.args)


@pytest.mark.usefixtures("command_line")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=lambda number: number.name)
def test_a_signal_saves_a_complete_checkpoint_and_exits_with_130(tmp_path, monkeypatch, number):
    right = Loop._step

    def step(self: Loop, batch: Tensor) -> object:
        if self.progress.step == 7:
            os.kill(os.getpid(), number)
        return right(self, batch)

    monkeypatch.setattr(Loop, "_step", step)
    assert train(tmp_path / "run") == 130
    assert checkpoints.read(tmp_path / "run" / "run.safetensors", checkpoint.KIND)[0]["progress"]["step"] == 8
    assert not (tmp_path / "run" / "result.json").exists()
    monkeypatch.undo()


@pytest.mark.usefixtures("command_line")
def test_a_run_resumes_only_with_the_same_settings_and_shows_the_difference(tmp_path, capfd):
    assert train(tmp_path / "run", "--minutes", "1e-9") == 1
    assert train(tmp_path / "run", "--resume", "--clip", "2") == 2
    err = capfd.readouterr().err
    assert "must be a run with clip 2.0, got 3.0" in err and err.count("ratproof:") == 1
    assert train(tmp_path / "run") == 2
    assert "continue it with --resume" in capfd.readouterr().err
    write_sets(tmp_path / "data", seed=1)
    assert train(tmp_path / "run", "--resume") == 2
    assert "a run with data {" in capfd.readouterr().err
    assert train(tmp_path / "none", "--resume") == 2
    assert "must contain a run to resume" in capfd.readouterr().err
    write_sets(tmp_path / "data")
    assert train(tmp_path / "run", "--resume") == 0
    assert train(tmp_path / "run", "--resume", "--json") == 0
    assert json.loads(capfd.readouterr().out.splitlines()[-1])["experiment"] == "cr"
    assert train(tmp_path / "run", "--resume", "--clip", "2") == 2
    assert "clip 2.0, got 3.0" in capfd.readouterr().err
    write_sets(tmp_path / "data", seed=1)
    assert train(tmp_path / "run", "--resume") == 2  # the run is done, with other data
    assert "result.json: must be a run with train {" in capfd.readouterr().err
    write_sets(tmp_path / "data")
    other = f"train sst2 {SMALL} --data {tmp_path / 'data'}"
    assert ratproof(other, "-o", tmp_path / "run", "--resume") == 2
    assert "experiment 'sst2', got 'cr'" in capfd.readouterr().err


@pytest.mark.usefixtures("command_line")
def test_a_full_disk_gives_a_one_line_error_and_preserves_stored_files(tmp_path, monkeypatch, capfd):
    assert train(tmp_path / "run", "--minutes", "1e-9") == 1
    before = {path: path.read_bytes() for path in (tmp_path / "run").iterdir()}
    capfd.readouterr()

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    assert train(tmp_path / "run", "--resume") == 2
    out, err = capfd.readouterr()
    assert not out and err.count("\n") == 1 and "No space left" in err and "--resume" in err
    assert {path: path.read_bytes() for path in (tmp_path / "run").iterdir()} == before
    assert train(tmp_path / "other") == 2
    err = capfd.readouterr().err
    assert "nothing of the run is saved" in err and "--resume" not in err


@pytest.mark.usefixtures("command_line")
def test_a_run_that_diverges_saves_its_last_good_checkpoint(tmp_path, monkeypatch, capfd):
    losses = ClassificationTask.losses
    count = iter(range(100))
    spoiled = lambda *arguments: losses(*arguments) / (0.0 if next(count) == 9 else 1.0)
    monkeypatch.setattr(ClassificationTask, "losses", spoiled)
    assert train(tmp_path / "run", "--keep-every", "0", "--json") == 1
    out, err = capfd.readouterr()
    assert err.count("\n") == 1 and "the loss is inf in epoch 2, batch 5 (step 9;" in err
    answer = json.loads(out)
    assert (answer["outcome"], answer["folder"]) == ("diverged", str(tmp_path / "run"))
    about, tensors = checkpoints.read(tmp_path / "run" / "run.safetensors", checkpoint.KIND)
    assert about["progress"]["step"] == 9 and all(bool(t.isfinite().all()) for t in tensors.values())


def test_logged_steps_that_are_repeated_are_dropped(tmp_path):
    """The process may have been killed after the logs were written and before the checkpoint was."""
    logs = Logs(tmp_path, Progress(), every=1, tensorboard=False)
    for number in range(5):
        logs.step(TrainingStep(number, 1, 0.5, 1.0, 0.1))
    logs.write(Progress())
    assert [row[0] for row in Logs(tmp_path, Progress(step=3), tensorboard=False).rows] == ["0", "1", "2"]
    (tmp_path / "steps.csv").write_text("")
    assert Logs(tmp_path, Progress(step=3), tensorboard=False).rows == []
    for text in ("step\n1\n", "step,epoch,loss,norm,rate\nnone,1,0.5,1.0,0.1\n", '"'):
        (tmp_path / "steps.csv").write_text(text)
        with pytest.raises(FormatError, match=r"steps\.csv: the file must be a table of steps"):
            Logs(tmp_path, Progress(step=3), tensorboard=False)
        assert (tmp_path / "steps.csv").read_text() == text


@pytest.mark.usefixtures("command_line")
def test_a_resumed_run_removes_temporary_files_of_a_killed_process(tmp_path):
    folder = tmp_path / "run"
    assert train(folder, "--minutes", "1e-9") == 1
    names = (".run.safetensors.a1b2c3d4", ".result.json.1_2b3c4d", ".x")
    killed, at_work, own = (folder / name for name in names)
    for path in (killed, at_work, own):
        path.write_text("half")
    for path in (killed, own):
        os.utime(path, (10**9, 10**9))
    assert train(folder, "--resume") == 0
    assert not killed.exists() and at_work.exists() and own.exists()


@pytest.mark.usefixtures("command_line")
def test_a_lost_network_of_a_finished_run_is_recreated(tmp_path):
    folder = tmp_path / "run"
    network = folder / "network.safetensors"
    assert train(folder) == 0
    before = result(folder)
    shutil.copytree(folder, tmp_path / "before")
    network.unlink()
    assert train(folder, "--resume") == 0
    assert same_networks(folder, tmp_path / "before") and result(folder) == before


def test_a_file_that_is_not_a_checkpoint_is_refused(tmp_path):
    loop = loop_of(Scripted([0.5] * 9, epochs=2))
    loop.run()
    path = tmp_path / "run.safetensors"
    checkpoint.write(loop, {}, path)
    about, tensors = checkpoints.read(path, checkpoint.KIND)
    wrong = {"step": (-1, 2**70), "epoch": (1.5,), "history": ([],), "rate": ("fast", 1e300)}
    for name, value in ((name, value) for name, values in wrong.items() for value in values):
        spoiled = {**about, "progress": {**about["progress"], name: value}}
        checkpoints.write(path, checkpoint.KIND, spoiled, tensors)
        with pytest.raises(FormatError, match="the file must be a complete checkpoint of this run"):
            checkpoint.read(loop, {}, path)
    for name in tensors:
        checkpoints.write(path, checkpoint.KIND, about, {n: t for n, t in tensors.items() if n != name})
        with pytest.raises(FormatError, match="the file must be a complete checkpoint of this run"):
            checkpoint.read(loop, {}, path)
