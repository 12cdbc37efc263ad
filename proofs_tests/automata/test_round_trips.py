"""Tests that an automaton with any symbols is read back as it was written, or is refused."""

import json
import re
import shlex
import tempfile
import unicodedata
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pynini
import pytest
import pywrapfst
from hypothesis import example, given
from hypothesis import strategies as st

from automata import drawing
from automata.batch import scores
from automata.determinisation import minimal
from automata.dfa import DFA
from automata.equivalence import equivalent
from automata.errors import InputError
from automata.io import files, symbol_tables
from automata.io.openfst import from_openfst
from automata.labels import symbol_text
from automata.semirings import BOOLEAN, LOG, MAX_PLUS, MIN_PLUS, REAL
from automata.symbols import EPSILON
from automata.testing.dfa_strategies import dfas
from automata.testing.strategies import automata, awkward_alphabets, semirings, strings, symbols
from automata.text.printable_text import write_string, write_symbol
from automata.wfsa import WFSA
from proofs_tests.automata.commands import command
from proofs_tests.automata.examples import few_cases, some_cases
from proofs_tests.automata.same_scores import connected

HALF = re.compile("[\ud800-\udfff]")
NOT_IN_ATT = re.compile("[ \t\r\n\0\ud800-\udfff]")


@st.composite
def machines(draw, semiring=None, encodable=False, **options):
    """Draw an automaton over any semiring, exact or float64, with or without epsilon, over symbols of all
    kinds.
    """
    k = draw(semirings()) if semiring is None else semiring
    kinds = {
        "epsilon": draw(st.sampled_from(["none", "acyclic", "cyclic"])),
        "exact": draw(st.booleans()),
        "most_states": 3,
    }
    return draw(automata(k, alphabet=draw(awkward_alphabets(encodable=encodable)), **kinds, **options))


@contextmanager
def folder():
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


def exactly(automaton):
    return automaton if automaton.semiring is LOG else automaton.to_exact()


def with_one_start(automaton):
    """Return the automaton in the form of AT&T text.

    It has one initial state of weight one, with epsilon transitions to the original initial states.
    """
    k, n = automaton.semiring, automaton.states
    starts = [(q, w) for q, w in enumerate(automaton.initial.tolist()) if w != k.zero]
    if len(starts) == 1 and starts[0][1] == k.one:
        return automaton
    arcs = [*automaton.edges(), *((n, q, EPSILON, w) for q, w in starts)]
    return WFSA.from_edges(
        k, n + 1, automaton.alphabet, [(n, k.one)], list(enumerate(automaton.final.tolist())), arcs
    )


def kept_by_att(symbol):
    return (
        not NOT_IN_ATT.search(symbol)
        and symbol not in symbol_tables.EPSILON_NAMES
        and len(symbol.encode()) <= 8095 // 3
    )


def decided_equal(one, other):
    """Assert that two automata are equivalent, or unknown if the semiring has no complete decision."""
    verdict = equivalent(one, other, longest=3).verdict
    undecided = (one.semiring is LOG and other.epsilon is not None) or equivalent(
        one, one, longest=3
    ).verdict == "unknown"
    return verdict == ("unknown" if undecided else "equivalent")


def nearest(weight):
    """Return the weight that ``--round`` writes: the nearest float64 if the weight has no finite decimal."""
    if not isinstance(weight, Fraction) or pow(10, 5000, weight.denominator) == 0 or weight.denominator == 1:
        return weight
    return Fraction(float(weight))


def rounded(automaton):
    if automaton.semiring.exact_only or automaton.semiring is LOG:
        return automaton
    k, exact = automaton.semiring, automaton.to_exact()
    ends = [[(q, nearest(w)) for q, w in enumerate(v.tolist())] for v in (exact.initial, exact.final)]
    return WFSA.from_edges(
        k, exact.states, exact.alphabet, *ends, [(*e[:3], nearest(e.weight)) for e in exact.edges()]
    )


@some_cases(machines(extreme=True))
def test_json_preserves_the_automaton_or_is_refused(automaton):
    with folder() as here:
        if any(map(HALF.search, automaton.alphabet)):
            with pytest.raises(InputError, match="lone surrogate"):
                files.write(automaton, here / "a.json")
            assert not list(here.iterdir())
        else:
            files.write(automaton, here / "a.json")
            assert files.read(here / "a.json") == exactly(automaton)


