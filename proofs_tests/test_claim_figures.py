"""Tests of the figures on the pages of claims: the drawn lines are compared with the claims."""

import importlib
import json
from itertools import permutations
from math import ceil, log2
from pathlib import Path

import numpy as np
import pytest

from theory.registry import claims, modules

pytest.importorskip("matplotlib")
ROOT = Path(__file__).parents[1]


@pytest.fixture
def figures(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "docs" / "_extensions"))
    return importlib.import_module("claim_figures").figures()


@pytest.fixture
def drawn(figures):
    """Return a function that draws a figure, and returns its panels."""
    from matplotlib.figure import Figure

    def draw(claim):
        figure = figures[claim]
        panels = Figure().subplots(1, len(figure.titles), squeeze=False)[0]
        figure.draw(*panels)
        return [Panel(axes) for axes in panels]

    return draw


class Panel:
    """The lines and the image of a panel.

    Attributes:
        x, y: The coordinates of each line, keyed by its label.
        dots: The coordinates of all lines.
        image: The values of the image.
    """

    def __init__(self, axes):
        self.dots = [tuple(np.array(v, float) for v in line.get_data()) for line in axes.lines]
        labels = [line.get_label() for line in axes.lines]
        self.x, self.y = (
            {label: dot[i] for label, dot in zip(labels, self.dots, strict=True)} for i in (0, 1)
        )
        self.image = np.array(axes.images[0].get_array()) if axes.images else None


def test_every_claim_about_what_networks_compute_has_a_figure(figures):
    expressivity = {c.name for name, c in modules().items() if name.startswith("theory.expressivity.")}
    assert len(expressivity) == 13 and expressivity <= figures.keys() <= claims().keys()


def test_every_figure_is_drawn_in_colours_for_both_modes(figures):
    for figure in figures.values():
        text = figure.svg()
        assert text.startswith("<?xml") and "#7a7a7a" in text
        assert "fill: #ffffff" not in text and "#000000" not in text


def test_the_page_of_a_claim_shows_its_figure(figures):
    pages, read = importlib.import_module("claim_pages"), importlib.import_module("verdicts").read
    pages.use(read(Path("none"), Path("none")))
    pages.environment().globals["tests"] = pages.EvidenceTests()
    shown = {name: pages.render("claim", claim=claims()[name]) for name in ("counting", "gla")}
    assert "counting-figure.svg" in shown["counting"] and "Two ReLU units" in shown["counting"]
    assert "-figure.svg" not in shown["gla"]


def test_nonnegative_gates_change_at_most_m_plus_1_times_and_the_gate_minus_1_always(drawn):
    left, right = drawn("nonnegative-gates")
    assert left.y.pop("gate -1").tolist() == list(range(16))
    for m, changes in enumerate(left.y.values(), 1):
        assert changes[-1] == changes[10] == m
    low, high = (right.y[f"gates in {gates}, trained (5 seeds)"] for gates in ("(0, 1)", "(-1, 1)"))
    assert low[0] == high[3] == 100 and max(low[3:]) < 55 and high[-1] < 55
    results = json.loads((ROOT / "bench" / "results" / "parity.json").read_text())
    assert high[6] == np.median([row["128"] for row in results["accuracies"]["gates in (-1, 1)"]])
    assert results["units"] == results["longest"] == 16  # as the caption says


def test_only_beta_2_is_parity_and_no_beta_has_the_eigenvalues_of_counting_modulo_3(drawn):
    left, right = drawn("negative-eigenvalues")
    assert left.y.pop("β = 2").tolist() == [(-1) ** n for n in range(11)]
    assert min(left.y["β = 1/2"]) > 0 and all(abs(line[-1]) < 0.1 for line in left.y.values())
    low, high, parity, three = (x + 1j * y for x, y in right.dots)
    assert all(low.real >= 0) and all(abs(high.real) <= 1) and not any([*low.imag, *high.imag])
    assert len(low) == 2 * 21 and min(high.real) == -1 and sorted(parity.real) == [-1, 1]
    assert np.allclose(three**3, 1) and sum(abs(three.imag) > 0.8) == 2


def test_the_factors_are_a_weighted_permutation_and_make_no_vector_longer(drawn):
    left, right = drawn("householder-products")
    blocks = [left.image[:, i : i + 4] for i in range(0, 25, 5)]
    images, scales = list(permutations(range(4)))[17], np.array([1, -0.5, 0.75, -1])
    assert (blocks[0] == np.eye(4)).all() and (blocks[1] == np.diag(scales)).all()
    assert (blocks[-1] == np.eye(4)[:, images] * scales).all()
    assert 1.4 < max(max(y) for x, y in right.dots if len(y) == 60) < 1.4143
    assert set(right.y["needed to merge e₀ and e₁"]) == {2}


