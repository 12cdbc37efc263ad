"""Check that a soft network follows a DFA on all strings: ``python check_invariant.py FILE``.

It needs only Python 3.11 or newer. It shares no code with the rest of ratproof. The certificate has a
state-regularized network with k centroids S (Wang & Niepert 2019): u = hardtanh(U h + W_x), alpha_i = 2^(m
b_i) / sum_j 2^(m b_j), and h = sum_i alpha_i s_i (equation 5). The similarities b_i are u s_i (equation 2) or
-|u - s_i| (equation 3, in one dimension). It also has a DFA whose states are the centroids, a list of the
states that the DFA reaches, and an epsilon below 1/2.

For each reached state q and each symbol: if alpha_q >= 1 - epsilon, the next alpha must be at least 1 -
epsilon at the DFA's next state. This is checked with intervals of fractions. The network starts at the first
centroid. By induction, after every string, alpha is at least 1 - epsilon at the DFA's state.
"""

import hashlib
import json
import re
import sys
from fractions import Fraction
from math import floor
from pathlib import Path

ABOUT = "a network at a low temperature"
POWER, SIZE = 5000, 10**5  # 2^-POWER is less than any supported epsilon; SIZE is in characters


def number(text):
    fits = type(text) is str and re.fullmatch(r"-?\d{1,400}(/(?=0*[1-9])\d{1,400})?", text, re.ASCII)
    need(fits, f"{text!r:.40} is not a fraction, or is too long")
    return Fraction(text)


def vector(values, length, name):
    need(len(listed(values, name, str)) == length, f"{name} has the wrong shape")
    return [number(value) for value in values]


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
        known(data, ["eq", "m", "S", "U", "W"])
        rows = listed(data["S"], "S", list)
        need(len(rows) >= 2 and rows[0], "S must have at least two rows")
        d = len(rows[0])
        self.S = [vector(row, d, "S") for row in rows]
        need(len(listed(data["U"], "U", list)) == d, "U has the wrong shape")
        self.U = [vector(row, d, "U") for row in data["U"]]
        known(data["W"], [], data["W"])
        self.W = {x: vector(row, d, "W") for x, row in data["W"].items()}
        self.eq, self.m = data["eq"], number(data["m"])
        need(self.W and "" not in self.W, "there must be a symbol, and none may be empty")
        fits = self.eq == "2" or (self.eq == "3" and d == 1)
        need(fits, "the distance in equation 3 is rational only in one dimension")
        need(self.m > 0, "m must be positive")

    def around(self, q, epsilon):
        """Return a box that contains h for every mixture with alpha_q >= 1 - epsilon."""
        moves = [[t[i] - s for t in self.S] for i, s in enumerate(self.S[q])]
        return [(s + epsilon * min(m), s + epsilon * max(m)) for s, m in zip(self.S[q], moves, strict=True)]

    def component(self, box, x):
        sums = []
        for row, b in zip(self.U, self.W[x], strict=True):
            sums.append(plus([(b, b), *(times(h, v) for h, v in zip(box, row, strict=True))]))
        return [clip(interval) for interval in sums]

    def lead(self, u, j, i):
        """Return the smallest difference b_j - b_i of the similarities over all u in the box."""
        here, there = self.S[j], self.S[i]
        if self.eq == "2":
            return plus([times(a, b - c) for a, b, c in zip(u, here, there, strict=True)])[0]
        (lo, hi), s, t = u[0], here[0], there[0]  # |u - t| - |u - s| is piecewise linear in u
        return min(abs(v - t) - abs(v - s) for v in [lo, hi, *(c for c in (s, t) if lo < c < hi)])


def verdict(data):
    """Return the certificate's claim if it is proved; raise an error if not."""
    claim = claimed(data, ABOUT, "follows")
    known(data, ["format", "claims", "boxes", "epsilon", "dfa", "states"], ["about"])
    few = len(json.dumps(data)) <= SIZE
    need(few, f"the certificate must have at most {SIZE} characters")
    network, epsilon, dfa = Network(data["boxes"]), number(data["epsilon"]), data["dfa"]
    states, k = listed(data["states"], "states", int), len(network.S)
    need(0 < epsilon < Fraction(1, 2), "epsilon must be between 0 and 1/2")
    known(dfa, network.W)
    for x in network.W:
        fits = len(listed(dfa[x], "dfa", int)) == k and all(1 <= q <= k for q in dfa[x])
        need(fits, "the DFA must have one next state for each centroid")
    fits = len({*states}) == len(states) and all(1 <= q <= k for q in states) and 1 in states
    need(fits, "the states must be distinct centroids, and include the start, 1")
    for q in states:
        box = network.around(q - 1, epsilon)
        for x in network.W:
            after, source = dfa[x][q - 1], f"after {x!r:.40} in state {q}"
            need(after in states, f"{source}, the DFA leaves the states")
            u, off = network.component(box, x), Fraction(0)
            for i in range(k):
                if i != after - 1:
                    lead = network.lead(u, after - 1, i)
                    need(lead > 0, f"{source}, state {after} may not be the most probable centroid")
                    off += Fraction(1, 2 ** min(floor(network.m * lead), POWER))
            need(off * (1 - epsilon) <= epsilon, f"{source}, alpha may be off by more than epsilon")
    return claim


