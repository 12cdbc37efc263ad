"""Tests of the tables "architecture × language": all cells, laws for random layers, and planted errors."""

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import product
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from automata.errors import InputError, LimitReached
from proofs_tests.automata.examples import some
from theory.one_layer import constructions, laws, table
from theory.one_layer.architectures import ARCHITECTURES
from theory.one_layer.languages import LANGUAGES
from theory.one_layer.layers import Columns, Complex, Diagonal, Head, Householder, Layer, Rwkv
from theory.one_layer.machines import reachable, word

CELLS = [cell for name in table.TABLES for cell in table.cells(name)]
HALF = Fraction(1, 2)
name_of = lambda cell: f"{cell.table}-{cell.architecture.name}-{cell.language.name}"


@pytest.mark.parametrize("cell", CELLS, ids=map(name_of, CELLS))
def test_every_cell_is_checked(cell):
    assert table.evidence(cell) == cell.kind


def linear(kind, *choices):
    """Return a function that draws a factor of this kind, with a given size and fixed point ``centre``.

    The factor's other parameters are drawn from ``choices``.
    """

    def factor(rng, size, centre):
        parts = [tuple(rng.choice(c) for _ in range(size)) for c in choices]
        if kind is Rwkv:
            keys = [(1,)] if size == 1 else [(1, 0), (0, 1), (Fraction(3, 5), Fraction(4, 5))]
            parts.append(rng.choice(keys))
        image = kind(*parts, (0,) * size)(centre)
        return kind(*parts, tuple(c - x for c, x in zip(centre, image, strict=True)))

    return factor


def turn(rng, size, centre):
    gate = rng.choice([(1, 0), (0, 1), (-1, -1), (0, -1), (-1, 0), (0, 0)])
    image = Complex((gate,), (0, 0))(centre)
    return Complex((gate,), tuple(c - x for c, x in zip(centre, image, strict=True)))


def householder(*betas):
    def factor(rng, size, centre):
        key = [0] * size
        key[rng.randrange(size)] = 1
        key[rng.randrange(size)] = rng.choice((1, -1))
        return Householder(
            tuple(key), rng.choice(betas), sum(k * c for k, c in zip(key, centre, strict=True))
        )

    return factor


W = Fraction(3, 5)
FACTORS = {
    "diagonal [0,1]": (linear(Diagonal, (0, 0, 1, HALF)), 1),
    "diagonal [-1,1]": (linear(Diagonal, (-1, -1, 0, 1, HALF)), 1),
    "complex diagonal": (turn, 1),
    "DeltaNet β ≤ 1": (householder(0, 1, 1, 1, HALF), 1),
    "DeltaNet β ≤ 2": (householder(1, 2, 2, HALF), 1),
    "DeltaProduct n_h = 2": (householder(1, 2, 2), 2),
    "DeltaProduct n_h = 3": (householder(1, 2, 2), 3),
    "DeltaProduct n_h = 4": (householder(1, 2, 2), 4),
    "RWKV-7, open": (linear(Rwkv, (W,), (W, HALF)), 1),
    "RWKV-7, closed": (linear(Rwkv, (1, 1, W), (1, 1, 0, W)), 1),
}
"""Functions that draw factors of layers, with the maximum number of factors for each letter."""


def random_layer(name, rng):
    """Return a layer over a and b with one or two heads, in which most factors have the same fixed point."""
    random_factor, most = FACTORS[name]
    heads = []
    for _ in range(rng.choice((1, 2))):
        size = (
            2 if name == "complex diagonal" else rng.choice((1, 2, 3) if name.startswith("Delta") else (1, 2))
        )
        point = lambda size=size: tuple(rng.choice((0, 0, 1, -1, 2)) for _ in range(size))
        centre = point()
        other = lambda centre=centre, point=point: centre if rng.random() < 0.8 else point()
        steps = {s: tuple(random_factor(rng, size, other()) for _ in range(most)) for s in "ab"}
        heads.append(Head(point(), steps))
    weights = tuple(rng.randint(-2, 2) for head in heads for _ in head.start)
    layer = Layer(tuple(heads), weights, rng.randint(-2, 2) - HALF)
    assert ARCHITECTURES[name].contains(layer)
    return layer


