"""The theorems over Coq's real numbers (``theory/coq_reals``), and the axioms on which they rest.

They are separate from ``theory/coq``, whose theorems have no assumptions, and need other libraries.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import theory
from automata.errors import InputError
from ratproof.coq import programs as coq

FILES = ("intervals", "slopes", "network", "parametricity", "algebra", "boxes", "soundness")
"""The files of the checker of boxes, in the order in which they depend on each other."""
AXIOMS = (
    "Classical_Prop.classic",
    "ClassicalDedekindReals.sig_forall_dec",
    "ClassicalDedekindReals.sig_not_dec",
    "FunctionalExtensionality.functional_extensionality_dep",
)
"""The axioms of the real numbers of Coq's standard library."""


@dataclass(frozen=True)
class RealTheorem:
    """A theorem over the real numbers.

    Attributes:
        name: Its name in its file.
        axioms: The axioms that it must have.
        needs: A file of the library that it needs, below Coq's folder of libraries.
        package: The Debian package of that library, and the opam package.
    """

    name: str
    axioms: tuple[str, ...]
    needs: str
    package: tuple[str, str]

    def require_library(self) -> None:
        """Raise :class:`NoLibrary` if Coq cannot find the library, and ``NoCoq`` without Coq."""
        coq.version()
        if not (coq.library_folder() / self.needs).exists():
            debian, opam = self.package
            raise NoLibrary(
                f"Coq cannot find {debian.removeprefix('lib')}; install it with apt-get install coq {debian}"
                f" (Debian, Ubuntu), or opam install coq.8.16.1 {opam}"
            )


BOXES = RealTheorem(
    "soundness.closed_boxes", AXIOMS, "Interval/Tactic.vo", ("libcoq-interval", "coq-interval.4.6.1")
)
"""The checker of closed boxes is sound."""
EXPONENTIAL = RealTheorem(
    "exponential_exists",
    ("Epsilon.epsilon_statement", *AXIOMS),
    "mathcomp/analysis/Rstruct.vo",
    ("libcoq-mathcomp-analysis", "coq-mathcomp-analysis.0.6.0"),
)
"""The theorems of ``theory/coq`` about any exponential are not vacuous."""


class NoLibrary(InputError):
    """An error for a missing library of Coq."""


def source_folder() -> Path:
    """Return the folder of the files: ``theory/coq_reals`` of a clone, or of the installed package."""
    return Path(next(iter(theory.__path__))) / "coq_reals"


def inlined() -> str:
    """Return the theory as modules, for a file that is complete in itself."""
    return "\n".join(map(_module, FILES))


def _module(name: str) -> str:
    text = (source_folder() / f"{name}.v").read_text(encoding="utf-8")
    text = re.sub(r"^From ratproof_reals Require Import (.*)\.$", r"Import \1.", text, flags=re.MULTILINE)
    return f"Module {name}.\n{text}End {name}.\n"


def check_file(file: Path, root: Path, axioms: Sequence[str] = AXIOMS) -> None:
    """Compile a file that ends with ``Print Assumptions``, with the development at ``root``.

    Raises:
        Rejected: If Coq does not accept the file, or the theorem does not have exactly these axioms.
    """
    output = coq.compile_file(file, root, ["-o", str(file.with_suffix(".vo"))])
    if printed_axioms(output) != set(axioms):
        raise coq.Rejected(str(file), f"the theorem must have the axioms {axioms}, got {output.strip()}")


def check_theorem(theorem: RealTheorem, root: Path) -> None:
    """Compile a theorem from scratch, with the compiled ``theory/coq`` at ``root``, and check its axioms.

    Raises:
        NoLibrary: If the library that the theorem needs is not installed.
        Rejected: If Coq does not accept the theorem, or it does not have exactly its axioms.
    """
    theorem.require_library()
    text = inlined() if theorem is BOXES else (source_folder() / "real_exponential.v").read_text("utf-8")
    with TemporaryDirectory() as folder:
        file = Path(folder) / "theory.v"
        file.write_text(f"{text}Print Assumptions {theorem.name}.\n", encoding="utf-8")
        check_file(file, root, theorem.axioms)


def printed_axioms(output: str) -> set[str]:
    """Return the names in the output of ``Print Assumptions``, which must be the last part of ``output``."""
    _, heading, listed = output.rpartition("Axioms:\n")
    if not heading:
        raise ValueError(f"the output of Print Assumptions must list axioms, got {output!r}")
    return set(re.findall(r"^([\w.]+)(?= :|\n)", listed, re.MULTILINE))
