"""Tests that the hunt finds counterexamples and saves them as files that can be replayed."""

import json
import shlex

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.internal.conjecture import providers

from automata.errors import InputError
from automata.testing.strategies import readings
from ratproof.evidence.counterexample import Counterexample
from ratproof.hunting import worker
from ratproof.hunting.progress import HuntProgress
from ratproof.hunting.search import Hunt, hunt
from ratproof.hunting.targets import targets
from ratproof.implementations.comparison import counterexample
from ratproof.implementations.exact import ExactComparison
from ratproof.implementations.layer_strategies import networks
from ratproof.implementations.openfst import OpenFstComparison
from ratproof.ladder.counterexample_files import FORMAT, keep, load, replay
from ratproof.main import run
from theory.registry import claims


def test_it_hunts_every_variant_that_should_hold_with_every_number_type():
    names = {name.partition("[")[2].rstrip("]") for name in targets([], None, "cpu")}
    layers = {f"proposition-7-corrected-sampled-example-6-{dtype}" for dtype in ("float32", "float64")}
    assert layers <= names
    hold = {
        f"{c.name}-{v.name}-sampled" for c in claims().values() for v in c.variants if v.expected == "holds"
    }
    assert hold <= names
    refuted = {f"{c.name}-{v.name}-sampled" for c in claims().values() for v in c.variants} - hold
    assert not refuted & names


class Pipe:
    """A worker's connection that requests one chunk of rounds of its first target, and keeps the messages."""

    def __init__(self, numbers):
        self.numbers, self.messages = numbers, []

    def send_bytes(self, text):
        self.messages.append(json.loads(text))

    def recv_bytes(self):
        first, *rows = self.messages
        chunk = None if rows else [[first["targets"][0], number] for number in self.numbers]
        return json.dumps(chunk).encode()


def rows_of_worker(seed, numbers):
    pipe = Pipe(numbers)
    worker.work(pipe, ["corollary-14"], None, "cpu", seed)
    return pipe.messages[1]["rows"]


@pytest.mark.parametrize("way", ["", "-linear-elman-float32"], ids=["fractions", "a torch layer"])
def test_examples_are_determined_by_seed_target_and_number(way, monkeypatch):
    """They do not depend on the imported modules, whose constants Hypothesis would draw: a wheel and a clone
    have different modules.
    """

    def collect():
        pytest.fail("Hypothesis must not collect constants of modules")

    name = f"corollary-14-corrected-sampled{way}"
    steps = targets(["corollary-14"], None, "cpu")
    (target,) = [test for test in steps if f"[{name}]" in test]
    monkeypatch.setattr(worker, "targets", lambda *request: {target: steps[target]})
    monkeypatch.setattr(worker, "EXAMPLES", 10)
    monkeypatch.setattr(providers, "_get_local_constants", collect)
    first, second, again = rows_of_worker(0, [1, 2, 1])
    (other_seed,) = rows_of_worker(7, [1])
    rows = [first, second, again, other_seed]
    assert [(row["verdict"], row["why"]) for row in rows] == [("holds", "")] * 4
    assert first["digest"] == again["digest"] and first["cases"] == again["cases"] > 0
    assert len({row["digest"] for row in rows}) == 3


def test_it_finds_a_misprint_and_saves_a_minimal_counterexample(tmp_path):
    what = Hunt(("proposition-7",), 11, "printed-equation-3b", minutes=2.0, folder=tmp_path)
    progress = hunt(what, 1)
    assert not progress.errors and progress.cases["exact"] > 0
    ((least, path),) = progress.finds.values()
    assert least.string == ["a"]
    data = json.loads(path.read_text())
    assert data["format"] == FORMAT and data["versions"]["python"] and "automata" in data
    assert run(["replay", str(path)]) == 1


def test_the_command_prints_how_to_replay_saved_files(tmp_path, capsys, monkeypatch):
    progress, path = HuntProgress(seed=3, jobs=1), tmp_path / "kept here.json"
    example = Counterexample("proposition-7", "printed", {}, "c_0 = 1", ["a"], 0, "1", "0", "0")
    progress.finds["proposition-7", "printed", "exact"] = (example, path)
    monkeypatch.setattr("ratproof.hunting.search.hunt", lambda *arguments, **options: progress)
    assert run(["hunt", "proposition-7", "--seed", "3"]) == 1
    output = capsys.readouterr().out
    assert 'proposition-7, printed: counterexample\n  on "a" the network gives 1' in output
    assert f"ratproof replay {shlex.quote(str(path))}" in output


