"""The theorems over Coq's real numbers (``theory/coq_reals``), and the axioms on which they rest.

They are separate from ``theory/coq``, whose theorems have no assumptions, and need other libraries.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from automata.errors import InputError
from automata.io.files import write_whole
from ratproof.coq import programs as coq
from ratproof.coq import sources
from ratproof.coq.certificate import checked_name
from ratproof.coq.theorems import printed_axioms

AXIOMS = (
    "Classical_Prop.classic",
    "ClassicalDedekindReals.sig_forall_dec",
    "ClassicalDedekindReals.sig_not_dec",
    "FunctionalExtensionality.functional_extensionality_dep",
)
"""The axioms of the real numbers of Coq's standard library."""


class Library(NamedTuple):
    """A library of Coq: one of its files (in the folder of libraries), and its Debian and opam packages."""

    file: str
    debian: str
    opam: str


INTERVAL = Library("Interval/Tactic.vo", "libcoq-interval", "coq-interval.4.6.1")
FLOCQ = Library("Flocq/IEEE754/Bits.vo", "libcoq-flocq", "coq-flocq.4.1.0")
COQUELICOT = Library("Coquelicot/Coquelicot.vo", "libcoq-coquelicot", "coq-coquelicot.3.2.0")
ANALYSIS = Library("mathcomp/analysis/Rstruct.vo", "libcoq-mathcomp-analysis", "coq-mathcomp-analysis.0.6.0")


@dataclass(frozen=True)
class RealTheory:
    """Theorems over the real numbers.

    Attributes:
        files: Their files, in the order in which they depend on each other.
        theorems: Their names, after the name of their file.
        axioms: The axioms that each of them must have.
        library: The library that they need.
    """

    files: tuple[str, ...]
    theorems: tuple[str, ...]
    axioms: tuple[str, ...]
    library: Library

    def require_library(self) -> None:
        """Raise :class:`NoLibrary` if Coq cannot find the library, and ``NoCoq`` without Coq."""
        coq.version()
        file, debian, opam = self.library
        if not (coq.library_folder() / file).exists():
            raise NoLibrary(
                f"Coq cannot find {debian.removeprefix('lib')}; install it with apt-get install coq {debian}"
                f" (Debian, Ubuntu), or opam install coq.8.16.1 {opam}"
            )

    def require_file(self, name: str) -> None:
        """Raise InputError if Coq or the library is missing, or a Coq file cannot have this name."""
        self.require_library()
        checked_name(name)

    def inlined(self) -> str:
        """Return the text of all files as Coq modules, for a Coq file that is complete in itself."""
        return inline_modules(self.files)


