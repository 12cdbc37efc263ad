"""Tests of files from other programs: DOT, binary .fst files, dialects of AT&T text, JSON with numbers."""

import json
import math
import struct
import sys
import warnings

import pynini
import pytest
from hypothesis import assume
from hypothesis import strategies as st

import automata.io
from automata.errors import EpsilonCycle, FormatError, InputError
from automata.forward import score
from automata.hankel import shortlex
from automata.io import att_format, dot_format, files, json_format, openfst_files
from automata.io.openfst import arc_type_for, to_openfst
from automata.semirings import (
    BOOLEAN,
    COUNTING,
    LOG,
    MAX_PLUS,
    MAX_TIMES,
    MIN_PLUS,
    REAL,
    SEMIRINGS,
    semiring,
)
from automata.testing import strategies
from automata.wfsa import WFSA
from proofs_tests.automata.examples import few_cases, some_cases

ENTRY = '__start0 [label="", shape=none];\n__start0 -> s0 [label=""];'
AALPY = f"""digraph learnedModel {{
s0 [label="s0", shape=doublecircle];
s1 [label="s1"];
s0 -> s1  [label="a"];
s0 -> s0  [label="b"];
s1 -> s0  [label="a"];
s1 -> s1  [label="b"];
{ENTRY}
}}
"""
LEARNLIB = """digraph g {

\ts0 [shape="doublecircle" label="0"];
\ts1 [shape="circle" label="1"];
\ts0 -> s1 [label="a"];
\ts0 -> s0 [label="b"];
\ts1 -> s0 [label="a"];
\ts1 -> s1 [label="b"];

__start0 [label="" shape="none" width="0" height="0"];
__start0 -> s0;

}
"""
AUTOMATA_LIB = """strict digraph {
\tgraph [rankdir=LR];
\tnode [fontsize=14.0];
\t"5f-3"\t[label="", shape=point, tooltip="."];
\tq0\t[shape=doublecircle];
\t"5f-3" -> q0\t[arrowsize=0.85, tooltip="->q0"];
\tq1\t[shape=circle];
\tq0 -> q1\t[label=a];
\tq0 -> q0\t[label=b];
\tq1 -> q0\t[label=a];
\tq1 -> q1 [label="b"];
}
"""
MOORE = f"""digraph g {{ s0 [shape=record label="{{ 0 | true }}"]; s1 [label="1|False"];
s0 -> s1 [label="a"]; s0 -> s0 [label="b"]; s1 -> s0 [label="a"]; s1 -> s1 [label="b"]; {ENTRY} }}"""
MEALY = f"""digraph g {{ s0; s1; s0 -> s1 [label="a/0"]; s0 -> s0 [label="b / 1"]; s1 -> s0 [label="a/true"];
s1 -> s1 [label="b/0"]; {ENTRY} }}"""


@pytest.mark.parametrize("text", [AALPY, LEARNLIB, AUTOMATA_LIB, MOORE, MEALY])
def test_dot_files_of_other_libraries_are_acceptors(text, tmp_path):
    """All files accept an even number of a. The Mealy machine outputs nothing for the empty string."""
    (tmp_path / "machine.dot").write_text(text)
    with warnings.catch_warnings(record=True) as notes:
        warnings.simplefilter("always")
        automaton = files.read(tmp_path / "machine.dot")
    assert automaton.alphabet == ("a", "b")
    for x in shortlex("ab", 4):
        assert score(automaton, x) == (
            ("a" in x and x.count("a") % 2 == 0) or ("a" not in x and (x != "" or text is not MEALY))
        )
    assert ["Mealy" in str(note.message) for note in notes] == [True] * (text is MEALY)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("digraph { a -> b [label=x] }", "must have an initial state"),
        (f"digraph {{ s0 -> s1 {ENTRY} }}", "the arrow s0 -> s1 has no label"),
        (rf'digraph {{ s0 -> s1 [label="\n"]; {ENTRY} }}', "the arrow s0 -> s1 has no label"),
        (
            f'digraph {{ s0 -> s1 [label="a/x"]; {ENTRY} }}',
            "must be 1 or 0, true or false, accept or reject, got 'x'",
        ),
        (
            f'digraph {{ s0 -> s1 [label="a/1"]; s0 -> s0 [label=b]; {ENTRY} }}',
            "either all arrows or none must have an output",
        ),
        (
            f'digraph {{ s0 -> s1 [label="ε/1"]; {ENTRY} }}',
            "an arrow with an output must read a symbol, got 'ε/1'",
        ),
        (f'digraph {{ s0 -> s1 [label="a,,b"]; {ENTRY} }}', "must not contain an empty symbol, got"),
        ('digraph { p [label=""]; q [shape=doublecircle]; p -> q [label=a]; }', "must have an initial state"),
        ("graph { a -- b }", "line 1, column 1: this part of the DOT syntax is not supported"),
        ("digraph {", "this part of the DOT syntax is not supported"),
    ],
)
def test_other_dot_files_are_refused(text, says):
    with pytest.raises(FormatError, match=says) as error:
        dot_format.loads(text, "m.dot")
    assert str(error.value).startswith("m.dot: ") and "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("label", "symbols"),
    [
        ("a, \\\nb", ("a", "b")),  # Graphviz breaks long lines in strings with a backslash
        ("long\\\nsymbol", ("longsymbol",)),
        (r"a\nb\lc\rd", ("a", "b", "c", "d")),
        (r"a\lb\l", ("a", "b")),
        (r"a\\nb", (r"a\nb",)),
        (r"\\", ("\\",)),
        (r"\"", ('"',)),
    ],
)
def test_escapes_in_dot_labels_have_the_meaning_of_graphviz(label, symbols):
    text = (
        f'# written by a program\ndigraph {{ s0 -> s0 [label="{label}"]; s0 [shape=doublecircle]; {ENTRY} }}'
    )
    assert dot_format.loads(text).alphabet == symbols


