"""Tests of writing and reading automata, and of the one-line error messages for malformed files."""

import json
import os
import warnings
from fractions import Fraction
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from automata import drawing
from automata.errors import FormatError, InputError, OutputError
from automata.forward import score
from automata.io import att_format, files, json_format
from automata.io.files import write_whole
from automata.probabilistic import PFA
from automata.semirings import BOOLEAN, LOG, MAX_PLUS, MIN_PLUS, REAL, SEMIRINGS
from automata.testing.strategies import automata
from automata.wfsa import WFSA
from proofs_tests.automata.examples import few_cases, over, some_cases

each = over(SEMIRINGS.values())
GOOD = {
    "semiring": "real",
    "states": 2,
    "alphabet": ["a", "b"],
    "initial": [[0, "1"]],
    "final": [[1, "1/2"]],
    "transitions": [[0, 0, "a", "1"], [0, 1, "b", "1/3"]],
}


def test_att_text_of_openfst_is_read():
    """Text from fstprint is read: with two labels, with omitted weights of one, and as an acceptor with one
    label.
    """
    transducer = "0\t1\ta\ta\t0.5\n0\t0\tb\tb\n1\t2.25\n"
    acceptor = "0\t1\ta\t0.5\n0\t0\tb\n1\t2.25\n"
    for text in (transducer, acceptor):
        automaton = att_format.loads(text)
        assert automaton.semiring is MIN_PLUS and score(automaton, "bba") == Fraction(11, 4)
    assert score(att_format.loads(acceptor, MAX_PLUS), "bba") == Fraction(-11, 4)


def test_att_text_with_numbered_labels_reads_its_table():
    table = att_format.loads_symbols("<eps>\t0\nyes\t1\nno\t2\n")
    with pytest.warns(
        UserWarning,
        match="the labels are interpreted as numbers of the symbol table, because none of them is a name",
    ):
        automaton = att_format.loads("0\t1\t1\t1\n1\t1\t0\t0\t3\n1\n", symbols=table)
    assert automaton.alphabet == ("yes", "no") and automaton.epsilon is not None
    assert score(automaton, ["yes"]) == 0


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("0\t1\ta\tb\t1\n", "turns 'a' into 'b'"),
        (
            "0 1 a a 1 1\n",
            "line 1: the columns must be at most source, target, symbol, symbol, weight, got 6",
        ),
        ("x 1 a a 1\n", "line 1: a state must be a number, got 'x'"),
        ("0 1 a a nan\n", "a weight must be a number"),
        ("0 1 a a -Infinity\n", "weights of the min-plus semiring must be"),
        ("0 0 <eps> <eps> -1\n0\n", "epsilon cycles"),
        ("0 1 a\n1 0 5 5\n0 0 a a 2\n", "line 3: an arc has two labels, but line 1 has one label"),
        ("0 1 a b\n", "line 1: the last column must be the label 'a' again or a weight, got 'b'"),
        ("0 1 a a\n0 1 b 2\n", "line 2: an arc has one label, but line 1 has two labels"),
        ("0 1 a 2\n0 1 b b\n", "line 2: an arc has two labels, but line 1 has one label"),
        ("0 1 a\n1 3\n1 2\n", "line 3: state 1 must have one final weight, got a second one after line 2"),
        ("0 1 a\u00a02\n1 3\n1\u2028\n", r"line 3: a state must be a number, got '1\\u2028'"),
        ("0 1 a a 1e5000\n", "must have at most 4300 digits"),
        ("0 1 a a -0x5\n", "a weight must be a number"),
    ],
)
def test_malformed_att_text_gives_a_one_line_error_with_the_line_number(text, says):
    with pytest.raises(FormatError, match=says) as error:
        att_format.loads(text, where="m.att")
    assert str(error.value).startswith("m.att: ") and "\n" not in str(error.value)


