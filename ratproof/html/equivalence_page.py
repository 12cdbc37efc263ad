"""The HTML page of ``equivalent``."""

from __future__ import annotations

from collections.abc import Mapping

from automata.drawing import Drawable
from automata.equivalence.answers import Answer
from ratproof.html.page import VERDICT_MARKS, HtmlPage, HtmlTable, cells, drawings_of


def equivalence_page(answer: Answer, a: str, b: str, drawn: Mapping[str, Drawable], command: str) -> HtmlPage:
    """Return the page of ``equivalent``.

    Args:
        answer: The result of the decision.
        a: The first file.
        b: The second file.
        drawn: The automata to draw, by caption.
        command: The command that was run.
    """
    data = answer.to_json()
    lines = [cells("verdict", answer.verdict), cells("A", a), cells("B", b)]
    if answer.scores is not None:
        lines += [cells(f"score in {x}", score) for x, score in zip((a, b), data["scores"], strict=True)]
    lines += [cells(name, value) for name, value in answer.figures.items()]
    return HtmlPage(
        f"{a} and {b}",
        answer.verdict,
        VERDICT_MARKS[answer.verdict],
        [answer.to_text(a, b)],
        command,
        (),
        [HtmlTable("The decision", ["", ""], lines)],
        drawings_of(drawn),
    )