def finite_maps(name, rng):
    """Return the maps of letters of a random layer with finitely many states, but not too few."""
    while True:
        layer = random_layer(name, rng)
        try:
            states, maps = reachable(layer.start, "ab", layer.step, 40)
        except LimitReached:
            continue
        if len(states) > (1 if name == "RWKV-7, open" else 2):
            return maps


def arguments(law, rng):
    """Return random arguments of an equation."""
    some = lambda least=0: tuple(rng.choice("ab") for _ in range(rng.randint(least, 3)))
    match law.name:
        case "last occurrences":
            return (*some(), *(w := some()), "a", "b"), (*w, "b", "a", "b")
        case "constant letters":
            return (*some(), "a"), (*some(), "a")
        case "abelian" | "idempotents":
            return some(1), some(1)
        case "alternating letters":
            return tuple(rng.choices("ab", k=2))
        case "translations":
            return some(1), some(1), some(), some(), rng.random() < 0.5
    return (rng.choice("ab"),)


EQUATIONS = [
    (name, law)
    for name in FACTORS
    for law in ARCHITECTURES[name].finite_laws
    if isinstance(law, laws.Equation)
]
seeds = given(rng=st.integers(0, 2**32).map(Random))


@pytest.mark.parametrize("name", FACTORS)
@some
@seeds
def test_layers_with_finitely_many_states_obey_the_laws(name, rng):
    maps = finite_maps(name, rng)
    for law in [law for row, law in EQUATIONS if row == name]:
        assert all(law.holds(maps, *arguments(law, rng)) for _ in range(5)), law.name


@pytest.mark.parametrize(
    "name, law",
    [
        ("diagonal [0,1]", laws.CONSTANT),
        ("diagonal [-1,1]", laws.LAST),
        ("diagonal [-1,1]", laws.IDEMPOTENT),
        ("DeltaProduct n_h = 2", laws.ALTERNATING),
        ("complex diagonal", laws.CUBE),
        ("DeltaNet β ≤ 2", laws.LAST),
        ("DeltaNet β ≤ 2", laws.ABELIAN),
        ("DeltaProduct n_h = 2", laws.CUBE),
        ("DeltaProduct n_h = 2", laws.power(1)),
        ("DeltaProduct n_h = 3", laws.power(2)),
        ("DeltaProduct n_h = 4", laws.power(2)),
    ],
)
def test_random_layers_break_laws_of_smaller_architectures(name, law):
    rng = Random(1)
    assert not all(law.holds(finite_maps(name, rng), *arguments(law, rng)) for _ in range(1000))


@pytest.mark.parametrize("name", ["diagonal [0,1]", "diagonal [-1,1]", "complex diagonal"])
@seeds
def test_diagonal_layers_obey_the_crossing_law(name, rng):
    layer = random_layer(name, rng)
    w, other, u, v = (rng.choices("ab", k=3) for _ in range(4))
    shuffled = rng.sample(u, 3)
    left, right = [w + u + v, other + shuffled + v], [w + shuffled + v, other + u + v]
    assert laws.CROSSING.balanced(left, right) and laws.CROSSING.holds(layer, left, right)
    for language in ("T3", "T4", "T7"):
        lists = [
            [word("ab"[int(s)] for s in w) for w in side] for side in table.CERTIFICATES["crossing"][language]
        ]
        assert laws.CROSSING.holds(layer, *lists)


@pytest.mark.parametrize(
    "name, law",
    [(n, law) for n in FACTORS for law in ARCHITECTURES[n].exact_laws if law is not laws.CROSSING],
)
@some
@seeds
def test_layers_with_real_eigenvalues_change_their_answer_rarely(name, law, rng):
    layer = random_layer(name, rng)
    before, after = rng.choices("ab", k=2), rng.choices("ab", k=2)
    assert law.changes(layer, before, "a", after, 24) <= len(layer.weights) + 2


