"""Tests of one run in several processes with torchrun.

It has the losses of one process. A termination request leaves a complete checkpoint, and every process has
the exit status 130. Restarted processes resume the run.
"""

import json
import os
import socket
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

__all__ = ["command_line"]

DATA = "--data {data} --any-size"
TEXT = f"train cr --model rrnn-f --hidden 6 {DATA}"
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
    "--no-tensorboard --batch 5 --epochs 12 --patience 99 --rate 0.01 --precision 64-true --log-every 1"
    " --keep-every 99"
)

BOTH = """
import json, os, sys
import lightning_fabric
from training import experiment_list
from ratproof.main import run

lines = json.loads(sys.argv[1])
children = []
for rank in "01":
    child = os.fork()
    if not child:
        os.environ.update(RANK=rank, LOCAL_RANK=rank, GROUP_RANK="0")
        os._exit(max(map(run, lines)))
    children.append(child)
sys.exit(max(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children))
"""
"""Source of a program that runs two processes with the environment of torchrun, and imports modules only
once.
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


def run_in_two(data: Path, folder: Path) -> None:
    """Run each line in two processes, in its own folder below ``folder``."""
    lines = json.dumps([line(name, data, folder / name) for name in LINES])
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    sizes = {"WORLD_SIZE": "2", "LOCAL_WORLD_SIZE": "2", "TORCHELASTIC_RUN_ID": "test"}
    env = {
        **os.environ,
        **sizes,
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": f"{port}",
        "OMP_NUM_THREADS": "1",
    }
    subprocess.run([sys.executable, "-c", BOTH, lines], check=True, env=env, timeout=LONG)


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
def test_two_processes_have_the_losses_of_one(data, tmp_path):
    run_in_two(data, tmp_path / "two")
    for name in LINES:
        assert main.run(line(name, data, tmp_path / "one" / name)) == 0
        one, two = steps_of(tmp_path / "one" / name), steps_of(tmp_path / "two" / name)
        require_same(one[:100], two[:100])
        assert len(one) == len(two) > 100 and len({row[2] for row in one}) > 100


# Termination requests.

OF_A_RANK, OF_TORCHRUN = 7, 12
ASKED = f"""
import os, signal, sys, time
if sys.orig_argv[1:3] == ["-m", "ratproof"]:
    from ratproof.process import interruptions
    right = interruptions.interruptions

    def begun(**options):
        from training.engine.loop import Loop
        make = Loop._step

        def step(self, batch):
            made = make(self, batch)
            if made.step == {OF_A_RANK} and os.environ["RANK"] == "1":
                os.kill(os.getpid(), signal.SIGTERM)
            if made.step == {OF_TORCHRUN}:
                if os.environ["RANK"] == "1":
                    os.kill(int(os.environ["TORCHRUN"]), signal.SIGTERM)
                while signal.getsignal(signal.SIGTERM) is not signal.SIG_IGN:  # as the first leaves it
                    time.sleep(0.02)
                os.kill(os.getpid(), signal.SIGTERM)  # once more, as from a scheduler that asks all
            return made

        Loop._step = step
        return right(**options)

    interruptions.interruptions = begun
"""
"""Source of the ``sitecustomize.py`` that requests the end of a run.

A process of the run sends SIGTERM to itself at one step, and at a later step to torchrun, which terminates
all processes.
"""
RANK = """
import os, signal, subprocess, sys
signal.signal(signal.SIGTERM, lambda number, frame: None)
os.environ["TORCHRUN"] = str(os.getppid())
status = subprocess.run([sys.executable, "-m", "ratproof", *sys.argv[1:]]).returncode
with open("status-" + os.environ["RANK"], "w") as file:
    file.write(str(status))
sys.exit(status)
"""
"""Source of a program that runs a process of the run and writes the exit status to a file.

