"""Conversion of weights to Coq terms, for the placeholders of :class:`~theory.theorem.Theorem`.

>>> from fractions import Fraction
>>> fill("unit {c_0} {f}", {"c_0": Fraction(1, 2), "f": {"a": Fraction(3)}}, "rationals")
'unit (Q2Qc (Qmake 1 2) : rationals) (by_letter zero [:: (Q2Qc (Qmake 3 1) : rationals)] : nat -> rationals)'
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any, TypeAlias

from automata.aliases import Weight
from theory.weights import Tree

Entry: TypeAlias = Any
"""The value of a placeholder: a weight, a vector or matrix of weights, or a table of these by letter."""
CONVERSIONS = {"bool": ("nonzero", "bool"), "sign": ("sign_of", "option bool"), "state": ("state_after", "")}
"""Forms that convert weights: the Coq function, and the type of its result."""
PLACEHOLDER = re.compile(r"\{(\w+)(?::([\w ]+))?\}")


def fill(term: str, values: Mapping[str, Entry], over: str) -> str:
    """Return the term with its placeholders replaced by Coq terms.

    A placeholder is the name of a weight, a vector or matrix of weights, or a table by letter. A colon may
    introduce one of these forms, or one of :data:`CONVERSIONS`:

    - ``from 1``: a vector as a function of indices that begin at 1.
    - ``of window``: a table of weights or vectors by windows of letters.
    - ``of place and letter``: a table of weights or vectors by place and letter.
    - ``to place``: a table of numbers by place and letter.
    - ``states``: a list of words as bounded sequences, preceded by one more state, ``None``.
    - ``finite``: a table by letters of a finite alphabet.
    """
    return PLACEHOLDER.sub(lambda match: _term(values[match[1]], match[2] or "", over), term)


def quantify(term: str, values: Mapping[str, Entry], over: str) -> tuple[str, dict[str, str]]:
    """Replace each placeholder by a variable, and return the term and the Coq types of the variables.

    A placeholder whose value is a list of states is replaced by its term.

    >>> from fractions import Fraction
    >>> quantify("unit {c_0} {f}", {"c_0": Fraction(1, 2), "f": {"a": Fraction(3)}}, "rationals")
    ('unit c_0 f', {'c_0': 'rationals', 'f': 'nat -> rationals'})
    """
    types: dict[str, str] = {}

    def variable(match: re.Match[str]) -> str:
        name, form = match[1], match[2] or ""
        if form == "states":
            return _term(values[name], form, over)
        types[variable_name(match)] = _type(values[name], form, over)
        return variable_name(match)

    return PLACEHOLDER.sub(variable, term), types


def variable_name(match: re.Match[str]) -> str:
    """Return the Coq variable of a placeholder, from its name and its conversion, if it has one."""
    return f"{match[1]}_{match[2]}" if match[2] in CONVERSIONS else match[1]


def weight_term(value: Weight, over: str) -> str:
    """Convert a weight of the semiring to a Coq term."""
    if over == "booleans":
        return "true" if value else "false"
    if over != "rationals" and value in (float("-inf"), float("inf")):
        return f"(None : {over})"
    exact = Fraction(value)
    rational = f"Q2Qc (Qmake {f'({exact.numerator})' if exact < 0 else exact.numerator} {exact.denominator})"
    if over == "rational_max_times":
        return f"(max_times_weight ({rational}))"
    if over == "fractions":
        return f"(in_mathcomp ({rational}) : {over})"
    if over == "fractions_max_plus":
        return f"(Some (in_mathcomp ({rational})) : {over})"
    return f"({rational} : {over})" if over == "rationals" else f"(Some ({rational}) : {over})"


def list_term(terms: Iterable[str]) -> str:
    """Return a list of terms, in the notation of mathcomp."""
    return f"[:: {'; '.join(terms)}]"


def coq_list(terms: Iterable[object]) -> str:
    """Return a list of terms, in the notation of Coq's standard library."""
    return f"[{'; '.join(map(str, terms))}]"


def rational_term(number: float | Fraction) -> str:
    """Return an exact rational number, in the notation of Coq's standard library."""
    value = Fraction(number)
    return f"({value.numerator} # {value.denominator})"


