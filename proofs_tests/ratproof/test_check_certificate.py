"""Tests that the independent checkers of automata accept the library's decisions and reject all tampering."""

import copy
import json
from fractions import Fraction

import flint
import pytest
from hypothesis import assume, event, given
from hypothesis import strategies as st

from automata import operations
from automata.equivalence import Different, Equivalent, equivalent, pairs
from automata.forward import score
from automata.io.json_format import from_json
from automata.minimise import minimise
from automata.semirings import BOOLEAN, COUNTING, MAX_PLUS, MAX_TIMES, MIN_PLUS, REAL
from automata.testing.strategies import automata
from automata.wfsa import WFSA
from proofs_tests.ratproof.certificate_files import automaton
from ratproof.checkers import check_bisimulation, check_certificate

REJECTS = (ValueError, KeyError, TypeError, AttributeError, IndexError, ArithmeticError)


def verdict(data):
    """Return the checker's verdict for this semiring: the claim, or ``rejected``."""
    field = data.get("A", {}).get("semiring") not in ("boolean", "max-plus", "min-plus", "max-times")
    try:
        return (check_certificate if field else check_bisimulation).verdict(data)
    except REJECTS:
        return "rejected"


@st.composite
def certificates(draw):
    """Draw a true certificate over a field: of equality (with a padded copy), of a difference, or of
    minimality.
    """
    k = draw(st.sampled_from([REAL, REAL, COUNTING]))
    a = draw(automata(k, most_states=3, epsilon=draw(st.sampled_from(["none", "none", "cyclic"]))))
    kind = draw(st.sampled_from(["equivalent", "different", "minimal"]))
    if kind == "minimal":
        return minimise(a).certificate.to_json()
    b = draw(automata(k, most_states=2))
    if kind == "equivalent":
        b = operations.sum_of(a, operations.scale(b, 0))
    certificate = equivalent(a, b).certificate.to_json()
    assume(certificate["claims"] == kind)
    return certificate


def weights_in(data):
    """Return the rows of all weights: lists whose last item is a weight."""
    rows = []

    def walk(value):
        if isinstance(value, dict):
            for part in value.values():
                walk(part)
        elif isinstance(value, list):
            if value and isinstance(value[-1], str) and len(value) > 1 and isinstance(value[0], int):
                rows.append(value)
            for part in value:
                walk(part)

    walk({name: data[name] for name in data if name not in ("word", "prefixes", "suffixes")})
    return rows


@given(st.data())
def test_a_certificate_with_any_weight_changed_is_rejected_or_still_true(data):
    """Changing one weight makes the certificate false, unless the weight is irrelevant: then its claim is
    still true.
    """
    certificate = data.draw(certificates())
    assert verdict(json.loads(json.dumps(certificate))) == certificate["claims"]
    rows = weights_in(certificate)
    assume(rows)
    spoilt = copy.deepcopy(certificate)
    row = weights_in(spoilt)[data.draw(st.integers(0, len(rows) - 1))]
    row[-1] = str(Fraction(row[-1]) + data.draw(st.sampled_from([1, -1, Fraction(1, 2), Fraction(1, 2**60)])))
    answer = verdict(spoilt)
    event(f"{certificate['claims']}: {answer}")
    assert answer == "rejected" or true(spoilt)


def true(data):
    """Return whether :func:`equivalent`, which has its own tests, confirms the certificate's claim."""
    try:
        a, b = (from_json(data[side]) for side in "AB")
    except ValueError:
        return False  # a divergent epsilon cycle, or an invalid count
    answer = equivalent(a.replace(semiring=REAL), b.replace(semiring=REAL), missing_as_zero=True)
    if data["claims"] == "different":
        return isinstance(answer, Different) and [score(a, data["word"]), score(b, data["word"])] == list(
            map(Fraction, data["scores"])
        )
    return isinstance(answer, Equivalent) and (
        data["claims"] == "equivalent" or minimise(b).automaton.states == b.states
    )


TWINS = {"a": [["1/2", 1], [0, "1/2"]], "b": [[0, 1], [1, 0]]}
SOME = WFSA(REAL, [1, 0], [1, "1/3"], TWINS)
PADDED = operations.sum_of(SOME, operations.scale(WFSA(REAL, [1], [1], {"a": [[3]], "b": [[1]]}), 0))
SILENT = WFSA(REAL, [1, 0], [1, "1/3"], TWINS, epsilon=[[0, "1/3"], ["-1/3", 0]])
EQUAL = equivalent(SOME, PADDED).certificate.to_json()
BACK = equivalent(PADDED, SOME).certificate.to_json()
OTHER = equivalent(
    SOME, WFSA(REAL, [1, 0], [1, "1/3"], {**TWINS, "b": [[0, 1], [1, "1/9"]]})
).certificate.to_json()
LEAST = minimise(PADDED).certificate.to_json()
OF_SILENT = equivalent(SILENT, operations.remove_epsilon(SILENT)).certificate.to_json()
ALL = {"EQUAL": EQUAL, "BACK": BACK, "OTHER": OTHER, "LEAST": LEAST, "OF_SILENT": OF_SILENT}


