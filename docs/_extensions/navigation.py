"""The tree of all pages that stands beside each page, made once.

Sphinx and furo make it anew for each page, which was two thirds of writing the pages. From one page to
another only the links change, which are relative, and the marks of the current page; only these are written
anew here, into the tree that furo makes for the first page of all, where nothing is marked.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import furo
from sphinx.application import Sphinx

_TOKEN = re.compile(
    r'<li class="toctree-l\d+(?: has-children)?"><a class="reference internal" href="(?P<href>[^"]*)">'
    r'|<ul>|</ul>|</li>|(?P<box> class="toctree-checkbox")'
)


class Tree:
    """A tree of pages as furo makes it, in pieces that are numbered.

    Args:
        html: the tree beside a page in the uppermost folder that is not in the tree itself.
    """

    def __init__(self, html: str) -> None:
        self._pieces: list[str] = []
        self._links: dict[int, str] = {}  # an entry: where it leads, seen from the uppermost folder
        self._above: dict[int, int | None] = {}  # an entry or a list: what it is in
        self._boxes: dict[int | None, int] = {}  # an entry: the box that opens it
        end = 0
        here: int | None = None
        for token in _TOKEN.finditer(html):
            number = len(self._pieces) + 1
            self._pieces += [html[end : token.start()], token[0]]
            end = token.end()
            if token["box"]:
                self._boxes[here] = number
            elif token[0].startswith("</"):
                here = None if here is None else self._above[here]
            else:
                self._above[number], here = here, number
                if token["href"] is not None:
                    self._links[number] = token["href"]
        self._pieces.append(html[end:])

    def beside(self, page: str, link: Callable[[str], str]) -> str:
        """The tree as furo would make it for a page.

        Args:
            page: where the page is, seen from the uppermost folder.
            link: how the page links to a place.
        """
        pieces = list(self._pieces)
        for entry, place in self._links.items():
            pieces[entry] = pieces[entry].replace(f'href="{place}"', f'href="{link(place)}"')
        current = [entry for entry, place in self._links.items() if place == page]
        for entry in current:
            pieces[entry] = pieces[entry].replace('"reference', '"current reference')
        for mark in self._with_what_is_above(current):
            pieces[mark] = re.sub(r"<ul>|(?<=toctree-l)\d+", _marked, pieces[mark], count=1)
            if mark in self._boxes:
                pieces[self._boxes[mark]] = f' checked=""{pieces[self._boxes[mark]]}'
        if current:  # in the tree twice: furo opens both, and marks the last
            pieces[current[-1]] = pieces[current[-1]].replace('"><a', ' current-page"><a')
        return "".join(pieces)

    def _with_what_is_above(self, entries: list[int]) -> set[int]:
        found = set()
        for entry in entries:
            above: int | None = entry
            while above is not None:
                found.add(above)
                above = self._above[above]
        return found


def _marked(match: re.Match[str]) -> str:
    return '<ul class="current">' if match[0] == "<ul>" else f"{match[0]} current"


def once(app: Sphinx) -> None:
    """Put this tree in the place of furo's. The pages with the modules' sources have none: their links lead
    back to the reference.
    """
    builder: Any = app.builder
    furos = furo._compute_navigation_tree
    trees: list[Tree] = []

    def tree(context: dict[str, Any]) -> str:
        page = context["pagename"]
        if page.startswith("_modules/"):
            return ""
        if not trees:
            first = {"toctree": lambda **how: builder._get_local_toctree(app.config.root_doc, **how)}
            trees.append(Tree(furos(first)))
        return trees[0].beside(builder.get_target_uri(page), lambda place: context["pathto"](place, 1))

    furo._compute_navigation_tree = tree


def setup(app: Sphinx) -> dict[str, Any]:
    """Called by Sphinx."""
    app.connect("builder-inited", once)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
