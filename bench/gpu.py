"""A program that runs all measurements that need a GPU, in a few minutes.

``python bench/gpu.py run OUT --minutes 9`` measures the recurrences, verifies the claims, tests published
kernels, and trains a language model. Each of these steps has a time limit. After each step,
``OUT/results.tar.gz`` is rewritten, so that an interrupted run leaves its results. The language model's
weights are saved to ``OUT/weights-*.safetensors`` in float16. A step is skipped if it has succeeded on the
same device with the same sources.

``python bench/gpu.py keep OUT`` unpacks the results into the project, where the documentation reads them.
"""

import argparse
import hashlib
import json
import math
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
KEPT = ROOT / "bench" / "results" / "gpu.json"
"""The file that records the date, device, versions, sources, seconds and exit status of each step."""
ARCHIVE, PIECE = "results.tar.gz", 15 * 2**20
TRAINING = "--model=rrnn-f --precision=tf32 --hidden=608 --epochs=100 --decay-after=50 --decay=0.94"
"""The options of a training run on the Penn Treebank that ends after four minutes.

The run has a third of the paper's 300 epochs. As in the paper, the learning rate decays in the second half.
The matrix sizes are multiples of 4, which are faster on a GPU than the paper's 610.
"""


@dataclass(frozen=True)
class GpuStep:
    """A step of a run: a command of Python, and the file of its result.

    Attributes:
        command: the arguments of Python. ``{file}`` is replaced by the path of the result, ``{device}`` by
            the device, ``{cores}`` by the number of processes, and ``{part}`` by the maximum seconds of a
            part.
        file: the result's path in the project; a folder of files if it ends in a slash.
        seconds: the maximum time of the command.
        sources: the files and folders on which the result depends.
        printed: whether the command prints its result instead of writing the file.
        parts: the number of parts into which the command splits its work. Each core runs one part at a time.
    """

    command: tuple[str, ...]
    file: str
    seconds: int
    sources: tuple[str, ...]
    printed: bool = False
    parts: int = 1


NETWORKS = ("neural", "automata")
STEPS = {
    "scan": GpuStep(
        ("bench/scan.py", "--device", "{device}", "{file}"),
        "bench/results/scan_cuda.json",
        100,
        (*NETWORKS, "bench/scan.py", "bench/published.py"),
    ),
    "factored": GpuStep(
        ("bench/factored.py", "--device", "{device}", "{file}"),
        "bench/results/factored_cuda.json",
        40,
        (*NETWORKS, "bench/factored.py"),
    ),
    "matrix_scan": GpuStep(
        ("bench/matrix_scan.py", "--device", "{device}", "{file}"),
        "bench/results/matrix_scan_cuda.json",
        100,
        (*NETWORKS, "bench/matrix_scan.py"),
    ),
    "verify": GpuStep(
        ("-m", "ratproof", "verify", "--device", "{device}", "--json"),
        "docs/verdicts/cuda.json",
        240,
        (*NETWORKS, "theory", "ratproof"),
        printed=True,
    ),
    "outside": GpuStep(
        (
            "-m",
            "outside",
            "--device",
            "{device}",
            "--jobs",
            "{cores}",
            "--seconds",
            "{part}",
            "--verdicts",
            "{file}",
        ),
        "outside/verdicts/",
        240,
        ("automata", "ratproof", "outside"),
        parts=42,  # the number of published programs for this device; a test checks it
    ),
}


def run(out: Path, minutes: float, device: str, only: Iterable[str], data: Path | None) -> None:
    """Run the steps named in ``only``, and pack their results into the folder ``out``.

    The measurements run first, one after the other. Then training runs in parallel with the remaining steps.
    """
    end = time.monotonic() + 60 * minutes
    work = Path(tempfile.mkdtemp())
    about, name, training = _read(KEPT), _device_name(device), None
    measured = {name for name in STEPS if STEPS[name].file.startswith("bench")}
    for what in sorted(set(only), key=lambda what: [*measured, "train", "verify", "outside"].index(what)):
        left = end - time.monotonic()
        if what == "train":
            training = _train(work / "ptb", device, data, left)
            continue
        step, sources = STEPS[what], _digest(STEPS[what].sources)
        before = about.get(what, {})
        if (before.get("sources"), before.get("device"), before.get("status")) == (sources, name, 0):
            print(f"{what}: skipped; {KEPT.name} has these sources on this device", flush=True)
            continue
        began = time.monotonic()
        status = _run(step, work, device, min(step.seconds, left - 10))
        took = round(time.monotonic() - began, 1)
        about[what] = _about(name) | {"sources": sources, "seconds": took, "status": status}
        print(f"{what}: exit status {status}, {took:.0f} s", flush=True)
        _pack(work, about, out)
    if training is not None:
        try:
            training.wait(max(1.0, end + 20 - time.monotonic()))
        except subprocess.TimeoutExpired:
            training.terminate()  # it saves a checkpoint
            training.wait()
        about["train"] = _about(name) | {"status": training.returncode, "command": TRAINING}
        _keep_network(work / "ptb", out)
        _pack(work, about, out)
    shutil.rmtree(work)