def test_a_layer_of_reflections_breaks_the_crossing_law():
    layer = table._network("permute", LANGUAGES["S₃"], ARCHITECTURES["DeltaNet β ≤ 2"])
    assert not laws.CROSSING.holds(layer, *table.CERTIFICATES["crossing"]["S₃"])


@pytest.mark.parametrize("name", [name for name, language in LANGUAGES.items() if language.dfa])
def test_a_language_with_another_accept_state_is_not_recognised(name):
    language = LANGUAGES[name]
    wrong = replace(
        language, dfa=replace(language.dfa, final=language.dfa.final ^ {language.dfa.table[0][0]})
    )
    cells = [
        c for c in CELLS if c.language is language and c.answer == "can" and c.entry not in ("saturated",)
    ]
    for entry, cell in {c.entry: c for c in cells}.items():
        assert table.compare(cell.network(), wrong, True)[0] is not None, entry


def test_networks_with_exchanged_letters_are_refused():
    cell = next(c for c in CELLS if c.entry == "slots")
    (head,) = cell.network().heads
    swapped = replace(head, steps={"0": head.steps["1"], "1": head.steps["0"]})
    difference, _ = table.compare(Layer((swapped,), (1, 0), -HALF), cell.language, True)
    assert difference == ("0", "1")
    assert not ARCHITECTURES["DeltaNet β ≤ 2"].contains(cell.network())
    assert not ARCHITECTURES["DeltaNet β ≤ 1"].contains(
        table._network("flip", LANGUAGES["T5"], ARCHITECTURES["DeltaNet β ≤ 2"])
    )
    with pytest.raises(InputError, match="must be in the class diagonal"):
        table.evidence(replace(cell, architecture=ARCHITECTURES["diagonal [0,1]"]))


@pytest.mark.parametrize(
    "name, factors",
    [
        ("diagonal [0,1]", [Diagonal((Fraction(-1, 9),), (0,))]),
        ("diagonal [-1,1]", [Diagonal((Fraction(-10, 9),), (0,))]),
        ("diagonal [-1,1]", [Diagonal((1,), (0,)), Diagonal((1,), (0,))]),
        ("complex diagonal", [Complex(((1, -1),), (0, 0))]),
        ("DeltaNet β ≤ 1", [Householder((1,), Fraction(10, 9))]),
        ("DeltaNet β ≤ 1", [Householder((1,), Fraction(-1, 9))]),
        ("DeltaNet β ≤ 2", [Householder((1,), Fraction(19, 9))]),
        ("DeltaNet β ≤ 2", [Householder((1,), 2)] * 2),
        ("DeltaProduct n_h = 2", [Householder((1,), 2)] * 3),
        ("RWKV-7, open", [Rwkv((1,), (HALF,), (1,), (0,))]),
        ("RWKV-7, open", [Rwkv((W,), (0,), (1,), (0,))]),
        ("RWKV-7, closed", [Rwkv((HALF,), (HALF,), (1,), (0,))]),
        ("RWKV-7, closed", [Rwkv((1,), (HALF,), (HALF,), (0,))]),
        ("RWKV-7, closed", [Rwkv((1,), (Fraction(10, 9),), (1,), (0,))]),
        ("PD-SSM, open", [Columns((0,), (-1,), (0,))]),
        ("PD-SSM, closed", [Columns((0,), (2,), (0,))]),
    ],
)
def test_layers_outside_a_class_are_not_in_it(name, factors):
    start = (0,) * len(factors[0].offset if hasattr(factors[0], "offset") else (0,))
    assert not ARCHITECTURES[name].contains(Layer((Head(start, {"a": tuple(factors)}),), start))


def test_the_written_bounds_of_the_tested_networks_hold_at_all_lengths():
    bonus = Fraction(1, 1000)
    assert (
        constructions.ETA < constructions.DELTA * constructions.GAMMA**2
    )  # so that the ratio decreases with the length
    assert bonus < (1 - constructions.GAMMA) ** 2
    assert constructions.ETA < constructions.DELTA and constructions.ETA / 10 < 1
    layer = table._network("penalty", LANGUAGES["T2"], ARCHITECTURES["diagonal [0,1]"])
    assert layer.heads[0].start == (bonus,)


