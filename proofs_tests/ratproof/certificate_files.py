"""Certificates that older versions of this program wrote, one of each kind; and programs run on them."""

from __future__ import annotations

import json
from pathlib import Path
from types import ModuleType
from typing import Any

from ratproof import check_bisimulation, check_boxes, check_certificate, check_hankel, check_invariant
from ratproof.checkers import checker_of

PROGRAMS = (check_certificate, check_bisimulation, check_hankel, check_invariant, check_boxes)
FILES = {path.stem: path for path in sorted((Path(__file__).parents[1] / "certificates" / "version_1").glob("*.json"))}
"""By name, as the commands of this program wrote them when certificates were of version 1."""
SMALL = [name for name in FILES if name != "hankel-every-size-of-verify" and FILES[name].stat().st_size < 2000]
"""Those that are checked in milliseconds; each kind is among them."""


def certificate(name: str) -> dict[str, Any]:
    """The certificate in a file."""
    return json.loads(FILES[name].read_text())


def run_program(path: Path, capsys: Any, program: ModuleType | None = None) -> tuple[int, str]:
    """The exit status of the program for the certificate in a file, and what it prints, which is one line."""
    status = (program or checker_of(json.loads(path.read_text()))).main([str(path)])
    out, err = capsys.readouterr()
    assert err == "" and out.endswith("\n") and out[:-1].isprintable() and out.isascii(), (out, err)
    return status, out
