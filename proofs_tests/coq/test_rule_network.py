"""Tests that Coq accepts FA-RNNs of rules in binary32, refuses wrong ones, and computes torch's values."""

import json
import re
import struct
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from automata.io import files as automaton_files
from automata.rules.rule_files import loads
from automata.rules.rule_set import rule_set
from automata.semirings import BOOLEAN
from automata.wfsa import WFSA
from neural.checkpoints import write
from neural.fa_rnn import files
from neural.fa_rnn.classifier import Classifier, RuleBlock
from neural.fa_rnn.network import FARNN
from proofs_tests.coq.conftest import run_definitions
from ratproof import main
from ratproof.certification.rule_networks import (
    ONE,
    Match,
    PathAutomaton,
    RuleNetwork,
    bounding_weights,
    growth,
    match,
    path_automaton,
    rule_network_of,
)
from ratproof.commands.state_regularized.rule_networks import automata_of
from ratproof.coq import reals, rule_network

RULES = "[fare]\n$ * ( cost | price ) $ *\n[city]\nwhat $ city\n$ * city EOS\n"
WORDS = ["what", "cost", "price", "to", "the", "city"]
NAMES = ("net", "rules")
Case = tuple[RuleNetwork, PathAutomaton, Match]
Change = Callable[[RuleNetwork, PathAutomaton, Match], Case]


def classifier() -> tuple[Classifier, WFSA, list[tuple[int, ...]]]:
    """Return a network, its automaton, and for each score the states that it reads."""
    rules = loads(RULES)
    compiled = rule_set(rules, WORDS)
    model = Classifier.of_rules(compiled, list(map(str, compiled.labels)), [str(r.rule) for r in rules])
    return model, compiled.automaton, [part.states for part in compiled.parts]


def case() -> Case:
    model, automaton, parts = classifier()
    network = rule_network_of(model)
    paths = path_automaton(automaton, network.words, parts)
    matching = match(network, paths)
    assert matching is not None
    return network, paths, matching


def doubling() -> tuple[Classifier, WFSA]:
    """Return the network of an automaton with two paths for each "a", and the automaton."""
    loops = np.array([[False, True, False], [False, True, True], [False, True, True]])
    stays = np.eye(3, dtype=bool)
    first = np.array([[False, True, False], [False] * 3, [False] * 3])
    automaton = WFSA(
        BOOLEAN, [True, False, False], [False, False, True], {"BOS": first, "a": loops, "b": stays}
    )
    network = FARNN.of(automaton, [[2]])
    return Classifier(network, ["yes", "no"], [RuleBlock("yes", ("a",), (0, 1, 2), (2,))]), automaton


def definitions(wrong: Case) -> str:
    text = rule_network.file_text(*wrong, NAMES).partition(reals.RULES.inlined())[2]
    return text[: text.index("Theorem ")]


def checker(wrong: Case) -> str:
    """Return the Coq term that calls the checker, for the theorem about this case."""
    text = rule_network.file_text(*wrong, NAMES)
    name, arguments = re.findall(r"apply \(counts_(on_all_words|while_small) (.*)\);", text)[-1]
    return f"check_{'all' if name == 'on_all_words' else 'short'}_words {arguments}"


def values(theory: Path, cases: list[tuple[Case, str]]) -> list[str]:
    """Return the values of Coq terms, each with the definitions of its case. The theory is compiled once."""
    lines = []
    for i, (data, term) in enumerate(cases):
        lines.append(f"Module net_{i}.\n{definitions(data)}\nEval vm_compute in {term}.\nEnd net_{i}.")
    return re.findall(r"= (\S+)\n", run_definitions("\n".join(lines), theory))


def changed(array: Any, index: Any, value: int) -> Any:
    result = array.copy()
    result[index] = value
    return result


def change_of(name: str, index: tuple[int, ...], bits: int) -> Change:
    """Change the bits of one weight of the network."""
    return lambda network, automaton, matching: (
        replace(network, **{name: changed(getattr(network, name), index, bits)}),
        automaton,
        matching,
    )


