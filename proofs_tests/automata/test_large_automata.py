"""Tests of the equivalence of large automata by sparse matrices, against the dense decision and
known pairs.
"""

import copy
import json
from fractions import Fraction
from itertools import islice

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from automata.equivalence import Different, Equivalent, Unknown, equivalent, field, sparse
from automata.equivalence.integers import primes
from automata.equivalence.links import right_link
from automata.equivalence.lumps import MOST_PRIMES, Functionals, modulo, refined
from automata.equivalence.modular import Field
from automata.equivalence.rational import are_large
from automata.equivalence.rationals import RationalMatrix, rationals
from automata.equivalence.relations import close
from automata.equivalence.representation import difference
from automata.equivalence.shortest import Search, doubt
from automata.equivalence.smaller import smaller_scores_vanish
from automata.io.json_format import to_json
from automata.operations import reverse
from automata.semirings import COUNTING, REAL
from automata.testing.random_pairs import FAMILIES, changed
from automata.testing.strategies import automata
from automata.wfsa import WFSA
from proofs_tests.automata.examples import few_cases, over, some_cases
from proofs_tests.automata.test_equivalence import nudged
from ratproof.checkers import check_chain
from ratproof.checkers.table import judge

EACH_FAMILY = pytest.mark.parametrize("family", FAMILIES.values(), ids=lambda family: family.__name__)
EACH_FIELD = over([REAL, COUNTING])


def decided(a, b, most_dense=1500):
    """Decide equivalence with the sparse method, check the certificate, and return the result."""
    answer = sparse.decide(a, b, lambda stage: None, most_dense)
    if isinstance(answer, Equivalent):
        assert check_chain.verdict(json.loads(json.dumps(answer.certificate.to_json()))) == "equivalent"
    return answer


def agree(one, other):
    return (one.verdict, one.word, one.scores) == (other.verdict, other.word, other.scores)


@EACH_FIELD
@few_cases(st.data())
def test_the_answer_agrees_with_the_dense_decision(k, data):
    a, b = (data.draw(automata(k, most_states=3, epsilon="cyclic")) for _ in range(2))
    if data.draw(st.booleans()) and a.states:
        b = nudged(data, k, a)
    for one, other in ((a, b), (b, a), (a, a)):
        dense = field.decide(one, other, lambda stage: None)
        assert agree(decided(one, other), dense)
        without_arrays = decided(one, other, most_dense=-1)
        assert isinstance(without_arrays, Unknown) or agree(without_arrays, dense)


@EACH_FAMILY
@pytest.mark.parametrize("states", [2, 3, 10, 40])
def test_a_pair_that_is_equal_by_construction_is_decided_by_links_alone(family, states):
    for seed in range(2):
        a, b = family(np.random.default_rng(seed), states)
        for one, other in ((a, b), (b, a), (reverse(a), reverse(b))):
            answer = decided(one, other, most_dense=-1)
            assert isinstance(answer, Equivalent), (seed, answer)
            assert answer.figures["states"] == one.states + other.states


@EACH_FAMILY
def test_a_changed_pair_is_never_called_equal(family, monkeypatch):
    monkeypatch.setattr(sparse, "MOST_PROVED", -1)  # strings must also be the smallest if this is not proved
    rng = np.random.default_rng(11)
    for _ in range(25):
        a, b = family(rng, 9)
        c = changed(rng, b)
        dense, answer = field.decide(a, c, lambda stage: None), decided(a, c, most_dense=-1)
        assert agree(answer, dense) or (isinstance(answer, Unknown) and isinstance(dense, Equivalent))


@EACH_FAMILY
def test_with_epsilon_transitions_and_symbols_that_share_a_matrix(family):
    a, b = family(np.random.default_rng(3), 12)

    def silent(side):
        edges = [(p, q, "" if s == "d" else s, w / 1000) for p, q, s, w in side.edges()]
        edges += [(p, q, "d", w) for p, q, s, w in edges if s == "c"]
        ends = [[(q, w) for q, w in enumerate(v) if w] for v in (side.initial, side.final)]
        return WFSA.from_edges(REAL, side.states, "abcd", *ends, edges)

    a, b = silent(a), silent(b)
    assert len(a.tables) == 3
    answer = decided(a, b)
    assert isinstance(answer, Equivalent) and answer.certificate.links[0].kind == "epsilon"
    c = changed(np.random.default_rng(0), b)
    assert agree(decided(a, c), field.decide(a, c, lambda stage: None))