def test_a_dot_node_that_graphviz_labels_with_its_name_has_no_other_label():
    text = r"""digraph "" { node [label="\N"]; i [shape=point]; i -> "p|0"; "p|0" -> "q|1" [label=a]; }"""
    automaton = dot_format.loads(text)
    assert [score(automaton, x) for x in ("", "a", "aa")] == [False, True, False]


@pytest.mark.parametrize(
    ("text", "language"),
    [
        (
            'digraph { p [label=""]; q [shape=doublecircle]; i [shape=point]; p -> q [label=a]; i -> p; }',
            ["a"],
        ),
        (
            'digraph { p [label=""]; q [shape=doublecircle]; i [shape=point]; p -> q [label=a]; i -> q; }',
            [""],
        ),
        (
            'digraph { p [label=""]; q [shape=doublecircle]; i [shape=point]; p -> q [xlabel=a]; i -> q; }',
            [""],
        ),
    ],
)
def test_a_state_without_a_label_whose_arrows_read_symbols_is_no_mark_of_an_initial_state(text, language):
    automaton = dot_format.loads(text)
    assert (automaton.states, [x for x in shortlex("a", 2) if score(automaton, x)]) == (2, language)


def test_our_own_drawings_are_refused_as_input(tmp_path):
    files.write(WFSA(REAL, [1], [1], {"a": [["1/2"]]}), tmp_path / "own.dot")
    with pytest.raises(FormatError, match="drawings that ratproof wrote have no weights"):
        files.read(tmp_path / "own.dot")


def test_a_dot_file_without_final_states_gives_a_note():
    with pytest.warns(UserWarning, match="no node has a double circle, so the automaton accepts no string"):
        dot_format.loads(f"digraph {{ s0 -> s0 [label=a]; {ENTRY} }}")


@pytest.mark.parametrize("k", [MIN_PLUS, MAX_PLUS, LOG, REAL], ids=str)
@few_cases(st.data())
def test_binary_fst_files_have_the_scores_of_their_automata(k, tmp_path_factory, data):
    automaton = data.draw(strategies.automata(k, epsilon="none", extreme=False))
    weights = [automaton.initial, automaton.final, *(table.weights for table in automaton.tables)]
    assume(k.log_sign or not any(w < 0 for part in weights for w in part.tolist()))  # zero has no logarithm
    path = tmp_path_factory.mktemp("fst") / "a.fst"
    fst = to_openfst(automaton)
    table = pynini.SymbolTable()
    for number, name in enumerate(["<eps>", *automaton.alphabet]):
        table.add_symbol(name, number)
    fst.set_input_symbols(table)
    fst.set_output_symbols(table)
    fst.write(str(path))
    back = files.read(path, k)
    assert back.alphabet == automaton.alphabet and back.semiring is k
    for x in shortlex(automaton.alphabet, 2):
        assert float(score(back, x)) == pytest.approx(float(score(automaton, x)), rel=1e-4, abs=1e-4)
    assert files.read(path).semiring is (MIN_PLUS if arc_type_for(k) == "standard" else LOG)


