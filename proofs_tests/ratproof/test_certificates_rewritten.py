"""Tests that a consistently rewritten certificate is accepted.

A certificate that is rewritten in only one automaton is rejected.
"""

import json
from typing import Any

from hypothesis import assume, event, given, settings
from hypothesis import strategies as st

from automata import operations
from automata.equivalence import equivalent
from automata.minimise import minimise
from automata.semirings import BOOLEAN, COUNTING, MAX_PLUS, MAX_TIMES, MIN_PLUS, REAL
from automata.testing.strategies import automata
from proofs_tests.ratproof.certificate_files import SMALL, certificate, holds
from ratproof.checkers import check_certificate
from ratproof.checkers.table import judge

AWKWARD = [
    "0",
    "1",
    "eps",
    "<eps>",
    " ",
    '"',
    "'",
    "\\",
    "#",
    "\n",
    "\x1b[2J",
    "\u202e",
    "e\u0301",
    "\ud800",
    "A",
    "through",
    "é" * 50,
]
"""Symbols that have caused errors in programs."""


@st.composite
def certificates(draw):
    """Draw a valid certificate about two automata, of any kind."""
    k = draw(st.sampled_from([REAL, REAL, COUNTING, BOOLEAN, MAX_PLUS, MIN_PLUS, MAX_TIMES]))
    a = draw(automata(k, most_states=3, epsilon=draw(st.sampled_from(["none", "acyclic"]))))
    if k in (REAL, COUNTING) and draw(st.booleans()):
        return json.loads(json.dumps(minimise(a).certificate.to_json()))
    other = draw(automata(k, most_states=3))
    b = draw(
        st.sampled_from(
            [operations.sum_of(a, operations.scale(other.over(a.alphabet), k.zero)), other.over(a.alphabet)]
        )
    )
    answer = equivalent(a, b, longest=4)
    assume(getattr(answer, "certificate", None) is not None)
    return json.loads(json.dumps(answer.certificate.to_json()))


def automata_of(data: dict[str, Any]) -> list[tuple[dict[str, Any], str]]:
    """Return the automata A, B and C of a certificate, each with the fields that refer to its states."""
    silent = data.get("without epsilon", {})
    held = [(data["A"], "A"), (data["B"], "B"), *((silent[side]["automaton"], side) for side in silent)]
    return held + ([(data["through"], "C")] if isinstance(data.get("through"), dict) else [])


def renamed(data: dict[str, Any], names: dict[str, str], sides: str = "ABC") -> dict[str, Any]:
    """Rename symbols of the certificate, in some of its automata or in all parts."""
    copy = json.loads(json.dumps(data))
    for automaton, side in automata_of(copy):
        if side in sides:
            automaton["alphabet"] = [names[symbol] for symbol in automaton["alphabet"]]
            automaton["transitions"] = [
                [q, r, names.get(symbol, symbol), w] for q, r, symbol, w in automaton["transitions"]
            ]
    if sides == "ABC":
        copy |= {"word": [names[symbol] for symbol in data["word"]]} if "word" in data else {}
        for part in ("prefixes", "suffixes"):
            copy |= (
                {part: [[names[symbol] for symbol in word] for word in data[part]]} if part in data else {}
            )
    return copy


def permuted(data: dict[str, Any], orders: dict[str, list[int]], only: bool = False) -> dict[str, Any]:
    """Renumber states of the certificate, in all parts or only in the automata."""
    copy = json.loads(json.dumps(data))
    for automaton, side in automata_of(copy):
        to = orders[side]
        for part in ("initial", "final"):
            automaton[part] = [[to[q], w] for q, w in automaton[part]]
        automaton["transitions"] = [[to[q], to[r], symbol, w] for q, r, symbol, w in automaton["transitions"]]
    if only:
        return copy
    for side, part in copy.get("without epsilon", {}).items():
        part["bound"] = [part["bound"][orders[side].index(q)] for q in range(len(part["bound"]))]
    if "pairs" in copy:
        copy["pairs"] = [
            [[[orders[side][q], w] for q, w in vector] for side, vector in zip("AB", pair, strict=True)]
            for pair in data["pairs"]
        ]
    if "classes" in copy:
        copy["classes"] = {
            side: [[orders[side][q], orders["C"][c]] for q, c in of] for side, of in data["classes"].items()
        }
    elif "through" in copy:
        through = copy["through"] if isinstance(copy["through"], str) else "C"
        for side in "AB":
            n = copy[side]["states"]
            rows = data.get(f"to {side}", [[q, q, "1"] for q in range(n)])
            copy[f"to {side}"] = [[orders[through][i], orders[side][j], w] for i, j, w in rows]
    return copy


def orders(data: dict[str, Any], draw: Any) -> dict[str, list[int]]:
    """Draw an order of the states of each automaton."""
    return {
        side: draw(st.permutations(range(automaton["states"])))
        for automaton, side in automata_of(data)[:2] + automata_of(data)[-1:]
    }


@settings(max_examples=150)
@given(certificates(), st.data())
def test_consistent_renaming_and_permutation_is_accepted(data, more):
    assert judge(data).verdict == "accepted"
    names = dict(zip(data["A"]["alphabet"], more.draw(st.permutations(AWKWARD)), strict=False))
    rewritten = permuted(renamed(data, names), orders(data, more.draw))
    answer = judge(rewritten)
    event(f"{data['A']['semiring']}, {data['claims']}")
    assert (answer.verdict, answer.claims) == ("accepted", data["claims"])
    assert [answer.about[s]["states"] for s in "AB"] == [data[s]["states"] for s in "AB"]


@settings(max_examples=150)
@given(certificates(), st.data())
def test_changing_one_automaton_is_rejected_or_reported_and_true(data, more):
    """The symbols of one automaton are renamed or exchanged, or its states permuted: an accepted certificate
    is then about another automaton.
    """
    side = more.draw(st.sampled_from("AB"))
    symbols = data["A"]["alphabet"]
    assert (
        not symbols
        or judge(renamed(data, {symbol: f"{symbol}!" for symbol in symbols}, side)).verdict == "rejected"
    )
    to = {other: list(range(automaton["states"])) for automaton, other in automata_of(data)}
    to[side] = to[side][::-1]
    before = judge(data).about[side]
    for alone in (
        renamed(data, dict(zip(symbols, symbols[::-1], strict=True)), side),
        permuted(data, to, only=True),
    ):
        answer = judge(alone)
        event(f"{data['claims']}: {answer.verdict}")
        if answer.verdict == "accepted":
            assert holds(alone)
            assert (check_certificate.normal(alone[side]) == check_certificate.normal(data[side])) == (
                answer.about[side] == before
            )


def test_a_reordered_certificate_has_the_same_subject():
    """Fields, entries and symbols are reordered, and the digest is the same."""
    for name in SMALL:
        data = certificate(name)
        turned = json.loads(json.dumps(data, sort_keys=True))
        for side in "AB" if "A" in data else "":
            for part in ("alphabet", "initial", "final", "transitions"):
                turned[side][part].reverse()
        before, after = judge(data), judge(turned)
        assert after.verdict == "accepted"
        assert [before.about.get(part) for part in ("A", "B", "network", "automaton", "digest")] == [
            after.about.get(part) for part in ("A", "B", "network", "automaton", "digest")
        ]