def test_names_of_a_symbol_table_take_precedence_over_numbers():
    """As in OpenFst's compiler, 2 is the symbol with that name, not the symbol with that number."""
    automaton = WFSA(MIN_PLUS, [0], [0], {"2": [[5]], "1": [[7]]})
    text, table = att_format.dumps(automaton), att_format.loads_symbols(att_format.dumps_symbols(automaton))
    assert table == {"<epsilon>": 0, "2": 1, "1": 2}
    assert att_format.loads(text, symbols=table) == automaton


@pytest.mark.parametrize(
    "lines",
    ["0 0 5 5\n", "0 1 5 5\n0 1 6 6 \n", "0 1 inf inf\n1\n", "0 1 -1e9 -1e9", "0 1 1/2 1/2", "0 0 0 0"],
)
def test_ambiguous_four_column_lines_are_refused(lines):
    with pytest.raises(
        FormatError, match=r"line 1: the arc may have the labels .* with the weight .*; write the label twice"
    ):
        att_format.loads(lines)


@pytest.mark.parametrize(
    ("text", "symbol", "weight"),
    [
        ("0 1 5\n0 1 6 6\n1\n", "6", 6),
        ("0 1 5 5\n0 1 6 7\n1\n", "5", 5),
        ("0 1 a a\n0 1 5 5\n1\n", "5", 0),
        ("0 1 5 5 4\n0 1 6 6\n1", "6", 0),
    ],
)
def test_four_columns_are_interpreted_by_the_other_lines(text, symbol, weight):
    assert score(att_format.loads(text), [symbol]) == weight


@over(SEMIRINGS.values())
def test_symbols_that_look_like_weights_survive_writing_and_reading(k):
    """A symbol that is a number could be read as a weight, so the weight is always written."""
    automaton = WFSA(k, [k.one], [k.one], {"5": [[k.one]]})
    assert [line.count("\t") for line in att_format.dumps(automaton).splitlines()] == [4, 1]
    assert att_format.loads(att_format.dumps(automaton), k) == automaton


TABLE = "<eps> 0\n2 1\n1 2\nfive 5\n0 7\n<epsilon> 8\n"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            "0 1 1 1 0\n0 1 5 5 0\n",
            (
                "line 2: the labels must be all names or all numbers of the symbol table, got the number '5'"
                " and, in line 1, the name '1'"
            ),
        ),
        (
            "0 1 5 5 0\n0 1 2 2 0\n",
            (
                "line 1: the labels must be all names or all numbers of the symbol table, got the number '5'"
                " and, in line 2, the name '2'"
            ),
        ),
        ("0 1 2 2 0\n0 1 3 3 0\n", "line 2: label '3' is not in the symbol table"),
        ("0 1 5 5 0\n0 1 3 3 0\n", "line 2: label '3' is not in the symbol table"),
        ("0 1 05 05 0\n", "line 1: label '05' is not in the symbol table"),
        ("0 1 -1 -1 0\n", "line 1: label '-1' is not in the symbol table"),
    ],
)
def test_a_label_that_is_not_a_name_is_refused_with_its_line(text, says):
    with pytest.raises(FormatError, match=says):
        att_format.loads(text, symbols=att_format.loads_symbols(TABLE), where="m.att")


def test_epsilon_is_only_the_symbol_with_number_0_in_the_table():
    automaton = att_format.loads(
        "0 1 <eps> <eps> 0\n1 1 <epsilon> <epsilon> 1\n1 1 0 0 2\n1\n",
        symbols=att_format.loads_symbols(TABLE),
    )
    assert automaton.alphabet == ("2", "1", "five", "0", "<epsilon>")
    assert automaton.epsilon.tolist()[0][1] == 0
    assert [score(automaton, x) for x in ([], ["<epsilon>"], ["0"])] == [0, 1, 2]


