"""The Sphinx extension that writes the pages generated from code and results.

The extension owns four folders, which git ignores: ``claims/`` (a page for each claim, and the drawings and
tables for other pages), ``experiments/``, ``tests/`` and ``api/``. It writes a page only if the page has
changed, and removes pages that are no longer generated.
"""

from pathlib import Path
from typing import Any

import api_pages
import claim_pages
import docstrings
import experiment_pages
import measured_pages
import omlin_giles
import one_layer_pages
import ordinary_networks
import parity_table
import region_plots
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.util.parallel import ParallelTasks, SerialTasks, parallel_available
from verdicts import Unreadable, read

FOLDERS = ("api", "claims", "experiments", "tests")


def generate(app: Sphinx) -> None:
    """Write all generated pages."""
    try:
        verdicts = read(Path(app.config.verdicts_file), Path(app.config.gpu_verdicts_file))
    except Unreadable as error:
        raise ExtensionError(str(error)) from error
    here = Path(app.srcdir)
    claim_pages.use(verdicts)
    parts: list[dict[str, str]] = []
    tasks = ParallelTasks(app.parallel) if parallel_available and app.parallel > 1 else SerialTasks()
    for pages in (  # the slowest ones first
        one_layer_pages.pages,
        lambda: experiment_pages.pages(here.parent),
        lambda: claim_pages.pages(here.parent / "ratproof" / "examples"),
        lambda: measured_pages.pages(here.parent),
        lambda: ordinary_networks.pages(here.parent),
        lambda: merged(omlin_giles.pages(), region_plots.pages()),  # both show the same network
        lambda: parity_table.pages(here.parent),
    ):
        tasks.add_task(pages, result_func=lambda *results: parts.append(results[-1]))
    # in this process, because the processes that read pages then need not import the modules again
    parts.append(api_pages.pages())
    tasks.join()
    files = merged(*parts)
    for path, text in files.items():
        _write(here / path, text)
    for folder in FOLDERS:
        for path in (here / folder).rglob("*"):
            if path.is_file() and path.relative_to(here).as_posix() not in files:
                path.unlink()


def merged(*parts: dict[str, str]) -> dict[str, str]:
    """Merge dictionaries of files, which are texts by path.

    Raises:
        ExtensionError: If two parts have the same path; one file would replace the other.
    """
    files: dict[str, str] = {}
    for part in parts:
        if both := files.keys() & part.keys():
            raise ExtensionError(f"generated files must have one source, got two for {', '.join(both)}")
        files |= part
    return files


def _write(path: Path, text: str) -> None:
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the extension with Sphinx."""
    app.add_config_value("verdicts_file", "", "env", str)
    app.add_config_value("gpu_verdicts_file", "", "env", str)
    app.connect("builder-inited", generate)
    app.connect("autodoc-process-docstring", docstrings.hide_colons, priority=100)
    app.connect("autodoc-process-docstring", docstrings.keep_formulas)
    app.connect("autodoc-process-signature", docstrings.shorten_types)
    app.connect("autodoc-skip-member", docstrings.skip_borrowed)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