ways = {"exact": ExactComparison, "openfst": OpenFstComparison}


refuted = [
    (c, v, way) for c in claims().values() for v in c.variants if v.expected == "refuted" for way in ways
]


@pytest.mark.parametrize(
    ("claim", "variant", "way"),
    [(c, v, way) for c, v, way in refuted if way == "exact" or "cross-checked" in v.kinds],
    ids=lambda x: x if isinstance(x, str) else x.name,
)
@settings(max_examples=4)
@given(st.data())
def test_saved_counterexamples_replay_with_the_same_scores(claim, variant, way, tmp_path_factory, data):
    names, xs = data.draw(readings(most=6, longest=4, run=0))
    comparison = ways[way](claim.name, variant.name, data.draw(variant.cases("abc")).renamed(names))
    compared = next((c for c in comparison.compare(xs) if c.difference), None)
    if compared is None:
        return
    first = counterexample(comparison, compared)
    path = keep(first, tmp_path_factory.mktemp("kept"), 5, "test")
    again = replay(path).compared
    assert again.difference is not None
    assert (again.difference.network, again.difference.automaton) == (first.network, first.automaton)


@settings(max_examples=10)
@given(st.data())
def test_a_saved_network_replays(tmp_path_factory, data):
    names, xs = data.draw(readings(most=3, longest=3, run=0))
    network = data.draw(
        networks(
            "abc",
            "example-6",
            "proposition-7",
            "printed",
            "float32",
            "cpu",
            automata_know_start=False,
            start=st.just(1.0),
        )
    ).renamed(names)
    (compared, *_) = list(network.compare(xs))
    first = counterexample(network, compared)
    again = replay(keep(first, tmp_path_factory.mktemp("kept"), None, "test")).compared
    assert again.difference is not None and again.difference.network == first.network


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    variant = claims()["proposition-7"].variant("printed")
    comparison = ExactComparison("proposition-7", "printed", next(variant.small_cases(1)))
    first = counterexample(comparison, next(iter(comparison.compare([""]))))
    return json.loads(keep(first, tmp_path_factory.mktemp("kept"), None, "test").read_text())


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (lambda d: d.pop("string"), "field 'string' is missing"),
        (lambda d: d.update(string="ab"), "'string' must be a list of symbols, got 'ab'"),
        (lambda d: d.update(string=["a", 1]), "'string' must be a list of symbols, got the element 1"),
        (lambda d: d.update(string=["z"]), "'string' must have only symbols of the comparison, got 'z'"),
        (lambda d: d.update(claim="proposition-8"), "there is no claim"),
        (lambda d: d.update(claim=["x"]), "'claim' must be a string, got ['x']"),
        (lambda d: d.update(variant="misprinted"), "'variant' of proposition-7 must be one of"),
        (lambda d: d["comparison"].update(way="magic"), "'comparison.way' must be exact, openfst,"),
        (lambda d: d["comparison"].pop("case"), "'comparison' must be as ratproof writes it"),
        (
            lambda d: d["comparison"]["case"]["weights"]["f"].update(a="x"),
            "the weight 'f': a weight must be a number such as",
        ),
        (lambda d: d.update(comparison=7), "'comparison' must be an object, got 7"),
    ],
)
def test_a_damaged_file_gives_a_one_line_error(kept, spoil, says, tmp_path, capsys):
    data = json.loads(json.dumps(kept))
    spoil(data)
    path = tmp_path / "spoilt.json"
    path.write_text(json.dumps(data))
    assert run(["replay", str(path)]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1 and says in err


def test_a_counterexample_to_a_false_claim_does_not_refute_a_true_one():
    """Theorem 3.2 derives its temperature from the weights; another temperature violates its hypothesis."""
    variant = claims()["theorem-3.2"].variant("without-low-temperature")
    case = ExactComparison("theorem-3.2", variant.name, next(variant.small_cases(1))).to_json()
    data = {"claim": "theorem-3.2", "variant": variant.name, "comparison": case}
    load(data, "kept.json")
    with pytest.raises(
        InputError, match=r"the weights do not match theorem-3\.2, corrected-eq-5: the weight m must follow"
    ):
        load(data | {"variant": "corrected-eq-5"}, "kept.json")
