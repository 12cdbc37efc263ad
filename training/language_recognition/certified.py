"""Certify the networks of runs on parentheses: ``python -m training.language_recognition.certified FOLDER``
looks for them below the folder, or several, and each result gets what was proved, for its page.

A certificate stays in the run's folder, and the program that stands alone has to accept it.
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
    """What is proved of the network of a run; it is in the run's result then, too.

    Args:
        folder: of the run.
        height: of the strings that the soft network is to be right on.
        length: of those.
        saturated_height: of those that the network with saturated gates is to be right on, at any length.

    Returns:
        ``verdict``, ``word``, ``soft`` and ``saturated`` as ``ratproof certify --json`` has them; ``seconds``
        that it took; and ``checked``: did the program that stands alone accept the certificate? ``None``
        where nothing was proved.

    Raises :class:`~automata.errors.InputError`: the network, or the result, is none.
    """
    said = results.read(folder / RESULT)
    network, _ = files.load(folder / NETWORK)
    begun = time.monotonic()
    answer = certify_counter(network, None, height, length, saturated_height)
    seconds, checked = round(time.monotonic() - begun, 1), None
    if answer.proved:
        write_whole(folder / CERTIFICATE, json.dumps(answer.certificate()) + "\n")
        command = [sys.executable, "-I", str(check_counter.__file__), str(folder / CERTIFICATE)]
        checked = subprocess.run(command, capture_output=True, check=False).returncode == 0
    whole = as_json_object(answer, None)
    found = {name: whole[name] for name in KEPT} | {"seconds": seconds, "checked": checked}
    results.write(said | {"certified": found}, folder / RESULT)
    return found


def main(folders: list[str]) -> None:
    """Certify all that are not certified yet, and say what came of each."""
    for path in sorted(place for folder in folders for place in Path(folder).rglob(RESULT)):
        said = results.read(path)
        counts = said["experiment"] == "parentheses" and said["model"] in KINDS
        if counts and "certified" not in said and (path.parent / NETWORK).exists():
            found = certified(path.parent)
            accepted = {None: "", True: ", certificate accepted", False: ", certificate REFUSED"}
            print(f"{path.parent}: {found['verdict']}{accepted[found['checked']]}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
