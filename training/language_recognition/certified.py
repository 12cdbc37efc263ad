"""Certification of the networks that were trained on parentheses.

``python -m training.language_recognition.certified FOLDER ...`` certifies all runs in the folders and their
subfolders. For each run, it adds the proved properties to the result, writes a certificate into the run's
folder, and runs the standalone checker on the certificate.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from automata.io.files import write_whole
from neural.state_regularized import files
from ratproof.certification.counters.certify import HEIGHT, LENGTH, SATURATED_HEIGHT, certify_counter
from ratproof.certification.counters.numbers import KINDS
from ratproof.checkers import check_counter
from ratproof.report.counters import as_json_object
from training.engine import results
from training.engine.names import NETWORK, RESULT

CERTIFICATE = "certificate.json"
KEPT = ("verdict", "word", "soft", "saturated")


def certified(
    folder: Path, height: int = HEIGHT, length: int = LENGTH, saturated_height: int = SATURATED_HEIGHT
) -> dict[str, Any]:
    """Certify the network of a run and add the proved properties to the run's result.

    Args:
        folder: the folder of the run.
        height: the height of the strings on which the soft network must be correct.
        length: the length of those strings.
        saturated_height: the height of the strings, of any length, on which the network with saturated gates
            must be correct.

    Returns:
        An object with ``verdict``, ``word``, ``soft`` and ``saturated`` as in ``ratproof certify --json``;
        ``seconds``, the time of the certification; and ``checked``, whether the standalone checker accepts
        the certificate, or ``None`` if nothing was proved.

    Raises:
        InputError: If the network or the result is invalid.
    """
    result = results.read(folder / RESULT)
    network, _ = files.load(folder / NETWORK)
    begun = time.monotonic()
    answer = certify_counter(network, None, height, length, saturated_height)
    seconds, checked = round(time.monotonic() - begun, 1), None
    if answer.proved:
        write_whole(folder / CERTIFICATE, json.dumps(answer.certificate()) + "\n")
        command = [sys.executable, "-I", str(check_counter.__file__), str(folder / CERTIFICATE)]
        checked = subprocess.run(command, capture_output=True, check=False).returncode == 0
    full = as_json_object(answer, None)
    properties = {name: full[name] for name in KEPT} | {"seconds": seconds, "checked": checked}
    results.write(result | {"certified": properties}, folder / RESULT)
    return properties


def main(folders: list[str]) -> None:
    """Certify all runs that are not yet certified, and print each outcome."""
    for path in sorted(file for folder in folders for file in Path(folder).rglob(RESULT)):
        result = results.read(path)
        counts = result["experiment"] == "parentheses" and result["model"] in KINDS
        if counts and "certified" not in result and (path.parent / NETWORK).exists():
            properties = certified(path.parent)
            accepted = {None: "", True: ", certificate accepted", False: ", certificate REFUSED"}
            print(f"{path.parent}: {properties['verdict']}{accepted[properties['checked']]}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
