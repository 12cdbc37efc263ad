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


def cache_folder(name: str) -> Path:
    """A folder of that name in the user's cache. Where the system has none that can be written, as in a
    container without a home, it is in a new temporary folder, which this process and its children use, and
    which is removed when the process ends: others could write into one whose name they know.
    """
    named = os.environ.get(VARIABLE)
    place = Path(named).absolute() if named else platformdirs.user_cache_path("ratproof")
    if place.is_absolute():
        try:
            (place / name).mkdir(parents=True, exist_ok=True)
            if os.access(place / name, os.W_OK):
                return place / name
        except OSError:
            pass
    temporary = tempfile.mkdtemp(prefix="ratproof-")
    os.environ[VARIABLE] = temporary
    atexit.register(shutil.rmtree, temporary, ignore_errors=True)
    (Path(temporary) / name).mkdir()
    return Path(temporary) / name