def _term(value: Entry, form: str, over: str) -> str:
    if form in CONVERSIONS:
        return _converted(value, form, over)
    if form == "finite":
        return f"(let table := {_term(value, '', over)} in fun x : 'I_{len(value)} => table x)"
    if form == "to place":
        rows = list_term(list_term(f"{n}%N" for n in row) for row in value)
        return (
            f"(fun (h : place {len(value)}) (x : nat) => nth ord0 (places {len(value)}) (nth 0%N (nth [::]"
            f" {rows} (h : 'I__)) x))"
        )
    if form == "of window":
        letters = sorted({x for window in value for x in window})
        numbers = list_term(list_term(f"{letters.index(x)}%N" for x in window) for window in value)
        weights = list_term(_term(v, "", over) for v in value.values())
        return (
            f"(fun v : seq 'I_{len(letters)} => nth {_absent(next(iter(value.values())))} {weights} (index"
            f" (map (@nat_of_ord {len(letters)}) v) {numbers}))"
        )
    if form == "states":
        letters = sorted({x for word in value for x in word})
        words = (list_term(f"@Ordinal {len(letters)} {letters.index(x)} isT" for x in w) for w in value)
        longest = max(map(len, value))
        return list_term(["None", *(f"Some (@Bseq {longest} _ {word} isT)" for word in words)])
    if form == "of place and letter" and isinstance(value[0][0], tuple):
        rows = list_term(list_term(_term(v, "", over) for v in row) for row in value)
        return (
            f"(fun (h : place {len(value)}) (x : nat) => nth (fun _ => zero) (nth [::] {rows} (h : 'I__)) x)"
        )
    if form == "of place and letter":
        return f"(fun (h : place {len(value)}) (x : nat) => entries {_matrix(value, over)} (h : 'I__) x)"
    if isinstance(value, dict):
        first = next(iter(value.values()))
        kind = _kind(first, form, over)
        values = list_term(_term(v, form, over) for v in value.values())
        return f"(by_letter {_absent(first)} {values} : nat -> {kind})"
    if isinstance(value, int) and not isinstance(value, bool) and form == "":
        return str(value) if over == "sizes" else weight_term(value, over)
    if not isinstance(value, tuple):
        return weight_term(value, over)
    if form == "from 1":
        return f"(entry {list_term(['zero', *(weight_term(v, over) for v in value)])} : nat -> {over})"
    if isinstance(value[0], tuple) and isinstance(value[0][0], tuple):
        matrices = list_term(_term(v, "", over) for v in value)
        return f"(fun i : place {len(value)} => nth {_absent(value[0])} {matrices} (i : 'I__))"
    if isinstance(value[0], tuple):
        return f"(by_places {_matrix(value, over)} : {_kind(value, form, over)})"
    return f"(by_place {list_term(weight_term(v, over) for v in value)} : {_kind(value, form, over)})"


def _absent(value: Tree) -> str:
    """Return zeros in the shape of the value."""
    if not isinstance(value, tuple):
        return "zero"
    return "(fun _ _ => zero)" if isinstance(value[0], tuple) else "(fun _ => zero)"


def _kind(value: Tree, form: str, over: str) -> str:
    """Return the Coq type of the value."""
    if not isinstance(value, tuple):
        return over
    if form == "from 1":
        return f"nat -> {over}"
    return f"place {len(value)} -> {_kind(value[0], form, over)}"


def _converted(value: Entry, form: str, over: str) -> str:
    """Return a Coq term for the table, with its weights converted as the form requires."""
    names = "xpq"[: _type(value, "", over).count("->") - (2 if form == "state" else 0)]
    converted = f"{CONVERSIONS[form][0]} ({' '.join(['table', *names])})"
    function = f"fun {' '.join(names)} => {converted}" if names else converted
    return f"(let table := {_term(value, '', over)} in {function})"


def _type(value: Entry, form: str, over: str) -> str:
    """Return the type of the term that :func:`_term` writes."""
    if form in CONVERSIONS:
        return _type(value, "", over).removesuffix(over) + CONVERSIONS[form][1]
    if form == "finite":
        return f"'I_{len(value)}" + _type(value, "", over).removeprefix("nat")
    if form == "to place":
        return f"place {len(value)} -> nat -> place {len(value)}"
    if form == "of window":
        letters = {x for window in value for x in window}
        return f"seq 'I_{len(letters)} -> {_kind(next(iter(value.values())), '', over)}"
    if form == "of place and letter":
        return f"place {len(value)} -> nat -> {_kind(value[0][0], '', over)}"
    if isinstance(value, dict):
        return f"nat -> {_kind(next(iter(value.values())), form, over)}"
    return _kind(value, form, over)


def _matrix(rows: Tree, over: str) -> str:
    return list_term(list_term(weight_term(v, over) for v in row) for row in rows)
