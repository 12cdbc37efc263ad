"""Tests of proofs by an invariant: true claims are proved, and mutations are not."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from automata import forward
from automata.recurrences.polynomials import POLYNOMIALS, RATIONAL, WORDS
from automata.semirings import MAX_PLUS, REAL
from automata.wfsa import WFSA
from proofs_tests.automata.examples import few
from ratproof.evidence.ledger import recording
from ratproof.ladder.rungs.proved import (
    IF_TURNED,
    IN_ANY_ORDER,
    NOT_IN_ORDER,
    GapInProof,
    NotProved,
    order_of_factors,
    prove,
)
from theory.induction import COMMUTATIVE, identities
from theory.rational_recurrences import proposition_7, proposition_12, proposition_13
from theory.reading import Equality
from theory.registry import claims
from theory.signature import Signature

PROVED = [(c.name, v) for c in claims().values() for v in c.variants if v.proof is not None]
each = pytest.mark.parametrize(("claim", "variant"), PROVED, ids=[f"{c}, {v.name}" for c, v in PROVED])


def ends(variant):
    """Return the variant with the first and the last instance of its proof, of which one fixes no weight."""
    instances = dict.fromkeys((variant.proof.instances[0], variant.proof.instances[-1]))
    return replace(variant, proof=replace(variant.proof, instances=tuple(instances), sizes=None))


def changed(variant, change):
    """Check the proof of the variant's first and last instance with changed automata."""
    return ends(variant).changed(construction=lambda w: [change(a) for a in variant.reading.construction(w)])


def transposed(a):
    """Transpose the matrices; if they would not change, move their columns instead."""
    matrices = a.matrices.swapaxes(1, 2).copy()
    return a.replace(matrices=np.roll(matrices, 1, axis=2) if (matrices == a.matrices).all() else matrices)


def swapped_ends(a):
    return a.replace(initial=a.final.copy(), final=a.initial.copy())


def without_first_start(a):
    start = a.initial.copy()
    start[next(i for i, w in enumerate(start) if w != a.semiring.zero)] = a.semiring.zero
    return a.replace(initial=start)


def squared(a):
    return a.replace(matrices=a.semiring.times(a.matrices, a.matrices))


def doubled_final(a):
    return a.replace(final=a.semiring.plus(a.final, a.final))


def one_arrow_less(a):
    matrices = a.matrices.copy()
    last = max((i for i, w in enumerate(matrices.flat) if w != a.semiring.zero))
    matrices.flat[last] = a.semiring.zero
    return a.replace(matrices=matrices)


CHANGES = [transposed, swapped_ends, without_first_start, squared, doubled_final, one_arrow_less]


@each
@pytest.mark.parametrize("change", CHANGES, ids=lambda f: f.__name__)
def test_no_mutated_automaton_is_proved(claim, variant, change):
    with pytest.raises(NotProved):
        prove(changed(variant, change))


def late(recurrence):
    """Return a network that adds one to its output after each step."""
    return replace(
        recurrence, out=lambda w, c: tuple(w.over.plus(v, w.over.one) for v in recurrence.out(w, c))
    )


def stuck(recurrence):
    """Return a network whose components never change, unless it enters a mode with more components."""

    def step(w, c, x):
        mode, numbers = recurrence.step(w, c, x)
        return mode, c[1] if np.shape(numbers) == np.shape(c[1]) else numbers

    return replace(recurrence, step=step if recurrence.modes else lambda w, c, x: c)


def first_letter(recurrence):
    """Return a network that reads every symbol as the first one of the alphabet."""
    return replace(recurrence, step=lambda w, c, x: recurrence.step(w, c, w.alphabet[0]))


def read_twice(recurrence):
    """Return a network that reads every symbol twice."""
    return replace(recurrence, step=lambda w, c, x: recurrence.step(w, recurrence.step(w, c, x), x))