def chain(length, last, weight="1/4"):
    edges = [(q, q + 1, "a", weight) for q in range(length)] + [(q, q, "b", 1) for q in range(length)]
    return WFSA.from_edges(REAL, length + 1, "ab", [(0, 1)], [(length, last)], edges)


def test_a_long_string_is_found_and_proved_smallest():
    a, b = chain(1200, 1), chain(1200, 2)
    assert are_large(a, b)
    answer = equivalent(a, b)
    assert isinstance(answer, Different) and answer.doubt is None
    assert answer.word == ("a",) * 1200 and answer.scores == (Fraction(1, 4**1200), Fraction(2, 4**1200))
    assert judge(answer.certificate.to_json()).verdict == "accepted"


def test_vectors_that_were_not_stored_are_recomputed(monkeypatch):
    monkeypatch.setattr("automata.equivalence.shortest._NUMBERS_KEPT", 100)
    of = difference(chain(60, 1), chain(60, 2)).joint
    search = Search(modulo(of, primes()))
    assert search.finds(of.states) and search.word() == (0,) * 60
    assert len(search._kept) < 20


@few_cases(st.data())
def test_the_string_that_is_found_is_the_smallest(data):
    a, b = (data.draw(automata(REAL, most_states=3)) for _ in range(2))
    dense = field.decide(a, b, lambda stage: None)
    of = difference(a, b)
    search = Search(modulo(of.joint, primes()))
    assert search.finds(of.joint.states) == isinstance(dense, Different)
    if isinstance(dense, Different):
        assert tuple(of.symbols[i] for i in search.word()) == dense.word
        kind = {symbol: i for i, symbol in enumerate(of.symbols)}
        word = tuple(kind[of.symbols[of.index[s]]] for s in dense.word)
        assert smaller_scores_vanish(of.joint, word, lambda stage: None)
        assert not smaller_scores_vanish(of.joint, (*word, 0), lambda stage: None)


def test_an_unproved_smallest_string_is_reported_as_such(monkeypatch):
    a, b = FAMILIES["permuted"](np.random.default_rng(5), 40)
    c = changed(np.random.default_rng(6), b)
    monkeypatch.setattr(sparse, "MOST_PROVED", 0)
    monkeypatch.setattr("automata.equivalence.smaller.MOST_COMPONENTS", 3)
    monkeypatch.setattr("automata.equivalence.smaller.MOST_PRODUCTS", 3)
    answer, dense = decided(a, c), field.decide(a, c, lambda stage: None)
    assert agree(answer, dense) and len(answer.word) > 1 and -54 < answer.doubt < -40