def test_a_symbol_with_number_0_gives_a_note():
    with pytest.warns(UserWarning, match="line 1: 'a' is epsilon because its number is 0"):
        att_format.loads_symbols("a 0\nb 1\n", "m.syms")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("0 1 a\n0 1 0\n", "line 2: it is unknown whether '0' is epsilon or a symbol like 'a'"),
        ("0 1 <eps>\n0 1 <epsilon>\n", "line 2: it is unknown whether '<epsilon>' or '<eps>'"),
        ("0 1 0\n0 1 <eps>\n", "line 2: it is unknown whether '<eps>' or '0' .line 1. is epsilon"),
    ],
)
def test_a_label_that_may_be_epsilon_or_a_symbol_is_refused_without_a_table(text, says):
    with pytest.raises(FormatError, match=says):
        att_format.loads(text, where="m.att")


def test_0_among_numbers_is_epsilon_without_a_table_and_gives_a_note():
    with pytest.warns(UserWarning, match="'0' is interpreted as epsilon, because there is no symbol table"):
        automaton = att_format.loads("0 1 0 0 1\n0 1 2 2 0\n1")
    assert automaton.alphabet == ("2",) and score(automaton, []) == 1


def test_lines_and_columns_are_separated_as_in_openfst():
    """Line feeds separate lines; blanks and tabs separate columns. Other white space belongs to a symbol."""
    odd = ["a\u00a0b", "a\u2028b", "\u0085", "\x1c", "\x0bx", "a\rb"]
    text = "".join(f" 0 \t 0  {symbol} {symbol}\t1 \r\n" for symbol in odd) + "\r\n0\r\n"
    assert att_format.loads(text).alphabet == tuple(odd)
    table = "".join(f"{symbol}\t{i}\r\n" for i, symbol in enumerate(["<eps>", *odd]))
    assert att_format.loads(text, symbols=att_format.loads_symbols(table)).alphabet == tuple(odd)


def test_a_byte_order_mark_is_ignored(tmp_path):
    (tmp_path / "m.att").write_bytes(b"\xef\xbb\xbf0 0 a a 1\n0\n")
    (tmp_path / "m.syms").write_bytes(b"\xef\xbb\xbf<eps> 0\na 1\n")
    assert score(files.read(tmp_path / "m.att"), ["a"]) == 1


@pytest.mark.parametrize("text", ["a 1\nb 1\n", "a 1\na 2\n", "a 1\nb 01\n"])
def test_a_symbol_table_has_each_name_and_number_once(text):
    with pytest.raises(FormatError, match=r"line 2: names and numbers must be unique, got '.'"):
        att_format.loads_symbols(text)


def test_state_numbers_are_preserved():
    """Unconnected states keep their numbers, and the initial state need not come first."""
    automaton = WFSA.from_edges(MIN_PLUS, 5, "a", [(3, 0)], [(1, 2)], [(3, 1, "a", 1)])
    assert att_format.loads(att_format.dumps(automaton)) == automaton


def test_a_line_that_openfst_cannot_read_is_not_written():
    """OpenFst's compiler treats a line of more than 8,095 bytes as the end of the file."""
    for symbol, weight in (("x" * 2699, 0), ("x" * 2600, 10**3500)):
        with pytest.raises(InputError, match=r"OpenFst (does not read|reads)"):
            att_format.dumps(WFSA(MIN_PLUS, [0], [0], {symbol: [[weight]]}))
    att_format.dumps(WFSA(MIN_PLUS, [0], [0], {"x" * 2698: [[0]]}))


def test_the_largest_supported_exponent_is_read():
    assert (
        score(att_format.loads("0 0 a a 1e4300\n0 -1e-4300\n", MAX_PLUS), "a")
        == Fraction(1, 10**4300) - 10**4300
    )


@pytest.mark.parametrize("digits", [1200, 4299, 4300, 4301, 9000])
def test_a_number_of_many_digits_is_preserved_or_refused(digits):
    huge = WFSA(MIN_PLUS, [0], [10**digits - 1], {"a": [[Fraction(1, 2**2000)]]})
    for dumps, loads in ((json_format.dumps, json_format.loads), (att_format.dumps, att_format.loads)):
        if digits <= 4300:
            assert loads(dumps(huge)) == huge
        else:
            with pytest.raises(InputError, match="4300 digits"):
                dumps(huge)