@some_cases(machines(extreme=True))
def test_att_text_with_its_symbols_preserves_the_automaton_or_is_refused(automaton):
    with folder() as here:
        lost = next((s for s in automaton.alphabet if not kept_by_att(s)), None)
        if lost is not None:
            with pytest.raises(InputError, match=r"symbol .* cannot be written as AT&T text"):
                files.write(automaton, here / "a.att", round_weights=True)
            assert not list(here.iterdir())
            return
        files.write(automaton, here / "a.att", round_weights=True)
        back, true = files.read(here / "a.att", automaton.semiring), rounded(automaton)
        assert back == with_one_start(true) and back.alphabet == automaton.alphabet
        assert decided_equal(true, back)


@some_cases(machines())
def test_att_text_preserves_weights_exactly_unless_rounding_is_requested(automaton):
    exact = exactly(automaton)
    if not all(map(kept_by_att, automaton.alphabet)):
        return
    with folder() as here:
        if rounded(automaton) == exact:
            files.write(automaton, here / "a.att")
            assert files.read(here / "a.att", automaton.semiring) == with_one_start(exact)
        else:
            with pytest.raises(InputError, match="no finite decimal"):
                files.write(automaton, here / "a.att")
            assert not list(here.iterdir())


@some_cases(machines(encodable=True))
def test_a_round_trip_of_convert_preserves_the_automaton_or_is_refused(automaton):
    with folder() as here:
        source, att, back = (str(here / name) for name in ("a.json", "b.att", "c.json"))
        files.write(automaton, source)
        status, out, err = command("convert", source, att, "--round")
        if all(map(kept_by_att, automaton.alphabet)):
            assert status == 0
            assert command("convert", att, back, "--semiring", automaton.semiring.name)[0] == 0
            assert files.read(back) == with_one_start(rounded(automaton))
        else:
            assert (status, out, err.count("\n")) == (2, "", 1) and err.startswith("ratproof: symbol ")
            assert [p.name for p in here.iterdir()] == ["a.json"]


@few_cases(machines(encodable=True), st.data())
def test_every_string_over_every_alphabet_can_be_scored_as_a_json_list(automaton, data):
    several = data.draw(st.lists(strings(automaton.alphabet, longest=4, run=0), min_size=1, max_size=3))
    with folder() as here:
        files.write(automaton, here / "a.json")
        status, out, err = command("score", str(here / "a.json"), "--lists", "--", *map(json.dumps, several))
    assert (status, err) == (0, "")
    assert out.splitlines() == [automaton.semiring.format(w) for w in scores(exactly(automaton), several)]


def scored_again(path, lists):
    """Check that ``score`` confirms the output of ``sample``, and return the status of ``sample``.

    Strings are passed as printed, or as a shell reads them.
    """
    status, out, _ = command(
        "sample", path, "-n", "3", "--longest", "3", "--seed", "0", *(["--lists"] if lists else [])
    )
    for line in out.removesuffix("\n").split("\n") if status == 0 else []:
        text, value = line.rsplit("\t", 1)
        pasted = shlex.split(text)[0] if not lists and text[:1] in ("'", '"') else text
        as_list = lists or (pasted is not text and pasted.startswith("["))
        expected = (0, value + "\n", "")
        assert command("score", path, *(["--lists"] if as_list else []), "--", pasted) == expected
    return status


@some_cases(machines(encodable=True), st.booleans())
def test_the_output_of_sample_can_be_scored(automaton, lists):
    with folder() as here:
        files.write(connected(automaton), here / "a.json")
        assert scored_again(str(here / "a.json"), lists) in (
            0,
            2,
        )  # the status is 2 if a weight is negative or there are no states


@pytest.mark.parametrize(
    "symbol", ["'", '"', "'a", '"[a]"', "['a']", "[", "a b", "\u00a0", "\\", "$a", "a\tb", "\u202e", "0"]
)
@pytest.mark.parametrize("lists", [False, True])
def test_strings_of_characters_special_to_shells_and_json_can_be_scored(symbol, lists):
    with folder() as here:
        files.write(WFSA(BOOLEAN, [True], [True], {symbol: [[True]], "b": [[True]]}), here / "a.json")
        assert scored_again(str(here / "a.json"), lists) == 0


