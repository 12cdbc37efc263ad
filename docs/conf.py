"""Configuration of Sphinx.

The pages take their verdicts from ``_build/verdicts.json``, never from this file.
"""

import gc
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_extensions"))
# Garbage collection takes half of the time of a build; without it, a process takes 2.4 GB instead of 1.2.
gc.disable()

import ratproof  # noqa: E402

project = "ratproof"
author = "the authors of ratproof"
release = version = ratproof.__version__

extensions = [
    "myst_nb",  # MyST Markdown, and the notebooks of the gallery
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
    "sphinxcontrib.bibtex",
    "sphinx_copybutton",
    "sphinx_design",
    "faster_build",
    "page_doctests",
    "generated_pages",
    "mathml",
    "navigation",
]
exclude_patterns = ["_build", "_extensions"]

# The output of ``ratproof verify --json``; without this file, the pages say "not run".
verdicts_file = str(HERE / "_build" / "verdicts.json")
# The output of a run of ``ratproof verify --device cuda``, stored because few machines have a GPU.
gpu_verdicts_file = str(HERE / "verdicts" / "cuda.json")

myst_enable_extensions = ["colon_fence", "attrs_inline", "deflist", "dollarmath"]
myst_heading_anchors = 3
nb_execution_mode = "force"  # at most once per build, because Sphinx reads a page again only if it changes
nb_execution_raise_on_error = True
nb_execution_timeout = 300

autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
napoleon_attr_annotations = False
autodoc_typehints = "signature"
autodoc_use_type_comments = False  # there are none, and looking for them takes time
add_module_names = False
toc_object_entries = False
viewcode_follow_imported_members = False
viewcode_line_numbers = True

# Sphinx runs only the snippets in directives of pages; pytest runs those of docstrings.
doctest_test_doctest_blocks = ""

bibtex_bibfiles = ["references.bib"]
bibtex_default_style = "plain"
bibtex_reference_style = "author_year"

copybutton_prompt_text = "$ "
# Copy commands without their prompts and without their output.
copybutton_only_copy_prompt_lines = True

html_math_renderer = "mathml"
html_theme = "furo"
html_title = "ratproof"
html_static_path = ["_static"]
html_css_files = ["ratproof.css"]
html_show_sphinx = False
html_show_copyright = False
