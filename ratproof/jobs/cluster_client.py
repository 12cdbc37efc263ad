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
"""The exceptions that Dask raises if its scheduler does not answer."""
CONNECT = 10.0
"""Seconds to wait for the scheduler."""
ADDRESS = re.compile(r"(?:tcp|tls|ws|wss|ucx)://(?:\[[0-9A-Fa-f:.%]+\]|[^\s:/\[\]]+):(\d{1,5})")
"""The pattern of an address: protocol, host and port."""


def connected(where: str) -> Any:
    """Return a client of the scheduler with this file or address, such as ``tcp://host:8786``.

    Raises:
        InputError: If Dask is not installed, or there is no such scheduler.
    """
    require_extra("cluster", "--cluster")
    if "://" not in where and not Path(where).is_file():
        raise InputError(
            f"--cluster must be a Dask scheduler file (dask scheduler --scheduler-file FILE) or an address"
            f" such as tcp://host:8786, got {where}"
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
    """Try for ``seconds`` to connect, and return the client; raise one of :data:`GONE_AWAY` on failure."""
    address = address_in(where)
    from distributed import Client

    _silence_logs()
    asyncio.run(_shake_hands(address, seconds))
    client: Any = Client
    return client(address=address, timeout=seconds, set_as_default=False)


def _silence_logs() -> None:
    """Silence Dask's log output, because a message already reports the scheduler's state.

    On import, Dask sets the levels and handlers of some of its loggers, such as ``distributed.client``.
    Therefore, the level of the parent logger does not affect them.
    """
    for name in ("distributed", *logging.root.manager.loggerDict):
        if name.partition(".")[0] == "distributed":
            logging.getLogger(name).setLevel(logging.CRITICAL)


async def _shake_hands(address: str, seconds: float) -> None:
    """Connect as a Dask client does.

    This is done before a client is created, because a client that cannot connect might
    retry forever in its threads and keep the program from exiting.
    """
    from distributed.comm.core import connect as begin
    from distributed.security import Security

    shake: Any = begin
    options = Security().get_connection_args("client")  # type: ignore[no-untyped-call]
    try:
        comm = await asyncio.wait_for(shake(address, timeout=seconds, **options), seconds)
    except MemoryError:  # Dask interpreted the bytes of a different protocol as a length
        raise OSError("the server uses another protocol") from None
    await comm.close()


def address_in(where: str) -> str:
    """Return the scheduler's address from ``where``, which is an address or a file that a scheduler writes.

    Raises:
        InputError: If the address or the file is invalid.

    >>> address_in("tcp://127.0.0.1:8786")
    'tcp://127.0.0.1:8786'
    """
    address: Any = where
    if "://" not in where:
        try:
            data = json.loads(Path(where).read_bytes())
            address = data["address"]
        except (OSError, ValueError, TypeError, LookupError, RecursionError):
            raise InputError(f"{where} is not a Dask scheduler file (it has no 'address' field)") from None
    match = ADDRESS.fullmatch(address) if isinstance(address, str) else None
    if match is None or not 0 < int(match[1]) < 1 << 16:
        more = "" if address == where else f" in {where}"
        raise InputError(f"the address{more} must have the form tcp://host:8786, got {address!s:.80}")
    return match[0]