def change(name, **fields):
    return pytest.param({**ALL[name], **fields}, id=f"{name}: {', '.join(fields)}")


def without(name, field):
    return pytest.param({n: v for n, v in ALL[name].items() if n != field}, id=f"{name} without {field}")


def part(name, side, **fields):
    return pytest.param(
        {**ALL[name], side: {**ALL[name][side], **fields}}, id=f"{name}, {side}: {', '.join(fields)}"
    )


TAMPERED = [
    change("EQUAL", claims="different"),
    change("EQUAL", claims="minimal"),
    change("EQUAL", claims="true"),
    change("OTHER", claims="equivalent"),
    change("EQUAL", through="B"),
    change("EQUAL", through="C"),
    change("EQUAL", through=None),
    change("EQUAL", through=OTHER["B"]),
    change("EQUAL", A=OTHER["B"]),
    change("EQUAL", B=OTHER["B"]),
    change("EQUAL", A=EQUAL["B"], B=EQUAL["A"]),
    without("EQUAL", "to B"),
    without("BACK", "to A"),
    change("EQUAL", **{"to B": []}),
    change("EQUAL", **{"to B": [*EQUAL["to B"], [0, 0, "1"]]}),
    change("EQUAL", **{"to B": [*EQUAL["to B"], [0, 9, "1"]]}),
    change("EQUAL", **{"to B": [*EQUAL["to B"], [-1, 0, "1"]]}),
    change(
        "EQUAL",
        **{"to B": [[j, i, w] for i, j, w in EQUAL["to B"]][:1] + EQUAL["to B"][1:] + [[1, 2, "1/7"]]},
    ),
    change("EQUAL", **{"to B": [[True, *row[1:]] if row[0] == 1 else row for row in EQUAL["to B"]]}),
    change("EQUAL", **{"to B": [[i, j, float(Fraction(w))] for i, j, w in EQUAL["to B"]]}),
    change("EQUAL", **{"to B": [[i, j, w + "e0"] for i, j, w in EQUAL["to B"]]}),
    change("EQUAL", **{"to B": [[i, j, "nan"] for i, j, w in EQUAL["to B"]]}),
    change("OTHER", word=[]),
    change("OTHER", word=["c"]),
    change("OTHER", word=OTHER["word"] + ["a"]),
    change("OTHER", scores=OTHER["scores"][::-1]),
    change("OTHER", scores=["0", "1"]),
    change("OTHER", scores=OTHER["scores"][:1]),
    change("OTHER", B=OTHER["A"], scores=OTHER["scores"][:1] * 2),
    change("LEAST", prefixes=LEAST["prefixes"][:1] * 2),
    change("LEAST", suffixes=LEAST["suffixes"][1:]),
    change("LEAST", prefixes=[*LEAST["prefixes"], ["a", "a"]]),
    change("LEAST", B=LEAST["A"]),
    *(part("EQUAL", "A", **{field: EQUAL["B"][field]}) for field in ("final", "transitions")),
    part("EQUAL", "A", states=1),
    part("EQUAL", "A", initial=[[1, "1"]]),
    part("EQUAL", "B", initial=[[1, "1"]]),
    part("EQUAL", "B", final=[]),
    part("EQUAL", "B", transitions=[]),
    part(
        "EQUAL",
        "B",
        transitions=[[q, r, {"a": "b", "b": "a"}[s], w] for q, r, s, w in EQUAL["B"]["transitions"]],
    ),
    part("EQUAL", "B", transitions=[[r, q, s, w] for q, r, s, w in EQUAL["B"]["transitions"]]),
    part("EQUAL", "B", alphabet=["a", "b", "c"]),
    part(
        "EQUAL", "B", alphabet=["a"], transitions=[row for row in EQUAL["B"]["transitions"] if row[2] == "a"]
    ),
    part("EQUAL", "B", states=10**12),
    part("OTHER", "B", alphabet=["b", "c"], transitions=[]),
    part("EQUAL", "B", alphabet=["a", "b", "b"]),
    part("EQUAL", "B", alphabet=["a", "b", ""]),
    part("EQUAL", "B", semiring="max-plus"),
    part("EQUAL", "B", states=2),
    part("EQUAL", "B", states=-3),
    change(
        "OF_SILENT",
        **{"without epsilon": {"A": {**OF_SILENT["without epsilon"]["A"], "bound": ["1", "1/4"]}}},
    ),
    change(
        "OF_SILENT",
        **{"without epsilon": {"A": {**OF_SILENT["without epsilon"]["A"], "bound": ["-2", "-2"]}}},
    ),
    change("OF_SILENT", **{"without epsilon": {"A": {**OF_SILENT["without epsilon"]["A"], "bound": ["2"]}}}),
    change(
        "OF_SILENT",
        **{"without epsilon": {"A": {**OF_SILENT["without epsilon"]["A"], "automaton": OTHER["A"]}}},
    ),
    change(
        "OF_SILENT",
        **{"without epsilon": {"A": {**OF_SILENT["without epsilon"]["A"], "automaton": OF_SILENT["A"]}}},
    ),
]