def test_scales_with_many_digits_take_more_primes():
    a, _ = FAMILIES["permuted"](np.random.default_rng(2), 30)
    rng = np.random.default_rng(3)
    for digits in (10, 40, 200):
        scale = [Fraction(int(rng.integers(1, 10**9)) ** (digits // 9 + 1), 7**q) for q in range(a.states)]
        edges = [(p, q, s, w / scale[p] * scale[q]) for p, q, s, w in a.edges()]
        initial = [(q, w * scale[q]) for q, w in enumerate(a.initial)]
        final = [(q, w / scale[q]) for q, w in enumerate(a.final)]
        b = WFSA.from_edges(REAL, a.states, a.alphabet, initial, final, edges)
        answer = decided(a, b, most_dense=-1)
        assert isinstance(answer, Equivalent) and answer.figures["primes"] > 2
        assert answer.figures["primes"] <= 2 * MOST_PRIMES


def companion(n):
    """Return an automaton over one letter whose matrix is a companion matrix, and the reversed automaton."""
    rng = np.random.default_rng(n)
    last = [Fraction(int(w), 7) for w in rng.integers(1, 9, n)]
    edges = [(q, q + 1, "a", 1) for q in range(n - 1)] + [(n - 1, q, "a", w) for q, w in enumerate(last)]
    a = WFSA.from_edges(REAL, n, "a", [(0, 1)], [(0, 1)], edges)
    return a, reverse(a)


def test_a_pair_that_needs_a_dense_matrix_is_unknown_beyond_a_size():
    a, b = companion(12)
    answer = decided(a, b, most_dense=-1)
    if isinstance(answer, Unknown):
        assert "no string was found to differ" in answer.why and "no proof" in answer.why
    assert isinstance(decided(a, b), Equivalent)


def test_automata_without_states_or_symbols():
    nothing, one = WFSA(REAL, [], [], {}), WFSA(REAL, [1], [3], {})
    assert isinstance(decided(nothing, nothing), Equivalent) and isinstance(decided(one, one), Equivalent)
    answer = decided(one, nothing)
    assert (answer.word, answer.scores) == ((), (3, 0))


# Parts of the decision.


@given(st.lists(st.tuples(*(st.integers(0, 2**61 - 2),) * 2), min_size=1, max_size=20))
def test_arithmetic_modulo_a_prime_agrees_with_integers(pairs):
    for prime in (2**61 - 1, *islice(primes(), 2), 1_000_003):
        of = Field(prime)
        x, y = (np.array([pair[i] % prime for pair in pairs], dtype=np.uint64) for i in range(2))
        assert of.product(x, y).tolist() == [int(v) * int(w) % prime for v, w in zip(x, y, strict=True)]
        assert of.dot(x, y) == sum(int(v) * int(w) for v, w in zip(x, y, strict=True)) % prime
        assert of.inverse(x).tolist() == [pow(int(v), -1, prime) if v else 0 for v in x]


def test_a_prime_that_divides_a_denominator_is_not_used():
    p, q = islice(primes(), 2)
    a = WFSA(REAL, [1], [1], {"a": [[Fraction(1, p)]]})
    assert modulo(difference(a, a).joint, iter([p, q])).field.prime == q


@given(st.integers(1, 10**6), st.integers(1, 10**6))
def test_fractions_are_read_back(n, d):
    prime, wanted = next(primes()), Fraction(n, d)
    value = np.array([wanted.numerator * pow(wanted.denominator, -1, prime) % prime], dtype=np.uint64)
    above, below = Field(prime).fractions(value, 10**6)
    assert Fraction(int(above[0]), int(below[0])) == wanted


small = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2), st.fractions(-3, 3, max_denominator=4)))


@some_cases(small, small)
def test_sparse_matrices_are_multiplied_like_arrays(left, right):
    def both(entries):
        array = np.zeros((3, 3), dtype=object)
        for i, j, w in entries:
            array[i, j] += w
        parts = zip(*entries, strict=True) if entries else ([], [], [])
        return array, RationalMatrix.summed((3, 3), *parts)

    (a, x), (b, y) = both(left), both(right)

    def array(matrix):
        result = np.zeros((3, 3), dtype=object)
        for i, j, w in matrix.entries():
            result[i, j] = w
        return result.tolist()

    assert array(x @ y) == (a @ b).tolist() and array(x + y) == (a + b).tolist()
    assert array(x.transposed) == a.T.tolist() and x.same(y) == (a == b).all()
    assert all(w != 0 for w in (x @ y).weights)


def test_random_multipliers_are_independent_per_symbol():
    """Two states that accept one letter each, but different letters, are in different classes."""
    of = WFSA.from_edges(
        REAL, 4, "ab", [(0, 1), (1, 1)], [(2, 1)], [(0, 2, "a", 1), (1, 2, "b", 1), (3, 3, "a", 1)]
    )
    nothing = WFSA(REAL, [], [], {"a": np.zeros((0, 0)), "b": np.zeros((0, 0))}).to_exact()
    functionals = Functionals.start(modulo(difference(of, nothing).joint, primes()))
    functionals.settle()
    assert len(np.unique(functionals.quotients()[:3])) == 3
    assert refined(functionals).tolist() == [0, 1, 2, -1]


