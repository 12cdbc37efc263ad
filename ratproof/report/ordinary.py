"""The report on the certification of an ordinary network, as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator

from automata.aliases import JsonObject, Symbols
from automata.moore import Moore
from automata.text.number_text import plural
from automata.text.printable_text import write_string
from ratproof.certification.ordinary_networks.certify import OrdinaryCertification
from ratproof.coq.ordinary_network import THEOREM
from ratproof.report.certification import kernel_json

VERBS = ("rejects", "accepts")
MOST_SYMBOLS = 60
"""Maximum length of a string that the text shows in full; JSON always has the full string."""


def sentences(answer: OrdinaryCertification, against: str | None = None) -> Iterator[str]:
    """Yield the lines that ``certify`` prints.

    Args:
        answer: The certification.
        against: Name of the automaton that the network was compared with. Defaults to "the automaton".
    """
    other = "the automaton" if against is None else against
    machine = answer.machine
    size = "" if machine is None else f" ({plural(machine.states, 'state')})"
    if answer.extracted:
        other = "the extracted automaton"
    if answer.verdict == "certified":
        yield (
            f"certified: the network (float32) agrees with {other}{size} on all nonempty strings;"
            f" {plural(answer.regions or 0, 'region')}"
        )
    elif answer.verdict == "different" and answer.word is not None and answer.decisions is not None:
        ours, theirs = answer.decisions
        classes = len(answer.network.readout)
        difference = (
            f"the network {VERBS[ours]}, {other}{size} {VERBS[theirs]}"
            if classes <= 2
            else f"the network's class is {ours}, that of {other}{size} is {theirs}"
        )
        yield (
            f"different: {_string(answer.word)} ({plural(len(answer.word), 'symbol')}): {difference};"
            " confirmed by running the module in torch (float32)"
        )
    else:
        length = answer.bounded
        bound = "" if length is None else f"; correct on all strings of at most {plural(length, 'symbol')}"
        yield f"unknown: {answer.why}{bound}"
        if answer.slow is not None:
            cycle, factor = answer.slow
            yield (
                f"  along repetitions of {_string(cycle)}, distances between hidden states change by a"
                f" factor of {factor:.3f} per symbol"
            )
        if length is not None:
            yield "  this length was computed in float64, or by running all strings; it has no certificate"


def _string(word: Symbols) -> str:
    if len(word) <= MOST_SYMBOLS:
        return write_string(list(word))
    half = MOST_SYMBOLS // 2
    return f"{write_string(list(word[:half]))} ... {write_string(list(word[-half:]))}"


def as_json_object(
    answer: OrdinaryCertification, certificate: str | None, coq_file: str | None = None
) -> JsonObject:
    """Return the object that ``certify --json`` prints."""
    slow = None if answer.slow is None else {"word": list(answer.slow[0]), "factor": answer.slow[1]}
    return {
        "verdict": answer.verdict,
        "word": None if answer.word is None else list(answer.word),
        "decisions": None if answer.decisions is None else list(answer.decisions),
        "regions": answer.regions,
        "bounded": answer.bounded,
        "why": answer.why or None,
        "slowest": slow,
        "extracted": answer.extracted,
        "automaton": None if answer.machine is None else _machine(answer.machine),
        "certificate": certificate,
        "kernel": kernel_json(coq_file, THEOREM),
    }


def _machine(machine: Moore) -> JsonObject:
    return {
        "start": machine.start,
        "next": [list(row) for row in machine.table],
        "label": list(machine.outputs),
    }
