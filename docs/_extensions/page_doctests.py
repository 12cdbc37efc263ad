"""Doctests of the pages, which run in a process of their own while Sphinx writes the pages.

They run in each build, because their results depend on the code and not only on the pages. Sphinx's builder
of doctests would need a second build, which loads all pages again.
"""

import re
from typing import Any

from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.ext.doctest import DocTestBuilder
from sphinx.util.parallel import ParallelTasks, SerialTasks, parallel_available

_DIRECTIVE = re.compile(r"\b(doctest|testcode)\b")


def start(app: Sphinx, env: BuildEnvironment) -> None:
    """Run the doctests of all pages; a failure is a warning, and the status of the build is 1."""
    if app.builder.format != "html":
        return
    tasks = ParallelTasks(1) if parallel_available and app.parallel > 1 else SerialTasks()

    def set_status(*results: int) -> None:
        app.statuscode = app.statuscode or results[-1]

    tasks.add_task(lambda: _status(app, env), result_func=set_status)
    app.connect("build-finished", lambda _app, _error: tasks.join())


def _status(app: Sphinx, env: BuildEnvironment) -> int:
    """Run the doctests, write their output to the folder ``doctest`` next to the pages, and return 0 or 1."""
    builder = DocTestBuilder(app, env)
    builder.outdir = app.outdir.with_name("doctest")
    builder.outdir.mkdir(exist_ok=True)
    builder.init()
    texts = {page: env.doc2path(page).read_text(encoding="utf-8") for page in env.found_docs}
    builder.write_documents({page for page, text in texts.items() if _DIRECTIVE.search(text)})
    builder.finish()
    return app.statuscode


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the extension with Sphinx."""
    app.setup_extension("sphinx.ext.doctest")
    app.connect("env-updated", start)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