def keep(out: Path) -> None:
    """Unpack the results in the folder ``out`` into the project folder, and print a line for each step."""
    with tarfile.open(out / ARCHIVE) as archive:
        archive.extractall(ROOT, filter="data")
    print("\n".join(f"{what}: {row}" for what, row in _read(KEPT).items()))


def _run(step: GpuStep, work: Path, device: str, seconds: float) -> int:
    """Run the command of a step in the folder ``work``.

    Return its exit status, or 124 if it exceeded the time limit of ``seconds``.
    """
    file = work / step.file
    (file if step.file.endswith("/") else file.parent).mkdir(parents=True, exist_ok=True)
    cores = os.cpu_count() or 1
    rounds = math.ceil(step.parts / cores)
    values = {"file": file, "device": device, "cores": cores, "part": int(max(20, (seconds - 15) / rounds))}
    command = [sys.executable, *(part.format(**values) for part in step.command)]
    try:
        with (file if step.printed else Path(os.devnull)).open("w") as printed:
            return subprocess.run(
                command, cwd=ROOT, stdout=printed if step.printed else None, timeout=seconds, check=False
            ).returncode
    except subprocess.TimeoutExpired:
        return 124


def _train(folder: Path, device: str, data: Path | None, seconds: float) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "ratproof", "train", "ptb", *TRAINING.split(), "--device", device]
    command += ["--no-tensorboard", "--keep-every", "120", "-o", str(folder)]
    command += ["--minutes", f"{(seconds - 15) / 60:.2f}", *(["--data", str(data)] if data else [])]
    return subprocess.Popen(command, cwd=ROOT)


def _keep_network(folder: Path, out: Path) -> None:
    """Keep the result and the history of a training run in ``folder``.

    If training has finished, also save the network's weights to ``out`` in float16.
    """
    from safetensors.torch import load_file, save_file

    kept = folder.parent / "bench" / "results"
    for name in ("result.json", "epochs.csv"):
        if (folder / name).exists():
            shutil.copy(folder / name, kept / f"ptb_cuda_{name}")
    if not (folder / "network.safetensors").exists():
        return
    pieces: list[dict[str, Any]] = [{}]
    for name, tensor in load_file(folder / "network.safetensors").items():
        for number, rows in enumerate(tensor.half().split(max(1, PIECE // (2 * max(1, tensor[0].numel()))))):
            if sum(2 * x.numel() for x in pieces[-1].values()) + 2 * rows.numel() > PIECE:
                pieces.append({})
            pieces[-1][f"{name}/{number}"] = rows.contiguous()
    for number, piece in enumerate(pieces):
        save_file(piece, out / f"weights-{number}.safetensors")


def _pack(work: Path, about: dict[str, Any], out: Path) -> None:
    """Write the records ``about`` and all results in the folder ``work`` so far to the archive in ``out``."""
    kept = work / KEPT.relative_to(ROOT)
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")
    with tarfile.open(out / "unfinished", "w:gz") as archive:
        for file in sorted(work.rglob("*")):
            if file.is_file() and work / "ptb" not in file.parents:
                archive.add(file, file.relative_to(work).as_posix())
    (out / "unfinished").replace(out / ARCHIVE)


def _about(device: str) -> dict[str, Any]:
    return {"device": device, "date": date.today().isoformat(), "versions": _versions()}


def _versions() -> dict[str, str]:
    versions = {}
    for name in ("torch", "triton", "numpy", "hypothesis"):
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            continue
    return versions


def _device_name(device: str) -> str:
    import torch

    return str(torch.cuda.get_device_name()) if device == "cuda" else "cpu"


def _digest(sources: Iterable[str]) -> str:
    """Return a digest of the names and contents of the source files among the given files and folders.

    Source files are those in Python, C++, Coq and JSON.
    """
    digest = hashlib.sha256()
    files = (
        file
        for source in sources
        for file in ([ROOT / source] if (ROOT / source).is_file() else (ROOT / source).rglob("*"))
    )
    for file in sorted(set(files)):
        if file.suffix in (".py", ".cpp", ".v", ".json"):
            digest.update(file.relative_to(ROOT).as_posix().encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()[:16]


def _read(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def main() -> None:
    """Parse the command line, and run the measurements or unpack their results."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("action", choices=("run", "keep"))
    parser.add_argument("out", type=Path)
    parser.add_argument("--minutes", type=float, default=9.0, help="maximum total time")
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    parser.add_argument("--only", nargs="+", choices=(*STEPS, "train"), default=[*STEPS, "train"])
    parser.add_argument("--data", type=Path, help="the folder with ptb/")
    arguments = parser.parse_args()
    if arguments.action == "keep":
        keep(arguments.out)
        return
    arguments.out.mkdir(parents=True, exist_ok=True)
    run(arguments.out, arguments.minutes, arguments.device, arguments.only, arguments.data)


if __name__ == "__main__":
    main()