def test_a_weight_without_a_finite_decimal_must_be_rounded_explicitly():
    third = WFSA(MIN_PLUS, [0], ["1/3"], {})
    with pytest.raises(InputError, match="no finite decimal"):
        att_format.dumps(third)
    assert "0.333333" in att_format.dumps(third, round_weights=True)


@pytest.mark.parametrize("symbol", ["two words", "<eps>", "0", 7])
def test_a_symbol_that_att_cannot_write_is_refused(symbol):
    with pytest.raises(InputError, match="AT&T"):
        att_format.dumps(WFSA(MIN_PLUS, [0], [0], {symbol: [[0]]}))


def changed(**fields):
    return {**GOOD, **fields}


@pytest.mark.parametrize(
    ("data", "says"),
    [
        ([], "must be an object with semiring, .*, got a list"),
        ({k: v for k, v in GOOD.items() if k != "final"}, "field final is missing"),
        (changed(extra=1), "field extra is unknown"),
        (changed(semiring="rational"), "field semiring: the semiring must be one of .*, got 'rational'"),
        (changed(semiring=["real"]), "field semiring must be a name, got a list"),
        (changed(states="2"), "field states must be a non-negative integer, got '2'"),
        (changed(states=-1), "field states must be a non-negative integer, got -1"),
        (changed(states=True), "field states must be a non-negative integer, got True"),
        (changed(alphabet="ab"), "field alphabet must be a list of strings, got a string"),
        (changed(alphabet=["a", ""]), r"field alphabet\[1\] must not be"),
        (changed(alphabet=["a", "b", "a"]), "field alphabet must have distinct symbols, got 'a' twice"),
        (changed(alphabet=["a", "\ud800"]), "lone surrogate"),
        ({**GOOD, "semi\nring": 1}, "is unknown"),
        (changed(alphabet=["a", 1]), r"alphabet\[1\] must be a string, got a number"),
        (
            changed(initial=[[2, "1"]]),
            r"initial\[0\] must have a state of the automaton, got 2; the states are 0",
        ),
        (
            changed(initial=[[0, True]]),
            r'field initial\[0\] must have a string such as "1" or "-3/7" as its weight, got True',
        ),
        (changed(initial={"0": "1"}), r"field initial must be a list of \[state, weight\], got an object"),
        (
            changed(transitions={}),
            r"field transitions must be a list of \[source, target, symbol, weight\], got an object",
        ),
        (changed(final=[[0, "nan"]]), r"field final\[0\]: a weight must be a number .*, got 'nan'"),
        (changed(final=[[0, "1/0"]]), "must not divide by zero"),
        (
            changed(final=[[0, "inf"]]),
            r"field final\[0\]: weights of the real semiring must be finite numbers, got 'inf'",
        ),
        (changed(final=[0]), r"field final\[0\] must be \[state, weight\], got 0"),
        (
            changed(transitions=[[0, 1, "c", "1"]]),
            r"field transitions\[0\] must have a symbol of the alphabet, got 'c'",
        ),
        (changed(transitions=[[0, 5, "a", "1"]]), r"transitions\[0\] must have a state .*, got 5"),
        (changed(transitions=[[0, 1, "a"]]), r"must be \[source, target, symbol, weight\], got"),
        (changed(transitions=[[0, 1, ["a"], "1"]]), "must have a symbol of the alphabet"),
        (
            changed(initial=[[1, "1"]], transitions=[[1, 1, "", "1"]]),
            "the epsilon cycles through state 1 have the total weight 1",
        ),
        (changed(states=10**12), "must have at most .* states, got"),
    ],
)
def test_a_malformed_automaton_gives_a_one_line_error_with_file_and_field(data, says):
    with pytest.raises(FormatError, match=says) as error:
        json_format.loads(json.dumps(data), "napkin.json")
    assert str(error.value).startswith("napkin.json: ") and "\n" not in str(error.value)


