"""The figures of claims about linear layers: parity, permutations, state and errors."""

import json
from collections.abc import Callable
from fractions import Fraction
from itertools import permutations
from math import factorial
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import region_plots
import torch
from matplotlib.axes import Axes
from matplotlib.patches import Circle
from plots import COLOURS, GREY, heat_map

from automata.minimise import rank
from claim_figures import curves, figure, outputs, weights
from neural.state_regularized.files import load
from theory.expressivity import affine_errors as affine
from theory.expressivity import householder_products as householder
from theory.expressivity import illusion_of_state as illusion
from theory.expressivity import negative_eigenvalues as negative
from theory.expressivity import nonnegative_gates as nonnegative
from theory.expressivity import pd_ssm_emulation as pd_ssm
from theory.expressivity.delta_product import MOST
from theory.weights import Weights

ROOT = Path(__file__).parents[3]


@figure(
    "nonnegative-gates",
    "changes of the sign of the score",
    "accuracy on parity",
    caption=(
        "Left: changes of the score between positive and not positive on ε, a, aa, and so on, for the gate -1"
        " and for layers with m gates of at least 0, whose weights give m changes. Right: layers with 16"
        " coordinates that were trained on words of 16 symbols; bands contain all seeds."
    ),
)
def nonnegative_gates(left: Axes, right: Axes) -> None:
    turns, gates = (0, 1, 4, 9), (0.5, 0.75, 0.875)  # the scores after these lengths are near 1, -1, 1, -1
    layers: dict[str, Any] = {"gate -1": ((-1,), (0, 1))}
    lines = {}
    for m in range(1, 4):
        rows = [[1, *(gate**n for gate in gates[:m])] for n in turns[: m + 1]]
        layers[f"m = {m}"] = gates[:m], np.linalg.solve(rows, [(-1) ** i for i in range(m + 1)])
    for name, (r, (c_0, *c)) in layers.items():
        m, exact = len(r), (tuple(map(Fraction, values)) for values in (r, c))
        named = dict(zip("rc", exact, strict=True), b=(0,) * m, h_0=(1,) * m, c_0=Fraction(c_0))
        states = [nonnegative.more_changes.start(w := weights(nonnegative.layer(m), "a", **named))]
        for _ in range(15):
            states.append(nonnegative.count_changes(w, states[-1], "a"))
        lines[name] = [count for (_, count), _ in states]
    curves(left, ("number of letters a", "changes"), {"gate -1": lines.pop("gate -1")}, color=GREY)
    curves(left, ("number of letters a", "changes"), lines)
    _accuracy_on_parity(right)


def _accuracy_on_parity(axes: Axes) -> None:
    accuracies = json.loads((ROOT / "bench" / "results" / "parity.json").read_text())["accuracies"]
    axes.axhline(100, color=GREY, ls="--", label="gate -1, constructed: decided for all words")
    for (name, seeds), colour in zip(accuracies.items(), COLOURS, strict=False):
        lengths, columns = list(map(int, seeds[0])), list(zip(*(s.values() for s in seeds), strict=True))
        line = {f"{name}, trained ({len(seeds)} seeds)": list(map(median, columns))}
        curves(axes, ("length in symbols", "correct words in %"), line, lengths, color=colour)
        low, high = list(map(min, columns)), list(map(max, columns))
        axes.fill_between(lengths, low, high, color=colour, alpha=0.25, lw=0)
    axes.set_xscale("log", base=2)
    axes.set_xticks(lengths, map(str, lengths))
    axes.set_ylim(40, 135)


@figure(
    "negative-eigenvalues",
    "DeltaNet with one key, |k| = 1",
    "eigenvalues of the matrix of a",
    caption=(
        "Left: with β = 2, the scores compute parity. With smaller β, they tend to 0; with β of at most 1,"
        " they are never negative. Right: eigenvalues of DeltaNet's automaton, and of the automata that count"
        " a modulo 2 and 3. No β gives the two eigenvalues of counting modulo 3 that are not real."
    ),
)
def negative_eigenvalues(left: Axes, right: Axes) -> None:
    def case(beta: Fraction) -> Weights:
        one = {"s_0": (1,), "k": (1,), "v": {"a": 0}}
        return weights(negative.one_key(1), "a", beta={"a": beta}, **one)

    betas = map(Fraction, ("1/2", "5/4", "7/4", "2"))
    lines = {f"β = {beta}": outputs(negative.delta_net, case(beta), "a" * 10) for beta in betas}
    curves(left, ("number of letters a", "score"), lines)
    left.set_ylim(-1.1, 1.4)
    left.legend(frameon=False, fontsize=7, ncols=4, columnspacing=1, handlelength=1.2, loc="upper center")
    grid = [Fraction(i, 20) for i in range(41)]
    points = {
        "DeltaNet, β in [0, 1]": [negative.of_eigenvalue(case(beta))[0] for beta in grid if beta <= 1],
        "DeltaNet, β in (1, 2]": [negative.of_eigenvalue(case(beta))[0] for beta in grid if beta > 1],
        "parity": pd_ssm.counting(case(grid[0]), 2),
        "a modulo 3": pd_ssm.counting(case(grid[0]), 3),
    }
    right.add_patch(Circle((0, 0), 1, fill=False, color=GREY))
    for (name, automata), marker, size in zip(points.items(), "oos^", (3, 3, 9, 11), strict=True):
        values = np.ravel([np.linalg.eigvals(one.matrix("a").astype(float)) for one in automata])
        right.plot(np.real(values), np.imag(values), marker, ms=size, mfc="none", label=name)
    right.set_aspect("equal")
    right.set(xlabel="real part", ylabel="imaginary part")
    right.legend(frameon=False, fontsize=7, loc="center left", bbox_to_anchor=(1, 0.5))


