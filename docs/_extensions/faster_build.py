"""Changes to Sphinx that make a build faster and do not change the pages."""

import logging
from functools import cache, cached_property
from types import SimpleNamespace
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.domains.python import ObjectEntry, PythonDomain
from sphinx.environment import BuildEnvironment
from sphinx.search.en import SearchEnglish


class IndexedPythonDomain(PythonDomain):
    """Sphinx's domain of Python with a faster search for names.

    It looks for a name only among the objects whose full names have the same last part. Sphinx looks among
    all objects. This takes half of the time of writing the pages, because each type in a signature is a
    reference.
    """

    @cached_property
    def _objects_by_last_part(self) -> dict[str, dict[str, ObjectEntry]]:
        index: dict[str, dict[str, ObjectEntry]] = {}
        for name, entry in self.objects.items():
            index.setdefault(name.rpartition(".")[2], {})[name] = entry
        return index

    def find_obj(
        self, env: BuildEnvironment, modname: str, classname: str, name: str, *arguments: Any, **options: Any
    ) -> list[tuple[str, ObjectEntry]]:
        """Return the objects to which a name may refer, with their full names."""
        objects = self._objects_by_last_part.get(name.removesuffix("()").rpartition(".")[2], {})
        domain: Any = SimpleNamespace(
            objects=objects, object_types=self.object_types, objtypes_for_role=self.objtypes_for_role
        )
        return PythonDomain.find_obj(domain, env, modname, classname, name, *arguments, **options)


def keep_one_document(app: Sphinx, doctree: nodes.document) -> None:
    """Make all nodes of a page refer to the page's document.

    Nodes that an ``eval-rst`` block creates refer to a document of their own, whose settings contain the
    environment. Sphinx would store a copy of the environment with each page.
    """
    for node in doctree.findall():
        node.document = doctree


def spread(app: Sphinx, env: BuildEnvironment, docnames: list[str]) -> None:
    """Reorder the pages, so that each process reads a notebook first, and a share of each folder."""
    docnames.sort(key=lambda name: not name.startswith("gallery/"))
    docnames[:] = [name for first in range(10) for name in docnames[first::10]]


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the extension with Sphinx."""
    logging.disable(logging.DEBUG)  # autodoc formats a message for each object
    SearchEnglish.stem = cache(SearchEnglish.stem)  # type: ignore[method-assign]  # Sphinx stems per page
    app.add_domain(IndexedPythonDomain, override=True)
    app.connect("env-before-read-docs", spread)
    app.connect("doctree-read", keep_one_document)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