@pytest.mark.parametrize(
    "text",
    ["", "{", "nul", '{"a": 1, "a": 2}', "[" * 100_000, '{"states": NaN}', "9" * 5000, '"\\ud800"'],
    ids=lambda t: t[:12],
)
def test_malformed_json_gives_a_one_line_error(text):
    with pytest.raises(FormatError) as error:
        json_format.loads(text, "x.json")
    assert "\n" not in str(error.value)


def test_duplicate_transitions_are_merged_and_reported():
    twice = changed(transitions=[[0, 1, "a", "1"], [0, 1, "a", "1/2"]])
    with pytest.warns(UserWarning, match="the transition 0 -> 1 on 'a' occurs 2 times; "):
        automaton = json_format.loads(json.dumps(twice))
    assert automaton.matrix("a")[0, 1] == Fraction(3, 2)
    with pytest.warns(UserWarning, match="^two.att: the transition 0 -> 7 on 'a' occurs 2 times; "):
        automaton = att_format.loads("0 7 a a 1\n0 7 a a 1/2\n7 7 a a\n7\n", REAL, where="two.att")
    assert automaton.matrix("a")[0, 1] == Fraction(3, 2)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=8,
)


@some_cases(st.sampled_from(list(GOOD)), json_values)
def test_any_value_of_any_field_is_read_or_refused(field, value):
    _read_or_refuse(json.dumps({**GOOD, field: value}))


@some_cases(
    st.sampled_from(["initial", "final", "transitions", "alphabet"]),
    st.integers(0, 1),
    st.integers(0, 3),
    json_values,
)
def test_any_value_at_any_path_is_read_or_refused(field, row, column, value):
    data = json.loads(json.dumps(GOOD))
    rows = data[field]
    if row < len(rows):
        if isinstance(rows[row], list) and column < len(rows[row]):
            rows[row][column] = value
        else:
            rows[row] = value
    _read_or_refuse(json.dumps(data))


@given(st.integers(0, 200), st.characters(), st.booleans())
def test_any_character_at_any_position_is_read_or_refused(position, character, insert):
    text = json.dumps(GOOD)
    position %= len(text)
    _read_or_refuse(text[:position] + character + text[position + (not insert) :])


def _read_or_refuse(text):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            json_format.loads(text)
        except FormatError as error:
            assert "\n" not in str(error)


@pytest.mark.filterwarnings("ignore:.*epsilon")
@given(st.text(alphabet="01 \tab.-\nInfinity<eps>", max_size=60), st.sampled_from(list(SEMIRINGS.values())))
def test_any_text_is_read_as_att_or_refused(text, k):
    try:
        att_format.loads(text, k)
    except FormatError as error:
        assert "\n" not in str(error)


@pytest.mark.filterwarnings("ignore:.*epsilon")
@given(st.text(max_size=40))
def test_any_text_is_read_as_a_symbol_table_or_refused(text):
    try:
        att_format.loads_symbols(text)
    except FormatError as error:
        assert "\n" not in str(error)


@few_cases(automata(MIN_PLUS, exact=True, epsilon="acyclic"), st.data())
def test_a_truncated_file_is_refused(tmp_path_factory, automaton, data):
    """The file is cut within a line; an AT&T file cut between lines is another valid file."""
    folder = tmp_path_factory.mktemp("cut")
    files.write(automaton, folder / "a.json")
    files.write(automaton, folder / "a.att", round_weights=True)
    name = data.draw(st.sampled_from(["a.json", "a.att", "a.syms"]))
    content = (folder / name).read_bytes()
    ends = [i + 1 for i, byte in enumerate(content) if byte == ord("\n")]
    cut = data.draw(st.integers(0, len(content) - 2).filter(lambda i: i and i not in ends))
    (folder / name).write_bytes(content[:cut])
    with pytest.raises(FormatError, match=rf"{name}: line {content[:cut].count(10) + 1}\b") as error:
        files.read(folder / f"a.{'json' if name == 'a.json' else 'att'}")
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("data", [b"\0\1", b"\xff\xfe{", b"PK\x03\x04\0"])
def test_binary_files_are_refused(tmp_path, data):
    path = tmp_path / "x.json"
    path.write_bytes(data)
    with pytest.raises(FormatError, match=r"x\.json: (the file )?must be UTF-8 text"):
        files.read(path)


