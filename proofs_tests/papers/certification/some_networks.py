"""Strategies for small random networks, with weights that are large enough for several states."""

from typing import Any

import numpy as np
import torch
from hypothesis import strategies as st

from neural.state_regularized.acceptor import Acceptor
from ratproof.certification.soft_networks.boxes import Nodes
from ratproof.certification.soft_networks.certify import prove_boxes
from ratproof.certification.soft_networks.numbers import Numbers, numbers_of

KINDS = ("sr-elman", "sr-gru")
SIMILARITIES = ("dot", "euclidean")


def random_network(
    seed: int, kind: str = "sr-gru", similarity: Any = "dot", start_token: bool = True, scale: float = 3.0
) -> Acceptor:
    """Draw a network of 2 to 6 units and 2 to 5 centroids, in float64."""
    torch.manual_seed(seed)
    network = Acceptor(
        ("0", "1"),
        kind,
        hidden_size=2 + seed % 5,
        k=2 + seed % 4,
        similarity=similarity,
        start_token=start_token,
        dtype=torch.float64,
    )
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.mul_(scale)
        network.layers.components[0].centroids.normal_()
    return network.eval()


def numbers(seed: int, temperature: float, **options: Any) -> Numbers:
    """Return the parameters of a random network as float64 arrays."""
    return numbers_of(random_network(seed, **options), temperature)


seeds = st.integers(0, 10_000)


@st.composite
def boxes(draw: st.DrawFn, k: int) -> tuple[Any, Any, Any]:
    """Draw a box of mixtures with lower and upper corners, shape ``(k,)``, and points in it, shape
    ``(P, k)``.
    """
    random = np.random.default_rng(draw(seeds))
    width = draw(st.sampled_from([1e-6, 1e-3, 0.05, 0.3, 1.0]))
    points = random.dirichlet(np.full(k, draw(st.sampled_from([0.1, 1.0]))), size=1)
    toward = random.dirichlet(np.full(k, 0.5), size=60)
    points = np.concatenate([points, (1 - width) * points + width * toward])
    return points.min(axis=0), points.max(axis=0), points


def closed(seed: int = 3, tau: float = 0.5) -> tuple[Numbers, Nodes]:
    """Return a network of 5 centroids, and 5 proved nodes that refine its soft automaton of 4 states."""
    n = numbers(seed, tau)
    nodes, why = prove_boxes(n)
    assert nodes is not None, why
    return n, nodes
