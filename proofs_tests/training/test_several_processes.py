"""Tests of one run in several processes with torchrun.

It has the losses of one process. A termination request leaves a complete checkpoint, and every process has
the exit status 130. Restarted processes resume the run.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from neural import checkpoints
from proofs_tests.cluster import LONG
from proofs_tests.training.command_line import command_line
from proofs_tests.training.sentences import write_rule_sets, write_sets, write_text
from ratproof import main
from training.engine.checkpoint import KIND
from training.language_recognition import reach

__all__ = ["command_line"]

DATA = "--data {data} --any-size"
TEXT = f"train cr --model rrnn-f --hidden 3 {DATA}"
RULES = (
    "train sms --model bifa-rnn --drawn 7 --balance 0.5 --average 0.9 --dropout 0.2 --vector-dropout 0.2"
    f" {DATA}"
)
MEMORY = (
    "train parentheses --size small --model sr-lstm-p --units 6 --steps 11 --finish 4 --target-accuracy 0"
    " --growth 2 --test-strings 4"
)
LANGUAGE = f"train ptb --model rrnn-b --preset small --hidden 4 --window 5 {DATA}"
LINES = {"text": TEXT, "rules": RULES, "memory": MEMORY, "language": LANGUAGE}
HOW = (
    "--no-tensorboard --batch 5 --epochs 4 --patience 99 --rate 0.01 --precision 64-true --log-every 1"
    " --keep-every 99"
)
AGAIN = ("--epochs", "2", "--keep-every", "0")
MORE = {"MASTER_ADDR": "127.0.0.1", "TORCHELASTIC_RUN_ID": "test", "OMP_NUM_THREADS": "1"}
OF_A_RANK, OF_TORCHRUN = 7, 12
"""The steps at which a process of a run, and torchrun, receive SIGTERM."""

AS_TORCHRUN = f"""
import json, os, shutil, signal, sys, time
import lightning_fabric
import torch._dynamo  # by the first optimiser
from torch import distributed
from torch.distributed.elastic.multiprocessing import DefaultLogsSpecs, SignalException
from torch.distributed.launcher.api import LaunchConfig, launch_agent
from ratproof.main import run
from training import experiment_list
from training.rational_recurrences import decided, experiment
from theory.registry import claims
from training.engine.loop import Loop
from training.language_recognition import reach

lines, asked, again, by_torchrun = json.loads(sys.argv[1])
make, reach.LENGTHS = Loop._step, (120,)
claims()  # imports their modules

def sends(number):
    def step(self, batch):
        made = make(self, batch)
        if made.step == {OF_A_RANK}:
            os.kill(os.getpid(), number)
        return made
    return step

def attempts(*attempts, **variables):
    store = distributed.TCPStore("127.0.0.1", 0, is_master=True, wait_for_workers=False)
    os.environ.update(MASTER_PORT=str(store.port), TORCHELASTIC_USE_AGENT_STORE="True", GROUP_WORLD_SIZE="1")
    for attempt, (lines, number) in enumerate(attempts):
        children = []
        for rank in "01":
            child = os.fork()
            if not child:
                os.environ.update(RANK=rank, LOCAL_RANK=rank, GROUP_RANK="0")
                os.environ["TORCHELASTIC_RESTART_COUNT"] = str(attempt)
                if rank == "1" and number:
                    Loop._step = sends(number)
                os._exit(max(map(run, lines)))
            children.append(child)
        first, status = os.wait()
        children_left = [child for child in children if child != first]
        if number == signal.SIGTERM:
            os.kill(children_left[0], signal.SIGTERM)
        ends = {{first: status, **{{child: os.waitpid(child, 0)[1] for child in children_left}}}}
        yield [os.waitstatus_to_exitcode(ends[child]) for child in children]

def waits(self, batch):
    made = make(self, batch)
    if made.step == {OF_TORCHRUN}:
        if os.environ["RANK"] == "1":
            os.kill(os.getppid(), signal.SIGTERM)
        while signal.getsignal(signal.SIGTERM) is not signal.SIG_IGN:  # as the first request leaves it
            time.sleep(0.02)
        os.kill(os.getpid(), signal.SIGTERM)  # once more, as from a scheduler that asks all processes
    return made

def rank(folder, line):
    Loop._step = waits
    status = run(line)
    with open(folder + "/status-" + os.environ["RANK"], "w") as file:
        file.write(str(status))
    os._exit(status)  # torchrun would wait 30 s for the exit handlers

def torchrun(from_folder, folder, line):
    shutil.copytree(from_folder, folder)
    config = LaunchConfig(1, 1, 2, DefaultLogsSpecs(), "id", rdzv_backend="c10d", rdzv_endpoint="localhost:0",
                          max_restarts=0, start_method="fork")
    try:
        launch_agent(config, rank, [folder, line])
    except SignalException:
        return [int(open(folder + "/status-" + number).read()) for number in "01"]

