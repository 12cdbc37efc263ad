"""Tests of our Sphinx extensions: the cached navigation equals furo's, and doctests of pages run."""

import importlib
import importlib.util
import pkgutil
import re
import sys
from pathlib import Path

import pytest

from proofs_tests.processes import python

EXTENSIONS = Path(__file__).parents[1] / "docs" / "_extensions"
PAGES = {
    "index": "# Home\n\n```{toctree}\nplain\nroom/index\n```\n\n```{toctree}\n:hidden:\nlast\n```\n",
    "plain": '# A `code` & a "quote", it\'s\n\n## A section that no tree shows\n',
    "room/index": "# Room\n\n```{toctree}\na\nplace b/b\nhttps://example.org\n```\n",
    "room/a": "# A\n\n```{toctree}\ndeep/c\n```\n",
    "room/place b/b": "# B\n",
    "room/deep/c": "# C\n",
    "last": "# Last\n\n```{toctree}\nroom/deep/c\n```\n",
    "alone": "---\norphan: true\n---\n# Alone\n",
}


@pytest.fixture
def built(tmp_path):
    for package in ("sphinx", "furo", "myst_parser"):
        if importlib.util.find_spec(package) is None:
            pytest.skip(f"the pages are not built here: {package} is not installed")

    def build(name, extensions, pages=PAGES, *options):
        source = tmp_path / f"source-{name}"
        for page, text in pages.items():
            (source / page).parent.mkdir(parents=True, exist_ok=True)
            (source / f"{page}.md").write_text(text)
        configuration = f"""
import sys; sys.path.insert(0, {str(EXTENSIONS)!r})
project = "pages"
extensions = ["myst_parser", *{extensions!r}]
html_theme = "furo"
"""
        (source / "conf.py").write_text(configuration)
        target = tmp_path / name
        run = python("-m", "sphinx", "-q", *options, "-b", "html", source, target)
        return run, {p.relative_to(target).as_posix(): p.read_text() for p in target.rglob("*.html")}

    return build


def test_the_navigation_equals_that_of_furo(built):
    _, furos = built("furos", [])
    run, ours = built("ours", ["navigation"])
    assert run.returncode == 0, run.stderr
    assert len(ours) == len(PAGES) + 2 and "current-page" in ours["room/deep/c.html"]  # genindex and search
    assert ours == furos


OBJECTS = """# Objects

```{eval-rst}
.. py:class:: first.Tree
.. py:class:: second.inner.Tree

   .. py:method:: grow(height: Tree, leaf: inner.Leaf) -> Leaf

.. py:class:: second.inner.Leaf
.. py:function:: second.plant(tree: Tree, at: str) -> inner.Tree

See :py:class:`.Leaf`, :py:meth:`.Tree.grow`, :py:func:`second.plant()`, :py:obj:`Tree` and :py:class:`!Leaf`.
```
"""


def test_references_equal_those_of_sphinx(built):
    pages = {"index": "# Home\n\n```{toctree}\nobjects\n```\n", "objects": OBJECTS}
    _, sphinxs = built("sphinxs", [], pages)
    run, ours = built("ours", ["faster_build"], pages)
    assert run.returncode == 0, run.stderr
    assert ours == sphinxs
    assert ours["objects.html"].count('class="reference internal" href="#second.inner.Leaf"') >= 3


@pytest.mark.parametrize("jobs", ["-j1", "-j2"])
def test_a_wrong_doctest_of_a_page_fails_the_build(built, jobs):
    pages = {"index": "# Home\n\n```{doctest}\n>>> 1 + 1\n2\n```\n"}
    run, _ = built("right", ["page_doctests"], pages, "-W", jobs)
    assert run.returncode == 0, run.stderr
    pages["index"] = pages["index"].replace("\n2\n", "\n3\n")
    run, _ = built("wrong", ["page_doctests"], pages, "-W", jobs)
    assert run.returncode == 1
    assert "Expected:\n    3\nGot:\n    2\n" in run.stderr


def test_two_generated_files_with_the_same_path_are_refused(monkeypatch):
    errors = pytest.importorskip("sphinx.errors")
    pytest.importorskip("matplotlib")
    monkeypatch.syspath_prepend(str(EXTENSIONS))
    merged = importlib.import_module("generated_pages").merged
    assert merged({"a.svg": "1"}, {"b.svg": "2"}) == {"a.svg": "1", "b.svg": "2"}
    with pytest.raises(errors.ExtensionError, match=r"must have one source, got two for a\.svg"):
        merged({"a.svg": "1"}, {"a.svg": "2"})


def test_functions_and_classes_that_pages_link_to_have_an_entry_in_the_reference(monkeypatch):
    pytest.importorskip("sphinx.errors")
    monkeypatch.syspath_prepend(str(EXTENSIONS))
    is_documented = importlib.import_module("api_pages").is_documented
    texts = [page.read_text() for page in EXTENSIONS.parent.rglob("*.md")]
    names = re.findall(r"\{py:(?:func|class|meth|data)\}`~?([\w.]+)", "".join(texts))
    assert names
    for name in names:
        pkgutil.resolve_name(name)  # imports the module
        module = max((m for m in sys.modules if f"{name}.".startswith(f"{m}.")), key=len)
        assert is_documented(module), name
