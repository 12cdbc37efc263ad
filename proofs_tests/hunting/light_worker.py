"""A worker that starts in a tenth of a second, for tests of the driver.

Its rounds draw no cases, and their digests are their seeds. For some seeds of the hunt, the worker
misbehaves.
"""

import json
import os
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ratproof.hunting.rounds import EXAMPLES, Round, RoundRow, seed_of

TARGETS = ["one", "two"]
REAL, LIGHT, HELD, POISONED, FORGED, OF_ANOTHER = 7, 8, 9, 666, 667, 668
"""Seeds of hunts: with ``REAL``, the workers are real; with the others, they are the workers of this module.

With ``HELD``, the workers wait; with the last three seeds, they misbehave.
"""
DEADLY = Round("two", 5)
"""The round that kills its worker if the seed is ``POISONED``."""
LAST = Round("two", 11)
"""If the seed is ``HELD``, this round waits on a cluster until the file that ``FAR`` names exists."""
INSTALLATION, FAR = "RATPROOF_TEST_INSTALLATION", "RATPROOF_TEST_FAR"
"""Environment variables: the installation that a worker reports, and the path of a file that ends a wait."""
IN_ITS_PLACE = f"""
from ratproof.process import orphans

def run_with(parent, module, function, *arguments, whole=orphans.run_with):
    light = arguments[-1] != {REAL}
    whole(parent, {__name__!r} if light else module, function, *arguments)

orphans.run_with = run_with
"""
"""Source of the ``sitecustomize.py`` that replaces the usual workers with these."""


def work(pipe: Any, names: Sequence[str], variant: str | None, device: str, seed: int) -> None:
    """Run rounds that draw no cases, as a replacement for :func:`ratproof.hunting.worker.work`."""
    installation = json.loads(os.environ[INSTALLATION])
    if seed == OF_ANOTHER and FAR in os.environ:
        installation["numpy"] = "1.0"
    _send(pipe, installation, targets=TARGETS)
    while True:
        try:
            chunk = [Round(*one) for one in json.loads(pipe.recv_bytes())]
        except EOFError:
            return
        if seed == POISONED and DEADLY in chunk:
            os.kill(os.getpid(), signal.SIGKILL)
        while seed == HELD and LAST in chunk and FAR in os.environ and not Path(os.environ[FAR]).exists():
            time.sleep(0.05)
        _send(pipe, installation, rows=[row_of(seed, one).to_json() for one in chunk])


def row_of(seed: int, one: Round) -> RoundRow:
    """Return the row of a round that draws nothing, with a wrong digest if the seed is ``FORGED``."""
    digest = "0" * 31 if seed == FORGED else f"{seed_of(seed, one):032x}"
    return RoundRow(one.target, one.number, digest, "holds", EXAMPLES, 0.01)


def put(folder: Path) -> str:
    """Write ``sitecustomize.py`` into the folder, and return a PYTHONPATH of the folder and ``sys.path``."""
    (folder / "sitecustomize.py").write_text(IN_ITS_PLACE)
    return os.pathsep.join([str(folder), *sys.path])


def _send(pipe: Any, installation: dict[str, str], **message: Any) -> None:
    pipe.send_bytes(json.dumps({"installation": installation, **message}).encode())
