"""The folder for what takes long to make and can be made again."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from pathlib import Path

import platformdirs

VARIABLE = "RATPROOF_CACHE_DIR"
"""The environment variable that names another folder."""


_temporary: list[str] = []
"""The folder that this process made, where no other can be written."""


def cache_folder(name: str) -> Path:
    """Return a folder of that name in the user's cache. If none can be written, as in a container without a
    home, it is in a new temporary folder of this process and its children, removed when the process ends.
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
    """Does the next process find what this one keeps in the folder of that name?"""
    folder = _writable(name)
    return folder is not None and str(folder.parent) not in _temporary


def _writable(name: str) -> Path | None:
    named = os.environ.get(VARIABLE)
    place = Path(named).absolute() if named else platformdirs.user_cache_path("ratproof")
    if place.is_absolute():
        try:
            (place / name).mkdir(parents=True, exist_ok=True)
            if os.access(place / name, os.W_OK):
                return place / name
        except OSError:
            pass
    return None
