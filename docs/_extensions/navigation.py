"""A navigation tree that is built once for all pages.

Sphinx and furo rebuild the tree for each page, which takes two thirds of the time needed to write the pages.
The trees of two pages differ only in their relative links and in the marks of the current page. This module
takes the tree that furo builds for the first page, without marks, and changes only these parts.
"""

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
    """The HTML of the navigation tree, split at its links.

    Args:
        html: the tree as furo renders it on a page of the top folder that is not an entry of the tree.
    """

    def __init__(self, html: str) -> None:
        self._pieces: list[str] = []
        self._links: dict[int, str] = {}  # the target of each entry, relative to the top folder
        self._above: dict[int, int | None] = {}  # the parent of each entry or list
        self._boxes: dict[int | None, int] = {}  # the box that opens each entry
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

    def sidebar_for(self, page: str, link: Callable[[str], str]) -> str:
        """Return the navigation tree that furo would build for a page.

        Args:
            page: the path of the page, relative to the top folder.
            link: maps a path to its URL relative to the page.
        """
        pieces = list(self._pieces)
        for entry, target in self._links.items():
            pieces[entry] = pieces[entry].replace(f'href="{target}"', f'href="{link(target)}"')
        current = [entry for entry, target in self._links.items() if target == page]
        for entry in current:
            pieces[entry] = pieces[entry].replace('"reference', '"current reference')
        for mark in self._with_ancestors(current):
            pieces[mark] = re.sub(r"<ul>|(?<=toctree-l)\d+", _marked, pieces[mark], count=1)
            if mark in self._boxes:
                pieces[self._boxes[mark]] = f' checked=""{pieces[self._boxes[mark]]}'
        if current:  # if a page is in the tree twice, furo opens both entries and marks the last one
            pieces[current[-1]] = pieces[current[-1]].replace('"><a', ' current-page"><a')
        return "".join(pieces)

    def _with_ancestors(self, entries: list[int]) -> set[int]:
        ancestors = set()
        for entry in entries:
            above: int | None = entry
            while above is not None:
                ancestors.add(above)
                above = self._above[above]
        return ancestors


def _marked(match: re.Match[str]) -> str:
    return '<ul class="current">' if match[0] == "<ul>" else f"{match[0]} current"


def once(app: Sphinx) -> None:
    """Replace furo's function for the navigation tree, so that the tree is built once.

    Pages with the source code of modules have no tree. Their links lead back to the reference.
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
        return trees[0].sidebar_for(builder.get_target_uri(page), lambda target: context["pathto"](target, 1))

    furo._compute_navigation_tree = tree


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the extension with Sphinx."""
    app.connect("builder-inited", once)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
