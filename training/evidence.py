"""Archives of the networks and certificates of proved results, one archive for each campaign.

An archive has a folder for each run, with the name of its result. The folder contains the network, its
certificate without the network's weights, and ``about.json``: the commit, the digest of the sources, and the
machine of the training. The commit and the digest are null if the result is older than these entries.
"""

from __future__ import annotations

import io
import json
import lzma
import tarfile
from pathlib import Path
from typing import Any

from automata.errors import FormatError
from automata.io.files import write_whole
from neural.state_regularized import files
from ratproof.certification.counters.certificate import network_json as counter_json
from ratproof.certification.counters.numbers import numbers_of as counter_of
from ratproof.certification.soft_networks.certificate import network_json as soft_json
from ratproof.certification.soft_networks.numbers import numbers_of as soft_of
from ratproof.checkers import check_counter
from training.engine.names import NETWORK, RESULT
from training.engine.results import read
from training.state_regularized.settings import CERTIFICATE

ARCHIVE, ABOUT = "networks.tar.xz", "about.json"


def is_proved(result: dict[str, Any]) -> bool:
    """Return whether a result contains a proof about the network.

    The proof is either that the network accepts exactly the language, or that it is correct on all strings of
    bounded height.
    """
    certified = result.get("certified")
    counts = isinstance(certified, dict) and bool(
        certified["soft"]["proved"] or certified["saturated"]["proved"]
    )
    return counts or (certified == "certified" and result.get("accepts_exactly") is True)


def has_network(folder: Path) -> bool:
    """Return whether a run's folder has its network and a certificate."""
    return (folder / NETWORK).exists() and (folder / CERTIFICATE).exists()


def contents_of(folder: Path) -> dict[str, bytes]:
    """Return the contents of the files that are archived for a proved run, keyed by the files' names."""
    certificate = json.loads((folder / CERTIFICATE).read_bytes())
    del certificate["network"]
    machine = dict(read(folder / RESULT)["machine"])
    about = {"commit": machine.pop("commit", None), "sources": machine.pop("sources", None)}
    about["machine"] = machine
    return {
        NETWORK: (folder / NETWORK).read_bytes(),
        CERTIFICATE: json.dumps(certificate, ensure_ascii=False).encode(),
        ABOUT: json.dumps(about).encode(),
    }


def write(runs: dict[str, dict[str, bytes]], folder: Path) -> None:
    """Write the files of runs into the folder's archive; equal files give an identical archive."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:xz", preset=9) as archive:
        for name, contents in sorted(runs.items()):
            for file, content in contents.items():
                member = tarfile.TarInfo(f"{name}/{file}")
                member.size = len(content)
                archive.addfile(member, io.BytesIO(content))
    write_whole(folder / ARCHIVE, buffer.getvalue())


def kept_in(folder: Path) -> dict[str, dict[str, bytes]]:
    """Return the files in the folder's archive by run and by name; empty if there is no archive.

    Raises:
        FormatError: If the file is not an archive of runs.
    """
    path, runs = folder / ARCHIVE, dict[str, dict[str, bytes]]()
    if not path.exists():
        return runs
    try:
        with tarfile.open(path, mode="r:xz") as archive:
            for member in archive:
                name, _, file = member.name.rpartition("/")
                content = archive.extractfile(member)
                runs.setdefault(name, {})[file] = content.read() if content is not None else b""
    except (tarfile.TarError, lzma.LZMAError, OSError, EOFError) as error:
        raise FormatError(f"{path}: the file must be an archive of networks, got {error}") from None
    wrong = next((name for name, one in runs.items() if set(one) != {NETWORK, CERTIFICATE, ABOUT}), None)
    if wrong is not None:
        raise FormatError(f"{path}: the run {wrong} must have {NETWORK}, {CERTIFICATE} and {ABOUT}")
    return runs


def unpack(contents: dict[str, bytes], folder: Path) -> None:
    """Write the network of a run, and its certificate with the weights of that network, into a folder."""
    write_whole(folder / NETWORK, contents[NETWORK])
    network, _ = files.load(folder / NETWORK)
    certificate = json.loads(contents[CERTIFICATE])
    counts = certificate["about"] == check_counter.ABOUT
    own = counter_json(counter_of(network)) if counts else soft_json(soft_of(network))
    write_whole(folder / CERTIFICATE, json.dumps(certificate | {"network": own}) + "\n")
