"""Tests that ``import ratproof`` is cheap and complete, and that its functions agree with the commands."""

import importlib.util
import json
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest
import torch
from hypothesis import assume, given, settings
from torch import nn

import ratproof
from automata.dfa import DFA
from automata.semirings import REAL
from automata.testing.dfa_strategies import dfas
from automata.wfsa import WFSA
from proofs_tests.processes import python
from ratproof import main
from ratproof.evidence.kinds import Verdict
from theory.registry import claims

# A check inside a property test loads its own profile, which causes Hypothesis's warning.
pytestmark = [
    pytest.mark.filterwarnings("ignore:Cannot register a settings profile"),
    pytest.mark.usefixtures("short_strings", "few_trial_runs"),
]
EXAMPLES = Path(__file__).parents[2] / "ratproof" / "examples"
INPUTS = {"embeddings": torch.eye(2), "alphabet": "ab"}
FADING = WFSA(REAL, [1, 0], [0, 1], {"a": [[1, 1], [0, "1/2"]], "b": [[1, 0], [0, "1/2"]]})


class Machine(nn.Module):
    """A module that computes a DFA, with output 1 in accept states; ``backwards`` makes it noncausal."""

    def __init__(self, dfa: DFA, backwards: bool = False) -> None:
        super().__init__()
        self.dfa, self.backwards = dfa, backwards

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        symbols = inputs.argmax(dim=-1)
        state = torch.full(symbols.shape[1:], self.dfa.start)
        table = torch.tensor(self.dfa.table)
        accepting = torch.tensor([float(q in self.dfa.final) for q in range(self.dfa.states)])
        outputs = []
        for row in symbols.flip(0) if self.backwards else symbols:
            state = table[state, row]
            outputs.append(accepting[state])
        return torch.stack(outputs).unsqueeze(-1)


def verdicts(report) -> dict[str, Verdict]:
    return {r.kind: r.verdict for r in report.results}


@pytest.mark.parametrize(
    ("name", "older"),
    [
        ("step_claim", "believe"),
        ("module_claim", "believe_module"),
        ("kernel_claim", "believe_kernel"),
        ("model_claim", "believe_stateful"),
    ],
)
def test_deprecated_names_are_the_same_functions(name, older, recwarn):
    assert getattr(ratproof, name) is getattr(ratproof, older) and not recwarn


def test_a_check_of_a_module_raises_or_returns_its_report():
    even = DFA(("a", "b"), start=0, table=((1, 0), (0, 1)), final=frozenset({0}))
    options = {"automaton": even, "embeddings": torch.eye(2), "alphabet": "ab", "accepts": 0.5}
    report = ratproof.module_claim("right", module=Machine(even), **options).check(examples=5)
    wrong = ratproof.module_claim("wrong", module=Machine(replace(even, start=1)), **options)
    assert report.as_expected and [r.kind for r in report.results] == ["sampled", "exhausted"]
    with pytest.raises(AssertionError, match=r'got "refuted" \(sampled'):
        wrong.check(examples=5)


@pytest.mark.parametrize(("name", "value"), [("examples", 0), ("examples", 1.5), ("seed", -1), ("seed", "1")])
def test_an_invalid_number_of_examples_or_seed_is_refused(name, value):
    claim = ratproof.step_claim("fading", start=0, step=lambda c, x: c / 2 + (x == "a"), automaton=FADING)
    for check in (claim.check, lambda **more: ratproof.check(nn.Identity(), FADING, **INPUTS, **more)):
        with pytest.raises(ratproof.InputError, match=f"{name} must be an integer of at least"):
            check(**{name: value})


def test_an_unknown_verdict_raises_too():
    def step(c, x):
        str(c)  # a step that reads the digits of the state cannot be shown to be affine
        return c / 2 + (x == "a")

    with pytest.raises(AssertionError, match=r'got "unknown" \(decided\)'):
        ratproof.step_claim("written", start=0, step=step, automaton=FADING).check(examples=5)