@pytest.mark.parametrize("name", ALL)
def test_untampered_certificates_are_accepted(name):
    assert verdict(json.loads(json.dumps(ALL[name]))) == ALL[name]["claims"]


@pytest.mark.parametrize("data", TAMPERED)
def test_every_kind_of_field_is_checked(data):
    assert verdict(data) == "rejected"


@given(st.lists(st.lists(st.integers(-2, 2), min_size=3, max_size=3), min_size=1, max_size=4))
def test_vectors_are_independent_iff_their_rank_is_their_count(rows):
    """The vectors have three dimensions, and the prime is larger than any determinant."""
    vectors = [{q: Fraction(w, 6) for q, w in enumerate(row) if w} for row in rows]
    full = flint.fmpz_mat(rows).rank() == len(rows)
    assert check_certificate.independent(vectors, 2**61 - 1) == full


def test_a_minimal_automaton_with_epsilon_is_rejected():
    """The checker reads the suffixes in reverse, and this computation ignores epsilon."""
    b = {**LEAST["B"], "transitions": [*LEAST["B"]["transitions"], [0, 1, "", "1/2"]]}
    plain = operations.remove_epsilon(from_json(b))
    data = minimise(plain).certificate.to_json()
    assert verdict(data) == "minimal"
    silent = {"B": {"automaton": data["B"], "bound": ["2", "1"]}}
    assert verdict({**data, "B": b, "through": "A", "without epsilon": silent}) == "rejected"


def test_divergent_epsilon_cycles_are_rejected():
    """E = 2 has (1 - E)^-1 = -1, but no bound shows that the sums converge."""
    arrows = [[0, 0, "", "2"], [0, 0, "a", "1"]]
    a = automaton(initial=[[0, "1"]], final=[[0, "1"]], transitions=arrows)
    b = {**a, "initial": [[0, "-1"]], "transitions": [[0, 0, "a", "-1"]]}
    data = {"format": "ratproof certificate 1", "claims": "equivalent", "A": a, "B": b, "through": "B"}
    for bound in ("1", "-1", "0", "1/1000000000"):
        assert verdict({**data, "without epsilon": {"A": {"automaton": b, "bound": [bound]}}}) == "rejected"


def by_pairs(a, b):
    """Return the result of the search for pairs, without trying lumping; its certificate lists the pairs."""
    if a.semiring is BOOLEAN:
        return equivalent(a, b, longest=4)
    return pairs.search(a.to_exact(), b.to_exact(), lambda stage: None, 4)


@pytest.mark.parametrize("k", [BOOLEAN, MAX_PLUS, MIN_PLUS, MAX_TIMES], ids=lambda k: k.name)
@given(st.data())
def test_an_equality_certificate_of_other_automata_is_rejected(k, data):
    """If one automaton is replaced by one that is not equivalent, no list of pairs is accepted, and none with
    a missing pair.
    """
    a = data.draw(automata(k, most_states=3, epsilon="acyclic"))
    b = operations.sum_of(a, a)
    answer = by_pairs(a, b)
    assume(isinstance(answer, Equivalent) and answer.certificate is not None)
    good = answer.certificate.to_json()
    assert verdict(good) == "equivalent"
    c = data.draw(automata(k, most_states=3))
    other = equivalent(a, c, longest=4)
    if isinstance(other, Different):
        event("different")
        assert verdict({**good, "B": other.certificate.to_json()["B"]}) == "rejected"
        assert verdict({**other.certificate.to_json(), "scores": good_scores(other)}) == "rejected"
    if k is not BOOLEAN:  # a missing pair may follow from the other pairs
        out = data.draw(st.integers(0, len(good["pairs"]) - 1))
        assert verdict({**good, "pairs": good["pairs"][:out] + good["pairs"][out + 1 :]}) == "rejected"
    smaller = {
        **good["B"],
        "alphabet": ["a"],
        "transitions": [row for row in good["B"]["transitions"] if row[2] != "b"],
    }
    assert verdict({**good, "B": smaller}) == "rejected"