@each
@pytest.mark.parametrize("change", [late, stuck, first_letter, read_twice], ids=lambda f: f.__name__)
def test_no_mutated_recurrence_is_proved(claim, variant, change):
    with pytest.raises(NotProved):
        prove(ends(variant).changed(recurrence=change(variant.reading.recurrence)))


@each
@few
@given(st.data())
def test_no_perturbed_weight_is_proved(claim, variant, data):
    """If a variable is added to one weight of one automaton, some identity fails."""
    signature, alphabet = variant.proof.instances[0]
    weights = signature.variables(alphabet, POLYNOMIALS)
    a = variant.reading.construction(weights)[0]
    part = data.draw(st.sampled_from(["initial", "final", "matrices"]))
    index = data.draw(st.integers(0, getattr(a, part).size - 1))
    # A transition is never used if its source's value in the invariant is zero in every reached state.
    assume(part == "initial" or any(_reads(variant, weights, part, index)))

    def perturb(automaton):
        values = getattr(automaton, part).copy()
        values.flat[index] = automaton.semiring.plus(values.flat[index], automaton.semiring.variable("error"))
        return automaton.replace(**{part: values})

    only = replace(variant, proof=replace(variant.proof, instances=variant.proof.instances[:1], sizes=None))
    with pytest.raises(NotProved):
        prove(only.changed(construction=lambda w: [perturb(x) for x in variant.reading.construction(w)]))


def _reads(variant, weights, part, index):
    n = variant.reading.construction(weights)[0].states
    row = index if part == "final" else index % (n * n) // n
    for state in variant.proof.states(weights, POLYNOMIALS.variable):
        yield list(variant.proof.invariant(weights, state, 0))[row] != POLYNOMIALS.zero


@each
def test_proofs_in_the_free_semiring_hold_with_numbers_for_variables(claim, variant):
    """On a few strings, the polynomials of the network and of the automaton are equal."""
    signature, alphabet = variant.proof.instances[-1]
    w = signature.variables(alphabet, POLYNOMIALS)
    automata = variant.reading.construction(w)
    string = (alphabet * 3)[:3]
    for unit, automaton in enumerate(automata):
        *_, last = variant.reading.recurrence.values(w, string)
        assert last[unit] == forward.score(automaton, string)


BROKEN_PLACES = {
    "W not transposed": (proposition_13, "within_c", lambda of, i, j: of.at("W", i, j)),
    "eta from elsewhere": (
        proposition_13,
        "to_c",
        lambda of, i, j: of.where(i, j - 1, lambda: of.at("b", j)),
    ),
    "eta of another place": (proposition_13, "to_c_from_one", lambda of, j: of.at("b", j + 1)),
    "ones lost": (proposition_13, "within_ones", lambda of, i, j: of.where(i, j - 1, lambda: of.one)),
    "W transposed in the network": (
        proposition_13,
        "next_number",
        lambda of, j: of.plus(of.sum(lambda i: of.times(of.at("W", i, j), of.at("c", i))), of.at("b", j)),
    ),
    "mu of another place": (
        proposition_12,
        "tau",
        lambda of, i, j: of.plus(
            of.where(i, j, lambda: of.at("lambda")), of.where(i, j - 1, lambda: of.at("u", j + 1))
        ),
    ),
    "two steps at once": (
        proposition_12,
        "tau",
        lambda of, i, j: of.plus(
            of.where(i, j, lambda: of.at("lambda")), of.where(i, j - 2, lambda: of.at("u", j))
        ),
    ),
    "the place after": (
        proposition_12,
        "next_number",
        lambda of, j: of.plus(
            of.times(of.at("c", j), of.at("lambda")), of.times(of.at("c", j + 1), of.at("u", j))
        ),
    ),
    "no loop on q_0": (proposition_12, "tau_to_first", lambda of, i: of.where(i, 1, lambda: of.one)),
}