def test_a_changed_certificate_is_refused():
    language = LANGUAGES["Dyck-(2,3)"]
    left, right = table.CERTIFICATES["crossing"]["Dyck-(2,3)"]
    assert not laws.CROSSING.separates(language, left, [*right[:1], word("[()")])
    assert not laws.CROSSING.separates(language, [*left, word("")], [*right, word("")])
    assert not laws.CUBE.separates(LANGUAGES["T2"], "", "1", "1")
    assert not laws.IDEMPOTENTS.separates(LANGUAGES["T7"], "", "", "0", "0")
    assert not laws.PERIOD_TWO.separates(LANGUAGES["parity"], "", "a", "")
    with pytest.raises(InputError, match="orders of last occurrences"):
        laws.LAST.separates(LANGUAGES["T2"], "", "", "10", "01")


def test_a_cell_with_a_law_of_another_architecture_is_refused():
    cell = next(c for c in CELLS if c.entry == "last")
    with pytest.raises(InputError, match="the laws of the architecture must contain"):
        table.evidence(replace(cell, architecture=ARCHITECTURES["PD-SSM, closed"]))


def test_dyck_is_counted_by_hand():
    language = LANGUAGES["Dyck-(2,3)"]
    assert language.dfa.states == 16
    balanced = {(): True}
    for length in range(1, 7):
        for w in product("([)]", repeat=length):
            text = "".join(w)
            depth, deepest = 0, 0
            for letter in text:
                depth += 1 if letter in "([" else -1
                deepest = max(deepest, depth)
            while "()" in text or "[]" in text:
                text = text.replace("()", "").replace("[]", "")
            balanced[w] = text == "" and deepest <= 3
    assert all(language.contains(w) == answer for w, answer in balanced.items())


TANH = table._network("saturated", LANGUAGES["T4"], ARCHITECTURES["tanh Elman"])


def test_a_tanh_network_in_floats_stays_in_its_intervals_and_follows_the_dfa():
    language, rng = LANGUAGES["T4"], np.random.default_rng(1)
    gate, h, state, w = TANH.gates["n"], TANH.cells.astype(float), TANH.start, ()
    for letter in rng.choice(["0", "1"], 2000, p=[0.4, 0.6]):
        w = (*w[-40:], str(letter))
        z = gate.left @ np.bincount(TANH.pool, h) + gate.offset[str(letter)] / TANH.scale
        h, state = np.tanh(TANH.gain * z), TANH.step(state, str(letter))
        assert (abs(h) >= 1 - 1 / TANH.scale).all()
        sums = np.bincount(TANH.pool, h)
        assert (TANH.weights @ sums + TANH.constant / TANH.scale > 0) == TANH.accepts(state)
    assert table.compare(TANH, language, True) == (None, True)


@pytest.mark.parametrize(
    "changes, message", [({"gain": 1}, "the gain must be larger"), ({"scale": 4}, "must not be near 0")]
)
def test_a_tanh_network_with_small_weights_or_wide_intervals_is_refused(changes, message):
    with pytest.raises(InputError, match=message):
        table.compare(replace(TANH, **changes), LANGUAGES["T4"], True)


@pytest.mark.parametrize("unit, difference", [(2, "a"), (3, "b"), (5, "ba"), (6, "abab")])
def test_each_unit_of_the_relu_counter_is_needed(unit, difference):
    counter = table._network("counting", LANGUAGES["aⁿbⁿ"], ARCHITECTURES["ReLU Elman"])
    weights = counter.weights.copy()
    weights[unit] = 0
    wrong, _ = table.compare(replace(counter, weights=weights), LANGUAGES["aⁿbⁿ"], False)
    assert wrong == tuple(difference)


def test_the_tables_have_all_cells():
    counts = Counter((cell.table, cell.answer) for cell in CELLS)
    assert sum(counts.values()) == 34 * len(LANGUAGES)
    assert (counts["finite states", "open"], counts["exact sign", "open"]) == (1, 26)
