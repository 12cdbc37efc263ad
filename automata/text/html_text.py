"""HTML fragments that represent automata and answers in a notebook."""

from __future__ import annotations

from html import escape

from automata.text.printable_text import printable

_FIGURE = '<figure style="background: #fff; color: #000; overflow-x: auto; margin: 0.5em 0">{}{}</figure>'


def html_fragment(text: str, drawings: dict[str, str]) -> str:
    r"""Return a paragraph and drawings; the text is escaped.

    >>> html_fragment("on <b>", {"A": "<svg/>"})[:20]
    '<p>on &lt;b&gt;</p>\n'

    Args:
        text: a sentence.
        drawings: SVG by caption; empty drawings are omitted.
    """
    figures = [
        _FIGURE.format(svg, f"<figcaption>{escape(caption)}</figcaption>" if caption else "")
        for caption, svg in drawings.items()
        if svg
    ]
    return "\n".join([f"<p>{escape(printable(text))}</p>", *figures])