def change_of_automaton(name: str, index: tuple[int, ...], value: int) -> Change:
    return lambda network, automaton, matching: (
        network,
        replace(automaton, **{name: changed(getattr(automaton, name), index, value)}),
        matching,
    )


def first_of(array: Any, where: bool = True) -> tuple[int, ...]:
    """Return the index of the first nonzero entry; if ``where`` is false, of the first zero entry."""
    return tuple(int(i) for i in np.argwhere((array != 0) == where)[0])


def shift_the_wildcard(network: RuleNetwork, automaton: PathAutomaton, matching: Match) -> Case:
    return replace(network, wildcard=np.roll(network.wildcard, 1, axis=0)), automaton, matching


def exchange_d_1_and_d_2(network: RuleNetwork, automaton: PathAutomaton, matching: Match) -> Case:
    """Transpose the matrix of each word, except the wildcard's."""
    return replace(network, before=network.after, after=network.before), automaton, matching


def transpose_the_wildcard(network: RuleNetwork, automaton: PathAutomaton, matching: Match) -> Case:
    return replace(network, wildcard=network.wildcard.T.copy()), automaton, matching


def exchange_two_words(network: RuleNetwork, automaton: PathAutomaton, matching: Match) -> Case:
    vector_of = network.vector_of.copy()
    one, other = network.words.index("cost"), network.words.index("what")
    vector_of[[one, other]] = vector_of[[other, one]]
    return replace(network, vector_of=vector_of), automaton, matching


def shift_the_initial_weight(network: RuleNetwork, automaton: PathAutomaton, matching: Match) -> Case:
    return replace(network, initial=np.roll(network.initial, 1)), automaton, matching


def exchange_the_scores(network: RuleNetwork, automaton: PathAutomaton, matching: Match) -> Case:
    return replace(network, final=network.final[::-1].copy()), automaton, matching


def exchange_two_images(network: RuleNetwork, automaton: PathAutomaton, matching: Match) -> Case:
    state_of = matching.state_of.copy()
    state_of[[1, 2]] = state_of[[2, 1]]
    return network, automaton, replace(matching, state_of=state_of)


def breaks() -> list[Change]:
    network, automaton, _ = case()
    tensors = ("before", "after", "wildcard", "vectors", "stands", "initial", "final")
    present = [(name, first_of(getattr(network, name))) for name in tensors]
    absent = [(name, first_of(getattr(network, name), where=False)) for name in tensors]
    return [
        *(change_of(name, index, ONE + 1) for name, index in present),
        *(change_of(name, index, 0) for name, index in present),
        *(change_of(name, index, 1) for name, index in absent),
        *(change_of(name, index, ONE) for name, index in absent),
        change_of("final", first_of(network.final), 0xBF800000),
        change_of_automaton("matrices", first_of(automaton.matrices), 0),
        change_of_automaton("matrices", first_of(automaton.matrices), 2),
        change_of_automaton("matrices", first_of(automaton.matrices, where=False), 1),
        change_of_automaton("starts", (1,), 1),
        change_of_automaton("accepting", first_of(automaton.accepting), 0),
        change_of_automaton("accepting", first_of(automaton.accepting, where=False), 1),
        change_of_automaton("table_of", (network.words.index("cost"),), int(automaton.table_of[0])),
        shift_the_wildcard,
        exchange_d_1_and_d_2,
        transpose_the_wildcard,
        exchange_two_words,
        shift_the_initial_weight,
        exchange_the_scores,
        exchange_two_images,
    ]


def test_coq_accepts_the_network_and_refuses_changes(theory):
    right = case()
    call = checker(right)
    wrong = [change(*right) for change in breaks()]
    small = call.replace("[3; 1", "[2; 1")
    assert small != call
    answers = values(theory, [(right, call), (right, small), *((data, call) for data in wrong)])
    assert answers == ["true", "false"] + ["false"] * len(wrong)


