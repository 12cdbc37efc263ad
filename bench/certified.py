"""Benchmark of certification near a temperature threshold.

Run it with ``python bench/certified.py [FILE] [NETWORKS]``.

At a low temperature, a random SR-GRU agrees with its hard automaton: after every string, both have the same
label and the same decision. The empirical threshold is the highest temperature at which a search finds no
string on which they differ. It is computed by bisection. Each of NETWORKS networks is certified at 0.5, 0.9,
0.99 and 0.999 of its threshold. If ``certify`` finds a difference there, the estimated threshold was too
high. The figures are written to FILE as JSON, which the docs show.
"""

import json
from collections import Counter
from fractions import Fraction
from time import perf_counter
from typing import Any

import torch
from timing import argument, host, seconds, show, write

from neural.state_regularized.acceptor import Acceptor
from ratproof.certification.soft_networks.certify import certify
from ratproof.certification.soft_networks.hard import hard_automaton
from ratproof.certification.soft_networks.numbers import numbers_of
from ratproof.certification.soft_networks.search import difference
from ratproof.checkers import check_boxes

SHARES = (0.5, 0.9, 0.99, 0.999)
SIZES, CENTROIDS, SCALES = (2, 3, 4, 6, 8, 12, 16), (3, 4, 5, 6, 8), (2, 4, 3)
NETWORKS = 28
COLDEST, HOTTEST, HALVINGS = 1e-3, 100.0, 16


def random_network(seed: int) -> Acceptor:
    """Return an SR-GRU of 2 to 16 units, with 2 to 4 times torch's default initial weights."""
    torch.manual_seed(seed)
    network = Acceptor(("0", "1"), hidden_size=SIZES[seed % 7], k=CENTROIDS[seed % 5], dtype=torch.float64)
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.mul_(SCALES[seed % 3])
        network.layers.components[0].centroids.normal_()
    return network


def threshold(network: Acceptor) -> float | None:
    """Return the highest temperature at which no difference to the hard automaton is found, by bisection.

    Return ``None`` if the network differs from its hard automaton at the lowest temperature, if it does not
    differ at the highest temperature, or if its hard automaton has one state.
    """
    machine = hard_automaton(numbers_of(network)).machine()
    if machine is None or machine.minimal().states < 2:
        return None

    def agrees(tau: float) -> bool:
        assert machine is not None
        return difference(numbers_of(network, tau), machine) is None

    low, high = COLDEST, HOTTEST
    if not agrees(low) or agrees(high):
        return None
    for _ in range(HALVINGS):
        middle = (low * high) ** 0.5
        low, high = (middle, high) if agrees(middle) else (low, middle)
    return low


def measured(network: Acceptor, tau: float) -> dict[str, Any]:
    """Certify a network at a temperature, and check the certificate.

    Return the verdict, the number of boxes, and the seconds of ``certify`` and of the checker.
    """
    start_time = perf_counter()
    answer = certify(network, Fraction(tau))
    row: dict[str, Any] = {"verdict": answer.verdict, "seconds": perf_counter() - start_time}
    if answer.nodes is not None:
        data = json.loads(json.dumps(answer.certificate()))
        row |= {"boxes": len(answer.nodes), "checker": seconds(lambda: check_boxes.verdict(data))}
    return row


def main() -> None:
    """Print a line for each network, and write the figures."""
    networks = int(argument(2) or NETWORKS)
    results = {**host("numpy", "python-flint", "torch"), "networks": []}
    seed = 0
    while len(results["networks"]) < networks:
        network = random_network(seed)
        tau = threshold(network)
        if tau is not None:
            shares = {str(share): measured(network, share * tau) for share in SHARES}
            size = {"units": SIZES[seed % 7], "centroids": CENTROIDS[seed % 5]}
            results["networks"].append({"seed": seed, **size, "threshold": tau, "shares": shares})
            show(f"{seed} {size} {tau:.4f}", {share: row["verdict"] for share, row in shares.items()})
        seed += 1
    for share in SHARES:
        verdicts = [row["shares"][str(share)]["verdict"] for row in results["networks"]]
        show(share, Counter(verdicts))
    write(results, argument(1))


if __name__ == "__main__":
    main()
