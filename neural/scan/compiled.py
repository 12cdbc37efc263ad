"""The recurrences in C++ (``kernels.cpp``): built at first use, for this processor, vectorised and threaded,
and kept in the user's cache.

The compiler is called here rather than by ``torch.utils.cpp_extension.load``, which needs ninja on the path
and leaves a lock behind when it is killed: two processes may build at once, and each file is put in place
whole.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import platform
import subprocess
import tempfile
import warnings
from functools import cache
from pathlib import Path

import torch
from torch import Tensor

from automata.cache_folder import cache_folder

NAME = "c++"
TYPES = {torch.float32: "float32", torch.float64: "float64", torch.bfloat16: "bfloat16"}
SOURCE = Path(__file__).with_name("kernels.cpp")
FLAGS = (
    "-std=c++20",
    "-O3",
    "-march=native",
    "-mprefer-vector-width=512",
    "-ffp-contract=off",  # what is fused is so in the source: the same numbers whatever is vectorised
    "-fno-math-errno",
    "-fno-trapping-math",
    "-fopenmp",
    "-fPIC",
    "-shared",
)


def scan(forget: Tensor, update: Tensor, start: Tensor, semiring: str) -> Tensor:
    """c_1, ..., c_T, shape ``(T, ...)``."""
    return _forward(semiring, forget, update, start)


def scan_backward(
    grad: Tensor, forget: Tensor, update: Tensor, states: Tensor, start: Tensor, semiring: str
) -> tuple[Tensor, Tensor, Tensor]:
    """The gradients of forget, update and start."""
    return _backward(semiring, grad, forget, update, states, start)


def gated(gate: Tensor, update: Tensor, start: Tensor) -> Tensor:
    """c_1, ..., c_T of c_t = f c_{t-1} + (1 - f) update_t with f = sigmoid(gate_t)."""
    return _forward("gated", gate, update, start)


def gated_backward(
    grad: Tensor, gate: Tensor, update: Tensor, states: Tensor, start: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """The gradients of gate, update and start."""
    return _backward("gated", grad, gate, update, states, start)


def pair(
    gate_1: Tensor,
    update_1: Tensor,
    gate_2: Tensor,
    update_2: Tensor,
    start_1: Tensor,
    start_2: Tensor,
    skip: Tensor,
) -> tuple[Tensor, Tensor]:
    """Two such recurrences, of which the second is fed by the first."""
    values = [x.contiguous() for x in (gate_1, update_1, gate_2, update_2, start_1, start_2, skip)]
    states = torch.empty_like(values[1]), torch.empty_like(values[1])
    _call(f"pair_{TYPES[skip.dtype]}", [*values, *states], len(gate_1), skip.numel())
    return states


def pair_backward(*arguments: Tensor) -> tuple[Tensor, ...]:
    """The gradients of the arguments of ``pair``, from those of the states, the first four arguments, the
    states, and the other arguments.
    """
    values = [x.contiguous() for x in arguments]
    gradients = tuple(torch.empty_like(x) for x in (*values[2:6], *values[8:]))
    skip = values[-1]
    _call(f"pair_backward_{TYPES[skip.dtype]}", [*values, *gradients], len(values[0]), skip.numel())
    return gradients


@cache
def lacking() -> str:
    """Why there is no C++ backend here; empty where there is one. It is built if it has to be."""
    try:
        _library()
    except (OSError, ImportError, subprocess.CalledProcessError) as error:
        said = (getattr(error, "stderr", None) or str(error)).strip().splitlines()
        reason = f"the C++ one is not built: {said[0] if said else error!r}"
        warnings.warn(f"recurrences run as loops of torch: {reason}", RuntimeWarning, stacklevel=2)
        return reason
    return ""


def _forward(kernel: str, *arguments: Tensor) -> Tensor:
    values = [x.contiguous() for x in arguments]
    states = torch.empty_like(values[1])
    _call(f"{kernel}_{TYPES[states.dtype]}", [*values, states], len(states), values[2].numel())
    return states


def _backward(kernel: str, *arguments: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    values = [x.contiguous() for x in arguments]
    update, start = values[2], values[4]
    gradients = torch.empty_like(update), torch.empty_like(update), torch.empty_like(start)
    _call(f"{kernel}_backward_{TYPES[update.dtype]}", [*values, *gradients], len(update), start.numel())
    return gradients


def _call(kernel: str, tensors: list[Tensor], steps: int, lanes: int) -> None:
    pointers = (ctypes.c_void_p(x.data_ptr()) for x in tensors)
    getattr(_library(), kernel)(*pointers, ctypes.c_int64(steps), ctypes.c_int64(lanes))


@cache
def _library() -> ctypes.CDLL:
    compiler = os.environ.get("CXX", "c++")
    version = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=True).stdout
    key = "\n".join([SOURCE.read_text(encoding="utf-8"), *FLAGS, version, torch.__version__, _processor()])
    folder = cache_folder("scan")
    name = hashlib.sha256(key.encode()).hexdigest()[:24]
    library = next(filter(_is_whole, folder.glob(f"{name}-*.so")), None)
    return ctypes.CDLL(str(library or _build(compiler, folder, name)))


def _is_whole(library: Path) -> bool:
    """Is it what was built? Loading a file that was cut off would end the process."""
    return library.stem.endswith(_digest(library))


def _digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()[:24]


def _build(compiler: str, folder: Path, name: str) -> Path:
    from torch.utils import cpp_extension  # here, since it imports setuptools

    places = [f"-I{path}" for path in cpp_extension.include_paths()]
    places += [f"-L{path}" for path in cpp_extension.library_paths()]
    with tempfile.TemporaryDirectory(dir=folder) as made:
        output = Path(made, "kernels.so")
        command = [compiler, *FLAGS, *places, str(SOURCE), "-o", str(output), "-ltorch_cpu", "-lc10"]
        subprocess.run(command, capture_output=True, text=True, check=True)
        library = folder / f"{name}-{_digest(output)}.so"
        os.replace(output, library)
    return library


def _processor() -> str:
    """What the processor can do, as far as the system says."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    return "\n".join(sorted({line for line in lines if line.startswith(("flags", "Features", "model name"))}))
