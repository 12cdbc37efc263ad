"""Tests of the language of a rule, against Python's ``re`` and OpenFst, and with real vocabularies."""

import re
from functools import reduce
from typing import Any

import numpy as np
import pynini
import pytest
from hypothesis import given
from hypothesis import strategies as st

from automata import determinisation
from automata.batch import scores
from automata.dfa import DFA
from automata.io.openfst import to_openfst
from automata.operations import sum_of
from automata.rules import rule_set
from automata.rules.compiling import compiled, least, together
from automata.rules.matching import matches
from automata.rules.parser import parse
from automata.rules.rule_files import Labelled, loads
from automata.rules.strategies import rules
from automata.rules.syntax import Either, Repeat, Rule, Sequence, Wildcard, Word
from automata.rules.words import BEGIN, END, Letters, letters, pseudo_letters, stands_for
from proofs_tests.automata.examples import some_cases

VOCABULARY = ("a", "b", "7", "?", "c", "12.5", BEGIN)
NAMED = ("a", "b", "7", "absent")
SENTENCES = st.lists(st.sampled_from(VOCABULARY), max_size=6)
SEVERAL = st.lists(rules(NAMED, leaves=5), min_size=1, max_size=4)


def encoded(sentence: list[str]) -> str:
    """Encode each word as one character."""
    return "".join(chr(0x100 + VOCABULARY.index(word)) for word in sentence)


def pattern(rule: Rule) -> str:
    """Return the rule as a pattern for Python's ``re`` on encoded sentences; ``(?!)`` matches nothing."""
    if isinstance(rule, Word):
        return encoded([rule.text]) if rule.text in VOCABULARY else "(?!)"
    if isinstance(rule, Wildcard):
        return f"[{encoded([word for word in VOCABULARY if stands_for(rule.kind, word)])}]"
    if isinstance(rule, Repeat):
        return f"(?:{pattern(rule.part)}){{{rule.least},{'' if rule.most is None else rule.most}}}"
    return f"(?:{('|' if isinstance(rule, Either) else '').join(map(pattern, rule.parts))})"


@given(rules(NAMED), st.lists(SENTENCES, min_size=1, max_size=8))
def test_a_rule_matches_the_same_sentences_as_pythons_re(rule, sentences):
    values = scores(compiled(rule, VOCABULARY), [tuple(words) for words in sentences])
    assert [bool(value) for value in values] == [
        bool(re.fullmatch(pattern(rule), encoded(words))) for words in sentences
    ]


def openfst(rule: Rule, known: Letters) -> Any:
    """Compile the rule with OpenFst's own operators; word i of the vocabulary is label i + 1."""
    if isinstance(rule, Word | Wildcard):
        fst = pynini.Fst()
        fst.add_states(2)
        fst.set_start(0)
        fst.set_final(1)
        for index, letter in enumerate(known.letter):
            if letter in known.read(rule):
                fst.add_arc(0, pynini.Arc(index + 1, index + 1, 0, 1))
        return fst
    if isinstance(rule, Repeat):
        return (
            pynini.closure(openfst(rule.part, known), rule.least, 0 if rule.most is None else rule.most)
            if rule.most != 0
            else empty()
        )
    parts = [openfst(part, known) for part in rule.parts]
    if isinstance(rule, Sequence):
        return reduce(pynini.concat, parts, empty())
    return pynini.union(*parts)


def empty() -> Any:
    """Return OpenFst's acceptor of the empty sentence."""
    fst = pynini.Fst()
    fst.set_start(fst.add_state())
    return fst.set_final(0)


@given(rules(NAMED, leaves=4))
def test_a_rule_equals_its_compilation_by_openfst(rule):
    known = letters([rule], VOCABULARY)
    ours = least(rule, known)
    theirs = pynini.determinize(openfst(rule, known).rmepsilon()).minimize().connect()
    assert ours.states == theirs.num_states()
    assert pynini.equivalent(pynini.determinize(to_openfst(ours).rmepsilon()), theirs, delta=1e-9)


@given(rules(NAMED, leaves=4))
def test_the_pseudo_automaton_reads_wildcards_as_letters(rule):
    """Its alphabet is the rule's words and wildcards, each of which stands only for itself."""
    known = pseudo_letters([rule])
    words = {Wildcard(kind): Word(f"wild {kind}") for kind in ("$", "%", "&")}

    def literal(part: Rule) -> Rule:
        if isinstance(part, Wildcard):
            return words[part]
        if isinstance(part, Repeat):
            return Repeat(literal(part.part), part.least, part.most)
        return part if isinstance(part, Word) else type(part)(tuple(map(literal, part.parts)))

    names = {str(word.text): kind.kind for kind, word in words.items()}
    as_words = compiled(
        literal(rule), tuple({v: k for k, v in names.items()}.get(word, word) for word in known.alphabet)
    )
    pseudo = least(rule, known)
    renamed = pseudo.replace(
        index={{v: k for k, v in names.items()}.get(w, w): index for w, index in pseudo.index.items()}
    )
    assert determinisation.minimal(renamed) == determinisation.minimal(as_words)