def test_all_permutations_need_n_minus_1_reflections(drawn):
    (panel,) = drawn("delta-product-permutations")
    for n, (line, rings) in enumerate(zip(panel.dots[::2], panel.dots[1::2], strict=True), 2):
        reached = line[1]
        assert (reached == rings[1]).all() and len(reached) == n
        assert reached[-1] == 100 and reached[-2] == pytest.approx(100 - 100 / n)  # (n - 1)! cycles


def test_words_with_the_same_letters_have_one_state_in_a_diagonal_layer_only(drawn):
    (panel,) = drawn("illusion-of-state")
    five, three, diagonal = panel.y.values()
    assert set(diagonal) == {1} and set(three[2:]) == {3} and five[-1] == 60

    def state(word, images):
        items = range(5)
        for x in word:
            items = [images[x][item] for item in items]
        return tuple(items)

    images = {"a": (1, 0, 2, 3, 4), "b": (1, 2, 3, 4, 0)}
    assert five[3] == len({state(word, images) for word in set(permutations("aaabbb"))})


def test_the_layer_is_in_the_automatons_state_and_counting_needs_n_components(drawn):
    left, right = drawn("pd-ssm-emulation")
    (states,) = left.y.values()
    assert left.image.shape == (5, 17) and (left.image == np.eye(5)[:, states.astype(int)]).all()
    assert all(line.tolist() == list(range(1, 9)) for line in right.y.values()) and len(right.y) == 2


def test_the_affine_network_keeps_an_error_and_the_trained_ones_remove_it(drawn):
    (panel,) = drawn("affine-errors")
    affine, *trained = panel.y.values()
    assert set(np.round(affine, 9)) == {0.01, round(0.01 * 2**0.5, 9)}
    for line in trained:
        shrinking = line[~np.isnan(line)]
        assert line[0] == pytest.approx(0.01) and shrinking[-1] < 1e-14 and np.isnan(line[-1])
        assert (shrinking[2:] < shrinking[:-2]).mean() > 0.9


def test_the_block_of_the_counter_has_a_growing_rank(drawn):
    left, right = drawn("saturated-lstm")
    expected = [[max(0, i - j) for j in range(10)] for i in range(10)]
    assert np.allclose(27 * left.image, expected)
    counter, letters = right.y.values()
    assert counter.tolist() == list(range(10)) and letters.tolist() == [0, 2, *[3] * 8]


def test_bounded_units_stop_counting(drawn):
    (panel,) = drawn("counting")
    relu, elman, gru = (line for label, line in panel.y.items() if "unit" in label or "ReLU" in label)
    assert relu.tolist() == [24 - abs(24 - t) for t in range(49)]
    assert (max(elman), elman[-1], max(gru), gru[-1]) == (16, -8, 9, -8)


def test_one_unit_of_minskys_network_is_1_and_d_units_have_at_most_2_to_the_d_states(drawn):
    left, right = drawn("heaviside-elman")
    delta, state, expected = {"a": (1, 2, 0), "b": (0, 0, 1)}, 0, [0]
    for x in "abaabbabab":
        state = delta[x][state]
        expected.append(1 + 2 * state + "ab".index(x))
    assert (left.image == np.eye(7)[:, expected]).all()
    _, (units, vectors), (minsky, own) = right.dots
    assert len(units) == 300 and all(vectors <= 2**units) and max(vectors) > 8
    assert minsky.tolist() == [2 * n + 1 for n in range(1, 6)] and all(own <= minsky)


def test_the_rank_is_the_number_of_units_and_of_states(drawn):
    left, right = drawn("second-order-rnn")
    for k in range(1, 5):
        name = f"{k} unit{'s' * (k > 1)}"
        assert left.y[name].tolist() == [min(n, k) for n in range(1, 9)]
        assert right.y[name][k - 1] > 1e-4 and right.y[name][k] < 1e-14
    assert [x.tolist() for x, _ in right.dots if len(x) == 1] == [[1], [2], [3], [4]]


def test_the_units_and_the_lower_bound_are_those_of_the_statement(drawn):
    for panel, of_depth in zip(drawn("bounded-dyck"), (True, False), strict=True):
        for x, printed, binary, bound in zip(panel.x["binary digits"], *panel.y.values(), strict=True):
            k, m = (3, x) if of_depth else (x, 3)
            assert binary == 2 * m * ceil(log2(k + 1)) and bound <= binary <= printed
            assert k == 1 or printed == 6 * m * ceil(log2(k)) - 2 * m
            assert 2**bound == pytest.approx(sum(k**i for i in range(int(m) + 1)))


def test_the_gain_keeps_the_unit_above_1_minus_e(drawn):
    left, right = drawn("omlin-giles")
    ((_, gains),) = left.dots
    assert len(gains) == 5 and all(np.diff(gains) > 0) and gains[0] == 7.25
    small, medium, large, least, _ = right.y.values()
    assert min(large) > least[0] > 0.9 and min(medium) > 0.5 > min(small)
