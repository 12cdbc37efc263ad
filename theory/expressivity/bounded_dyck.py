"""Simple RNNs generate brackets of bounded depth with O(m log k) units, which is optimal.

Hewitt et al. 2020, with the construction for the simple RNN. The units contain two copies of a stack of m
codes: one copy is used after open brackets, and the other after close brackets. Here the Heaviside function
replaces the saturated sigmoid. Thresholds of linear functions of the units decide which brackets may follow.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import product
from typing import Any

from automata.wfsa import WFSA
from theory.claim import LADDER, QUOTED, Claim, Effort, Source, holding, refuted
from theory.reading import Equality, NoAutomaton, Recurrence
from theory.signature import Signature, Sizes, by_symbol, constant
from theory.theorem import Theorem
from theory.weights import Weights

Bits = tuple[int, ...]
Code = tuple[Bits, ...]
"""The bits of each type of bracket."""
Stack = tuple[int, ...]
"""The types of the open brackets; the last one that was opened comes first."""


def brackets(
    m: int, most: int = 3, p: tuple[int, ...] | None = None, rho_1: tuple[int, ...] | None = None
) -> Signature:
    """Return the names and shapes of the weights of brackets that are nested at most m deep.

    Each symbol x opens (i) or closes (-i) a bracket of a type i from 1 to ``most``, and has the weight p(x).
    The end of a string has weight rho_0 if no bracket is open, and rho_1 otherwise. Dyck-(k, m) has
    p = rho_0 = 1 and rho_1 = 0.
    """
    kinds = tuple(sign * i for i in range(1, most + 1) for sign in (1, -1))
    entries = by_symbol("bracket", only=kinds), by_symbol("p", only=p), constant("rho_0", only=p)
    return Signature((*entries, constant("rho_1", only=rho_1)), size=("M", m), most_small=300)


def types(w: Weights) -> int:
    """Return the number k of types of brackets."""
    return max(abs(int(i)) for i in w.bracket.values())


# The automaton: its states are the stacks.


def stacks(w: Weights, depth: int) -> list[Stack]:
    """Return all stacks of at most ``depth`` open brackets, shorter ones first."""
    every = range(1, types(w) + 1)
    return [stack for d in range(depth + 1) for stack in product(every, repeat=d)]


def following(stack: Stack, bracket: int) -> Stack | None:
    """Return the stack after a bracket; ``None`` if a close bracket does not match."""
    if bracket > 0:
        return (bracket, *stack)
    return stack[1:] if stack[:1] == (-bracket,) else None


def of_stacks(w: Weights, states: list[Stack]) -> list[WFSA]:
    """Return the automaton with these stacks as its states."""
    k, index = w.over, {stack: i for i, stack in enumerate(states)}
    arrows = [
        (index[stack], index[after], x, w.p[x])
        for stack in states
        for x in w.alphabet
        if (after := following(stack, int(w.bracket[x]))) in index
    ]
    final = [(i, w.rho_1 if stack else w.rho_0) for stack, i in index.items()]
    return [WFSA.from_edges(k, len(states), w.alphabet, [(0, k.one)], final, arrows)]


def automaton(w: Weights) -> list[WFSA]:
    """Return the automaton of the brackets; its states are the stacks of at most m open brackets."""
    return of_stacks(w, stacks(w, w.n))


# The network. A code has a bit for each unit of a slot; all units of an empty slot are 0.


def binary(i: int, width: int) -> Bits:
    """Return the last ``width`` binary digits of i, the lowest first."""
    return tuple(i >> j & 1 for j in range(width))


def short_code(w: Weights) -> Code:
    """Return the code of each type i: the ⌈log(k + 1)⌉ binary digits of i."""
    return tuple(binary(i, types(w).bit_length()) for i in range(1, types(w) + 1))


def printed_code(w: Weights) -> Code:
    """Return the paper's code of each type i, for k ≥ 2.

    It consists of the ⌈log k⌉ binary digits of i - 1, their complement, and ⌈log k⌉ - 1 ones.
    """
    k = max(2, types(w))
    width = (k - 1).bit_length()
    digits = [binary(i, width) for i in range(k)]
    return tuple((*code, *(1 - bit for bit in code), *[1] * (width - 1)) for code in digits)


def code_from_zero(w: Weights) -> Code:
    """Return another code of each type i: the ⌈log k⌉ binary digits of i - 1."""
    k = types(w)
    return tuple(binary(i, (k - 1).bit_length()) for i in range(k))


Unit = tuple[bool, int, int]
"""A unit: whether it is in the copy for open brackets, its slot, and its bit."""


@cache
def units(m: int, width: int) -> list[Unit]:
    """Return the network's hidden units: two copies of a stack with m slots of ``width`` bits each.

    A slot contains the code of a bracket's type. One copy is used after open brackets, the other after close
    brackets.
    """
    return list(product((True, False), range(m), range(width)))


@cache
def recurrent_weights(m: int, width: int) -> list[Bits]:
    """Return the row of W for each unit.

    The weight is 1 from the units with the same bit in an adjacent slot, and 0 from all others. For a unit of
    the copy for open brackets, it is the previous slot. For a unit of the other copy, it is the next slot.
    """
    every = units(m, width)
    return [
        tuple(int(bit == b and slot - s == (1 if opens else -1)) for _, s, b in every)
        for opens, slot, bit in every
    ]


def input_weights(m: int, code: Code, bracket: int) -> Bits:
    """Return the input U x of each unit for a bracket.

    It is 1 for the units of the bracket's copy, and 0 for all others. For an open bracket, it is 2 for the
    units of the first slot whose bit is 1 in the bracket's code.
    """
    digits = code[abs(bracket) - 1]
    return tuple(
        int(opens == (bracket > 0)) * (1 + int(opens and slot == 0) * digits[bit])
        for opens, slot, bit in units(m, len(digits))
    )


def next_bracket(m: int, code: Code, bracket: int) -> tuple[Bits, int]:
    """Return the weights and the bias of a linear function of the units that tests a bracket.

    The function is positive if this bracket may follow. An open bracket may follow if the last slot is empty,
    and a close bracket if its code is in the first slot.
    """
    digits = code[abs(bracket) - 1]
    every = units(m, len(digits))
    if bracket > 0:
        return tuple(-int(slot == m - 1) for _, slot, _ in every), 1
    return tuple((2 * digits[bit] - 1) * int(slot == 0) for _, slot, bit in every), 1 - sum(digits)


def at_end(m: int, code: Code) -> tuple[Bits, int]:
    """Return the weights and the bias of a linear function that is positive if the first slot is empty."""
    return tuple(-int(slot == 0) for _, slot, _ in units(m, len(code[0]))), 1


def is_positive(h: Bits, threshold: tuple[Bits, int]) -> bool:
    """Return whether a linear function of the units is positive."""
    weights, bias = threshold
    return sum(a * b for a, b in zip(weights, h, strict=True)) + bias > 0


def stack_network(code_of: Callable[[Weights], Code]) -> Recurrence:
    """Return the network h_t = H(W h_{t-1} + U x_t - 1), where H(z) is 1 if z is positive, otherwise 0.

    The output of a string is a product. Each symbol x has the factor p(x), or 0 if x may not follow. The end
    has the factor rho_0 if no bracket is open, and rho_1 otherwise. ``code_of`` returns the code of each type
    of bracket.
    """

    def step(w: Weights, state: tuple[Bits, Any], x: str) -> tuple[Bits, Any]:
        h, product_so_far = state
        code, bracket = code_of(w), int(w.bracket[x])
        weight = w.p[x] if is_positive(h, next_bracket(w.n, code, bracket)) else w.over.zero
        rows = zip(recurrent_weights(w.n, len(code[0])), input_weights(w.n, code, bracket), strict=True)
        after = tuple(int(is_positive(h, (row, u - 1))) for row, u in rows)
        return after, w.over.times(product_so_far, weight)

    def output(w: Weights, state: tuple[Bits, Any]) -> tuple[Any]:
        weight = w.rho_0 if is_positive(state[0], at_end(w.n, code_of(w))) else w.rho_1
        return (w.over.times(state[1], weight),)

    def start(w: Weights) -> tuple[Bits, Any]:
        return (0,) * len(units(w.n, len(code_of(w)[0]))), w.over.one

    return Recurrence(start, step, output, modes=True)


def in_coq(code_of: Callable[[Weights], Code]) -> Callable[[Weights], dict[str, Any]]:
    """Return the function from a case to the values of the placeholders in Coq's terms."""

    def listed(values: Any) -> str:
        return f"[:: {'; '.join(values)}]"

    def boolean(value: Any) -> str:
        return str(bool(value)).lower()

    def values(w: Weights) -> dict[str, Any]:
        code, kinds = code_of(w), [int(w.bracket[x]) for x in w.alphabet]
        opens, indices = listed(boolean(i > 0) for i in kinds), listed(f"{abs(i) - 1}%N" for i in kinds)
        rows = listed(listed(map(boolean, digits)) for digits in code)
        k, width = len(code), len(code[0])
        return {
            **w.entries,
            "m": f"{w.n}%N",
            "opens": f"(fun x : nat => nth false {opens} x)",
            "kind": f"(fun x : nat => nth (ord0 : place {k}) (places {k}) (nth 0%N {indices} x))",
            "code": (
                f"(fun (i : place {k}) (c : place {width}) =>"
                f" nth false (nth [::] {rows} (i : 'I__)) (c : 'I__))"
            ),
        }

    return values


