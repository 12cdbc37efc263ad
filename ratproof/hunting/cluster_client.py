"""The client of a Dask cluster."""

from __future__ import annotations

from concurrent.futures import CancelledError
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from automata.errors import InputError

GONE_AWAY = (OSError, RuntimeError, ValueError, TimeoutError, CancelledError)
"""What Dask raises where its scheduler does not answer."""
CONNECT = 30.0
"""Seconds to wait for the scheduler."""


def connected(where: str) -> Any:
    """A client of the scheduler that a file, or an address such as ``tcp://host:8786``, names.

    Raises :class:`~automata.errors.InputError`: Dask is not installed, or there is no such scheduler.
    """
    if find_spec("distributed") is None:
        raise InputError("--cluster needs Dask: pip install 'ratproof[cluster]'")
    if "://" not in where and not Path(where).is_file():
        raise InputError(
            f"--cluster {where}: is no file of a scheduler (dask scheduler --scheduler-file {where}), and"
            " no address such as tcp://host:8786"
        )
    try:
        return connect(where, CONNECT)
    except GONE_AWAY as error:
        why = " ".join(str(error).split())
        raise InputError(f"--cluster {where}: no scheduler answers ({why:.120})") from None


def connect(where: str, seconds: float) -> Any:
    """Try for so long. Raises one of :data:`GONE_AWAY`."""
    from distributed import Client

    client: Any = Client
    place = {"address": where} if "://" in where else {"scheduler_file": where}
    return client(**place, timeout=seconds, set_as_default=False)