@settings(max_examples=5)
@given(dfas(most_states=4))
def test_a_module_that_runs_a_dfa_equals_only_that_dfa(dfa):
    options = {"embeddings": torch.eye(2), "alphabet": "ab", "accepts": 0.5, "examples": 5}
    right = ratproof.check(Machine(dfa), dfa, **options)
    assert verdicts(right) == {
        r.kind: Verdict.HOLDS if r.informative else Verdict.UNKNOWN for r in right.results
    }
    turned = replace(dfa, final=frozenset(range(dfa.states)) - dfa.final)
    string = dfa.shortest_difference(turned)
    assume(string is not None)
    wrong = ratproof.check(Machine(dfa), turned, **options)
    assert verdicts(wrong) == {"sampled": Verdict.REFUTED, "exhausted": Verdict.REFUTED}
    (length,) = {len(r.counterexample.string) for r in wrong.results if r.kind == "exhausted"}
    assert length == 1  # the module differs on every string, and therefore on every string of one symbol


@settings(max_examples=12)
@given(dfas(most_states=3))
def test_a_module_that_runs_on_complete_sequences_need_not_be_causal(dfa):
    report = ratproof.check(
        Machine(dfa, backwards=True),
        dfa,
        embeddings=torch.eye(2),
        alphabet="ab",
        accepts=lambda output: output > 0.5,
        examples=5,
    )
    every = (x for length in range(8) for x in product("ab", repeat=length))
    same = all(dfa.accepts(x) == dfa.accepts(x[::-1]) for x in every)
    assert (Verdict.REFUTED not in verdicts(report).values()) == same


def test_scores_of_a_module_are_checked():
    class Fading(nn.Module):
        def forward(self, inputs):
            c, states = torch.zeros(1, 1), []
            for x in inputs.unbind(0):
                c = 0.5 * c + x[:, :1]
                states.append(c)
            return torch.stack(states), c

    assert ratproof.check(Fading(), FADING, embeddings=torch.eye(2), alphabet="ab").as_expected


@pytest.mark.parametrize(
    ("automaton", "accepts", "says"),
    [
        (FADING, 0.5, "automaton must be a DFA or a boolean WFSA, got"),
        (DFA(("a", "b"), 0, ((0, 0),), frozenset()), None, "pass accepts, because automaton is a DFA"),
        (
            DFA(("a",), 0, ((0,),), frozenset()),
            0.5,
            "module: the alphabets differ: only the module reads 'b'",
        ),
        (
            DFA(("a", "b"), 0, ((0, 0),), frozenset()),
            float("nan"),
            "accepts must be a number or a function of the output",
        ),
    ],
)
def test_inconsistent_arguments_are_refused(automaton, accepts, says):
    with pytest.raises(ratproof.InputError, match=says):
        ratproof.check(nn.Identity(), automaton, embeddings=torch.eye(2), alphabet="ab", accepts=accepts)


def test_a_batch_first_layer_is_refused():
    with pytest.raises(ratproof.InputError, match="batch_first=True"):
        ratproof.check(nn.GRU(2, 1, batch_first=True), FADING, embeddings=torch.eye(2), alphabet="ab")


def test_verify_agrees_with_the_command(in_tmp_path, capsys):
    report = ratproof.verify("fa-rnn-eq-4", kinds=["proved", "exhausted"])
    assert {r.kind for r in report.results} == {"proved", "exhausted"} and report.as_expected
    one = ratproof.verify("fa-rnn-eq-4", kinds="proved")
    assert main.run(["verify", "fa-rnn-eq-4", "--kind", "proved"]) == 0
    assert _untimed(str(one)) == _untimed(capsys.readouterr().out.rstrip())
    assert "fa-rnn-eq-4" in one._repr_html_() and str(one) == repr(one)


def _untimed(text: str) -> list[str]:
    return [line for line in text.splitlines() if not line.endswith(" s") and not line[-1:].isdigit()]