@pytest.mark.parametrize("name", BROKEN_PLACES)
def test_mutated_index_functions_are_not_proved_for_symbolic_sizes(name, monkeypatch):
    """The identities for every d and n use the functions that recurrence and automaton call."""
    module, function, broken = BROKEN_PLACES[name]
    symbolic = [v.proof.sizes for v in module.CLAIM.variants if v.proof is not None]
    assert all(identity.holds for sizes in symbolic for identity in sizes())
    monkeypatch.setattr(module, function, broken)
    assert not all(identity.holds for sizes in symbolic for identity in sizes())


@pytest.mark.parametrize(
    ("claim", "states", "says"),
    [
        ("proposition-7", lambda w, variable: [w.c_0], "no general state to continue from"),
        ("proposition-7", lambda w, variable: [variable("c_0")], "no general state"),
        ("proposition-7", lambda w, variable: [], "omits the first state"),
        ("proposition-7", lambda w, variable: [w.over.one], "omits the first state"),
        ("model-c", lambda w, variable: [(variable("c"), variable("c"))], "omits the first state"),
        ("model-c", lambda w, variable: [(w.c1_0, w.c2_0), (variable("c"), w.over.zero)], "no general state"),
        ("proposition-11-t-gru", lambda w, variable: [("", variable("c"))], "no general state with 'a'"),
    ],
)
def test_a_proof_that_omits_states_is_refused(claim, states, says):
    """If the states are not general, identities that hold prove nothing about other states."""
    variant = claims()[claim].variant("corrected")
    with pytest.raises(GapInProof, match=says):
        prove(replace(variant, proof=replace(variant.proof, states=states)))


def test_a_proof_with_one_variable_for_two_weights_is_refused(monkeypatch):
    right = Signature.variables
    variant = claims()["proposition-7"].variant("corrected")

    def merged(self, alphabet, over):
        w = right(self, alphabet, over)
        return w.changed(u=w.f)

    monkeypatch.setattr(Signature, "variables", merged)
    with pytest.raises(GapInProof, match="one variable"):
        prove(variant)


def test_a_proof_that_fixes_a_weight_which_the_variant_does_not_fix_is_refused():
    """Figure 1 as drawn is proved for c_0 = 0; the variant has small cases with any c_0."""
    variant = claims()["proposition-7"].variant("corrected")
    drawn = proposition_7.two_states(proposition_7.AT_ZERO)
    reading = Equality(proposition_7.example_6, proposition_7.figure_1)
    some = replace(variant, reading=reading, cases=proposition_7.AT_ZERO.random, proof=drawn)
    prove(replace(some, small_cases=proposition_7.AT_ZERO.small))
    with pytest.raises(GapInProof, match="fixes the weight c_0, which the variant does not"):
        prove(replace(some, small_cases=proposition_7.ANYWHERE.small))


def test_a_proof_without_instances_or_letters_is_refused():
    variant = claims()["proposition-7"].variant("corrected")
    with pytest.raises(GapInProof, match="must have at least one instance"):
        prove(replace(variant, proof=replace(variant.proof, instances=())))
    with pytest.raises(GapInProof, match="without letters"):
        prove(
            replace(variant, proof=replace(variant.proof, instances=((variant.proof.instances[0][0], ""),)))
        )


def test_the_order_of_factors_is_distinguished():
    def order(claim):
        variant = claims()[claim].variant("corrected")
        return order_of_factors(variant, variant.proof)

    assert order("proposition-7") == IF_TURNED  # the paper writes f c, a path has c f
    assert order("model-c") == order("proposition-12") == IN_ANY_ORDER  # the paper writes c f
    assert order("model-f") == NOT_IN_ORDER  # it writes c f, and p c


def test_a_proof_counts_and_lists_its_identities():
    variant = claims()["proposition-7"].variant("corrected")
    with recording() as book:
        prove(variant)
    assert book.cases == 2 * sum(
        len(identities(variant, variant.proof, COMMUTATIVE, i)) for i in variant.proof.checked
    )
    proof = book.certificate
    assert proof["type"] == "induction" and proof["base"] == ["unit 0: (1, c_0) = (1, c_0)"]
    assert proof["step"] == ["unit 0, state c, symbol a: (1, c f(a) + u(a)) = (1, f(a) c + u(a))"]
    assert proof["automaton"] == ["lambda = (1, c_0)", "tau(a) = ((1, u(a)), (0, f(a)))", "rho = (0, 1)"]
    assert proof["readout"] == ["unit 0, state c: c = c"]