def test_fst_files_without_a_symbol_table_or_truncated_are_refused(tmp_path, capfd, monkeypatch):
    path = tmp_path / "a.fst"
    to_openfst(WFSA(MIN_PLUS, [0], [0], {"x": [[1]], "y": [[2]]})).write(str(path))
    assert files.read(path).alphabet == ("1", "2")
    path.with_suffix(".syms").write_text("<eps> 0\nx 1\ny 2\n")
    assert files.read(path).alphabet == ("x", "y")
    path.with_suffix(".syms").write_text("<eps> 0\nx 1\n")
    with pytest.raises(FormatError, match="label 2 is not in the symbol table"):
        files.read(path)
    path.write_bytes(path.read_bytes()[:40])
    with pytest.raises(FormatError, match="must be a complete vector FST"):
        files.read(path)
    path.write_text("0 1 a a\n")
    with pytest.raises(
        FormatError, match=r"must be a binary OpenFst file; AT&T text must have the extension \.att or \.txt"
    ):
        files.read(path)
    monkeypatch.delattr(automata.io, "openfst_files")
    monkeypatch.setitem(sys.modules, "automata.io.openfst_files", None)
    with pytest.raises(InputError, match=r"reading an \.fst file requires pynini"):
        files.read(path)
    assert capfd.readouterr() == ("", "")


def test_a_boolean_att_weight_is_a_cost():
    assert att_format.loads("0 1 a a 5\n1 0\n", BOOLEAN) == att_format.loads("0 1 a a\n1\n", BOOLEAN)
    with pytest.raises(FormatError, match="att: line 1: a boolean weight must be 0 for true or Infinity"):
        att_format.loads("0 1 a a -inf\n1\n", BOOLEAN)


def test_txt_is_att_text_and_a_format_overrides_the_suffix(tmp_path):
    automaton = WFSA(MIN_PLUS, [0], [0], {"a": [[1]]})
    for name in ("a.txt", "a.weights"):
        (tmp_path / name).write_text(att_format.dumps(automaton))
    (tmp_path / "b.txt").write_text(json_format.dumps(automaton))
    assert (
        files.read(tmp_path / "a.txt") == automaton == files.read(tmp_path / "a.weights", file_format="att")
    )
    assert files.read(tmp_path / "b.txt", file_format="json") == automaton
    with pytest.raises(InputError, match="the extension of an automaton must be one of"):
        files.read(tmp_path / "a.weights")
    with pytest.raises(InputError, match="--format must be json, att, txt, fst, dot or gv, got 'xml'"):
        files.read(tmp_path / "a.txt", file_format="xml")


@pytest.mark.parametrize("name", ["@0@", "@_EPSILON_SYMBOL_@"])
def test_epsilon_of_hfst_and_foma_is_noted(name):
    with pytest.warns(UserWarning, match=f"att: '{name}' is interpreted as epsilon"):
        automaton = att_format.loads(f"0\t1\t{name}\t{name}\t1\n1\t1\ta\ta\t2\n1\n")
    assert automaton.alphabet == ("a",) and score(automaton, "a") == 3


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("0\t1\t\t\t0.5\n1\n", "line 1: a column must not be empty"),
        ("0\t1\ta\ta\n1\t\n", "line 2: a column must not be empty"),
        ("0\t1\t\t\n1\n", "line 1: a column must not be empty"),
        (
            "0 1 5 5 0.5\n1 2 -1 -1 0\n2\n",
            "line 2: label '-1' is not a symbol, but one that k2 writes on the arcs into its final state",
        ),
        ("0 1 @_IDENTITY_SYMBOL_@ @_IDENTITY_SYMBOL_@\n1\n", "one that HFST writes for any other symbol"),
        ("0\n1\n0 1 5 5 0.5\n", "line 1: the first line must be an arc of the start state"),
        ("0 1\n1\n0 1 5 5 0.5\n1 1 6 6 0.5\n", "line 1: the first line must be an arc of the start state"),
    ],
)
def test_dialects_of_att_text_are_never_misread_as_symbols_or_final_states(text, says):
    with pytest.raises(FormatError, match=says) as error:
        att_format.loads(text, where="m.att")
    assert "\n" not in str(error.value)


TEXTS = ["2", "-3", "0.25", "-1.5e3", "1e-3", "0.1", "123456789.000000001", "1E400", "-0.0", "1e5000"]


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("k", SEMIRINGS.values(), ids=str)
def test_json_numbers_are_read_by_their_decimal_text(k, text):
    def read(weight):
        start = json.dumps(k.format(k.one))
        document = (
            f'{{"semiring": "{k.name}", "states": 1, "alphabet": ["a"], "initial": [[0, {start}]],'
            f' "final": [[0, {weight}]], "transitions": [[0, 0, "a", {weight}]]}}'
        )
        try:
            return json_format.loads(document)
        except FormatError as error:
            return str(error)

    assert read(text) == read(f'"{text}"')


