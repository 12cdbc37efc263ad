"""The cache folder for results that are slow to compute and can be recomputed."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from pathlib import Path

import platformdirs

VARIABLE = "RATPROOF_CACHE_DIR"
"""The environment variable that overrides the cache folder."""


_temporary: list[str] = []
"""Temporary cache folders of this process."""


def cache_folder(name: str) -> Path:
    """Return the folder of this name in the user's cache.

    If no such folder is writable, for example in a container without a home folder, create a temporary one.
    This process and its children share it, and it is removed when the process ends.
    """
    folder = _writable(name)
    if folder is not None:
        return folder
    temporary = tempfile.mkdtemp(prefix="ratproof-")
    os.environ[VARIABLE] = temporary
    _temporary.append(temporary)
    atexit.register(shutil.rmtree, temporary, ignore_errors=True)
    (Path(temporary) / name).mkdir()
    return Path(temporary) / name


def lasts(name: str) -> bool:
    """Return whether the cache folder of this name is permanent, not a temporary folder of this process."""
    folder = _writable(name)
    return folder is not None and str(folder.parent) not in _temporary


def _writable(name: str) -> Path | None:
    named = os.environ.get(VARIABLE)
    root = Path(named).absolute() if named else platformdirs.user_cache_path("ratproof")
    if root.is_absolute():
        try:
            (root / name).mkdir(parents=True, exist_ok=True)
            if os.access(root / name, os.W_OK):
                return root / name
        except OSError:
            pass
    return None
