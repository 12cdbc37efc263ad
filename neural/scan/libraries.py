"""Compilation of C++ libraries for this processor at their first use, vectorised and threaded.

The libraries are stored in the user's cache folder. This module calls the compiler directly, because
``torch.utils.cpp_extension.load`` requires ninja and leaves a lock behind if it is killed. Several processes
may build a library at the same time, because each file is renamed atomically.
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
    """Return the reason why the library of a source file is not available, or an empty string.

    The library is built if necessary. The arguments are those of :func:`library`.
    """
    try:
        library(source, contraction)
    except (OSError, ImportError, ValueError, subprocess.CalledProcessError) as error:
        message = (getattr(error, "stderr", None) or str(error)).strip().splitlines()
        reason = f"the C++ kernel could not be built: {message[0] if message else error!r}"
        warnings.warn(f"recurrences run as loops of torch: {reason}", RuntimeWarning, stacklevel=2)
        return reason
    return ""


@cache
def library(source: Path, contraction: str) -> ctypes.CDLL:
    """Return the library of a source file; compile it if the user's cache folder does not contain it.

    Args:
        source: a C++ file that depends only on torch.
        contraction: ``off`` to fuse products and sums only where the source does, or ``fast`` to allow the
            compiler to fuse them.
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
    """Return whether the library file is complete, by the digest in its name.

    Loading a truncated file would crash the process.
    """
    return library.stem.endswith(_digest(library))


def _digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()[:24]


def _build(compiler: list[str], source: Path, folder: Path, name: str) -> Path:
    from torch.utils import cpp_extension  # imported here because it imports setuptools

    paths = [f"-I{path}" for path in cpp_extension.include_paths()]
    paths += [f"-L{path}" for path in cpp_extension.library_paths()]
    with tempfile.TemporaryDirectory(dir=folder) as build:
        output = Path(build, "kernels.so")
        command = [*compiler, *paths, str(source), "-o", str(output), "-ltorch_cpu", "-lc10"]
        subprocess.run(command, capture_output=True, text=True, check=True)
        library = folder / f"{name}-{_digest(output)}.so"
        os.replace(output, library)
    return library


def _processor() -> str:
    """Return text that identifies the processor's features, as far as the system reports them."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    return "\n".join(sorted({line for line in lines if line.startswith(("flags", "Features", "model name"))}))