def test_a_string_that_blanks_cannot_separate_is_printed_as_a_list():
    automaton = WFSA.from_edges(
        BOOLEAN, 3, ["New York", "b"], [(0, True)], [(2, True)], [(0, 1, "New York", True), (1, 2, "b", True)]
    )
    with folder() as here:
        path = str(here / "a.json")
        files.write(automaton, path)
        assert command("sample", path, "-n", "1") == (0, """'["New York", "b"]'\ttrue\n""", "")
        assert command("sample", path, "-n", "1", "--lists") == (0, '["New York", "b"]\ttrue\n', "")
        assert command("score", path, "--lists", '["New York", "b"]', "[]") == (0, "true\nfalse\n", "")
        for text in ("New York b", "[1]", "{}", '["b"'):
            status, out, err = command("score", path, "--lists", text)
            assert (status, out) == (2, "")
            assert err.startswith("ratproof: the string must be a JSON list of symbols")


@some_cases(machines(encodable=True))
def test_the_output_of_minimise_has_the_same_scores_and_alphabet(automaton):
    if automaton.semiring not in (REAL, BOOLEAN):
        return
    with folder() as here:
        files.write(automaton, here / "a.json")
        assert command("minimise", str(here / "a.json"), "-o", str(here / "b.json"))[0] == 0
        back = files.read(here / "b.json")
    assert back.alphabet == automaton.alphabet and equivalent(back, automaton).verdict == "equivalent"


def texts_of(svg):
    """Return the texts in an SVG picture, sorted."""
    return sorted(
        "".join(t.itertext()).replace("\u00a0", " ")
        for t in ElementTree.fromstring(svg).iter()
        if t.tag.endswith("text")
    )


@some_cases(st.lists(symbols(), min_size=1, max_size=3, unique=True))
@example(["&amp;", "&#65;", "\\N"])
@example(["\\n", "<b>", "\x1b[2J"])
def test_graphviz_shows_each_symbol_under_its_drawn_name(alphabet):
    """With one arrow per symbol, the picture contains only the texts of the symbols and the numbers of the
    states.
    """
    n = len(alphabet)
    automaton = WFSA.from_edges(
        BOOLEAN, n, alphabet, [], [], [(q, (q + 1) % n, s, True) for q, s in enumerate(alphabet)]
    )
    assert texts_of(drawing.svg(automaton)) == sorted([*map(str, range(n)), *map(symbol_text, alphabet)])


def test_graphviz_shows_the_given_names_of_states():
    names = ["&lt;", "\\N", "a\x07"]
    assert texts_of(drawing.svg(WFSA(BOOLEAN, [False] * 3, [False] * 3, {}), names=names)) == sorted(
        ["&lt;", "\\N", "a\\x07"]
    )


@given(st.lists(symbols(), max_size=4, unique=True))
@example(["ε", "all", "/", '"/"', "\u00e9", "e\u0301"])
def test_no_two_symbols_look_the_same_in_a_drawing(alphabet):
    shown = [symbol_text(s) for s in alphabet]
    assert len({*shown, "ε", "all", "/"}) == len(shown) + 3


def test_a_shortened_weight_is_not_shown_as_exact():
    text = drawing.dot(
        WFSA(REAL, [1], ["999999999/1000000000"], {"a": [["1/3"]], "b": [["1/10000000000001"]]})
    )
    assert '"0 / ≈1.00000"' in text and '"a / 1/3\\nb / ≈1.00000e-13"' in text


@given(st.lists(symbols(), min_size=1, max_size=4, unique=True), st.sampled_from(["", " / 2"]))
def test_the_label_of_an_arrow_is_an_unambiguous_list_of_symbols(alphabet, weight):
    """Splitting the label at commas outside quotation marks gives the symbols, in order."""
    text = ", ".join(map(symbol_text, alphabet)) + weight
    names = []
    while text not in ("", weight):
        part = re.match(r'("(?:[^"\\]|\\.)*"|[^" ,](?:[^ ]*[^ ,"])?)(?:, |(?= / 2$|$))', text)
        assert part is not None
        names.append(json.loads(part[1]) if part[1].startswith('"') else part[1])
        text = text[part.end() :]
    assert (names, text) == (alphabet, weight)


