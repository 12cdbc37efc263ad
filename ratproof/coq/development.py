"""The cache of the compiled files of ``theory/coq``, by the hash of their contents, with atomic builds."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from pathlib import Path

from filelock import FileLock

from automata.cache_folder import cache_folder
from ratproof.coq import programs as coq
from ratproof.coq.sources import source_files, source_folder

ProgressCallback = Callable[[str], None]


def build(progress: ProgressCallback = lambda stage: None) -> Path:
    """Return the folder of the compiled development, and compile it if the user's cache lacks these files.

    Raises:
        NoCoq: If Coq or mathcomp is not installed.
        Rejected: If Coq does not accept a file.
    """
    folder = cache_folder("coq") / _key()
    if (folder / "done").exists():
        return folder
    with FileLock(folder.parent / "lock"):  # only one process compiles
        return folder if (folder / "done").exists() else rebuild(progress)


def rebuild(progress: ProgressCallback = lambda stage: None) -> Path:
    """Compile the development from scratch without the cache, and return its folder."""
    folder = cache_folder("coq") / _key()
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix="partial-") as partial:
        root = Path(partial) / "build"
        copy_sources(root)
        compile_all(root, progress)
        (root / "done").touch()
        shutil.rmtree(folder, ignore_errors=True)
        with suppress(OSError):  # another process may have built the same files
            os.replace(root, folder)
    return folder


def copy_sources(root: Path) -> None:
    """Copy the source files to a folder."""
    for file in source_files():
        target = root / file.relative_to(source_folder())
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, target)


def compile_all(root: Path, progress: ProgressCallback = lambda stage: None, jobs: int = 2) -> None:
    """Compile every file below ``root``, each after its dependencies."""
    files = sorted(root.rglob("*.v"))
    needs = coq.dependencies(root, files)
    waiting, done = set(files), set[Path]()
    running: dict[Future[str], Path] = {}
    with ThreadPoolExecutor(jobs) as pool:
        while waiting or running:
            for file in sorted(file for file in waiting if done.issuperset(needs[file])):
                waiting.remove(file)
                running[pool.submit(coq.compile_file, file, root)] = file
            progress(f"compiling {len(done) + 1} of {len(files)} files")
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                future.result()
                done.add(running.pop(future))


def _key() -> str:
    """Return a hash of the files' contents, Coq and its libraries."""
    digest = hashlib.sha256(coq.version().encode() + coq.libraries().encode())
    for file in source_files():
        digest.update(str(file.relative_to(source_folder())).encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()[:20]