@figure(
    "householder-products",
    "products of the first factors of a symbol",
    "lengths after random products A",
    caption=(
        "Left: four factors scale the components by 1, -1/2, 3/4 and -1, and three swap two of them; positive"
        " entries are blue, negative ones orange. Right: 60 random products of factors with beta |k|^2 in"
        " [0, 2]. No factor makes e₀ + e₁ longer, so no product maps e₀ and e₁ to the same one-hot state."
    ),
)
def householder_products(left: Axes, right: Axes) -> None:
    n, scales = 4, tuple(map(Fraction, ("1", "-1/2", "3/4", "-1")))
    w = weights(householder.permuting(n), "a", order={"a": Fraction(17)}, d={"a": scales})
    products = [[householder.one_hot(w, i) for i in range(n)]]
    for factor in householder.both(w, "a"):
        products.append([householder.reflected(w, h, factor) for h in products[-1]])
    kept = [np.array(columns, float).T for columns in (products[0], *products[n:])]
    heat_map(left, np.hstack([np.pad(matrix, ((0, 0), (0, 1))) for matrix in kept])[:, :-1])
    names = ["start", f"{n} scale", *(f"swap {i}" for i in range(1, n))]
    left.set_xticks([(n - 1) / 2 + i * (n + 1) for i in range(len(names))], names)
    left.set_yticks(range(n))
    left.set_ylabel("component")
    rng, vectors = np.random.default_rng(0), [(1.0, 1.0, 0.0, 0.0)] * 60
    for count in range(9):
        right.plot([count] * len(vectors), np.linalg.norm(vectors, axis=1), ".", color=COLOURS[0], ms=2)
        keys = rng.normal(size=(len(vectors), n))
        betas = rng.choice([0.5, 1, 1.5, 2, 2, 2], len(keys)) / (keys**2).sum(1)
        each = zip(vectors, betas, keys, strict=True)
        vectors = [householder.reflected(w, vector, (beta, key)) for vector, beta, key in each]
    right.axhline(2, color=COLOURS[1], ls="--", label="needed to merge e₀ and e₁")
    right.axhline(2**0.5, color=GREY, label="|e₀ + e₁|")
    right.set_ylim(0, 2.6)
    right.set(xlabel="number of factors", ylabel="|A (e₀ + e₁)|")


@figure(
    "delta-product-permutations",
    "permutations of n items that a token can be",
    caption=(
        "Lines: the share of permutations that the construction composes of at most that many swaps, each of"
        " which is a matrix I - beta k k^T. Rings: the share of permutations whose matrix differs from I by a"
        " matrix of at most that rank, as all products of that many such matrices do. Lines and rings agree:"
        " all permutations need n - 1 steps."
    ),
)
def delta_product(axes: Axes) -> None:
    for n, colour in zip(range(2, MOST + 1), COLOURS, strict=False):
        maps = list(permutations(range(n)))
        swaps = np.array(
            [sum(p != q for p, q in householder.sorting(range(1, n), images)) for images in maps]
        )
        ranks = np.linalg.matrix_rank(np.eye(n)[np.array(maps)] - np.eye(n))
        reached, possible = (
            [100 * (counts <= steps).mean() for steps in range(n)] for counts in (swaps, ranks)
        )
        line = {f"{factorial(n)} permutations of {n} items": reached}
        curves(axes, ("steps n_h a token", "permutations in %"), line, color=colour)
        axes.plot(possible, "o", color=colour, mfc="none", ms=8)
    axes.set_xlim(-0.2, 8.4)
    axes.set_xticks(range(MOST))