def about(data):
    """Return the fields that describe what an accepted certificate proves; ``says`` is a sentence."""
    part = {name: value for name, value in data["boxes"].items() if name != "m"}
    network, dfa, k, m = digest(part), digest(data["dfa"]), len(part["S"]), data["boxes"]["m"]
    within = many(len(data["states"]), "state")
    says = (
        f"after every string over {shown([*part['W']])}, the most probable centroid of the network"
        f" ({many(k, 'centroid')}, equation {part['eq']}, digest {network[:16]}) at temperature"
        f" 1 / ({m:.60} ln 2) is the state of the DFA (digest {dfa[:16]}, started in state 1, within"
        f" {within}), and its probability is at least 1 - {data['epsilon']:.60}"
    )
    return {
        "claims": data["claims"],
        "says": says,
        "network": {"centroids": k, "equation": part["eq"], "m": m, "digest": network},
        "automaton": {"states": data["states"], "digest": dfa},
        "epsilon": data["epsilon"],
        "alphabet": [*part["W"]],
    }


# The rest of this file is copied from wire.py: change wire.py, and run python -m ratproof.checkers.inline.

FORMAT = "ratproof certificate 1"


def need(condition, reason):
    if not condition:
        raise ValueError(reason)


def known(data, fields, more=()):
    """Raise ValueError unless the data is an object with all of ``fields``, and no others except ``more``."""
    need(type(data) is dict, f"expected a JSON object, got {data!r:.40}")
    lacking = [name for name in fields if name not in data]
    need(not lacking, f"missing field: {', '.join(lacking)}")
    odd = sorted({*data} - {*fields, *more})
    need(not odd, f"unexpected field: {', '.join(map(str, odd)):.60}")


def fits(x, *types):
    return type(x) is types[0] if len(types) == 1 else type(x) is list and [*map(type, x)] == [*types]


def listed(data, what, *types):
    """Return ``data``, a list of values of one type, or of rows with several types; else raise ValueError."""
    right = type(data) is list and all(fits(x, *types) for x in data)
    need(right, f"{what} must be a list of [{', '.join(x.__name__ for x in types)}], got {data!r:.60}")
    return data


def claimed(data, subject, pattern):
    """Return the claim of a certificate; raise ValueError unless its subject and claim are as expected."""
    known(data, ["format"], data)
    written, claim = data["format"], data.get("claims")
    need(written == FORMAT, f"'format' must be {FORMAT!r}, got {written!r:.60}")
    need(data.get("about", subject) == subject, f"'about' must be {subject!r}, got {data.get('about')!r:.60}")
    right = type(claim) is str and re.fullmatch(pattern, claim)
    need(right, f"'claims' must match {pattern!r}, got {claim!r:.40}")
    return claim


def digest(part):
    return hashlib.sha256(json.dumps(part, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def many(number, what):
    return f"{number} {what}{'s' * (number != 1)}"


def shown(symbols):
    text = ", ".join(json.dumps(x if len(x) <= 40 else f"{x[:39]}…", ensure_ascii=False) for x in symbols[:8])
    return f"[{text}]" if len(symbols) <= 8 else f"[{text}, ...: {len(symbols)} in all]"


def once(pairs):
    fields = dict(pairs)
    need(len(fields) == len(pairs), f"a field occurs twice: {[*fields]!r:.80}")
    return fields


def short(digits):
    is_short = len(digits) < 10 and digits.lstrip("-").isdecimal()
    need(is_short, f"numbers must be integers of at most 9 characters, got {digits:.20}")
    return int(digits)


def parse(text):
    """Return a JSON value; raise ValueError for repeated fields, and for numbers except short integers."""
    return json.loads(text, object_pairs_hook=once, parse_int=short, parse_float=short, parse_constant=short)


def main(arguments):
    """Print the verdict on the certificate in a file as one line of ASCII, and return the exit status."""
    try:
        data = parse(Path(*arguments).read_bytes().decode("utf-8-sig"))
        message, status = verdict(data) and f"accepted: {about(data)['says']}", 0
    except TimeoutError as error:
        message, status = f"not checked: {error}", 3
    except (OSError, UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        why = getattr(error, "strerror", None) or error
        message, status = f"cannot read {' '.join(arguments)}: {why}; usage: {Path(__file__).name} FILE", 2
    except Exception as error:
        kind = {ValueError: "", KeyError: "malformed: missing "}.get(type(error), "malformed: ")
        message, status = f"rejected: {kind}{error}", 1
    plain = "".join(x if " " <= x <= "~" else json.dumps(x)[1:-1] for x in message).replace("\x7f", "\\u007f")
    try:
        stream = sys.stderr if status == 2 else sys.stdout
        stream.write(plain + "\n")
        stream.flush()
    except (OSError, AttributeError):  # the stream is closed or full, so the verdict could not be printed
        sys.stdout, status = None, 4
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
