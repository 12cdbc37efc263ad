"""The theory over Coq's real numbers (``theory/coq_reals``), and the axioms on which it rests.

It needs coq-interval, and is separate from ``theory/coq``, whose theorems have no assumptions.
"""

from __future__ import annotations

import re
from pathlib import Path
from tempfile import TemporaryDirectory

import theory
from automata.errors import InputError
from ratproof.coq import programs as coq

FILES = ("intervals", "slopes", "network", "parametricity", "algebra", "boxes", "soundness")
"""The files of the theory, in the order in which they depend on each other."""
AXIOMS = (
    "Classical_Prop.classic",
    "ClassicalDedekindReals.sig_forall_dec",
    "ClassicalDedekindReals.sig_not_dec",
    "FunctionalExtensionality.functional_extensionality_dep",
)
"""The axioms of the real numbers of Coq's standard library."""
THEOREM = "soundness.closed_boxes"
"""The theorem that the checker of closed boxes is sound."""
HOW_TO_GET_IT = (
    "apt-get install coq libcoq-interval (Debian, Ubuntu), or opam install coq.8.16.1 coq-interval.4.6.1"
)


class NoInterval(InputError):
    """An error for a missing installation of coq-interval."""


def source_folder() -> Path:
    """Return the folder of the files: ``theory/coq_reals`` of a clone, or of the installed package."""
    return Path(next(iter(theory.__path__))) / "coq_reals"


def require_interval() -> None:
    """Raise :class:`NoInterval` if Coq cannot find coq-interval, and ``NoCoq`` without Coq."""
    coq.version()
    if not (coq.library_folder() / "Interval" / "Tactic.vo").exists():
        raise NoInterval(f"Coq cannot find coq-interval; install it with {HOW_TO_GET_IT}")


def inlined() -> str:
    """Return the theory as modules, for a file that is complete in itself."""
    return "\n".join(map(_module, FILES))


def check_theory() -> None:
    """Compile the theory from scratch, and check the axioms of its theorem.

    Raises:
        NoInterval: If coq-interval is not installed.
        Rejected: If Coq does not accept the theory, or the theorem has other assumptions than :data:`AXIOMS`.
    """
    require_interval()
    with TemporaryDirectory() as folder:
        file = Path(folder) / "theory.v"
        file.write_text(f"{inlined()}Print Assumptions {THEOREM}.\n", encoding="utf-8")
        check_file(file)


def _module(name: str) -> str:
    text = (source_folder() / f"{name}.v").read_text(encoding="utf-8")
    text = re.sub(r"^From ratproof_reals Require Import (.*)\.$", r"Import \1.", text, flags=re.MULTILINE)
    return f"Module {name}.\n{text}End {name}.\n"


def check_file(file: Path) -> None:
    """Compile a file that ends with ``Print Assumptions``.

    Raises:
        Rejected: If Coq does not accept the file, or the theorem has other assumptions than :data:`AXIOMS`.
    """
    output = coq.compile_file(file, file.parent, ["-o", str(file.with_suffix(".vo"))])
    if printed_axioms(output) != set(AXIOMS):
        raise coq.Rejected(str(file), f"the theorem has other assumptions: {output.strip()}")


def printed_axioms(output: str) -> set[str]:
    """Return the names in the output of ``Print Assumptions``, which must be the last part of ``output``."""
    _, heading, listed = output.rpartition("Axioms:\n")
    if not heading:
        raise ValueError(f"the output of Print Assumptions must list axioms, got {output!r}")
    return set(re.findall(r"^([\w.]+)(?= :|\n)", listed, re.MULTILINE))
