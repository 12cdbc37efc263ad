"""sphinx-proof, mended so that several processes can read the pages.

It says that they can, and its domain lacks the method that Sphinx then calls: ``sphinx-build -j 2`` ended
with an error. There is nothing to do in that method: what the processes found lies in ``env.proof_list``,
which sphinx-proof joins when Sphinx tells it to (``env-merge-info``). It does not look there for labels that
two of them found.
"""

from __future__ import annotations

from collections.abc import Set
from typing import Any

from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util import logging
from sphinx_proof.domain import ProofDomain


class MergedProofDomain(ProofDomain):
    """The domain, which keeps nothing of its own."""

    def merge_domaindata(self, docnames: Set[str], otherdata: dict[str, Any]) -> None:
        """Nothing: ``otherdata`` is a version number."""


def warn_of_labels_in_both(
    _app: Sphinx, env: BuildEnvironment, docnames: Set[str], other: BuildEnvironment
) -> None:
    """Say which theorems of ``docnames`` have the label of another page's, as one process would."""
    known = getattr(env, "proof_list", {})
    for label, found in getattr(other, "proof_list", {}).items():
        first = known.get(label, found)["docname"]
        if found["docname"] in docnames and first != found["docname"]:
            logging.getLogger(__name__).warning(
                "duplicate %s label '%s', other instance in %s",
                found["realtype"],
                label,
                env.doc2path(first),
                location=found["docname"],
            )


def setup(app: Sphinx) -> dict[str, Any]:
    """Called by Sphinx."""
    app.connect("env-merge-info", warn_of_labels_in_both, priority=400)  # before they are joined, at 500
    app.setup_extension("sphinx_proof")
    app.add_domain(MergedProofDomain, override=True)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
