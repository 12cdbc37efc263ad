"""The HTML page of ``certify``."""

from __future__ import annotations

from collections.abc import Iterable

from automata.drawing import Drawable
from automata.moore import Moore
from ratproof.certification.ordinary_networks.certify import OrdinaryCertification
from ratproof.certification.soft_networks.certify import Certification, accepting
from ratproof.html.page import VERDICT_MARKS, Finding, HtmlPage, HtmlTable, cells, drawings_of


def certification_page(
    verdict: str, checkpoint: str, sentences: Iterable[str], answer: object, command: str
) -> HtmlPage:
    """Return the page of ``certify``.

    Args:
        verdict: ``"certified"``, ``"different"`` or ``"unknown"``.
        checkpoint: The network's file.
        sentences: The lines that the command prints.
        answer: The certification, whose automata are drawn. The certification of a counter has no automata.
        command: The command that certified the network.
    """
    lines = [line.strip() for line in sentences]
    drawn: dict[str, Drawable] = {}
    table = []
    if isinstance(answer, Certification):
        hard: Moore | None = answer.hard.machine()
        if hard is not None:
            drawn["the minimal DFA of the hard automaton"] = accepting(hard)
        if answer.language is not None:
            drawn["the minimal DFA of the language that the soft network accepts"] = answer.language
        sizes = {"states of the hard automaton": hard, "states of the soft automaton": answer.soft}
        table = [cells(name, machine.states) for name, machine in sizes.items() if machine is not None]
        table += [cells("proved boxes", len(answer.nodes))] if answer.nodes is not None else []
    if isinstance(answer, OrdinaryCertification):
        if answer.machine is not None and answer.network.decisions == 2:
            final = frozenset(q for q, label in enumerate(answer.machine.outputs) if label)
            drawn["the minimal DFA that the network is compared with"] = answer.machine.accepting(final)
        table = [cells("proved regions", answer.regions)] if answer.regions is not None else []
    findings = [Finding("The string", lines[0])] if verdict == "different" else []
    return HtmlPage(
        checkpoint,
        verdict,
        VERDICT_MARKS[verdict],
        lines,
        command,
        findings,
        [HtmlTable("Sizes", ["", ""], table)] if table else [],
        drawings_of(drawn),
    )
