"""The client of a Dask cluster."""

from __future__ import annotations

import asyncio
import json
import logging
import re
from concurrent.futures import CancelledError
from pathlib import Path
from typing import Any

from automata.errors import InputError
from automata.extras import require_extra

GONE_AWAY = (OSError, RuntimeError, ValueError, TimeoutError, CancelledError)
"""What Dask raises where its scheduler does not answer."""
CONNECT = 10.0
"""Seconds to wait for the scheduler."""
ADDRESS = re.compile(r"(?:tcp|tls|ws|wss|ucx)://(?:\[[0-9A-Fa-f:.%]+\]|[^\s:/\[\]]+):(\d{1,5})")
"""Protocol, host and port."""


def connected(where: str) -> Any:
    """A client of the scheduler that a file, or an address such as ``tcp://host:8786``, names.

    Raises :class:`~automata.errors.InputError`: Dask is not installed, or there is no such scheduler.
    """
    require_extra("cluster", "--cluster")
    if "://" not in where and not Path(where).is_file():
        raise InputError(
            f"--cluster {where}: is no file of a scheduler (dask scheduler --scheduler-file FILE), and"
            " no address such as tcp://host:8786"
        )
    try:
        return connect(where, CONNECT)
    except InputError as error:
        raise InputError(f"--cluster {error}") from None
    except GONE_AWAY as error:
        why = " ".join(str(getattr(error, "strerror", None) or error).split())
        why = why or f"in {CONNECT:.0f} seconds"
        raise InputError(f"--cluster {where}: no scheduler answers ({why:.120})") from None


def connect(where: str, seconds: float) -> Any:
    """Try for so long. Raises one of :data:`GONE_AWAY`."""
    address = address_in(where)
    from distributed import Client

    _silence_logs()
    asyncio.run(_shake_hands(address, seconds))
    client: Any = Client
    return client(address=address, timeout=seconds, set_as_default=False)


def _silence_logs() -> None:
    """What becomes of the scheduler is said in a sentence, and not by Dask's log of tracebacks.

    On import Dask gives some of its loggers, ``distributed.client`` among them, levels and handlers of their
    own, which the parent's level does not reach.
    """
    for name in ("distributed", *logging.root.manager.loggerDict):
        if name.partition(".")[0] == "distributed":
            logging.getLogger(name).setLevel(logging.CRITICAL)


async def _shake_hands(address: str, seconds: float) -> None:
    """As a client of Dask does. Where one could not be made, Dask's own threads may try on and on, and keep
    the program from ending.
    """
    from distributed.comm.core import connect as begin
    from distributed.security import Security

    shake: Any = begin
    options = Security().get_connection_args("client")  # type: ignore[no-untyped-call]
    try:
        comm = await asyncio.wait_for(shake(address, timeout=seconds, **options), seconds)
    except MemoryError:  # it took the bytes of another protocol for a length
        raise OSError("what answers there speaks another protocol") from None
    await comm.close()


def address_in(where: str) -> str:
    """The scheduler's address, by an address or by the file that a scheduler writes.

    Raises :class:`~automata.errors.InputError`: it is none.

    >>> address_in("tcp://127.0.0.1:8786")
    'tcp://127.0.0.1:8786'
    """
    address: Any = where
    if "://" not in where:
        try:
            said = json.loads(Path(where).read_bytes())
            address = said["address"]
        except (OSError, ValueError, TypeError, LookupError, RecursionError):
            raise InputError(
                f"{where}: is no file that dask scheduler --scheduler-file writes: it names no address"
            ) from None
    found = ADDRESS.fullmatch(address) if isinstance(address, str) else None
    if found is None or not 0 < int(found[1]) < 1 << 16:
        more = "" if address == where else f", which {where} names"
        raise InputError(
            f"{address!s:.80}{more}: is no address of a scheduler; one such as tcp://host:8786 is right"
        )
    return found[0]
