"""Libraries in C++: built at first use, for this processor, vectorised and threaded, and kept in the user's
cache.

The compiler is called here rather than by ``torch.utils.cpp_extension.load``, which needs ninja on the path
and leaves a lock behind when it is killed: two processes may build at once, and each file is put in place
whole.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import platform
import shlex
import subprocess
import tempfile
import warnings
from functools import cache
from pathlib import Path

import torch

from automata.cache_folder import cache_folder

FLAGS = (
    "-std=c++20",
    "-O3",
    "-march=native",
    "-mprefer-vector-width=512",
    "-fno-math-errno",
    "-fno-trapping-math",
    "-fopenmp",
    "-fPIC",
    "-shared",
)


@cache
def lacking(source: Path, contraction: str) -> str:
    """Why there is no such library here; empty where there is one. It is built if it has to be."""
    try:
        library(source, contraction)
    except (OSError, ImportError, ValueError, subprocess.CalledProcessError) as error:
        said = (getattr(error, "stderr", None) or str(error)).strip().splitlines()
        reason = f"the C++ one is not built: {said[0] if said else error!r}"
        warnings.warn(f"recurrences run as loops of torch: {reason}", RuntimeWarning, stacklevel=2)
        return reason
    return ""


@cache
def library(source: Path, contraction: str) -> ctypes.CDLL:
    """The library of a source file.

    Args:
        source: a file in C++ that needs no other but torch's.
        contraction: ``off``, where products and sums are fused by hand alone, or ``fast``, where all are.
    """
    compiler = shlex.split(os.environ.get("CXX", "")) or ["c++"]
    flags = (*FLAGS, f"-ffp-contract={contraction}")
    version = subprocess.run([*compiler, "--version"], capture_output=True, text=True, check=True).stdout
    text = source.read_text(encoding="utf-8")
    key = "\n".join([text, *compiler[1:], *flags, version, torch.__version__, _processor()])
    folder = cache_folder("scan")
    name = hashlib.sha256(key.encode()).hexdigest()[:24]
    kept = next(filter(is_whole, folder.glob(f"{name}-*.so")), None)
    return ctypes.CDLL(str(kept or _build([*compiler, *flags], source, folder, name)))


def is_whole(library: Path) -> bool:
    """Is it what was built? Loading a file that was cut off would end the process."""
    return library.stem.endswith(_digest(library))


def _digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()[:24]


def _build(compiler: list[str], source: Path, folder: Path, name: str) -> Path:
    from torch.utils import cpp_extension  # here, since it imports setuptools

    places = [f"-I{path}" for path in cpp_extension.include_paths()]
    places += [f"-L{path}" for path in cpp_extension.library_paths()]
    with tempfile.TemporaryDirectory(dir=folder) as made:
        output = Path(made, "kernels.so")
        command = [*compiler, *places, str(source), "-o", str(output), "-ltorch_cpu", "-lc10"]
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
