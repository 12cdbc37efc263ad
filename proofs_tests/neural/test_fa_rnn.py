"""Tests that FA-RNNs at beta = 1 compute their automata, and of the effects of the extensions."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from automata.batch import scores
from automata.errors import InputError, UnknownSymbol
from automata.rules.matching import matches
from automata.rules.parser import parse
from automata.rules.rule_files import Labelled
from automata.rules.rule_set import rule_set
from automata.rules.strategies import rules
from automata.semirings import BOOLEAN, COUNTING, REAL
from automata.wfsa import WFSA
from neural.fa_rnn.bidirectional import Bidirectional
from neural.fa_rnn.cells import FactoredCell, FAGRUCell
from neural.fa_rnn.factors import exact_factors
from neural.fa_rnn.network import FARNN

WORDS = ("a", "b", "c", "d")
SENTENCES = st.lists(st.lists(st.sampled_from(WORDS), max_size=7).map(tuple), min_size=1, max_size=6)
WAYS = st.sampled_from([{"decomposed": False}, {"separate_wildcard": False}, {"separate_wildcard": True}])


@st.composite
def counting(draw: st.DrawFn, weights: tuple[int, ...] = (0, 0, 0, 1, 1, 2)) -> WFSA:
    """Draw automata with small integer weights, whose scores are integers that float64 represents."""
    n = draw(st.integers(1, 5))
    kept = [
        np.array(draw(st.lists(st.sampled_from(weights), min_size=n * n, max_size=n * n))).reshape(n, n)
        for _ in range(2)
    ]
    row = st.lists(st.sampled_from(weights), min_size=n, max_size=n)
    tables = {word: draw(st.sampled_from([*kept, kept[0] * (kept[0] == kept[1])])) for word in WORDS}
    return WFSA(COUNTING, draw(row), draw(row), tables)


@given(counting(), SENTENCES, WAYS)
def test_the_network_is_forward(automaton, sentences, way):
    """Equations 4 and 5 hold exactly in one batch of unequal lengths, because all values are
    small integers.
    """
    network = FARNN.of(automaton, dtype=torch.float64, **way)
    assert network(sentences)[:, 0].tolist() == [int(value) for value in scores(automaton, sentences)]


@given(counting(weights=(0, 0, 1)), SENTENCES, WAYS)
def test_viterbi_is_exactly_one_on_matches(automaton, sentences, way):
    """The semiring is max-times; the paper prints max-plus."""
    network = FARNN.of(automaton, scoring="viterbi", **way)
    assert network(sentences)[:, 0].tolist() == [float(value > 0) for value in scores(automaton, sentences)]


@given(counting(), st.sets(st.sampled_from(WORDS)))
def test_factors_reconstruct_the_tensor(automaton, separate):
    """They have no error and at most min(V K, K K) columns."""
    factors = exact_factors(automaton, separate)
    for index, word in enumerate(WORDS):
        assert (factors.matrix(index) == automaton.matrix(word)).all()
    if not separate:
        assert factors.rank <= min(len(WORDS) * automaton.states, automaton.states**2)
    tensor = FactoredCell(factors, dtype=torch.float64).tensor()
    assert tensor.tolist() == [automaton.matrix(word).tolist() for word in WORDS]  # equation 9


def test_words_and_states_with_equal_transitions_share_columns():
    every = np.ones((6, 6), dtype=bool)
    assert exact_factors(WFSA(BOOLEAN, [True] * 6, [True] * 6, dict.fromkeys(WORDS, every))).rank == 1
    assert exact_factors(WFSA(BOOLEAN, [True] * 6, [True] * 6, dict.fromkeys(WORDS, every)), WORDS).rank == 0


@given(
    st.lists(st.tuples(st.sampled_from("xyz"), rules(("a", "b"), ("$",), leaves=4)), min_size=1, max_size=3),
    SENTENCES,
)
def test_a_network_of_rules_predicts_the_matching_labels(several, sentences):
    compiled = rule_set([Labelled(label, rule, 1) for label, rule in several], WORDS)
    inside = [("BOS", *sentence, "EOS") for sentence in sentences]
    network = FARNN.of_rules(compiled, scoring="viterbi")
    for column, states in enumerate(compiled.labels.values()):
        own = compiled.automaton.replace(final=np.isin(np.arange(compiled.automaton.states), states))
        assert network(inside)[:, column].tolist() == [float(value) for value in scores(own, inside)]


def test_large_biases_remove_the_effect_of_the_gates():
    """If both gates of equation 7 are 1, the network is the plain network. If both are 0, the state remains
    h_1, the state after BOS.
    """
    compiled = rule_set([Labelled("x", parse("$ * a $ * b $ *"), 1)], WORDS)
    sentences = [("BOS", "a", "c", "b", "EOS"), ("BOS", "EOS"), ("BOS",), ("BOS", "b", "a")]
    plain, gated = (
        FARNN.of_rules(compiled, dtype=torch.float64),
        FARNN.of_rules(compiled, gated=True, dtype=torch.float64),
    )
    for bias, same in ((40.0, plain.states(sentences)), (-40.0, plain.states([("BOS",)] * 4))):
        for gate in (gated.cell.update, gated.cell.reset):  # type: ignore[union-attr]
            torch.nn.init.zeros_(gate.weight)  # type: ignore[arg-type]
            torch.nn.init.constant_(gate.bias, bias)  # type: ignore[arg-type]
        torch.testing.assert_close(gated.states(sentences), same)


def test_a_closed_reset_gate_returns_to_the_state_after_bos():
    """With f = 1 and r = 0 only BOS and the last word have an effect."""
    compiled = rule_set([Labelled("x", parse("$ * a $ * b $ *"), 1)], WORDS)
    gated = FARNN.of_rules(compiled, gated=True, dtype=torch.float64)
    assert isinstance(gated.cell, FAGRUCell)
    for gate, bias in ((gated.cell.update, 40.0), (gated.cell.reset, -40.0)):
        torch.nn.init.zeros_(gate.weight)
        torch.nn.init.constant_(gate.bias, bias)
    plain = FARNN.of_rules(compiled, dtype=torch.float64)
    heard, last = (
        [("BOS", "b", "c", "a"), ("BOS", "a", "b"), ("BOS",)],
        [("BOS", "a"), ("BOS", "b"), ("BOS",)],
    )
    torch.testing.assert_close(gated.states(heard), plain.states(last))


@pytest.mark.parametrize(
    ("noise", "dense", "trained"),
    [(0.0, False, ()), (0.0, True, ("after",)), (1e-2, False, ("before", "after"))],
)
def test_isolated_states_need_noise_to_be_trained(noise, dense, trained):
    """The rows of isolated states are zero in section 3.2, so their gradients are zero under equation 8.

    If the whole h_N is read, the gradient of D_2 is not zero.
    """
    torch.manual_seed(0)
    automaton = WFSA(
        BOOLEAN, [True, False], [False, True], {w: [[True, w == "a"], [False, True]] for w in WORDS}
    )
    network = FARNN.of(automaton, extra=3, noise=noise, separate_wildcard=False, dtype=torch.float64)
    sentence = [("a", "a", "a")]
    (network.states(sentence) if dense else network(sentence)).sum().backward()
    cell = network.cell
    assert isinstance(cell, FactoredCell)
    rows = {"before": cell.before.grad, "after": cell.after.grad}
    assert tuple(name for name, grad in rows.items() if grad is not None and grad[2:].any()) == trained


@pytest.mark.parametrize(("size", "exact"), [(4, True), (6, True), (2, False)])
def test_beta_0_is_exact_if_the_embeddings_span_the_rules(size, exact):
    """G = pinv(E_w) E_R: exact iff the columns of E_R lie in the column space of E_w."""
    torch.manual_seed(0)
    automaton = WFSA(
        BOOLEAN, [True, False], [False, True], {w: [[True, w == "a"], [w == "b", True]] for w in WORDS}
    )
    embeddings = torch.randn(len(WORDS), size, dtype=torch.float64)
    half, zero = (
        FARNN.of(automaton, embeddings=embeddings, beta=beta, dtype=torch.float64) for beta in (0.5, 0.0)
    )
    sentence = [("a", "b", "c")]
    count = FARNN.of(automaton, dtype=torch.float64)(sentence)
    for network in (half, zero):
        assert torch.allclose(network(sentence), count, atol=1e-10) == exact
        scores = network.initial
        for word in sentence[0]:  # equation 9: the network runs the tensor that the factors make
            scores = scores @ network.cell.tensor()[WORDS.index(word)]
        assert torch.allclose((scores @ network.final.T)[None], network(sentence), atol=1e-10)


def test_bad_input_gives_a_one_line_error():
    automaton = WFSA(REAL, [1], [1], {"a": [[1]], "b": [["1/2"]]})
    network = FARNN.of(automaton)
    with pytest.raises(UnknownSymbol, match="'c' is not in the vocabulary"):
        network([("a", "c")])
    with pytest.raises(InputError, match=r"inputs must be .*got 2 to 2"):
        network(torch.tensor([[2]]))
    with pytest.raises(InputError, match="lengths must be None for sentences of words"):
        network([("a", "b")], torch.tensor([1]))
    for more, says in [
        ({"beta": 0.5}, "embeddings must be passed"),
        ({"beta": 2.0}, "from 0 to 1"),
        ({"embeddings": torch.zeros(3, 2)}, r"\(2, D\)"),
        ({"scoring": "max-plus"}, "scoring"),
        ({"decomposed": False, "beta": 0.5}, "must not be used without the decomposed network"),
    ]:
        with pytest.raises(InputError, match=says):
            FARNN.of(automaton, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize("way", [{}, {"scoring": "viterbi"}, {"gated": True}, {"decomposed": False}], ids=str)
def test_the_empty_sentence_and_no_sentence(way):
    network = FARNN.of(WFSA(REAL, [2], [3], {"a": [[1]]}), **way)
    assert network([()]).tolist() == [[6.0]] and network([]).shape == (0, 1)
    assert network(torch.zeros(3, 2, dtype=torch.long), torch.tensor([0, 0])).tolist() == [[6.0]] * 2


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int8, torch.int16, torch.int32], ids=str)
@given(counting(), SENTENCES, WAYS, st.sampled_from([{}, {"scoring": "viterbi"}]))
def test_words_may_be_integers_of_any_size(dtype, automaton, sentences, way, scoring):
    network = FARNN.of(automaton, **way, **scoring)
    words, lengths = network.tokens(sentences)
    assert torch.equal(network(words.to(dtype), lengths), network(sentences))


@given(
    st.lists(st.tuples(st.sampled_from("xyz"), rules(("a", "b"), ("$",), leaves=4)), min_size=1, max_size=3),
    SENTENCES,
)
def test_both_directions_match_if_the_rules_do(several, sentences):
    """The mean of scores that are clamped to 0 and 1 is exactly 0 or 1."""
    labelled = [Labelled(label, rule, 1) for label, rule in several]
    inside = [("BOS", *sentence, "EOS") for sentence in sentences]
    values = Bidirectional.of_rules(labelled, WORDS)(inside)
    assert values.tolist() == matches(rule_set(labelled, WORDS), inside).astype(float).tolist()
