"""The figures of claims about nonlinear and second-order networks: counters, brackets and automata."""

from fractions import Fraction
from itertools import chain
from math import log2
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from plots import COLOURS, GREY, heat_map

from automata.hankel import full_rank_block, shortlex
from claim_figures import curves, figure, outputs, weights
from theory.expressivity import bounded_dyck as dyck
from theory.expressivity import counting as counters
from theory.expressivity import heaviside_elman as heaviside
from theory.expressivity import omlin_giles as omlin
from theory.expressivity import saturated_lstm as saturated
from theory.expressivity import second_order as second
from theory.weights import Weights


@figure(
    "saturated-lstm",
    "values of the counter on aⁱbʲ",
    "ranks of blocks",
    caption=(
        "Left: the cell of a saturated LSTM whose input gate reads the cell, after aⁱbʲ."
        " Right: the rank of this Hankel block grows with its size, so no automaton has enough states. If the"
        " gates of two cells read only the letter, the rank is 3."
    ),
)
def saturated_lstm(left: Axes, right: Axes) -> None:
    gates: dict[str, Any] = {"f": dict.fromkeys("ab", (1, 0)), "i": dict.fromkeys("ab", (1, 1)), "r": (1, 1)}
    letters = weights(saturated.cells(2), g={"a": (1, 1), "b": (-1, -1)}, **gates)
    networks = {
        "input gate reads the cell": (saturated.lstm, weights(saturated.STEPS, step={"a": 1, "b": -1})),
        "2 cells, gates read the letter": (saturated.linear, letters),
    }
    blocks = {
        name: np.array([outputs(one, w, "a" * i + "b" * 9)[i:] for i in range(10)], int)
        for name, (one, w) in networks.items()
    }
    counter = blocks["input gate reads the cell"]
    heat_map(left, counter / (3 * counter.max()))
    for (i, j), value in np.ndenumerate(counter):
        left.text(j, i, str(value), ha="center", va="center", fontsize=6)
    left.set(xlabel="letters b of the suffix", ylabel="letters a of the prefix")
    sizes = range(1, 11)
    ranks = {name: [np.linalg.matrix_rank(own[:n, :n]) for n in sizes] for name, own in blocks.items()}
    curves(right, ("rows of the block", "rank"), ranks, sizes)


@figure(
    "counting",
    "number of a minus number of b, along a string",
    caption=(
        "The output of each network after each prefix. Two ReLU units have the exact difference. With 4"
        " binary places, the hardtanh unit stops at 16 steps and the GRU at 9, and both end at -8."
    ),
)
def counting(axes: Axes) -> None:
    steps, relu = {"a": Fraction(1), "b": Fraction(-1)}, ((1, 0), (0, 1))
    bounded = weights(counters.counting_gru(4), step=steps, g=steps)
    exact = weights(counters.network(2), W=relu, u=dict(zip("ab", relu, strict=True)), h_0=(0, 0), r=(1, -1))
    networks = {
        "ReLU Elman network, exact": (counters.elman, exact),
        "Elman unit, 4 binary places": (counters.squashed, bounded),
        "GRU unit, 4 binary places": (counters.in_fixed_point, bounded),
    }
    lines = {name: outputs(network, w, "a" * 24 + "b" * 24) for name, (network, w) in networks.items()}
    curves(axes, ("symbols read of 24 a and 24 b", "output in steps"), lines, formats=("-", "--", "-."))
    axes.axhline(0, color=GREY, lw=0.8)


@figure(
    "heaviside-elman",
    "Minsky's network of an automaton with 3 states",
    "states of networks with D units",
    caption=(
        "Left: one unit is 1, the unit of the automaton's state and the last letter. Right: the number of"
        " vectors of units that are reached, for 300 random networks and Minsky's networks of automata with 1"
        " to 5 states. It is at most 2 to the power D."
    ),
)
def heaviside_elman(left: Axes, right: Axes) -> None:
    word = "abaabbabab"
    w = weights(heaviside.automaton_of(3), delta={"a": (1, 2, 0), "b": (0, 0, 1)})
    along = [heaviside.initial_state(w)[0]]
    for x in word:
        along.append(heaviside.heaviside(w, along[-1], x))
    heat_map(left, np.array(along, float).T)
    left.set_xticks(range(len(along)), ["", *word])
    names = [f"{q} after {x}" if x else "start" for q, x in heaviside.units(w)]
    left.set_yticks(range(len(names)), names)
    left.set(xlabel="letter that was read", ylabel="unit")

    def vectors(w: Weights, start: tuple[int, ...], step: Any) -> tuple[int, int]:
        seen, waiting = {start}, [start]
        while waiting:
            h = waiting.pop()
            waiting += (new := {step(w, h, x) for x in w.alphabet} - seen)
            seen |= new
        return len(start), len(seen)

    rng, random, minsky = np.random.default_rng(0), [], []
    for d in range(1, 6):
        for _ in range(60):
            W, b, a, c = (rng.integers(-2, 3, size).tolist() for size in ((d, d), d, d, d))
            w = weights(heaviside.network(d), W=W, b=b, U={"a": a, "b": c})
            random.append(vectors(w, (0,) * d, heaviside.next_vector))
        w = weights(heaviside.automaton_of(d), delta={"a": (*range(1, d), 0), "b": (*range(d),)})
        minsky.append(vectors(w, heaviside.initial_state(w)[0], heaviside.heaviside))
    sizes = range(1, 12)
    curves(right, ("units D", "vectors of units"), {"2ᴰ": [2**d for d in sizes]}, sizes, ["-"], color=GREY)
    for name, pairs in (("random networks", random), ("Minsky's networks", minsky)):
        right.plot(*zip(*pairs, strict=True), "s" if pairs is minsky else "o", label=name, ms=4)
    right.set_yscale("log")