@pytest.mark.parametrize("name", ["x.yaml", "x", "x.json.bak"])
def test_a_format_is_known_by_its_name(tmp_path, name):
    with pytest.raises(InputError, match="the extension of an automaton must be one of"):
        files.read(tmp_path / name)
    with pytest.raises(InputError, match="the extension of an automaton to write must be one of"):
        files.write(WFSA(REAL, [1], [1], {}), tmp_path / name)


def test_files_are_written_completely_or_not_at_all(tmp_path):
    path = tmp_path / "x.att"
    files.write(WFSA(MIN_PLUS, [0], [1], {"a": [[0]]}), path)
    before = path.read_text()
    with pytest.raises(InputError, match="no finite decimal"):
        files.write(WFSA(MIN_PLUS, [0], ["1/3"], {"a": [[0]]}), path)
    assert path.read_text() == before and sorted(p.name for p in tmp_path.iterdir()) == ["x.att", "x.syms"]
    with pytest.raises(InputError, match=r"cannot be written: .* is not a folder$"):
        files.write(WFSA(REAL, [1], [1], {}), path / "below" / "y.json")
    with pytest.raises(InputError, match=r"cannot be written: File exists$"):
        write_whole(path / "y.json", "{}")


def test_a_group_of_files_is_written_completely_or_not_at_all(tmp_path):
    """If the second file cannot be written, the first file keeps its content."""
    path = tmp_path / "x.att"
    files.write(WFSA(MIN_PLUS, [0], [1], {"a": [[0]]}), path)
    before = path.read_text()
    (tmp_path / "x.syms").unlink()
    (tmp_path / "x.syms").symlink_to("/dev/full")
    with pytest.raises(OutputError, match=r"x\.syms: cannot be written"):
        files.write(WFSA(MIN_PLUS, [0], [2], {"b": [[0]]}), path)
    assert path.read_text() == before and sorted(p.name for p in tmp_path.iterdir()) == ["x.att", "x.syms"]


def test_an_interruption_of_writing_is_raised_unchanged(tmp_path, monkeypatch):
    """The interruption can occur after the temporary file was renamed."""
    replace = os.replace

    def interrupted(*arguments):
        replace(*arguments)
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_whole(tmp_path / "x.json", "{}")
    assert [path.name for path in tmp_path.iterdir()] == ["x.json"]


@each
@few_cases(st.data())
def test_everything_can_be_drawn(k, data):
    automaton = data.draw(automata(k, epsilon="cyclic", extreme=True))
    text = drawing.dot(automaton)
    assert text.startswith("digraph") and text.count("doublecircle") == int((automaton.final != k.zero).sum())


@pytest.mark.parametrize(
    ("hide_dead", "arrows", "transitions", "says"),
    [
        (False, 4, 7, None),
        (False, 2, 7, "a drawing must have at most 2 states, got 3"),
        (False, 3, 7, "a drawing must have at most 3 arrows, got 4"),
        (False, 4, 6, "a drawing must have at most 6 transitions, got 7"),
        (True, 2, 3, None),
        (True, 1, 3, "a drawing must have at most 1 states, got 2"),
        (True, 2, 2, "a drawing must have at most 2 transitions, got 3"),
    ],
)
def test_a_drawing_limits_its_states_and_transitions(hide_dead, arrows, transitions, says, monkeypatch):
    """The limits count only what is shown: the states, and the transitions of each symbol and of epsilon."""
    monkeypatch.setattr("automata.drawing.MOST_EDGES", arrows)
    monkeypatch.setattr("automata.drawing.MOST_TRANSITIONS", transitions)
    shared, silent = [[1, 0, 1], [0, 0, 0], [0, 0, 1]], [[0, 1, 0], [0, 0, 0], [0, 0, 0]]
    automaton = WFSA(REAL, [1, 0, 0], [0, 1, 0], dict.fromkeys("ab", np.array(shared)), silent)
    if says is None:
        assert drawing.dot(automaton, hide_dead=hide_dead).startswith("digraph")
    else:
        with pytest.raises(InputError, match=says):
            drawing.dot(automaton, hide_dead=hide_dead)


