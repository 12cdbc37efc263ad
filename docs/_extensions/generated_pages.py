"""The Sphinx extension: before anything is read, write the pages that come from the code and from what ran.

Four folders belong to it, all ignored by git: ``claims/`` (a page a claim, and the drawings and tables that
other pages show), ``experiments/`` (a page an experiment), ``tests/`` (a page a claim's tests) and ``api/``
(the reference). A page is only written when it changes, and one that nothing asks for any longer is removed.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import api_pages
import certified_figures
import claim_graph
import claim_pages
import command_page
import coq_pages
import docstrings
import drawings
import experiment_pages
import fa_rnn_figures
import factored_figures
import fault_tables
import hunting_figures
import large_figures
import matrix_figures
import not_rational_figures
import outside_page
import paper_pages
import scan_figures
import speed_figures
import sr_figures
import tests_of_claims
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from verdicts import Unreadable, read

FOLDERS = ("api", "claims", "experiments", "tests")


def generate(app: Sphinx) -> None:
    """Write all generated pages."""
    try:
        verdicts = read(Path(app.config.verdicts_file), Path(app.config.gpu_verdicts_file))
    except Unreadable as error:
        raise ExtensionError(str(error)) from error
    here = Path(app.srcdir)
    files = {
        **claim_pages.pages(verdicts),
        **paper_pages.pages(verdicts),
        **claim_graph.pages(),
        **coq_pages.pages(),
        **tests_of_claims.pages(),
        **api_pages.pages(),
        **command_page.pages(),
        **drawings.of_examples(here.parent / "ratproof" / "examples"),
        **drawings.of_networks(here.parent / "ratproof" / "examples"),
        **speed_figures.pages(here.parent / "bench"),
        **large_figures.pages(here.parent / "bench"),
        **scan_figures.pages(here.parent / "bench"),
        **sr_figures.pages(here.parent / "bench"),
        **matrix_figures.pages(here.parent / "bench"),
        **factored_figures.pages(here.parent / "bench"),
        **hunting_figures.pages(here.parent / "bench"),
        **not_rational_figures.pages(here.parent / "bench"),
        **certified_figures.pages(here.parent),
        **fa_rnn_figures.pages(here.parent),
        **experiment_pages.pages(here.parent),
        **outside_page.pages(here.parent / "outside"),
        **fault_tables.pages(here.parent / "mutants"),
    }
    for path, text in files.items():
        _write(here / path, text)
    for folder in FOLDERS:
        for path in (here / folder).rglob("*"):
            if path.is_file() and path.relative_to(here).as_posix() not in files:
                path.unlink()


def _write(path: Path, text: str) -> None:
    if path.exists() and path.read_text(encoding="utf-8") == text:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def setup(app: Sphinx) -> dict[str, Any]:
    """Called by Sphinx."""
    app.add_config_value("verdicts_file", "", "env", str)
    app.add_config_value("gpu_verdicts_file", "", "env", str)
    app.connect("builder-inited", generate)
    app.connect("autodoc-process-docstring", docstrings.hide_colons, priority=100)
    app.connect("autodoc-process-docstring", docstrings.keep_formulas)
    app.connect("autodoc-process-signature", docstrings.shorten_types)
    app.connect("autodoc-skip-member", docstrings.skip_borrowed)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