CELLS = ("intervals", "functions", "slopes", "network", "parametricity", "algebra", "cells")
BOXES = RealTheory((*CELLS, "boxes", "soundness"), ("soundness.closed_boxes",), AXIOMS, INTERVAL)
"""The theory that proves the checker of a soft network's closed boxes sound."""
REGIONS = RealTheory(
    (*CELLS, "ordinary", "rounding", "computed", "regions", "region_soundness"),
    ("region_soundness.closed_regions",),
    AXIOMS,
    INTERVAL,
)
"""The theory that proves the checker of an ordinary network's closed regions sound."""
CHECKERS = RealTheory(
    (*BOXES.files, *REGIONS.files[len(CELLS) :]), (*BOXES.theorems, *REGIONS.theorems), AXIOMS, INTERVAL
)
"""The theories :data:`BOXES` and :data:`REGIONS` together, because they share the files :data:`CELLS`."""
RUNNING_BOUND = RealTheory(
    ("running_bound",), ("running_bound.running_bound",), (AXIOMS[1], AXIOMS[3]), INTERVAL
)
"""The theory of the running error bound of sampled comparisons, which needs only two of the axioms."""
ROUNDING = RealTheory(
    ("intervals", "functions", "rounding", *RUNNING_BOUND.files, "ieee754"),
    (
        "ieee754.addition",
        "ieee754.subtraction",
        "ieee754.multiplication",
        "ieee754.fused_multiplication_and_addition",
        "ieee754.binary32_is_near",
        "ieee754.binary32_sum",
        "ieee754.binary32_product",
        "ieee754.binary32_fused",
        "ieee754.binary64_sum",
        "ieee754.binary64_product",
    ),
    AXIOMS,
    INTERVAL,
)
"""The theory of rounding in binary32 and binary64."""
RULES = RealTheory(
    ("exact_sums", "integer_sums", "rule_network", "rule_checker"),
    ("rule_checker.counts_on_all_words", "rule_checker.counts_while_small"),
    AXIOMS,
    FLOCQ,
)
"""The theory of FA-RNNs that were compiled from rules and run in binary32."""
NOT_RATIONAL = RealTheory(
    ("gates", "orbits", "real_factors", "not_rational", "one_unit", "dropped_hypotheses"),
    (
        "not_rational.monotone_is_no_automaton",
        "one_unit.elman_is_no_automaton",
        "one_unit.gated_feedback_is_no_automaton",
        "one_unit.gru_is_no_automaton",
        "dropped_hypotheses.elman_networks_are_not_rational",
        "dropped_hypotheses.gates_that_read_the_state_are_not_rational",
        "dropped_hypotheses.grus_are_not_rational",
        "dropped_hypotheses.hidden_units_of_scrn_are_not_rational",
    ),
    AXIOMS,
    COQUELICOT,
)
"""The theory that proves that no automaton of any size computes certain units with gates."""
LOWER_BOUND = RealTheory(
    ("intervals", "functions", "terms", "real_factors", "lower_bound"),
    ("lower_bound.few_states_do_not_suffice",),
    AXIOMS,
    INTERVAL,
)
"""The theory that proves lower bounds on the number of states of an automaton that computes a cell."""
EXPONENTIAL = RealTheory(
    ("real_exponential",),
    ("real_exponential.exponential_exists",),
    ("Epsilon.epsilon_statement", *AXIOMS),
    ANALYSIS,
)
"""The theory that proves that the real exponential is an exponential in the sense of ``theory/coq``."""
LOW_TEMPERATURES = RealTheory(
    ("low_temperatures",),
    (
        "low_temperatures.limit_network_is_a_dfa",
        "low_temperatures.following_is_at_least",
        "low_temperatures.following_tends_to_1",
        "low_temperatures.no_temperature_for_all_strings",
    ),
    ("Epsilon.epsilon_statement", *AXIOMS[1:]),
    ANALYSIS,
)
"""The theory that applies theorems of ``theory/coq`` about any exponential to the real exponential."""
TOGETHER = (
    (CHECKERS, RUNNING_BOUND, ROUNDING, LOWER_BOUND),
    (RULES,),
    (NOT_RATIONAL,),
    (EXPONENTIAL,),
    (LOW_TEMPERATURES,),
)
"""The theories, in groups that need one library and are compiled together, because they share files."""
THEORIES = tuple(chain.from_iterable(TOGETHER))


class NoLibrary(InputError):
    """Raised if a library of Coq is not installed."""


def source_folder() -> Path:
    """Return the folder of the files: ``theory/coq_reals`` of a clone, or of the installed package."""
    return sources.source_folder().with_name("coq_reals")


def inline_modules(names: Iterable[str]) -> str:
    """Return the text of several files as Coq modules."""
    return "\n".join(map(inline_module, names))


def inline_module(name: str) -> str:
    """Return the text of a file of ``theory/coq_reals`` as a Coq module."""
    text = (source_folder() / f"{name}.v").read_text(encoding="utf-8")
    text = re.sub(r"^From ratproof_reals Require Import (.*)\.$", r"Import \1.", text, flags=re.MULTILINE)
    return f"Module {name}.\n{text}End {name}.\n"


def check_file(file: Path, root: Path) -> None:
    """Compile a file that ends with ``Print Assumptions`` of its theorem, with the development at ``root``.

    Raises:
        Rejected: If Coq does not accept the file, or the theorem does not have exactly :data:`AXIOMS`.
    """
    output = coq.compile_file(file, root, ["-o", str(file.with_suffix(".vo"))])
    if printed_axioms(output) != [set(AXIOMS)]:
        raise coq.Rejected(str(file), f"the theorem must have the axioms {AXIOMS}, got {output.strip()}")


def write_if_accepted(path: str, text: str, checker: str) -> bool:
    """Write a Coq file if Coq accepts it, and return whether the checker in its last proof returns true.

    Args:
        path: The file.
        text: Its text, which ends with ``Print Assumptions``.
        checker: The beginning of the checker's call. If the checker returns false, Coq's error contains it.

    Raises:
        OutOfTime: If Coq does not end before the limit of the command's time.
        Rejected: If Coq refuses the file for another reason, which would be a bug in ratproof.
    """
    with TemporaryDirectory() as folder:
        file = Path(folder) / Path(path).name
        file.write_text(text, encoding="utf-8")
        try:
            check_file(file, file.parent)
        except coq.Rejected as error:
            if checker not in error.why:
                raise
            return False
    write_whole(path, text)
    return True