def theorem(name: str, code_of: Callable[[Weights], Code]) -> Theorem:
    """Return the Coq theorem that the network with the code ``code_of`` equals the automaton."""
    weights = "{m} {opens} {kind} {p} {rho_0} {rho_1}"
    return Theorem(
        f"expressivity.bounded_dyck.{name}",
        network=f"stack_network {weights} {{code}} {{word}}",
        automaton=f"dyck {weights}",
        claims=(
            "forall (K : semiring) (I C : finite) m (S : Type) (opens : S -> bool) (kind : S -> I)"
            " (p : S -> K) (rho_0 rho_1 : K) (code : I -> C -> bool) word,"
            " (forall i j, code i =1 code j -> i = j) ->"
            " (forall i, exists c, code i c) -> (0 < m)%N -> {automaton} = {network}"
        ),
        values=in_coq(code_of),
    )


CASES = Sizes(brackets, (1, 2), (1, 2))
DYCK_1 = Sizes(lambda m: brackets(m, 1, (1,), (0,)), (1, 2, 3), (1, 2, 3))
NO_THEOREM = {"kernel-checked": "the counterexample is a finite table of integers, which the suite computes"}
short = stack_network(short_code)

CLAIM = Claim(
    name="bounded-dyck",
    title="brackets of bounded depth in O(m log k) units",
    statement=(
        "For k ≥ 2, a simple RNN with O(m log k) units generates Dyck-(k, m), the balanced brackets of k"
        " types that are nested at most m deep, and no network of o(m log k) units does: the language has"
        " (k^(m+1) - 1)/(k - 1) stacks, and every automaton needs as many states."
    ),
    source=Source("hewitt2020rnns", "", "O(m log k) units"),
    hypotheses=(
        "H(z) is 1 if z is positive, and 0 otherwise, in place of a saturated sigmoid.",
        "A network generates a string if a threshold of a linear function of the units allows each symbol and"
        " the end, in place of a softmax and a lower bound of the probability.",
        "Each symbol opens or closes a bracket of some type; several symbols may stand for the same bracket.",
        "A code is not 0 and determines the type: 2 m ⌈log(k + 1)⌉ units; the paper's code needs"
        " 6 m ⌈log k⌉ - 2 m units and k ≥ 2.",
        "For the lower bound, a network with B units that are 0 or 1 is a machine with 2^B states.",
    ),
    variants=(
        holding(
            name="corrected",
            says="2 m ⌈log(k + 1)⌉ units, with the binary digits of the types 1, ..., k, and any weights",
            reading=Equality(short, automaton),
            cases=CASES.random,
            small_cases=CASES.near_generic,
            programs=("bounded-dyck",),
            theorem=theorem("bounded_dyck", short_code),
        ),
        holding(
            name="corrected-printed-code",
            says="6 m ⌈log k⌉ - 2 m units, with ⌈log k⌉ digits, their complement, and ⌈log k⌉ - 1 ones",
            reading=Equality(stack_network(printed_code), automaton),
            cases=CASES.random,
            small_cases=CASES.near_generic,
            theorem=theorem("bounded_dyck_printed_code", printed_code),
        ),
        refuted(
            name="without-code-of-empty",
            says="⌈log k⌉ digits of the types 0, ..., k - 1: the first type has the code of an empty slot",
            without=NO_THEOREM,
            reading=Equality(stack_network(code_from_zero), automaton),
            cases=CASES.random,
        ),
        refuted(
            name="without-depth-limit",
            says="the network with m slots, for brackets that are nested m + 1 deep",
            without=NO_THEOREM,
            reading=Equality(short, lambda w: of_stacks(w, stacks(w, w.n + 1))),
            cases=CASES.random,
        ),
        refuted(
            name="without-all-states",
            says="an automaton with one state fewer than there are stacks",
            without={
                "decided": (
                    "the variant says that no automaton of this size is equivalent; a Hankel block of full"
                    " rank shows this, whereas this check is about one automaton"
                )
            },
            reading=NoAutomaton(
                short,
                lambda w: of_stacks(w, stacks(w, w.n)[:-1]),
                size="with fewer states than there are stacks",
            ),
            cases=DYCK_1.random,
            kinds=LADDER[:3],
            theorem=Theorem(
                "expressivity.bounded_dyck.without_all_states_is_refuted",
                untied="the theorem is about the language, for every number of types and over every field",
            ),
        ),
    ),
    differences=(
        "H(z) is 1 if z is positive and 0 otherwise, in place of a saturated sigmoid.",
        (
            "Generation is read as: a threshold of a linear function of the units allows each symbol"
            " and the end. The paper has a softmax and a lower bound of the probability."
        ),
        (
            "The variant corrected uses 2 m ⌈log(k + 1)⌉ units, which is our code; the paper's code"
            " is the variant corrected-printed-code, with 6 m ⌈log k⌉ - 2 m units and k of at least"
            " 2."
        ),
        (
            "The lower bound is read as: every automaton needs a state for each stack, and B units"
            " that are 0 or 1 have 2^B states."
        ),
        QUOTED,
    ),
    example=brackets(2, 1).example(),
    effort=Effort(examples=40, strings=12, longest=8, run=10, exhausted=4),
)