def test_no_relation_closes_if_the_scores_are_not_zero():
    of = difference(chain(5, 1), chain(5, 2)).joint
    link = close(of, primes(), lambda stage: None)
    assert link is None or not link.to.is_zero


def test_the_bound_on_the_error_probability_grows_with_the_length():
    of = difference(chain(5, 1), chain(5, 2)).joint
    assert -54 < doubt(of, 1) < doubt(of, 100) < doubt(of, 10**5) < -15


# Certificates.


@pytest.fixture(scope="module")
def certificate():
    """Return a certificate that contains links of every kind."""
    a = WFSA.from_edges(
        REAL, 3, "ab", [(0, 1)], [(2, 1)], [(0, 1, "a", 2), (0, 2, "a", 1), (1, 2, "", "1/2"), (2, 0, "b", 1)]
    )
    edges = [
        (0, 1, "a", 1),
        (0, 2, "a", 1),
        (1, 2, "", 1),
        (2, 0, "b", 1),
        (3, 2, "a", 1),
        (2, 4, "b", 1),
        (0, 1, "b", 0),
    ]
    b = WFSA.from_edges(REAL, 5, "ab", [(0, 1)], [(2, 1)], edges)
    answer = decided(a, b)
    assert isinstance(answer, Equivalent)
    return answer.certificate.to_json()


def rejected(data):
    return judge(data).verdict == "rejected"


@EACH_FAMILY
def test_a_certificate_with_any_one_entry_changed_or_missing_is_rejected(family, certificate):
    a, b = family(np.random.default_rng(1), 5)
    for data in (certificate, decided(a, b).certificate.to_json()):
        assert judge(data).verdict == "accepted"
        for index in range(len(data["links"])):
            for name in ("matrix", "initial", "final", "transitions"):
                for entry in range(len(lists(data, index).get(name, ()))):
                    missing, other = copy.deepcopy(data), copy.deepcopy(data)
                    del lists(missing, index)[name][entry]
                    row = lists(other, index)[name][entry]
                    row[-1] = str(Fraction(row[-1]) + Fraction(1, 10**9))
                    assert rejected(missing), (name, entry)
                    assert rejected(other), (name, entry)


def lists(data, index):
    """Return the lists of one link of a certificate: those of its target automaton, and its matrix if any."""
    link = data["links"][index]
    return link["to"] | {name: link[name] for name in ("matrix",) if name in link}


def test_missing_reversed_or_exchanged_links_are_rejected(certificate):
    assert certificate["links"][0]["kind"] == "epsilon"
    for index in range(len(certificate["links"])):
        missing = copy.deepcopy(certificate)
        del missing["links"][index]
        assert rejected(missing)
    turned = copy.deepcopy(certificate)
    for link in turned["links"]:
        if link["kind"] != "epsilon":
            link["kind"] = {"left": "right", "right": "left"}[link["kind"]]
            assert rejected(turned)


def test_the_second_automaton_is_subtracted(certificate):
    """A certificate that the sum of the scores, instead of their difference, is zero is rejected."""
    data = copy.deepcopy(certificate)
    data["B"]["initial"] = [[q, str(-Fraction(w))] for q, w in data["B"]["initial"]]
    assert rejected(data)


def one_link(kind, a, b, to, **more):
    """Return a certificate with a single link, whose kind is ``kind``."""
    data = decided(a, a).certificate.to_json()
    return {**data, "B": to_json(b), "links": [{"kind": kind, "to": to, **more}]}


