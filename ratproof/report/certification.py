"""The report on a certification, as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from automata.aliases import JsonObject
from automata.moore import Moore
from automata.text.number_text import plural
from automata.text.printable_text import write_string
from ratproof.certification.soft_networks.ball_run import PRECISIONS
from ratproof.certification.soft_networks.certify import Certification, accepting
from ratproof.coq.reals import AXIOMS
from ratproof.coq.soft_network import THEOREM


def sentences(answer: Certification, against: str | None = None) -> Iterator[str]:
    """Yield the lines that ``certify`` prints.

    Args:
        answer: The certification.
        against: Name of the automaton that the network was compared with. Defaults to its own hard automaton.
    """
    tau, other = float(answer.numbers.temperature), "its hard automaton" if against is None else against
    if answer.verdict == "certified":
        what = (
            "the soft network follows its hard automaton"
            if against is None
            else f"the soft network accepts the same strings as {against}"
        )
        yield f"certified: at temperature {tau:g} {what}, on all strings"
    elif answer.verdict == "different":
        assert answer.word is not None
        string = write_string(list(answer.word))
        yield f"different: on {string} the soft network at temperature {tau:g} and {other} differ"
    else:
        yield f"unknown: {answer.why}"
    if answer.soft is not None and answer.language is not None and answer.nodes is not None:
        yield (
            "  on all strings the soft network follows an automaton with"
            f" {plural(answer.soft.states, 'state')} (proved, {len(answer.nodes)} boxes); the minimal DFA of"
            f" its language has {plural(answer.language.states, 'state')}"
        )
    limit = answer.hard.machine()
    if limit is None:
        yield (
            "  the hard automaton is not known: with the largest precision"
            f" ({PRECISIONS[-1]:,} bits), a tie is possible at {answer.hard.ties[0]}"
        )
    else:
        least = plural(accepting(limit).states, "state")
        yield (
            f"  the hard automaton has {plural(limit.states, 'state')}; the minimal DFA of its language has"
            f" {least}"
        )


def kernel_sentence(coq_file: str, theorem: str) -> str:
    """Return the line about a Coq file that ``certify --kernel`` wrote."""
    return (
        "accepted by Coq's kernel, with the axioms of its real numbers: theorem"
        f" {theorem} in {coq_file}, a stand-alone file that coqc accepts"
    )


def kernel_json(coq_file: str | None, theorem: str) -> JsonObject | None:
    """Return the JSON object about a Coq file, or None if there is none."""
    return None if coq_file is None else {"file": coq_file, "theorem": theorem, "axioms": list(AXIOMS)}


def as_json_object(answer: Certification, certificate: str | None, coq_file: str | None) -> JsonObject:
    """Return the object that ``certify --json`` prints."""
    proved = answer.nodes is not None
    return {
        "verdict": answer.verdict,
        "temperature": str(answer.numbers.temperature),
        "word": None if answer.word is None else list(answer.word),
        "why": answer.why or None,
        "nodes": len(answer.nodes) if answer.nodes is not None else None,
        "soft": None if answer.soft is None else _machine(answer.soft),
        "hard": None if (machine := answer.hard.machine()) is None else _machine(machine),
        "ties": answer.hard.ties,
        "language_states": answer.language.states if answer.language is not None else None,
        "soft_proved": proved,
        "certificate": certificate,
        "kernel": kernel_json(coq_file, THEOREM),
    }


def _machine(machine: Moore) -> JsonObject:
    outputs: Any = machine.outputs
    return {
        "start": machine.start,
        "after": [list(row) for row in machine.table],
        "label": [label for label, _ in outputs],
        "accepts": [accepts for _, accepts in outputs],
    }
