"""The torch layers that stand for a claim's network, with links to them."""

from __future__ import annotations

from neural.layer_kind import layer_kinds
from theory.claim import Claim


def layers(claim: Claim) -> str:
    """A sentence with the layers; nothing where the claim names none."""
    kinds = layer_kinds()
    named = [kinds[name].cls for name in claim.layers if name in kinds]
    links = [f"{{py:class}}`~{cls.__module__}.{cls.__name__}`" for cls in named]
    return f"The torch layers that stand for the network: {', '.join(links)}.\n" if links else ""