def test_dropped_initial_and_final_weights_are_detected():
    """The automata differ. Each link is correct, except that one initial or final weight of its target is
    zero.
    """
    a, b = (WFSA(REAL, [1], [w], {"a": [[2]]}) for w in (1, 3))
    same = [[0, 0, "1"], [1, 1, "1"]]
    to = {"states": 2, "initial": [[0, "1"], [1, "-1"]], "final": [[0, "1"], [1, "3"]]}
    to["transitions"] = [[0, 0, "a", "2"], [1, 1, "a", "2"]]
    for kind in ("right", "left", "epsilon"):
        more = {} if kind == "epsilon" else {"matrix": same}
        for end in ("initial", "final"):
            data = one_link(kind, a, b, {**to, end: []}, **more)
            assert rejected(data)
            why = judge({**data, "links": [{"kind": kind, "to": to, **more}]}).why
            assert why == "the last automaton must have no initial or no final weights"


def test_sums_that_do_not_converge_are_refused():
    """M' = M + M' E has a solution if E = 2, but this solution is not a sum over epsilon paths."""
    a = WFSA(REAL, [1], [1], {"a": [[1]]})
    to = {"states": 2, "initial": [[0, "-1"], [1, "1"]], "final": [[0, "1"], [1, "1"]]}
    to["transitions"] = [[0, 0, "a", "-1"], [1, 1, "a", "-1"]]
    data = one_link("epsilon", a, a, to, bound=["1", "1"])
    for side in "AB":
        data[side] = {**data[side], "transitions": [[0, 0, "a", "1"], [0, 0, "", "2"]]}
    assert judge(data).why == "the sums over epsilon paths do not converge"


def test_a_matrix_that_does_not_fit_makes_no_link():
    of = difference(chain(2, 1), chain(2, 1)).joint
    right = [0, 1, 2, 0, 1, 2]
    kept = np.arange(3)
    one = [Fraction(1)] * 6
    assert right_link(of, RationalMatrix.summed((6, 3), range(6), right, one), kept).to.is_zero
    for wrong in ([0, 1, 2, 1, 0, 2], [0, 1, 2, 0, 1, 1], [0, 1, 2, 2, 2, 2]):
        assert right_link(of, RationalMatrix.summed((6, 3), range(6), wrong, one), kept) is None
    shifted = RationalMatrix.summed((6, 3), range(6), right, [*one[:5], Fraction(1) + Fraction(1, 10**30)])
    assert right_link(of, shifted, kept) is None


def test_cycles_of_epsilon_paths_need_a_bound():
    a = WFSA(REAL, [1, 0], [0, 1], {"a": [[0, 1], [1, 0]]}, epsilon=[["1/2", 0], [0, "1/3"]])
    data = decided(a, a).certificate.to_json()
    assert judge(data).verdict == "accepted" and data["links"][0]["bound"] == ["2", "3/2"] * 2
    for bound in (["1", "1", "1", "0"], ["-1"] * 4, ["2"] * 3):
        assert rejected({**data, "links": [{**data["links"][0], "bound": bound}, *data["links"][1:]]})
    without = {name: value for name, value in data["links"][0].items() if name != "bound"}
    assert rejected({**data, "links": [without, *data["links"][1:]]})
    heavy = copy.deepcopy(data)
    for side in "AB":
        heavy[side]["transitions"] = [
            [p, q, s, "2" if s == "" else w] for p, q, s, w in heavy[side]["transitions"]
        ]
    assert rejected(heavy)


def test_what_is_accepted_is_said_in_full(certificate):
    says = judge(certificate).about["says"]
    assert f"by a chain of {len(certificate['links'])} links from their difference to zero" in says
    assert says.endswith("the statistics in the certificate are not checked")
    assert set(certificate["figures"]) >= {"states", "transitions", "links", "nonzeros", "primes", "seconds"}
    assert rejected({**certificate, "figures": {"seconds": [1]}}) and rejected({**certificate, "more": 1})


def test_which_automata_are_large():
    rng = np.random.default_rng(0)
    few_states, many = FAMILIES["permuted"](rng, 100), FAMILIES["permuted"](rng, 400)
    assert not are_large(*few_states) and are_large(*many)
    dense = WFSA(REAL, np.ones(200), np.ones(200), {"a": np.ones((200, 200))})
    assert not are_large(dense, dense)
    assert rationals([1]).tolist() == [1]