@some_cases(SEVERAL)
def test_a_union_of_rules_accepts_what_some_rule_accepts(several):
    """This is decided for all sentences. Each automaton accepts the same sentences as its rules, and is
    minimal and deterministic; together they have no more states than the separate rules.
    """
    known = letters(several, VOCABULARY)
    parts = [one for one, _ in together([least(rule, known) for rule in several])]
    union = least(Either(tuple(several)) if len(several) > 1 else several[0], known)
    assert DFA.from_wfsa(reduce(sum_of, parts)).shortest_difference(DFA.from_wfsa(union)) is None
    assert sum(one.states for one in parts) <= sum(least(rule, known).states for rule in several)
    assert all(determinisation.is_deterministic(one) and determinisation.minimal(one) == one for one in parts)
    for one, indices in together([least(rule, known) for rule in several]):
        assert one == determinisation.minimal(
            reduce(sum_of, [least(several[index], known) for index in indices])
        )
    assert sorted(
        index for _, indices in together([least(rule, known) for rule in several]) for index in indices
    ) == list(range(len(several)))


def test_many_rules_stay_small():
    """As one minimal automaton, m rules ``$ * a $ * b`` of different words have more than 2^m states."""
    words = [f"w{i}" for i in range(24)]
    several = [parse(f"$ * {words[2 * i]} $ * {words[2 * i + 1]}") for i in range(12)]
    known = letters(several, [*words, "other"])
    parts = together([least(rule, known) for rule in several])
    assert sum(one.states for one, _ in parts) <= 3 * 12


@some_cases(
    st.lists(st.tuples(st.sampled_from("xyz"), rules(NAMED, leaves=4)), min_size=1, max_size=4),
    SENTENCES,
    st.booleans(),
)
def test_a_sentence_reaches_the_labels_whose_rules_it_matches(several, sentence, pseudo):
    """Sentences are between BOS and EOS, which rules may contain; each label has its own final states."""
    vocabulary = None if pseudo else [word for word in VOCABULARY if word != BEGIN]
    rules_together = rule_set.rule_set([Labelled(label, rule, 1) for label, rule in several], vocabulary)
    words = [word for word in sentence if word in rules_together.automaton.alphabet and word != BEGIN]
    words += [END] if END in rules_together.automaton.alphabet else []
    for label, final in rules_together.labels.items():
        own = rules_together.automaton.replace(final=_only(final, rules_together.automaton.states))
        alone = compiled(
            _either([rule for name, rule in several if name == label]), vocabulary and [*vocabulary, END]
        )
        if set(words) <= set(alone.alphabet):
            assert scores(own, [(BEGIN, *words)]) == scores(alone, [tuple(words)])
            assert not any(scores(own, [tuple(words), (BEGIN, BEGIN, *words), ()]))


def test_sentences_of_unequal_length_match_as_if_run_one_by_one():
    known = rule_set.rule_set(
        [Labelled("x", parse("$ * a b ?"), 1), Labelled("y", parse("b + | ( )"), 2)], ["b", "a", "c"]
    )
    sentences = [(BEGIN, *words[:length]) for words in ("aabb", "bbbb", "cabc") for length in (3, 0, 4, 1, 2)]
    rows = matches(known, sentences).tolist()
    assert rows == [matches(known, [sentence]).tolist()[0] for sentence in sentences]
    for column, final in enumerate(known.labels.values()):
        own = known.automaton.replace(final=_only(final, known.automaton.states))
        assert [row[column] for row in rows] == scores(own, sentences).tolist()
    assert {tuple(row) for row in rows} == {(True, False), (False, True), (False, False)}


def _only(states: tuple[int, ...], count: int) -> Any:
    return np.isin(np.arange(count), states)


def _either(several: list[Rule]) -> Rule:
    return several[0] if len(several) == 1 else Either(tuple(several))


def test_a_word_missing_in_the_vocabulary_is_reported():
    compiled_rules = rule_set.rule_set([Labelled("x", parse("$ * ( a | absent ) $ *"), 1)], VOCABULARY[:-1])
    assert compiled_rules.missing == ("absent",)


def test_thousands_of_words_share_a_matrix():
    words = [f"w{i}" for i in range(9000)]
    automaton = compiled(parse("$ * w7 $ *"), words)
    assert len(automaton.matrices) == 2 and automaton.states == 2 and len(automaton.alphabet) == 9000


@pytest.mark.parametrize(
    ("rule", "sentence", "is_"),
    [
        ("$ a", "b a", True),
        ("$ a", "BOS a", False),  # an additional BOS must not match
        ("BOS a", "BOS a", True),
        ("% a", "7 a", True),
        ("% a", "12.5 a", True),
        ("% a", "b a", False),
        ("& a", "? a", True),
        ("& a", "7 a", False),
        ("$ * ( a | b ) *", "c a b a", True),
        ("( a * | b ) c", "a b c", False),
        ("( a * b ) * c", "a a b b c", True),
        ("( a * | b * ) {2} c", "a b c", True),
        ("( a * | b * ) {2} c", "a b a c", False),
    ],
)
def test_what_a_rule_matches(rule, sentence, is_):
    assert bool(scores(compiled(parse(rule), VOCABULARY), [tuple(sentence.split())])[0]) == is_


def test_without_marks_a_sentence_is_its_words():
    rules = rule_set.rule_set(loads("[x]\na b\n[y]\nb"), ("a", "b"), begins=False)
    expected = [[True, False], [False, True], [False, False], [False, False]]
    assert matches(rules, [("a", "b"), ("b",), ("a",), ()]).tolist() == expected
