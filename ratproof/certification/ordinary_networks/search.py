"""The search for regions, one strongly connected part of the automaton after another."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from automata.dfa import DFA
from automata.errors import LimitReached
from ratproof.certification.ordinary_networks.metrics import contracting_metrics, recenter
from ratproof.certification.ordinary_networks.net import Reference, explore
from ratproof.certification.ordinary_networks.network import OrdinaryNetwork
from ratproof.certification.ordinary_networks.regions import TINY, Regions, grow

FIRST_SPACING = 0.3
FINER = 2.1
RATES = (0.5, 0.6, 0.7, 0.8, 0.87, 0.93, 0.97, 0.985)


def parts(dfa: DFA) -> list[list[int]]:
    """Return the strongly connected components of the reachable states, every one before its successors."""
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import connected_components
    n = dfa.states
    reach = {dfa.start}; todo = [dfa.start]
    while todo:
        for r in dfa.table[todo.pop()]:
            if r not in reach: reach.add(r); todo.append(r)
    m = np.zeros((n, n), bool)
    for q in reach:
        for r in dfa.table[q]: m[q, r] = True
    count, label = connected_components(csr_matrix(m), connection="strong")
    groups = [[q for q in sorted(reach) if label[q] == k] for k in range(count)]
    groups = [g for g in groups if g]
    # topological order by number of reachable states
    close = m.copy()
    for _ in range(n): close = close | (close @ close)
    groups.sort(key=lambda g: -len({*np.flatnonzero(close[g[0]]).tolist()} | set(g)) )
    return groups


def options(absorbing: bool):
    """Return the ways to cover a part, as (spacing, key length), in the order in which they are tried."""
    spacings = [0.3 / 2.1**i for i in range(9)]
    if not absorbing:
        return [(x, 0) for x in spacings]
    return [(0, 1), (0, 3), (spacings[0], 0), (spacings[1], 0), (0, 5), (spacings[2], 0), (0, 7), *((x, 0) for x in spacings[3:])]


def find_regions(network: OrdinaryNetwork, dfa: DFA, until, most=4000, log=print, rates=RATES):
    size = network.size
    groups = parts(dfa)
    group_of = np.zeros(dfa.states, int)
    for k, g in enumerate(groups): group_of[g] = k
    todo = [options(len(g) == 1 and set(dfa.table[g[0]]) == {g[0]}) for g in groups]
    rate = [None] * len(groups)
    reference = None
    old = None
    while True:
        spacing = np.array([todo[k][0][0] for k in group_of])
        keyed = {q: todo[k][0][1] for q, k in enumerate(group_of) if todo[k][0][1]}
        net = explore(network, dfa, spacing, reference, keyed, most)
        part = group_of[net.states]
        metrics = np.array(np.broadcast_to(np.eye(size), (len(net), size, size)))
        if old is not None:
            known = net.origins >= 0
            metrics[known] = old[net.origins[known]]
        lacking = set()
        for k in reversed(range(len(groups))):
            nodes = np.flatnonzero(part == k)
            if todo[k][0][1]: continue
            if rate[k] is None:
                for r in rates:
                    found = contracting_metrics(network, net, r, 60, metrics, nodes)
                    if found is not None: rate[k] = r; metrics = found; break
                else: lacking.add(k)
            else:
                found = contracting_metrics(network, net, rate[k], 12, metrics, nodes)
                if found is None:
                    rate[k] = None; lacking.add(k)
                else: metrics = found
        factors = np.linalg.cholesky(metrics).swapaxes(1, 2)
        recenter(network, net, factors)
        regions = Regions(net.states, net.edges, net.centers, net.keyed, factors, np.full(len(net), TINY), np.full((len(net), size), TINY))
        failed = None
        for k in range(len(groups)):
            if k in lacking: failed, why = k, "no metric"; break
            why = grow(network, regions, until, nodes=np.flatnonzero(part == k), slack=1.03 if todo[k][0][1] else 1 + 0.15 * (1 - rate[k]))
            if why: failed = k; break
        log(f"   n {np.bincount(part)} rate {rate} trace {np.trace(metrics,axis1=1,axis2=2).max():.0f} options {[todo[k][0] for k in range(len(groups))]} failed {failed} {why} {until-time.monotonic():.0f}")
        if failed is None: return regions
        todo[failed].pop(0)
        if not todo[failed] or time.monotonic() > until: return None
        plain = ~net.keyed
        reference = Reference(net.centers[plain], net.states[plain], factors[plain]); old = metrics[plain]