def test_coq_refuses_a_growth_that_is_too_small(theory):
    model, automaton = doubling()
    network = rule_network_of(model)
    paths = path_automaton(automaton, network.words)
    matching = match(network, paths)
    assert matching is not None
    data = network, paths, matching
    assert bounding_weights(network) is None
    assert (growth(network), rule_network.longest_word(network)) == (2, 51)
    call = checker(data)
    assert call.endswith("table_of_vector 2%Z")
    answers = values(theory, [(data, call), (data, call.replace("2%Z", "1%Z"))])
    assert answers == ["true", "false"]


def test_torch_overflows_on_words_that_are_too_long_for_the_theorem():
    """The score is 2^127 after 128 letters, and NaN after one more, so no theorem covers all lengths."""
    model, _ = doubling()
    with torch.no_grad():
        scores = [model.network([["BOS", *["a"] * length]]).item() for length in (128, 129)]
    assert scores[0] == 2.0**127
    assert np.isnan(scores[1])


def lists_of(output: str) -> Any:
    """Return the list in Coq's output as nested Python lists."""
    return read_lists(output.split("     = ")[1].rpartition("     : ")[0])


def test_coq_counts_the_paths_that_torch_counts(theory):
    model, _, _ = classifier()
    right = case()
    rng = np.random.default_rng(1)
    sentences = [["BOS", *map(str, rng.choice(WORDS, size=size)), "EOS"] for size in range(9)]
    numbers = [[right[0].words.index(word) for word in sentence] for sentence in sentences]
    terms = "; ".join(f"map (fun g => accepting_paths automaton g {row}%N) [0; 1; 2]%nat" for row in numbers)
    text = f"{definitions(right)}\nEval vm_compute in [{terms.replace(',', ';')}].\n"
    counts = np.array(lists_of(run_definitions(text, theory)))
    scores = model.network(sentences).detach()
    assert scores.dtype == torch.float32
    assert np.array_equal(counts, scores.numpy())
    assert 0 < counts.sum() < counts.size


STEPS = """
Definition unit (q i : N) : Z := if N.eqb q i then 1%Z else 0%Z.
Definition row (x q : N) := map (exact_next trained (vector trained x) (unit q)) (indices {states}).
Definition rows (x : N) := map (row x) (indices {states}).
Eval vm_compute in map rows (indices {words}).
"""


def test_a_step_of_the_network_in_coq_is_that_of_torch(theory):
    """For each word, the exact step of each unit vector is torch's float32 step."""
    model, _, _ = classifier()
    network = case()[0]
    steps = STEPS.format(states=network.states, words=len(network.words))
    matrices = np.array(lists_of(run_definitions(f"{definitions(case())}\n{steps}", theory)))
    unit = torch.eye(network.states)
    for word, matrix in enumerate(matrices):
        words = torch.full((1, network.states), word)
        assert np.array_equal(model.cell(words, torch.ones_like(words) > 0, unit).detach().numpy(), matrix)
    assert len(matrices) == len(network.words)
    assert matrices.any()


def read_lists(text: str) -> Any:
    """Convert the text of a Coq list of numbers, pairs and lists to nested Python lists."""
    plain = re.sub(r"%[NZ]", "", text).replace("(", "[").replace(")", "]").replace(";", ",")
    return json.loads(re.sub(r"0x([0-9a-f]+)", lambda match: str(int(match[1], 16)), plain))


def read_tensors(path: Path) -> dict[str, Any]:
    """Return the bits of the tensors of a safetensors file, read without a library."""
    content = path.read_bytes()
    size = struct.unpack("<Q", content[:8])[0]
    tensors = {}
    for name, about in json.loads(content[8 : 8 + size]).items():
        if name != "__metadata__":
            start, end = about["data_offsets"]
            assert about["dtype"] == "F32"
            bits = struct.unpack(f"<{(end - start) // 4}I", content[8 + size + start : 8 + size + end])
            tensors[name] = np.array(bits, dtype=np.uint32).reshape(about["shape"])
    return tensors


