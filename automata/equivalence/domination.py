"""Proof of equality over max-plus, min-plus and max-times by mutual simulation.

Let V_p(w) be the score of the string w from state p, and let x <= y mean x (+) y = y. A simulation has
weights c(p, q) for pairs of states p of A and q of B, such that V_p(w) <= c(p, q) V_q(w) for every string w.
This follows from two conditions on each pair:

- rho_p <= c(p, q) rho_q.
- For each transition from p to p' with weight v, there is a transition from q to some q' with the same symbol
  and a weight u such that v c(p', q') <= c(p, q) u.

If each initial state p of A has a q with lambda_p c(p, q) <= lambda_q, the score of every string in A is <=
its score in B. Dominated paths therefore do not matter. A simulation of the mirror images of A and B also
proves this. It may exist if one automaton chooses a path early and the other late. If neither exists,
equality is undecided.

>>> from automata.semirings import MIN_PLUS
>>> one = WFSA(MIN_PLUS, [0], [1], {"a": [[2]]})
>>> with_a_dearer_copy = WFSA(MIN_PLUS, [0, 0], [1, 5], {"a": [[2, "inf"], ["inf", 3]]})
>>> decide(one, with_a_dearer_copy).verdict
'equivalent'
"""

from __future__ import annotations

from collections import defaultdict

from automata.aliases import Weight
from automata.equivalence.answers import Equivalent
from automata.equivalence.certificates import Simulated, Simulation
from automata.operations import remove_epsilon, reverse
from automata.reachability import dead_states
from automata.wfsa import WFSA

MOST_PAIRS = 1 << 16
"""Maximum number of pairs of states."""
MOST_PRODUCTS = 1 << 21
"""Maximum number of products of weights."""
ROUNDS = 4
"""Number of rounds per state after which a weight that still changes is considered unbounded."""
HOW = "each automaton simulates the other"


def decide(a: WFSA, b: WFSA) -> Equivalent | None:
    """Return Equivalent if two exact automata over the same alphabet simulate each other, else ``None``."""
    if a.num_states * b.num_states > MOST_PAIRS:
        return None
    plain_a, plain_b = remove_epsilon(a), remove_epsilon(b)
    a_in_b = _either_way(plain_a, plain_b)
    b_in_a = None if a_in_b is None else _either_way(plain_b, plain_a)
    if a_in_b is None or b_in_a is None:
        return None
    return Equivalent(HOW, Simulated(a, b, a_in_b, b_in_a))


def _either_way(a: WFSA, b: WFSA) -> Simulation | None:
    """Return a simulation of A by B, or of their mirror images."""
    weights, mirrored = _weights(a, b), False
    if weights is None:
        weights, mirrored = _weights(reverse(a), reverse(b)), True
    return None if weights is None else Simulation(weights, mirrored)


def _weights(a: WFSA, b: WFSA) -> dict[tuple[int, int], Weight] | None:
    """Return the smallest weights c(p, q) of a simulation of A by B, or ``None`` if A <= B is not proved."""
    k = a.semiring
    divide = k.divide_numbers
    assert divide is not None

    def at_most(x: Weight, y: Weight) -> bool:
        return bool(k.plus(x, y) == y)

    live = [~dead_states(side) for side in (a, b)]
    moves = _moves(a, b)
    known: dict[tuple[int, int], Weight] = {}
    for p in live[0].nonzero()[0].tolist():
        for q in live[1].nonzero()[0].tolist():
            if b.final[q] != k.zero:
                known[p, q] = divide(a.final[p], b.final[q])
            elif a.final[p] == k.zero:
                known[p, q] = k.zero
    products, rounds = 0, 0
    while True:
        changed, removed = [], False
        for (p, q), weight in list(known.items()):
            needed: Weight = weight
            for v, target, answers in moves[p, q]:
                if not live[0][target]:
                    continue
                products += len(answers)
                options = [
                    divide(k.times(v, known[target, r]), u) for r, u in answers if (target, r) in known
                ]
                if not options:
                    needed = None
                    break
                least = options[0]
                for option in options[1:]:
                    least = option if at_most(option, least) else least
                needed = k.plus(needed, least)
            if needed is None:
                del known[p, q]
                removed = True
            elif needed != weight:
                known[p, q] = needed
                changed.append((p, q))
        if products > MOST_PRODUCTS:
            return None
        rounds += 1
        if not changed and not removed:
            break
        if rounds > ROUNDS * (a.num_states + b.num_states):
            for pair in changed:
                known.pop(pair, None)
    for p, start in enumerate(a.initial.tolist()):
        if start == k.zero or not live[0][p]:
            continue
        if not any(at_most(k.times(start, c), b.initial[q]) for (r, q), c in known.items() if r == p):
            return None
    return known


Moves = dict[tuple[int, int], list[tuple[Weight, int, list[tuple[int, Weight]]]]]
"""For each pair (p, q), the transitions from p, each with the transitions from q by the same symbol.

Each entry has the weight and the target of the transition from p, and a list of (target, weight) for q.
"""


def _moves(a: WFSA, b: WFSA) -> Moves:
    moves: Moves = defaultdict(list)
    for symbol in a.alphabet:
        rows: dict[int, list[tuple[int, Weight]]] = defaultdict(list)
        table = b.table(symbol)
        for q, r, u in zip(table.rows.tolist(), table.columns.tolist(), table.weights.tolist(), strict=True):
            rows[q].append((r, u))
        table = a.table(symbol)
        for p, r, v in zip(table.rows.tolist(), table.columns.tolist(), table.weights.tolist(), strict=True):
            for q in range(b.num_states):
                moves[p, q].append((v, r, rows[q]))
    return moves
