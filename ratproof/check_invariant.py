"""Check that a soft network follows a DFA on all strings: ``python check_invariant.py FILE``. Needs Python 3.11 and nothing else.

It shares no code with the rest of ratproof. The certificate has a state-regularized network (Wang & Niepert 2019): k centroids S,
u = hardtanh(U h + W_x), similarities b_i = u s_i (eq 2) or -|u - s_i| (eq 3, in one dimension), alpha_i = 2^(m b_i) / sum_j 2^(m b_j),
and h = sum_i alpha_i s_i (equation 5). It has a DFA on the centroids, states it reaches, and an epsilon below 1/2. For each of these
states q and each symbol it is checked, in intervals of fractions, that wherever alpha_q >= 1 - epsilon, the next alpha is 1 - epsilon
or more at the DFA's next state. The network starts at the first centroid, so by induction this holds after every string.
"""

import json
import re
import sys
from fractions import Fraction
from math import floor
from pathlib import Path


def need(condition, reason):
    if not condition:
        raise ValueError(reason)


def number(text):
    if type(text) is list:
        return [number(part) for part in text]
    need(type(text) is str and re.fullmatch(r"-?\d{1,400}(/\d{1,400})?", text, re.ASCII), f"{text!r:.40} is no fraction")
    return Fraction(text)


def vector(values, length, name):
    found = number(values) if type(values) is list else None
    need(type(found) is list and len(found) == length and all(type(v) is Fraction for v in found), f"{name} has another shape")
    return found


def times(interval, weight):
    lo, hi = interval
    return (lo * weight, hi * weight) if weight >= 0 else (hi * weight, lo * weight)


def plus(intervals):
    lows, highs = zip(*intervals, strict=True)
    return sum(lows), sum(highs)


def clip(interval):
    return tuple(max(Fraction(-1), min(Fraction(1), end)) for end in interval)


class Network:
    def __init__(self, data):
        rows = data["S"]
        need(type(rows) is list and len(rows) >= 2 and type(rows[0]) is list and rows[0], "S has at least two rows")
        d = len(rows[0])
        self.S = [vector(row, d, "S") for row in rows]
        need(type(data["U"]) is list and len(data["U"]) == d, "U has another shape")
        self.U = [vector(row, d, "U") for row in data["U"]]
        self.W = {x: vector(row, d, "W") for x, row in data["W"].items()}
        self.eq, self.m = data["eq"], number(data["m"])
        need(self.W, "there is no symbol")
        need(self.eq == "2" or (self.eq == "3" and d == 1), "equation 3's distance is rational in one dimension only")
        need(self.m > 0, "m is not positive")

    def around(self, q, epsilon):  # every mixture with alpha_q >= 1 - epsilon lies in this box
        s = self.S[q]
        return [
            (s[i] + epsilon * min(t[i] - s[i] for t in self.S), s[i] + epsilon * max(t[i] - s[i] for t in self.S))
            for i in range(len(s))
        ]

    def component(self, box, x):
        return [
            clip(plus([(b, b), *(times(h, v) for h, v in zip(box, row, strict=True))]))
            for row, b in zip(self.U, self.W[x], strict=True)
        ]

    def lead(self, u, j, i):  # the least b_j - b_i, for any u in the box
        here, there = self.S[j], self.S[i]
        if self.eq == "2":
            return plus([times(a, b - c) for a, b, c in zip(u, here, there, strict=True)])[0]
        (lo, hi), s, t = u[0], here[0], there[0]  # |u - t| - |u - s| is linear between its corners
        return min(abs(v - t) - abs(v - s) for v in [lo, hi, *(c for c in (s, t) if lo < c < hi)])


def verdict(data):
    """What the certificate claims, which is right; ValueError where it does not show that."""
    need(data["format"] == "ratproof certificate 1" and data["claims"] == "follows", "it claims something else")
    network, epsilon = Network(data["boxes"]), number(data["epsilon"])
    need(type(epsilon) is Fraction and 0 < epsilon < Fraction(1, 2), "epsilon is not between 0 and 1/2")
    dfa, states = data["dfa"], data["states"]
    k = len(network.S)
    need(set(dfa) == set(network.W), "the DFA has other symbols than the network")
    for row in dfa.values():
        need(type(row) is list and len(row) == k, "the DFA has not one next state for each centroid")
    need(
        type(states) is list and all(type(q) is int and 1 <= q <= k for q in states) and 1 in states, "state 1 is where it starts"
    )
    for q in states:
        box = network.around(q - 1, epsilon)
        for x in network.W:
            after = dfa[x][q - 1]
            need(type(after) is int and after in states, f"from state {q} by {x!r} the DFA leaves the states")
            u, off = network.component(box, x), Fraction(0)
            for i in range(k):
                if i != after - 1:
                    lead = network.lead(u, after - 1, i)
                    need(lead > 0, f"from state {q} by {x!r} state {after} need not be the most probable")
                    power = floor(network.m * lead)
                    need(power < 10**6, "m is too large")
                    off += Fraction(1, 2**power)
            need(off * (1 - epsilon) <= epsilon, f"from state {q} by {x!r} alpha may be off by more than epsilon")
    return data["claims"]


def main(path):
    try:
        print(f"accepted: {verdict(json.loads(Path(path).read_text(encoding='utf-8')))}")
    except (ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError, OSError) as error:
        print(f"rejected: {error}")
        return 1
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1]))