@few_cases(st.data())
def test_a_drawing_limits_its_arrows(data):
    """Parallel transitions share one arrow; transitions of a PFA below the drawn probability have none."""
    if data.draw(st.booleans()):
        least, automaton = 0.25, PFA("ab", [1, 0], [[["4/5", "1/5"], [0, 1]], [["7/8", "1/8"], [1, 0]]])
    else:
        least, automaton = 0.0, data.draw(automata(REAL, epsilon="acyclic", most_states=4))
    arrows = len(
        {
            (e.source, e.target)
            for e in automaton.weighted_form().edges()
            if not automaton.probabilistic or e.weight >= least
        }
    )
    with patch("automata.drawing.MOST_EDGES", max(arrows, automaton.states)):
        assert drawing.dot(automaton, min_probability=least).count(" -> ") >= arrows
    if arrows > automaton.states:
        with (
            patch("automata.drawing.MOST_EDGES", arrows - 1),
            pytest.raises(InputError, match=f"a drawing must have at most {arrows - 1} arrows, got {arrows}"),
        ):
            drawing.dot(automaton, min_probability=least)


def test_a_drawing_of_many_states_or_transitions_is_refused(monkeypatch):
    n = 2001
    chain = WFSA.from_edges(REAL, n, "a", [(0, 1)], [(n - 1, 1)], [(q, q + 1, "a", 1) for q in range(n - 1)])
    with pytest.raises(InputError, match="a drawing must have at most 2000 states, got 2001"):
        drawing.svg(chain)
    words = WFSA(BOOLEAN, [True], [True], dict.fromkeys(range(31), np.array([[True]])))
    monkeypatch.setattr(drawing, "MOST_TRANSITIONS", 30)
    with pytest.raises(InputError, match="a drawing must have at most 30 transitions, got 31"):
        drawing.dot(words)


def test_a_drawing_is_svg_and_escapes_unusual_symbols():
    automaton = WFSA(
        REAL,
        [2, 0],
        [0, "1/3"],
        {'quo"te': [[0, 1], [0, 0]], "back\\slash\n<&>": [[0, 0], [0, 1]], "é": [[1, 0], [0, 0]]},
    )
    assert drawing.svg(automaton).startswith("<svg") and "</svg>" in drawing.svg(automaton)


def test_weights_beyond_float64_are_drawn_and_refused_by_rounding():
    huge = WFSA(MIN_PLUS, [0], [Fraction(10**500, 3)], {})
    assert "3.33333e+499" in drawing.dot(huge)
    with pytest.raises(InputError, match="within the range of float64, got"):
        att_format.dumps(huge, round_weights=True)


def test_a_folder_in_the_way_leaves_no_partial_file(tmp_path):
    (tmp_path / "x.syms").mkdir()
    with pytest.raises(InputError, match="is a folder"):
        files.write(WFSA(MIN_PLUS, [0], [1], {"a": [[0]]}), tmp_path / "x.att")
    assert [p.name for p in tmp_path.iterdir()] == ["x.syms"]


def test_a_json_file_contains_its_semiring(tmp_path):
    files.write(WFSA(REAL, [1], [1], {}), tmp_path / "x.json")
    with pytest.raises(InputError, match="contains its semiring"):
        files.read(tmp_path / "x.json", LOG)