def test_json_numbers_are_accepted_only_as_weights():
    for field, value in (("states", 2.0), ("alphabet", [1.5]), ("semiring", 1.5)):
        data = {
            "semiring": "real",
            "states": 2,
            "alphabet": ["a"],
            "initial": [],
            "final": [],
            "transitions": [],
        }
        with pytest.raises(FormatError, match=f"field {field}"):
            json_format.loads(json.dumps(data | {field: value}))
    with pytest.raises(FormatError, match=r"initial\[0\]: a weight must be a number .* got 'Infinity'"):
        json_format.loads(json.dumps(data | {"semiring": "min-plus", "initial": [[0, float("inf")]]}))


@pytest.mark.parametrize(("alias", "k"), [("tropical", MIN_PLUS), ("probability", REAL)])
def test_aliases_of_semirings_are_read_but_not_written(alias, k):
    assert semiring(alias) is k
    text = json_format.dumps(WFSA(k, [k.one], [k.one], {}))
    assert json_format.dumps(json_format.loads(text.replace(k.name, alias))) == text


@some_cases(strategies.automata(REAL, epsilon="acyclic", extreme=False))
def test_a_divergent_cycle_at_a_useless_state_changes_no_score(automaton):
    n = automaton.num_states
    edges = [tuple(edge) for edge in automaton.edges()]
    dead, unreachable = n, n + 1
    extra = [(dead, dead, "", 2), (unreachable, unreachable, "", -3)]
    extra += [(q, dead, "", 1) for q in range(n)] + [(unreachable, q, "a", 1) for q in range(n)]
    initial, final = (list(enumerate(part.tolist())) for part in (automaton.initial, automaton.final))
    alphabet = dict.fromkeys([*automaton.alphabet, "a"])
    larger = WFSA.from_edges(REAL, n + 2, alphabet, initial, final, [*edges, *extra])
    for x in shortlex(automaton.alphabet, 3):
        assert score(larger, x) == score(automaton, x)
    assert WFSA.from_edges(REAL, n + 2, alphabet, initial, final, list(larger.edges())) == larger
    with pytest.raises(EpsilonCycle, match=f"cycles through state {dead} have the total weight 2"):
        WFSA.from_edges(REAL, n + 2, alphabet, [(0, 1)], [(dead, 1)], [*edges, *extra])


def test_scores_of_a_binary_fst_file_are_exact(tmp_path):
    """The sum of 2^60 and 1 is not a float."""
    fst = pynini.Fst()
    states = [fst.add_state(), fst.add_state()]
    fst.set_start(states[0])
    fst.add_arc(states[0], pynini.Arc(0, 0, 2.0**60, states[1]))
    fst.set_final(states[1], 1.0)
    fst.write(str(tmp_path / "a.fst"))
    assert str(score(files.read(tmp_path / "a.fst"), "")) == str(2**60 + 1)


def test_counts_of_an_fst_file_are_logarithms_of_integers(tmp_path):
    path, fst = str(tmp_path / "a.fst"), pynini.Fst(arc_type="log")
    fst.set_start(fst.add_state())
    for weight in (12345.0, 1.5):
        fst.set_final(0, pynini.Weight("log", -math.log(weight)))
        fst.write(path)
        if weight == 1.5:
            with pytest.raises(FormatError, match="the weights must be negative logarithms of integers"):
                files.read(path, COUNTING)
        else:
            assert score(files.read(path, COUNTING), "") == weight


@pytest.mark.parametrize("k", [None, MAX_PLUS, MAX_TIMES, BOOLEAN], ids=str)
def test_an_fst_file_with_the_weight_nan_is_refused(k):
    data = to_openfst(WFSA(MIN_PLUS, [2.5], [123.5], {"a": [[1]]})).write_to_string()
    for weight, message in ((2.5, "the weights must be numbers, got NaN"), (123.5, "must not be NaN")):
        old, nan = struct.pack("<f", weight), struct.pack("<f", math.nan)
        assert data.count(old) == 1
        with pytest.raises(FormatError, match=message):
            openfst_files.loads(data.replace(old, nan), k, None)


def test_an_fst_file_whose_two_symbol_tables_differ_is_refused():
    fst = pynini.accep("a")
    for names, attach in (("ab", fst.set_input_symbols), ("cb", fst.set_output_symbols)):
        table = pynini.SymbolTable()
        for number, name in zip((97, 98), names, strict=True):
            table.add_symbol(name, number)
        attach(table)
    with pytest.raises(FormatError, match="label 97 is 'a' in the input symbols and 'c' in the output"):
        openfst_files.loads(fst.write_to_string(), None, None)