killed = ([again], signal.SIGKILL), ([again], 0)
print(json.dumps([*attempts((lines, 0)), *attempts(([asked], signal.SIGTERM)),
                  *attempts(*killed), *attempts(*killed), torchrun(*by_torchrun)]))
"""
"""Source of a program that makes attempts of two processes each in the environment of torchrun, and imports
modules only once.

A process receives SIGTERM, and the program, as torchrun does, then sends SIGTERM to the other process. In
another run, a process is killed in the first of two attempts. Then the program repeats both attempts as
another torchrun. Finally, torchrun itself resumes a copy of the run that received SIGTERM; it receives
SIGTERM, which it passes on to both processes.
"""


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """Write data whose last batch of each epoch has one example, so that one process of two has none."""
    data = write_rule_sets(tmp_path_factory.mktemp("data"), sentences=41)  # eight batches of 5, and one of 1
    write_sets(data, sentences=51)  # 41 of them for training
    write_text(data)
    return data


def line(name: str, data: Path, folder: Path) -> list[str]:
    return [*LINES[name].format(data=data).split(), *HOW.split(), "-o", str(folder)]


@pytest.fixture(scope="module")
def in_two(data, tmp_path_factory):
    """Run all lines in two processes; return the folder of the runs, the exit statuses, and the messages."""
    folder = tmp_path_factory.mktemp("two")
    lines = [line(name, data, folder / name) for name in LINES]
    asked, again, resumed = (line("text", data, folder / name) for name in ("asked", "again", "resumed"))
    by_torchrun = str(folder / "asked"), str(folder / "resumed"), [*resumed, "--resume"]
    sizes = dict.fromkeys(("WORLD_SIZE", "LOCAL_WORLD_SIZE"), "2")
    ran = subprocess.run(
        [sys.executable, "-c", AS_TORCHRUN, json.dumps([lines, asked, [*again, *AGAIN], by_torchrun])],
        env={**os.environ, **sizes, **MORE},
        capture_output=True,
        text=True,
        timeout=LONG,
    )
    assert ran.returncode == 0, ran.stderr
    return folder, json.loads(ran.stdout.splitlines()[-1]), ran.stderr


def steps_of(folder: Path) -> list[list[str]]:
    """Return the lines of a run's table of steps."""
    return [row.split(",") for row in (folder / "steps.csv").read_text().split()[1:]]


def require_same(one: list[list[str]], two: list[list[str]]) -> None:
    """Assert that the losses agree within 1e-12 in the first 20 steps, and within 1e-6 at every step.

    A float32 intermediate would be visible in the first steps (6e-8). Later, a step with a nearly vanishing
    gradient amplifies the effect of the order of summation, because Adam divides by the gradient. On some
    processors, this happens after 35 steps.
    """
    assert [row[:2] for row in one] == [row[:2] for row in two]
    off = [abs(float(a[2]) - float(b[2])) / float(a[2]) for a, b in zip(one, two, strict=True)]
    assert max(off[:20]) < 1e-12 and max(off) < 1e-6


@pytest.mark.usefixtures("command_line")
def test_two_processes_have_the_losses_of_one(data, in_two, tmp_path, monkeypatch):
    monkeypatch.setattr(reach, "LENGTHS", (120,))
    folder, statuses, _ = in_two
    assert statuses[0] == [0, 0]
    for name in LINES:
        assert main.run(line(name, data, tmp_path / name)) == 0
        one, two = steps_of(tmp_path / name), steps_of(folder / name)
        require_same(one, two)
        assert len({row[2] for row in one}) > 30


def require_saved(folder: Path, step: int) -> None:
    about, _ = checkpoints.read(folder / "run.safetensors", KIND)
    assert about["progress"]["step"] == step + 1
    assert not (folder / "result.json").exists()


@pytest.mark.usefixtures("command_line")
def test_a_termination_request_saves_a_checkpoint_and_every_process_exits_with_130(data, in_two):
    """In the first run, one process receives the request, and torchrun then terminates the other process.

    In the second run, which continues a copy of the first, torchrun receives the request.
    """
    folder, statuses, messages = in_two
    assert statuses[1] == statuses[-1] == [130, 130], messages
    require_saved(folder / "asked", OF_A_RANK)
    require_saved(folder / "resumed", OF_TORCHRUN)
    assert main.run([*line("text", data, folder / "resumed"), "--resume"]) == 0  # in one process
    require_same(steps_of(folder / "text"), steps_of(folder / "resumed"))


def test_restarted_processes_resume_from_the_checkpoint(in_two):
    """The processes resume only their own run. The run of another torchrun is always refused."""
    folder, statuses, messages = in_two
    assert statuses[2:-1] == [[3, -9], [0, 0], [2, 2], [2, 2]], messages
    assert messages.count("another process of the run ended") == 1 and "Traceback" not in messages
    assert messages.count("must not contain a run") == 4
    again = steps_of(folder / "again")
    require_same(steps_of(folder / "text")[: len(again)], again)