@figure(
    "illusion-of-state",
    "states after all words with n letters a and n letters b",
    caption=(
        "Each layer reads all words with n letters a and n letters b, in every order. The diagonal layer ends"
        " in one state, so no output depends on the order. Five items end in up to 60 permutations, which is"
        " all that have the parity of n."
    ),
)
def illusion_of_state(axes: Axes) -> None:
    def states(start: Any, step: Callable[[Any, str], Any]) -> list[int]:
        reached = {(0, 0): {start}}
        for i, j in np.ndindex(13, 13):
            before = [("a", reached.get((i - 1, j), ())), ("b", reached.get((i, j - 1), ()))]
            reached.setdefault((i, j), {step(state, x) for x, every in before for state in every})
        return [len(reached[n, n]) for n in range(13)]

    def maps(*images: tuple[int, ...]) -> list[int]:
        w = weights(pd_ssm.layer(len(images[0]), d=(1,)), delta=dict(zip("ab", images, strict=True)))
        return states(illusion.composition.start(w), lambda state, x: illusion.composed(w, state, x))

    w = illusion.layer(3).example()
    lines = {
        "five items: a swap and a cycle": maps((1, 0, 2, 3, 4), (1, 2, 3, 4, 0)),
        "three items: two swaps": maps((1, 0, 2), (0, 2, 1)),
        "diagonal, three components": states(w.s_0, lambda s, x: illusion.diagonal(w, s, x)),
    }
    curves(axes, ("n", "states"), lines)
    axes.set_yscale("log")
    axes.set_yticks([1, 3, 10, 60], ["1", "3", "10", "60"])
    axes.minorticks_off()


@figure(
    "pd-ssm-emulation",
    "state of a layer with 5 components",
    "counting a letter modulo N",
    caption=(
        "Left: the layer of an automaton with 5 states, in which each letter merges two. The component that"
        " is 1 is the automaton's state. Right: the rank of the automaton that counts modulo N, which no"
        " linear layer with fewer components computes, and the size of its PD-SSM layer."
    ),
)
def pd_ssm_emulation(left: Axes, right: Axes) -> None:
    word, delta, sizes = "aababbabaaabbaab", {"a": (1, 2, 3, 4, 2), "b": (0, 0, 4, 1, 3)}, range(1, 9)
    w = weights(pd_ssm.layer(5), x_0=(1, 0, 0, 0, 0), delta=delta, d=dict.fromkeys("ab", (1,) * 5))
    network, along, states = pd_ssm.pd_ssm(), [w.x_0], [0]
    for x in word:
        along.append(network.step(w, along[-1], x))
        states.append(delta[x][states[-1]])
    heat_map(left, np.array(along, float).T)
    left.plot(states, "o", mfc="none", color=COLOURS[1], label="state of the automaton")
    left.set_xticks(range(len(states)), ["", *word], fontsize=7)
    left.set_yticks(range(5))
    left.set_ylim(5.6, -0.5)
    left.set(xlabel="letter that was read", ylabel="component")
    lines = {
        "components of PD-SSM": [len(pd_ssm.counting(w, n)[0].initial) for n in sizes],
        "least of any linear layer": [rank(pd_ssm.counting(w, n)[0]) for n in sizes],
    }
    curves(right, ("modulus N", "components"), lines, sizes, ("-", "o"), ms=6)


@figure(
    "affine-errors",
    "distance between two runs that start 0.01 apart",
    caption=(
        "The affine network is exact. It moves the error with the vectors of its states, and never shrinks"
        " it. Two networks that were trained and certified for other automata shrink it to 0 in float64,"
        " where their lines end."
    ),
)
def affine_errors(axes: Axes) -> None:
    def distances(h: Any, error: Any, step: Callable[[Any, str], Any]) -> list[float]:
        result, changed = [], h + error
        for x in "10" * 30:
            result.append(float(((h - changed) ** 2).sum() ** 0.5))
            h, changed = step(h, x), step(changed, x)
        return [distance or float("nan") for distance in result]

    permuted, zero = {"1": (1, 2, 0), "0": (1, 0, 2)}, (0, 0, 0)
    exact = weights(
        affine.with_any_map(3), "10", delta=permuted, o=zero, r=dict.fromkeys("10", zero), a=(0, 0)
    )
    network = load(ROOT / "ratproof" / "examples" / "tomita-2.safetensors")[0].double()
    (cell,), embedded = network.cells, network.embedding.weight[:, None, None]

    def regularized(h: torch.Tensor, x: str) -> torch.Tensor:
        return cell.run(embedded[(*network.alphabet, "start").index(x)], (h,)).states[0][-1]

    error, of_tanh = np.array([Fraction(1, 100), 0, 0]), region_plots.step
    with torch.no_grad():
        shift = torch.eye(cell.hidden_size, dtype=torch.float64)[:1] / 100
        lines = {
            "affine, three states are permuted": distances(
                np.array(affine.start(exact)), error, lambda h, x: np.array(affine.step(exact, h, x))
            ),
            "tanh": distances(
                of_tanh(np.zeros((1, 2)), 1), np.array([0.01, 0]), lambda h, x: of_tanh(h, int(x))
            ),
            "state-regularized GRU": distances(
                regularized(cell.at_centroid(0)[0], "start"), shift, regularized
            ),
        }
    curves(axes, ("symbols read of 1010...", "distance"), lines)
    axes.set_yscale("log")
    axes.set_ylim(1e-17, 10)
