"""A fix of sphinx-proof that lets several processes read the pages.

sphinx-proof declares that it supports them, but its domain lacks the method that Sphinx then calls, so that
``sphinx-build -j 2`` fails. The method has nothing to do: the results of the processes are in
``env.proof_list``, which sphinx-proof merges on ``env-merge-info``. It does not check there for labels that
two processes have.
"""

from __future__ import annotations

from collections.abc import Set
from typing import Any

from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util import logging
from sphinx_proof.domain import ProofDomain


class MergedProofDomain(ProofDomain):
    """The domain, which stores nothing itself."""

    def merge_domaindata(self, docnames: Set[str], otherdata: dict[str, Any]) -> None:
        """Do nothing; ``otherdata`` is a version number."""


def warn_of_labels_in_both(
    _app: Sphinx, env: BuildEnvironment, docnames: Set[str], other: BuildEnvironment
) -> None:
    """Warn of theorems in ``docnames`` that have the label of another page, as one process would."""
    known = getattr(env, "proof_list", {})
    for label, entry in getattr(other, "proof_list", {}).items():
        first = known.get(label, entry)["docname"]
        if entry["docname"] in docnames and first != entry["docname"]:
            logging.getLogger(__name__).warning(
                "duplicate %s label '%s', other instance in %s",
                entry["realtype"],
                label,
                env.doc2path(first),
                location=entry["docname"],
            )


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the extension with Sphinx."""
    app.connect("env-merge-info", warn_of_labels_in_both, priority=400)  # before the merge at 500
    app.setup_extension("sphinx_proof")
    app.add_domain(MergedProofDomain, override=True)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