@figure(
    "second-order-rnn",
    "rank of the Hankel blocks",
    "singular values of the largest block",
    caption=(
        "Four second-order RNNs. Left: the exact rank of the Hankel block of the first words grows to the"
        " number of units. Right: the block of all words of at most 3 letters has as many singular values"
        " above rounding errors. A cross marks the number of states of the automaton that is"
        " reconstructed from these values."
    ),
)
def second_order(left: Axes, right: Axes) -> None:
    words, longer = shortlex("ab", 3), shortlex("ab", 7)
    ranks, singular = {}, {}
    for k in range(1, 5):
        name, w = f"{k} unit{'s' * (k > 1)}", second.network((k, 2)).generic("ab")
        levels = second.CLAIM.variants[0].reading.recurrence.levels(w, 7)
        value = dict(zip(longer, (v for (v,) in chain.from_iterable(levels)), strict=True)).__getitem__
        ranks[name] = [len(full_rank_block(value, words[:n])) for n in range(1, 9)]
        values = np.linalg.svd([[float(value(p + s)) for s in words] for p in words], compute_uv=False)
        singular[name] = values / values[0]
        states = second.spectral(value, "ab", 3).states
        right.plot(states, singular[name][states - 1], "x", ms=9, color=GREY)
    curves(left, ("words, in shortlex order", "rank"), ranks, range(1, 9))
    curves(right, ("index", "singular value / the largest"), singular, range(1, len(words) + 1))
    left.set_ylim(0, 6)
    right.set_yscale("log")
    right.set_ylim(1e-18, 10)


@figure(
    "bounded-dyck",
    "3 types of brackets",
    "brackets that are nested at most 3 deep",
    caption=(
        "The units of the networks for Dyck-(k, m), and the lower bound, because B units that are 0 or 1 have"
        " at most 2 to the power B states. All grow linearly with m, and with the logarithm of k."
    ),
)
def bounded_dyck(left: Axes, right: Axes) -> None:
    def case(k: int, m: int) -> Weights:
        kinds = {chr(ord("a") + i): Fraction(i // 2 + 1) * (-1) ** i for i in range(2 * k)}
        return weights(dyck.brackets(m, k, (1,), (0,)), "".join(kinds), bracket=kinds)

    depths, types = range(1, 7), (1, 2, 3, 4, 6, 8, 12, 16)
    codes = {"the paper's code": dyck.printed_code, "binary digits": dyck.short_code}
    for axes, title, x in ((left, "depth m", depths), (right, "types k", types)):
        cases = [case(3, m) for m in depths] if x is depths else [case(k, 3) for k in types]
        lines = {name: [len(dyck.units(w.n, len(code(w)[0]))) for w in cases] for name, code in codes.items()}
        bound = [log2(len(dyck.stacks(w, w.n))) for w in cases]
        curves(axes, (title, "units"), {**lines, "log₂ of the stacks": bound}, x)
        axes.set_ylim(bottom=0)
    right.set_xscale("log", base=2)
    right.set_xticks(types, map(str, types))
    right.minorticks_off()


@figure(
    "omlin-giles",
    "a gain that is large enough for every DFA",
    "a DFA with three states, n = 2",
    caption=(
        "Left: the least multiple of 1/8 for which the claim's condition holds with room for the rounding of"
        " float32. Right: the unit of the DFA's state, in ball arithmetic. With H = 7.25 it stays"
        " above 1 - e. This is sufficient, not necessary: with H = 5 the unit stays above 1/2 on this string,"
        " and with H = 4 it does not."
    ),
)
def omlin_giles(left: Axes, right: Axes) -> None:
    def unit(gain: Fraction) -> list[float]:
        w = weights(omlin.automaton_of(3, omlin.LARGE), delta={"a": (1, 2, 0), "b": (1, 1, 2)}, H=gain)
        h, q, values = omlin.one_hot(w), 0, [1.0]
        for x in "ab" * 20:
            h, q = omlin.step(w, h, x), omlin.maps(w, x)[q]
            values.append(float(h[q].mid()))
        return values

    gains = {n: omlin.gain_and_error(n) for n in range(2, 7)}
    line = {"": [float(gain) for gain, _ in gains.values()]}
    curves(left, ("states n that a letter leads to one state", "gain H"), line, list(gains))
    left.set_xticks(list(gains))
    enough, error = gains[2]
    lines = {f"H = {float(gain):g}": unit(gain) for gain in (Fraction(4), Fraction(5), enough)}
    curves(right, ("symbols read of abab...", "unit of the state"), lines, formats=(":", "--", "-"))
    right.axhline(1 - float(error), color=COLOURS[2], lw=0.8, label=f"1 - e for H = {float(enough):g}")
    right.axhline(0.5, color=GREY, lw=0.8)
    right.set_ylim(0, 1.65)