@pytest.mark.parametrize(
    ("k", "arc_type"),
    [(MIN_PLUS, "standard"), (MAX_PLUS, "standard"), (BOOLEAN, "standard"), (LOG, "log64")],
    ids=str,
)
@few_cases(st.data())
def test_openfst_compiles_our_output_to_the_same_automaton(k, arc_type, data):
    automaton = rounded(data.draw(machines(k)))
    if not all(map(kept_by_att, automaton.alphabet)):
        return
    with folder() as here:
        files.write(automaton, here / "a.att")
        table = pynini.SymbolTable.read_text(str(here / "a.syms"))
        text = (here / "a.att").read_text("utf-8")
    assert [table.find(s) for s in automaton.alphabet] == list(range(1, len(automaton.alphabet) + 1))
    compiler = pywrapfst.Compiler(arc_type=arc_type, isymbols=table, osymbols=table)
    compiler.write(text)
    compiled = from_openfst(compiler.compile(), automaton.alphabet, k)
    assert inexactly(compiled) == in_order_of_naming(
        with_one_start(automaton), text, float if k is LOG else np.float32
    )


def in_order_of_naming(automaton, text, precision):
    """Return the automaton with its states in the order in which fstcompile numbers them."""
    named = dict.fromkeys(
        int(q)
        for line in text.strip("\n").split("\n")
        for q in line.split("\t")[: 1 if line.count("\t") == 1 else 2]
    )
    number = {q: i for i, q in enumerate(named)}

    def weight(w):
        return w if automaton.semiring is BOOLEAN else float(precision(float(w)))

    ends = [
        [(number[q], weight(w)) for q, w in enumerate(v.tolist())]
        for v in (automaton.initial, automaton.final)
    ]
    arcs = [(number[e.source], number[e.target], e.symbol, weight(e.weight)) for e in automaton.edges()]
    return inexactly(WFSA.from_edges(automaton.semiring, automaton.states, automaton.alphabet, *ends, arcs))


def inexactly(automaton):
    return automaton if automaton.semiring.exact_only else automaton.to_float()


@some_cases(st.data())
def test_deterministic_automata_preserve_their_symbols(data):
    """The symbols survive weighted automata, a file and Hopcroft's minimisation."""
    alphabet = data.draw(awkward_alphabets(encodable=True))
    dfa = data.draw(dfas(alphabet=alphabet, most_states=4))
    with folder() as here:
        files.write(dfa.to_wfsa(), here / "a.json")
        assert DFA.from_wfsa(files.read(here / "a.json")).minimal() == dfa.minimal()
    least = minimal(dfa.to_wfsa())
    assert least.alphabet == alphabet and equivalent(least, dfa.to_wfsa()).verdict == "equivalent"


def test_symbols_that_look_alike_are_shown_escaped():
    composed, decomposed = "\u00e9", "e\u0301"
    assert write_string([composed]) == '"\u00e9"'
    assert write_string([composed, decomposed]) == """'["\u00e9", "e\\u0301"]'"""
    assert write_symbol(decomposed) == '"e\\u0301"'
    automaton = DFA((composed, decomposed), 0, ((0, 0),), frozenset()).to_wfsa()
    other = DFA((composed, decomposed), 0, ((0, 1), (0, 0)), frozenset({1})).to_wfsa()
    assert "e\\u0301" in equivalent(automaton, other).to_text("A", "B")
    with pytest.raises(InputError, match=r"symbol 'e\\u0301' is not in the alphabet \['\u00e9'\]$"):
        DFA((composed,), 0, ((0,),), frozenset()).run([decomposed])


@given(st.lists(st.text(min_size=1), max_size=4))
def test_two_strings_that_look_alike_are_shown_once(symbols):
    for form in ("NFC", "NFD"):
        other = [unicodedata.normalize(form, symbol) for symbol in symbols]
        shown, same = write_string(other), write_string(symbols)
        assert (unicodedata.normalize("NFC", shown) == unicodedata.normalize("NFC", same)) is (
            other == symbols
        )