Torchrun does not report the exit status.
"""


@pytest.mark.usefixtures("command_line")
def test_a_termination_request_saves_a_checkpoint_and_every_process_exits_with_130(data, tmp_path):
    """In the first case, one process receives the request, and torchrun then terminates the other process.

    In the second case, torchrun receives the request.
    """
    (tmp_path / "sitecustomize.py").write_text(ASKED)
    (tmp_path / "rank.py").write_text(RANK)
    how = [*line("text", data, tmp_path / "run"), "--epochs", "3"]
    torchrun = ["torch.distributed.run", "--standalone", "--nproc-per-node", "2", "rank.py"]
    path = os.pathsep.join([str(tmp_path), *sys.path])
    for last, more in ((OF_A_RANK, []), (OF_TORCHRUN, ["--resume"])):
        ran = subprocess.run(
            [sys.executable, "-m", *torchrun, *how, *more],
            cwd=tmp_path,
            env={**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": path},
            capture_output=True,
            text=True,
            timeout=LONG,
        )
        ends = {path.name: path.read_text() for path in tmp_path.glob("status-*")}
        assert ends == {"status-0": "130", "status-1": "130"}, ran.stderr
        for name in ends:
            (tmp_path / name).unlink()
        about, _ = checkpoints.read(tmp_path / "run" / "run.safetensors", KIND)
        assert about["progress"]["step"] == last + 1
        assert not (tmp_path / "run" / "result.json").exists()
    assert main.run([*how, "--resume"]) == 0  # in one process
    one = tmp_path / "one"
    assert main.run([*line("text", data, one), "--epochs", "3"]) == 0
    require_same(steps_of(one), steps_of(tmp_path / "run"))


# Processes that torchrun restarts.

AGAIN = """
import json, os, signal, sys
import lightning_fabric
from torch import distributed
from ratproof.main import run
from training import experiment_list
from training.engine.loop import Loop

line, make = json.loads(sys.argv[1]), Loop._step

def killed(self, batch):
    made = make(self, batch)
    made.step < 7 or os.kill(os.getpid(), signal.SIGKILL)
    return made

def attempts():
    store = distributed.TCPStore("127.0.0.1", 0, is_master=True, wait_for_workers=False)
    os.environ.update(MASTER_PORT=str(store.port), TORCHELASTIC_USE_AGENT_STORE="True", GROUP_WORLD_SIZE="1")
    for attempt in "01":
        children = []
        for rank in "01":
            child = os.fork()
            if not child:
                os.environ.update(RANK=rank, LOCAL_RANK=rank, GROUP_RANK="0")
                os.environ["TORCHELASTIC_RESTART_COUNT"] = attempt
                if rank == "1" and attempt == "0":
                    Loop._step = killed
                os._exit(run(line))
            children.append(child)
        yield [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]

print(json.dumps([*attempts(), *attempts()]))
"""
"""Source of a program that makes two attempts with two processes each, in the environment of torchrun.

A process is killed in the first attempt. Then the program repeats both attempts as another torchrun.
"""


@pytest.mark.usefixtures("command_line")
def test_restarted_processes_resume_from_the_checkpoint(data, tmp_path):
    """The processes resume only their own run. The run of another torchrun is always refused."""
    how = ["--epochs", "3", "--keep-every", "0"]
    env = {"WORLD_SIZE": "2", "LOCAL_WORLD_SIZE": "2", "TORCHELASTIC_RUN_ID": "test", "OMP_NUM_THREADS": "1"}
    ran = subprocess.run(
        [sys.executable, "-c", AGAIN, json.dumps([*line("text", data, tmp_path / "run"), *how])],
        env={**os.environ, "MASTER_ADDR": "127.0.0.1", **env},
        capture_output=True,
        text=True,
        timeout=LONG,
    )
    assert json.loads(ran.stdout.splitlines()[-1]) == [[3, -9], [0, 0], [2, 2], [2, 2]], ran.stderr
    assert ran.stderr.count("another process of the run ended") == 1 and "Traceback" not in ran.stderr
    assert ran.stderr.count("must not contain a run") == 4
    assert main.run([*line("text", data, tmp_path / "one"), *how]) == 0
    require_same(steps_of(tmp_path / "one"), steps_of(tmp_path / "run"))