def test_certify_agrees_with_the_command(capsys):
    file = str(EXAMPLES / "tomita-2.safetensors")
    report = ratproof.certify(file)
    assert report.verdict == "certified" and report.word is None
    assert main.run(["certify", file]) == 0
    assert capsys.readouterr().out.rstrip() == str(report)
    assert main.run(["certify", file, "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"schema_version": 2, **report.to_json()}


@pytest.mark.parametrize("function", ["score", "equivalent", "minimise", "rank"])
@pytest.mark.parametrize(
    ("value", "says"),
    [
        ("a.json", "the automaton must be a WFSA, got 'a.json' of type str; load it with read()"),
        (DFA(("a",), 0, ((0,),), frozenset()), "of type DFA; convert it with its to_wfsa()"),
        (None, "the automaton must be a WFSA, got None of type NoneType"),
    ],
    ids=["file", "dfa", "none"],
)
def test_a_value_that_is_not_an_automaton_is_refused(function, value, says):
    more = {"score": ["a"], "equivalent": [FADING]}.get(function, [])
    with pytest.raises(ratproof.InputError, match=says):
        getattr(ratproof, function)(value, *more)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (
            lambda: ratproof.score(FADING, 5),
            "a string must be text or a sequence of symbols, got 5 of type int",
        ),
        (
            lambda: ratproof.score(FADING, ["a", ["b"]]),
            r"string index 1: a symbol must be hashable, got \['b'\] of type list",
        ),
        (lambda: ratproof.read(5), "a file name must be a string, got 5 of type int"),
        (
            lambda: ratproof.score(FADING, [("a", ["b"])]),
            "string index 0: a symbol must be hashable, got .* of type tuple",
        ),
        (lambda: ratproof.write(FADING, 5), "a file name must be a string, got 5 of type int"),
        (
            lambda: ratproof.verify(kinds=5),
            "kinds must be one or more of sampled, .*, kernel-checked-reals, got 5",
        ),
        (lambda: ratproof.write(5, "five.json"), "the automaton must be a WFSA, got 5 of type int"),
        (
            lambda: ratproof.verify(["fa-rnn-eq-4"]),
            "the name of a claim must be a string, got .* of type list",
        ),
        (lambda: ratproof.verify("FA-RNN-EQ-44"), "did you mean fa-rnn-eq-4?"),
        (lambda: ratproof.certify("two.safetensors", "cold"), "temperature must be positive, got 'cold'"),
        (
            lambda: WFSA("real", [1], [1], {"a": [[1]]}),
            "the semiring must be one of automata.semirings, such as REAL, got 'real'",
        ),
        (lambda: WFSA(REAL, 1, 1, {"a": 1}), "initial must have 1 dimension"),
        (
            lambda: WFSA(REAL, [1], [1], [["a", 1]]),
            "the transitions must be a dict with a matrix for each symbol, got list",
        ),
    ],
)
def test_arguments_of_the_wrong_type_are_refused(call, says):
    with pytest.raises(ratproof.InputError, match=says):
        call()


def test_a_string_may_be_an_iterator():
    expected = ratproof.score(FADING, "aba")
    assert expected != ratproof.score(FADING, "")
    assert [ratproof.score(FADING, of) for of in (iter("aba"), list("aba"), map(str, "aba"))] == [
        expected
    ] * 3


def test_answers_have_a_verdict_word_scores_and_certificate():
    half, third = (WFSA(REAL, [1], [1], {"a": [[w]]}) for w in ("1/2", "1/3"))
    same, different = ratproof.equivalent(half, half), ratproof.equivalent(half, third)
    assert (same.verdict, same.word, same.scores) == ("equivalent", None, None)
    assert same.certificate is not None
    assert (different.verdict, different.word) == ("different", ("a",))
    assert different.certificate is not None


def test_the_import_is_cheap_and_every_name_exists():
    program = "import ratproof, sys; print(sorted({m.partition('.')[0] for m in sys.modules}))"
    loaded = python("-c", program, check=True)
    assert not {"torch", "numpy", "sympy", "rich"} & set(eval(loaded.stdout))
    for name in ratproof.__all__:
        assert getattr(ratproof, name) is not None
        assert importlib.util.find_spec(f"ratproof.{name}") is None  # no submodule has the name of a function
    assert not set(ratproof.__all__) & set(claims())
    rooms = ("automata", "theory", "neural", "ratproof", "training")
    assert all((Path(ratproof.__file__).parents[1] / room / "py.typed").exists() for room in rooms)
    with pytest.raises(AttributeError, match="has no attribute 'proof'"):
        ratproof.proof  # noqa: B018


def test_a_nan_is_not_a_decision():
    """An output of NaN is not positive, but it must not count as a rejection either."""

    class Broken(nn.Module):
        def forward(self, inputs):
            return torch.full((*inputs.shape[:2], 1), torch.nan)

    rejects_all = DFA(("a", "b"), 0, ((0, 0),), frozenset())
    options = {"embeddings": torch.eye(2), "alphabet": "ab", "accepts": 0.5}
    report = ratproof.check(Broken(), rejects_all, **options, examples=5)
    assert set(verdicts(report).values()) == {Verdict.REFUTED}
    with pytest.raises(
        ratproof.InputError, match="slack must be 0 with accepts, because decisions are compared"
    ):
        ratproof.check(Broken(), rejects_all, **options, slack=0.5)