def dense(rows: Any, columns: int) -> Any:
    result = np.zeros((len(rows), columns), dtype=np.uint32)
    for number, row in enumerate(rows):
        for column, bits in row:
            result[number, column] = bits
    return result


def test_the_file_has_the_bits_of_the_checkpoint(tmp_path):
    model, _, _ = classifier()
    path = tmp_path / "net.safetensors"
    files.save(model, path)
    loaded, _ = files.load(path)
    _, paths, matching = case()
    text = rule_network.file_text(rule_network_of(loaded), paths, matching, NAMES)
    term = re.search(r"Definition trained : network := Network (\d+) (\d+)\n(.*?)\.\n", text, re.DOTALL)
    assert term is not None
    states, columns = int(term[1]), int(term[2])
    before, after, wildcard, vectors, vector_of, initial, finals = map(read_lists, term[3].split("\n"))
    tensors = read_tensors(path)
    rows, stands = dense([row for row, _ in vectors], columns), np.array([stand for _, stand in vectors])
    for name, bits in (
        ("network.cell.before", dense(before, columns)),
        ("network.cell.after", dense(after, states).T),
        ("network.cell.apart", dense(wildcard, states)),
        ("network.cell.rules", rows[vector_of]),
        ("network.cell.stands", stands[vector_of]),
        ("network.initial", dense([initial], states)[0]),
        ("network.final", dense(finals, states)),
    ):
        assert np.array_equal(tensors[name], bits), name
        assert bits.any()


def test_states_may_be_numbered_differently():
    network, automaton, _ = case()
    order = np.random.default_rng(1).permutation(network.states)
    renumbered = replace(
        automaton,
        starts=automaton.starts[order],
        matrices=automaton.matrices[:, order][:, :, order],
        accepting=automaton.accepting[:, order],
    )
    matching = match(network, renumbered)
    assert matching is not None
    assert (order[matching.state_of] == np.arange(network.states)).all()


def test_an_automaton_may_have_states_on_no_accepting_path(tmp_path):
    model, automaton = doubling()
    network = rule_network_of(model)
    sink = [np.pad(matrix, (0, 1)) for matrix in automaton.matrices]
    for matrix in sink:
        matrix[0, 3] = matrix[3, 3] = True
    larger = WFSA(
        BOOLEAN,
        np.append(automaton.initial, False),
        np.append(automaton.final, False),
        {word: sink[index] for word, index in automaton.index.items()},
    )
    automaton_files.write(larger, tmp_path / "larger.json")
    automata = automata_of(str(tmp_path / "larger.json"), network, None)
    assert [match(network, each) is not None for each in automata] == [False, True]


@pytest.fixture
def folder(in_tmp_path):
    """Write networks, rules and an automaton into the test's own folder."""
    files.save(classifier()[0], "net.safetensors")
    Path("rules.config").write_text(RULES)
    Path("other.config").write_text(RULES.replace("price", "to"))
    model, automaton = doubling()
    files.save(model, "double.safetensors")
    automaton_files.write(automaton, "double.json")
    with torch.no_grad():
        model.cell.before[0, 0] = 0.75
    files.save(model, "trained.safetensors")
    write("unknown.safetensors", "another", {}, {})