@pytest.mark.parametrize("k", [BOOLEAN, MAX_PLUS, MIN_PLUS, MAX_TIMES], ids=lambda k: k.name)
def test_every_kind_of_field_is_checked_over_other_semirings(k):
    one = k.one
    a = WFSA(
        k,
        [one, k.zero],
        [k.zero, one],
        {"a": [[k.zero, one], [one, k.zero]], "b": [[one, k.zero], [k.zero, one]]},
    )
    good = by_pairs(a, operations.sum_of(a, a)).certificate.to_json()
    assert verdict(good) == "equivalent"
    write = k.format
    for side in "AB":
        for field, value in [
            ("final", []),
            ("initial", []),
            ("final", [[0, write(one)]]),
            ("transitions", []),
            ("alphabet", ["a"]),
            ("states", 1),
            ("semiring", "real"),
            ("alphabet", ["a", "b", "b"]),
            ("final", [[9, write(one)]]),
            ("final", [["0", write(one)]]),
            ("transitions", [[q, r, {"a": "b", "b": "a"}[s], w] for q, r, s, w in good[side]["transitions"]]),
            ("initial", [[0, "nan"]]),
            ("initial", [[0, {BOOLEAN: "1", MAX_PLUS: "inf", MIN_PLUS: "-inf", MAX_TIMES: "-1"}[k]]]),
        ]:
            assert verdict({**good, side: {**good[side], field: value}}) == "rejected", (side, field, value)
    for listed in ([], good["pairs"][:1], good["pairs"][1:], [[x, []] for x, _ in good["pairs"]]):
        assert verdict({**good, "pairs": listed}) == "rejected"
    assert verdict({**good, "claims": "minimal"}) == "rejected"
    assert verdict({**good, "format": ""}) == "rejected"


def test_negative_max_times_weights_are_rejected():
    """Max and times are not a semiring over numbers of both signs: the maximum of the vectors' weights does
    not determine the scores.
    """
    a = automaton("max-times", initial=[[0, "-1"]])
    data = {"format": "ratproof certificate 1", "claims": "equivalent", "A": a, "B": a, "pairs": [[[], []]]}
    assert verdict(data) == "rejected"
    assert verdict({**data, **{side: {**a, "initial": [[0, "1"]]} for side in "AB"}}) == "equivalent"


def good_scores(answer):
    k = answer.certificate.a.semiring
    return [k.format(answer.scores[1]), k.format(answer.scores[0])]


@pytest.mark.parametrize("through", ["A", "B"])
@pytest.mark.parametrize("matrices", [{}, {"to A": [[0, 0, "1"]], "to B": [[0, 0, "1"]]}])
def test_transitions_of_only_one_automaton_are_checked(through, matrices):
    """A transition, a final weight or an initial weight that only one of the automata has is detected."""
    still = automaton(alphabet="ab", initial=[[0, "1"]], final=[[0, "1"]])
    data = {"format": "ratproof certificate 1", "claims": "equivalent", "through": through, **matrices}
    assert verdict({**data, "A": still, "B": still}) == "equivalent"
    for part, value in (("transitions", [[0, 0, "a", "1"]]), ("final", []), ("initial", [])):
        assert verdict({**data, "A": still, "B": {**still, part: value}}) == "rejected"
        assert verdict({**data, "A": {**still, part: value}, "B": still}) == "rejected"


@pytest.mark.parametrize(
    ("k", "far", "near"), [(MIN_PLUS, 5, 1), (MAX_PLUS, 1, 5), (MAX_TIMES, "1/5", "4/5")]
)
def test_a_longer_epsilon_path_that_is_better_is_used(k, far, near):
    """State 1 is reached directly, and then by a better path: its successors use the better one."""
    silent = [[k.zero] * 4 for _ in range(4)]
    silent[0][1], silent[0][2], silent[2][1], silent[1][3] = (
        k.exact(Fraction(w)) for w in (far, near, near, k.one)
    )
    a = WFSA(k, [k.one, *[k.zero] * 3], [*[k.zero] * 3, k.one], {"a": [[k.zero] * 4] * 4}, epsilon=silent)
    answer = equivalent(a, operations.remove_epsilon(a))
    assert score(a, ()) == k.multiply_numbers(*[k.exact(Fraction(near))] * 2)
    assert verdict(answer.certificate.to_json()) == "equivalent"


@pytest.mark.parametrize("semiring", ["boolean", "max-plus", "min-plus", "max-times"])
def test_a_certificate_over_another_semiring_refers_to_the_other_checker(semiring):
    data = {"format": check_certificate.FORMAT, "claims": "equivalent", "A": {"semiring": semiring}}
    with pytest.raises(
        ValueError, match=f"the semiring {semiring} is not a field; use check_bisimulation.py"
    ):
        check_certificate.verdict(data)