# The semirings of the proofs.

atoms = st.sampled_from([0, 1, 2, "x", "y", "z"])
sums = st.tuples(st.sampled_from("+*"), atoms, atoms)
polynomials = atoms | sums | st.tuples(st.sampled_from("+*"), sums, sums)


def value_of(tree, k):
    """Evaluate an expression tree over a semiring."""
    if isinstance(tree, tuple):
        sign, a, b = tree
        return (k.plus if sign == "+" else k.times)(value_of(a, k), value_of(b, k))
    return k.variable(tree) if isinstance(tree, str) else k.exact(tree)


@pytest.mark.parametrize("k", [POLYNOMIALS, WORDS, RATIONAL], ids=lambda k: k.name)
@given(polynomials, polynomials, polynomials)
def test_they_are_semirings(k, a, b, c):
    a, b, c = (value_of(tree, k) for tree in (a, b, c))
    assert k.same(k.plus(a, b), k.plus(b, a)) and k.same(k.plus(a, k.plus(b, c)), k.plus(k.plus(a, b), c))
    assert k.same(k.times(a, k.times(b, c)), k.times(k.times(a, b), c))
    assert k.same(k.times(a, k.plus(b, c)), k.plus(k.times(a, b), k.times(a, c)))
    assert k.same(k.times(k.plus(a, b), c), k.plus(k.times(a, c), k.times(b, c)))
    assert k.same(k.times(a, k.one), a) and k.same(k.times(k.one, a), a) and k.same(k.plus(a, k.zero), a)
    assert k.same(k.times(a, k.zero), k.zero) and k.same(k.times(k.zero, a), k.zero)
    assert k is WORDS or k.same(k.times(a, b), k.times(b, a))


@given(polynomials, polynomials)
def test_two_polynomials_are_equal_iff_sympy_agrees(a, b):
    ours = value_of(a, POLYNOMIALS) == value_of(b, POLYNOMIALS)
    assert ours == RATIONAL.same(value_of(a, RATIONAL), value_of(b, RATIONAL))


@given(polynomials, st.tuples(*[st.integers(-3, 3)] * 3))
def test_a_homomorphism_maps_them_to_every_semiring(tree, values):
    """Numbers are substituted for variables, in the reals and in max-plus."""
    for k in (REAL, MAX_PLUS):
        at = dict(zip("xyz", map(Fraction, values), strict=True))

        def evaluated(p, k=k, at=at):
            total = k.zero
            for word, times in p.terms.items():
                product = k.one
                for name in word:
                    product = k.times(product, at[name])
                for _ in range(times):
                    total = k.plus(total, product)
            return total

        def directly(t, k=k, at=at):
            if isinstance(t, tuple):
                return (k.plus if t[0] == "+" else k.times)(directly(t[1]), directly(t[2]))
            if isinstance(t, str):
                return at[t]
            total = k.zero
            for _ in range(t):
                total = k.plus(total, k.one)
            return total

        assert evaluated(value_of(tree, POLYNOMIALS)) == directly(tree)


def test_there_is_no_minus_to_prove_with():
    x = POLYNOMIALS.variable("x")
    with pytest.raises(TypeError):
        x - x
    with pytest.raises(TypeError):
        1 - x
    with pytest.raises(TypeError, match="commuting and in noncommuting variables cannot be combined"):
        x + WORDS.variable("x")


def test_noncommuting_variables_keep_their_order():
    x, y = map(WORDS.variable, "xy")
    a = WFSA(WORDS, [x, 0], [0, 1], {"a": [[0, y], [0, 0]]})
    assert forward.score(a, "a") == x * y != y * x and str(x * x * y) == "x^2 y"