def test_the_command_writes_a_complete_file_that_coq_accepts(theory, folder, capsys):
    assert main.run(["certify", "net.safetensors", "--against", "rules.config", "--kernel", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["kernel"] == {"file": "agrees_net.v", "theorem": "agrees", "axioms": list(reals.AXIOMS)}
    assert (answer["counts_on_all_words"], answer["scores"]) == (True, 3)
    assert "From ratproof" not in Path("agrees_net.v").read_text()


def test_other_rules_give_a_string_with_a_difference(folder, capsys, theory):
    assert main.run(["certify", "net.safetensors", "--against", "other.config", "--kernel", "--json"]) == 1
    answer = json.loads(capsys.readouterr().out)
    assert (answer["verdict"], answer["score"], answer["kernel"]) == ("different", "fare", None)
    sentence = [answer["word"]]
    ours = classifier()[0].network(sentence)[0, 0].item()
    rules = rule_set(loads(Path("other.config").read_text()), WORDS)
    assert ours != FARNN.of_rules(rules)(sentence)[0, 0].item()
    assert not Path("agrees_net.v").exists()


def test_an_automaton_without_accepting_paths_differs(folder, capsys, theory):
    _, automaton = doubling()
    empty = WFSA(
        BOOLEAN,
        automaton.initial,
        [False] * 3,
        {word: automaton.matrices[index] for word, index in automaton.index.items()},
    )
    automaton_files.write(empty, "empty.json")
    assert main.run(["certify", "double.safetensors", "--against", "empty.json", "--kernel", "--json"]) == 1
    word = json.loads(capsys.readouterr().out)["word"]
    assert doubling()[0].network([word])[0, 0].item() > 0


def test_a_difference_that_binary32_rounds_away_is_unknown(folder, capsys, theory):
    """After 24 letters the network has 2^24 + 1 paths and the automaton 2^24, and torch's score is 2^24."""
    length, states = 24, 75
    arcs = [(2 * i + p, 2 * i + 2 + q) for i in range(length) for p in (0, 1) for q in (0, 1)]
    arcs += [(50 + i, 51 + i) for i in range(length)]
    letter, begin = np.zeros((states, states), bool), np.zeros((states, states), bool)
    letter[tuple(zip(*arcs, strict=True))] = True
    begin[(0, 1, 50), (0, 1, 50)] = True
    initial, final = np.zeros(states, bool), np.zeros(states, bool)
    initial[[0, 1, 50]] = True
    final[[48]] = True
    automaton_files.write(WFSA(BOOLEAN, initial, final, {"BOS": begin, "a": letter}), "paths.json")
    final[[74]] = True
    network = FARNN.of(WFSA(BOOLEAN, initial, final, {"BOS": begin, "a": letter}), [[48, 74]])
    blocks = [RuleBlock("yes", ("a",), tuple(range(states)), (48, 74))]
    files.save(Classifier(network, ["yes", "no"], blocks), "long.safetensors")
    assert main.run(["certify", "long.safetensors", "--against", "paths.json", "--kernel", "--json"]) == 3
    answer = json.loads(capsys.readouterr().out)
    assert (answer["verdict"], answer["word"]) == ("unknown", None)
    assert network([["a"] * length])[0, 0].item() == 2**24


SUPPORTED = (
    "--kernel supports FA-RNNs in float32 with beta = 1 and weights 0 and 1, as compiled from rules, got"
)


@pytest.mark.parametrize(
    ("name", "more", "message"),
    [
        ("trained", "--against double.json --kernel", f"{SUPPORTED} 0.75 in the tensor network.cell.before"),
        ("net", "--against double.json --kernel", "a network that has one score, got 3"),
        ("double", "--against rules.config --kernel", "labels of the network's scores, yes, got fare, city"),
        ("net", "--against rules.config", "an FA-RNN requires --against and --kernel"),
        ("net", "--kernel", "an FA-RNN requires --against and --kernel"),
        ("net", "--kernel --temperature 1", "--temperature requires a network of another kind"),
        ("unknown", "--kernel", "must be 'state-regularized acceptor', got 'another'\n"),
    ],
)
def test_what_is_not_supported_is_refused(folder, capsys, name, more, message):
    assert main.run(["certify", f"{name}.safetensors", *more.split()]) == 2
    assert message in capsys.readouterr().err


def test_float64_is_refused():
    with pytest.raises(ValueError, match=r"got torch\.float64"):
        rule_network_of(classifier()[0].double())
