"""A patch for sphinx-proof that allows Sphinx to read pages in parallel.

sphinx-proof declares that it supports this, but its domain lacks the method that Sphinx then calls, so
``sphinx-build -j 2`` fails. The method need not do anything, because sphinx-proof merges the results of the
processes itself, in ``env.proof_list`` on ``env-merge-info``. However, it does not warn of labels that occur
in several processes, so this extension does.
"""

from collections.abc import Set
from typing import Any

from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util import logging
from sphinx_proof.domain import ProofDomain


class MergedProofDomain(ProofDomain):
    """The domain of sphinx-proof with the missing method."""

    def merge_domaindata(self, docnames: Set[str], otherdata: dict[str, Any]) -> None:
        """Do nothing, because sphinx-proof merges the results itself."""


def warn_of_labels_in_both(
    _app: Sphinx, env: BuildEnvironment, docnames: Set[str], other: BuildEnvironment
) -> None:
    """Warn if a theorem in ``docnames`` has the same label as a theorem of another page."""
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
