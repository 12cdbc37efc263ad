"""A well-formed file of every kind that is read, and the programs that read it."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import torch

from automata import files
from automata.semirings import BOOLEAN, MAX_PLUS, MIN_PLUS, REAL
from automata.wfsa import WFSA
from proofs_tests.mutated_files.mutations import npz, sorted_checkpoint
from proofs_tests.mutated_files.running import result

Commands = tuple[tuple[str, ...], ...]
"""Of each the program and its arguments."""


@dataclass(frozen=True)
class Kind:
    """A kind of file.

    Attributes:
        name: what it is called.
        made: from an empty folder: writes a well-formed file, and what is read beside it; names those that are mutated.
        commands: what reads them, in that folder.
        agree: all commands are run on each mutant, and have to accept the same ones.
        share: how many mutants there are of it, more or less than of others: fewer where reading one takes long.
    """

    name: str
    made: Callable[[Path], tuple[str, ...]]
    commands: Commands
    agree: bool = False
    share: float = 1.0


def ratproof(*arguments: str) -> tuple[str, ...]:
    """A command of ratproof's."""
    return ("ratproof", *arguments)


def _run(*arguments: str) -> None:
    """Run a command that makes a specimen."""
    found = result("ratproof", list(arguments))
    assert found.status in (0, 1), found


# Automata.


def real_automaton(weight: str = "1/2") -> WFSA:
    """Over the reals, with an epsilon transition."""
    arrows = [(0, 0, "a", 1), (0, 1, "b", "3/7"), (1, 2, "a", weight), (1, 1, "b", "0.25"), (0, 2, "", "2")]
    return WFSA.from_edges(REAL, 3, "ab", [(0, 1)], [(1, "1/3"), (2, 1)], arrows)


def tropical_automaton(semiring: Any, cost: int = 2) -> WFSA:
    """Unambiguous, so that it can be compared."""
    return WFSA.from_edges(semiring, 2, "ab", [(0, 0)], [(1, 1)], [(0, 0, "a", cost), (0, 1, "b", 0), (1, 1, "b", 3)])


def automata_json(folder: Path) -> tuple[str, ...]:
    files.write(real_automaton(), folder / "A.json")
    files.write(real_automaton("5/2"), folder / "B.json")
    return ("A.json",)


def boolean_json(folder: Path) -> tuple[str, ...]:
    _even(folder / "A.json", "01")
    _even(folder / "B.json", "01")
    network(folder)
    return ("A.json",)


def _even(path: Path, letters: str = "ab") -> None:
    a, b = letters
    arrows = [(0, 1, a, True), (1, 0, a, True), (0, 0, b, True), (1, 1, b, True)]
    files.write(WFSA.from_edges(BOOLEAN, 2, letters, [(0, True)], [(0, True)], arrows), path)


def automata_att(folder: Path) -> tuple[str, ...]:
    files.write(tropical_automaton(MIN_PLUS), folder / "A.att")
    files.write(tropical_automaton(MIN_PLUS, 3), folder / "B.json")
    return ("A.att", "A.syms")


# Certificates.


def equivalent(folder: Path) -> tuple[str, ...]:
    files.write(real_automaton(), folder / "A.json")
    arrows = [(0, 0, "a", 1), (0, 1, "b", "-3/7"), (1, 2, "a", "1/2"), (1, 1, "b", "0.25"), (0, 2, "", "2"), (3, 1, "a", 5)]
    files.write(WFSA.from_edges(REAL, 4, "ab", [(0, 1)], [(1, "1/3"), (2, 1)], arrows), folder / "B.json")
    _run("equivalent", "A.json", "B.json", "--certificate", "c.json")
    return ("c.json",)


def different(folder: Path) -> tuple[str, ...]:
    automata_json(folder)
    _run("equivalent", "A.json", "B.json", "--certificate", "c.json")
    return ("c.json",)


def minimal(folder: Path) -> tuple[str, ...]:
    arrows = [(0, 0, "a", 1), (0, 1, "b", 2), (1, 1, "a", "1/2"), (0, 2, "b", 1), (2, 2, "a", "1/2")]
    files.write(WFSA.from_edges(REAL, 3, "ab", [(0, 1)], [(1, 1), (2, 1)], arrows), folder / "A.json")
    _run("minimise", "A.json", "--certificate", "c.json")
    return ("c.json",)


def bisimulation(folder: Path) -> tuple[str, ...]:
    _even(folder / "A.json")
    arrows = [(0, 1, "a", True), (1, 2, "a", True), (2, 1, "a", True), (0, 0, "b", True), (1, 1, "b", True), (2, 2, "b", True)]
    files.write(WFSA.from_edges(BOOLEAN, 3, "ab", [(0, True)], [(0, True), (2, True)], arrows), folder / "B.json")
    _run("equivalent", "A.json", "B.json", "--certificate", "c.json")
    return ("c.json",)


def tropical_difference(folder: Path) -> tuple[str, ...]:
    files.write(tropical_automaton(MAX_PLUS), folder / "A.json")
    files.write(tropical_automaton(MAX_PLUS, 3), folder / "B.json")
    _run("equivalent", "A.json", "B.json", "--certificate", "c.json")
    return ("c.json",)


def hankel(folder: Path) -> tuple[str, ...]:
    _run("not-rational", "elman", "--size", "3", "--certificate", "c.json")
    return ("c.json",)


def boxes(folder: Path) -> tuple[str, ...]:
    network(folder)
    _run("certify", "net.safetensors", "--certificate", "c.json")
    return ("c.json",)


def invariant(folder: Path) -> tuple[str, ...]:
    from ratproof.comparisons import Exact
    from ratproof.invariant_boxes import decide_by_boxes
    from ratproof.ledger import recording
    from theory.registry import claim_named

    claim, variant = "theorem-3.2", "corrected-eq-5"
    case = next(claim_named(claim).variant(variant).small_cases(2))
    with recording() as book:
        decide_by_boxes(Exact(claim, variant, case))
    (folder / "c.json").write_text(json.dumps(book.certificate))
    return ("c.json",)


# Counterexamples, each way of comparing.


def kept(comparison: Any, strings: Any) -> Callable[[Path], tuple[str, ...]]:
    """A counterexample of what a comparison shows on some strings; where it shows none, one that is said to have been there."""

    def made(folder: Path) -> tuple[str, ...]:
        from ratproof.comparisons import Difference, counterexample
        from ratproof.counterexamples import keep

        one = comparison()
        every = list(one.compare(strings))
        compared = next((c for c in every if c.difference is not None), None) or pretended(every[0], Difference)
        keep(counterexample(one, compared), folder, 5, "test").rename(folder / "kept.json")
        return ("kept.json",)

    return made


def pretended(compared: Any, difference: Any) -> Any:
    from dataclasses import replace

    return replace(compared, difference=difference(len(compared.string), 0, "1", "0", "0"))


def exact() -> Any:
    from ratproof.comparisons import Exact

    return Exact("proposition-7", "printed", _weights("proposition-7", "printed", "ab"))


def exact_windows() -> Any:
    from ratproof.comparisons import Exact

    return Exact("proposition-11-qrnn", "printed", _weights("proposition-11-qrnn", "printed", "ab"))


def exact_vectors() -> Any:
    from ratproof.comparisons import Exact

    return Exact("theorem-3.1", "corrected", _weights("theorem-3.1", "corrected", "ab"))


def exact_automaton() -> Any:
    from ratproof.comparisons import Exact
    from theory.registry import claim_named

    return Exact("definition-4", "printed", claim_named("definition-4").example)


def openfst() -> Any:
    from ratproof.comparisons import WithOpenFst

    return WithOpenFst("proposition-7", "printed", _weights("proposition-7", "printed", "ab"))


def torch_network() -> Any:
    from ratproof.networks import OfNetwork

    options = {"input_size": 2, "hidden_size": 2, "bias": True}
    from ratproof.network_kinds import shapes

    random = np.random.default_rng(1)
    parameters = {name: random.integers(-8, 8, shape) / 4 for name, shape in shapes("example-6", options).items()}
    vectors = [[1.0, 0.0], [0.5, -1.0]]
    return OfNetwork("proposition-7", "printed", "example-6", options, parameters, vectors, "ab", 1.0, False)


def sampled_runs() -> Any:
    from ratproof.sampled_runs import SampledRuns

    options = {"input_size": 1, "hidden_size": 2, "k": 3, "bias": True, "similarity": "dot", "temperature": 0.5}
    parameters = {
        "part.input.weight": [[1.0], [-0.5]], "part.input.bias": [0.25, 0.0], "part.hidden.weight": [[1.0, -2.0], [0.5, 1.5]],
        "part.hidden.bias": [0.0, 0.0], "component.centroids": [[0.5, -1.0, 1.0], [1.0, 0.25, -0.75]],
    }  # fmt: skip
    return SampledRuns("theorem-3.1", "corrected", "sr-elman", options, parameters, [[1.0], [-1.0]], "ab", 0, 100, 1, 480)


def fa_rnn_network() -> Any:
    from ratproof.fa_rnn_runs import OfFARNN
    from theory.weights import Weights

    half, one, none = Fraction(1, 2), Fraction(1), Fraction(0)
    case = Weights(
        REAL,
        "ab",
        {
            "alpha_0": (one, none), "D_1": ((one, half), (none, one)), "v": {"a": (one, half), "b": (-half, one)},
            "D_2": ((half, one), (one, none)), "alpha_inf": (none, one),
        },
        ("K", 2),
    )  # fmt: skip
    return OfFARNN("fa-rnn-eq-5", "corrected", case)


def _weights(claim: str, variant: str, letters: str) -> Any:
    """The first small case that has some weight other than 0 and 1."""
    from theory.registry import claim_named

    cases = list(claim_named(claim).variant(variant).small_cases(len(letters)))
    return next((case for case in cases if "1/2" in case.describe()), cases[-1])


# Checkpoints.


def network(folder: Path) -> tuple[str, ...]:
    """A network of 5 centroids whose boxes are proved in a fraction of a second."""
    from neural.state_regularized.files import save
    from proofs_tests.certify.some_networks import random_network

    small = random_network(0)
    small.set_temperature(0.5)
    path = folder / "net.safetensors"
    save(small, path, {"trained": {"seed": 3}})
    path.write_bytes(sorted_checkpoint(path.read_bytes()))
    (folder / "strings.txt").write_text("0 1 1\n\n1\n0 0 1\n")
    return (path.name,)


def strings(folder: Path) -> tuple[str, ...]:
    network(folder)
    return ("strings.txt",)


RULES = "[light]\n$ * lamp $ *\n[music] // songs\n$ * play ( it | jazz ){1,2} $ *\n"
SAID = "light\tturn the lamp on\nmusic\tplay jazz\nmusic\tBOS please play it EOS\nlight\tso dark\n"


def sentences(folder: Path) -> None:
    """Rules, and labelled sentences."""
    (folder / "home.config").write_text(RULES)
    for part in ("train", "dev", "test"):
        (folder / f"{part}.tsv").write_text(SAID)
    (folder / "logic.txt").write_text("[quiet]\n!light & !music // nothing\n[loud]\nmusic | (light & music)\n")


def rule_file(folder: Path) -> tuple[str, ...]:
    sentences(folder)
    return ("home.config",)


def labelled(folder: Path) -> tuple[str, ...]:
    sentences(folder)
    return ("train.tsv", "dev.tsv", "test.tsv")


def formulas(folder: Path) -> tuple[str, ...]:
    sentences(folder)
    return ("logic.txt",)


def vocabulary(folder: Path) -> tuple[str, ...]:
    sentences(folder)
    (folder / "words.txt").write_text("turn\nthe\nlamp\nplay\nit\n")
    return ("words.txt",)


def vocabulary_json(folder: Path) -> tuple[str, ...]:
    sentences(folder)
    (folder / "words.json").write_text(json.dumps({"vocab": ["turn", "the", "lamp", "play"], "more": 1}))
    return ("words.json",)


def classifier(folder: Path) -> tuple[str, ...]:
    """An FA-RNN classifier with vectors of words."""
    from automata.rules.rule_files import loads
    from automata.rules.rule_set import rule_set
    from neural.fa_rnn import files as classifiers
    from neural.fa_rnn.classifier import Classifier

    sentences(folder)
    torch.manual_seed(0)
    written = loads(RULES)
    words = ("turn", "the", "lamp", "on", "play", "jazz", "please", "it", "so", "dark")
    vectors = torch.randn(12, 2)
    model = Classifier.of_rules(
        rule_set(written, words),
        ("light", "music", "none"),
        [str(r.rule) for r in written],
        noise=0.1,
        embeddings=vectors,
        beta=0.5,
    )
    path = folder / "fa.safetensors"
    classifiers.save(model.eval(), path, {"report": {"share": 1.0, "seed": 0}})
    path.write_bytes(sorted_checkpoint(path.read_bytes()))
    (folder / "more.config").write_text("[late]\n$ * on EOS\n")
    return (path.name,)


def training_run(folder: Path) -> tuple[str, ...]:
    """A run that learns a grammar, stopped at once."""
    _run(*LEARN, "--minutes", "0.0001")
    path = folder / "run" / "checkpoint.safetensors"
    path.write_bytes(sorted_checkpoint(path.read_bytes()))
    return ("run/checkpoint.safetensors",)


def fa_rnn_run(folder: Path) -> tuple[str, ...]:
    """A run on sentences, stopped after an epoch."""
    sentences(folder)
    _run(*TRAIN, "--minutes", "0.000001")
    path = folder / "run" / "run.safetensors"
    path.write_bytes(sorted_checkpoint(path.read_bytes()))
    return ("run/run.safetensors",)


LEARN = ("train", "tomita", "--grammar", "1", "--units", "2", "--centroids", "2", "-o", "run")
TRAIN = (
    "train", "fa-rnn", "--data", ".", "--rules", "home.config", "--vectors", "one-hot", "--beta", "0.5", "--epochs", "2", "-o", "run",
)  # fmt: skip


# Weights, corpora, embeddings.


def cell_weights(folder: Path) -> tuple[str, ...]:
    from theory.rational_recurrences.not_rational.cells import CELLS
    from theory.rational_recurrences.not_rational.weights import some

    (folder / "w.json").write_text(json.dumps(some(CELLS["elman"], 2).to_json()))
    return ("w.json",)


GLOVE = "the 0.5 -1 2e-1\nlamp 1 0 0.25\n. . 0 1 0\nplay -0.125 3 1\na 1 2 3\n"
WORDS = ["the", "lamp", "play", "a"]


def corpus(folder: Path) -> tuple[str, ...]:
    (folder / "text.txt").write_text("turn the lamp on\n\nplay jazz\n")
    (folder / "glove.txt").write_text(GLOVE)
    return ("text.txt",)


def glove(folder: Path) -> tuple[str, ...]:
    corpus(folder)
    return ("glove.txt",)


def glove_gz(folder: Path) -> tuple[str, ...]:
    corpus(folder)
    (folder / "glove.txt.gz").write_bytes(gzip.compress(GLOVE.encode(), mtime=0))
    return ("glove.txt.gz",)


def vectors_npz(folder: Path) -> tuple[str, ...]:
    corpus(folder)
    table = np.arange(12, dtype=np.float32).reshape(4, 3) / 8
    (folder / "glove.npz").write_bytes(npz(vectors=table, words=np.array(WORDS), unk_mean=table.mean(axis=0)))
    return ("glove.npz",)


def vectors_beside(folder: Path) -> tuple[str, ...]:
    corpus(folder)
    (folder / "glove.npz").write_bytes(npz(vectors=np.arange(12, dtype=np.float32).reshape(4, 3) / 8))
    (folder / "words.txt.gz").write_bytes(gzip.compress("\n".join(WORDS).encode(), mtime=0))
    return ("glove.npz", "words.txt.gz")


def vectors_published(folder: Path) -> tuple[str, ...]:
    (folder / "glove.npz").write_bytes(npz(emb=np.arange(12, dtype=np.float32).reshape(4, 3) / 8))
    (folder / "vocab_labels.json").write_text(json.dumps({"vocab": WORDS, "labels": ["x"]}))
    return ("glove.npz", "vocab_labels.json")


def checked_by(program: str) -> Commands:
    """A certificate is read by the command and by the program that stands alone."""
    return (ratproof("check-certificate", "c.json", "--json"), (program, "c.json"))


REPLAY: Commands = (ratproof("replay", "kept.json"), ratproof("replay", "kept.json", "--json"))
SCORE = ratproof("score", "A.json", "", "a", "b a", "a b b", "--json")
READ: Commands = (
    SCORE, SCORE, ratproof("equivalent", "A.json", "B.json", "--json"), ratproof("convert", "A.json", "out.json", "--json"),
    ratproof("convert", "A.json", "out.att", "--round", "--json"), ratproof("minimise", "A.json", "-o", "out.json", "--json"),
    ratproof("rank", "A.json", "--json"), ratproof("sample", "A.json", "-n", "2", "--longest", "3", "--seed", "1", "--json"),
    ratproof("convert", "A.json", "out.dot", "--json"),
)  # fmt: skip
READ_ATT: Commands = (
    ratproof("score", "A.att", "", "a", "b", "a b b", "--json"), ratproof("equivalent", "A.att", "B.json", "--json"),
    ratproof("convert", "A.att", "out.json", "--json"), ratproof("convert", "A.att", "out.att", "--round", "--json"),
)  # fmt: skip
ZERO_SHOT = ratproof("rules", "zero-shot", "--rules", "home.config", "--data", ".", "--json")
DECIDE = ratproof("rules", "decide", "--rules", "home.config", "--data", ".", "--json")

KINDS = (
    Kind("automaton (.json)", automata_json, READ, share=2),
    Kind("boolean automaton (.json)", boolean_json, (
        *(command for command in READ if command is not SCORE and "out.att" not in command), ratproof("score", "A.json", "", "0", "1 0", "--json"), ratproof("certify", "net.safetensors", "--against", "A.json", "--json"),
        ratproof("train", "dfa", "A.json", "--units", "2", "--centroids", "2", "--minutes", "0.000001", "-o", "run", "--json"),
    )),
    Kind("automaton (.att, .syms)", automata_att, READ_ATT, share=2),
    Kind("certificate: equivalent", equivalent, checked_by("check_certificate"), agree=True),
    Kind("certificate: different", different, checked_by("check_certificate"), agree=True),
    Kind("certificate: minimal", minimal, checked_by("check_certificate"), agree=True),
    Kind("certificate: bisimulation", bisimulation, checked_by("check_bisimulation"), agree=True),
    Kind("certificate: different in max-plus", tropical_difference, checked_by("check_bisimulation"), agree=True),
    Kind("certificate: Hankel", hankel, checked_by("check_hankel"), agree=True),
    Kind("certificate: boxes", boxes, checked_by("check_boxes"), agree=True),
    Kind("certificate: invariant", invariant, checked_by("check_invariant"), agree=True),
    Kind("counterexample: exact", kept(exact, ["", "a", "ab"]), REPLAY),
    Kind("counterexample: exact, windows", kept(exact_windows, ["a", "ab"]), REPLAY),
    Kind("counterexample: exact, matrices", kept(exact_vectors, ["ab"]), REPLAY),
    Kind("counterexample: exact, an automaton", kept(exact_automaton, ["", "ab"]), REPLAY),
    Kind("counterexample: openfst", kept(openfst, ["", "a", "ab"]), REPLAY),
    Kind("counterexample: network", kept(torch_network, ["", "ab"]), REPLAY, share=2),
    Kind("counterexample: sampled-runs", kept(sampled_runs, ["ab"]), REPLAY, share=2),
    Kind("counterexample: fa-rnn", kept(fa_rnn_network, ["ab"]), REPLAY),
    Kind("state-regularized network", network, (
        ratproof("certify", "net.safetensors", "--json"), ratproof("certify", "net.safetensors", "--certificate", "c.json", "-o", "out.json"),
        ratproof("extract", "net.safetensors", "-o", "out.json", "--json"), ratproof("extract", "net.safetensors", "--soft", "--json"),
        ratproof("extract", "net.safetensors", "--probabilities", "--json"), ratproof("extract", "net.safetensors", "--counts", "hard", "--length", "3", "--json"),
    ), share=2),
    Kind("pictures of a state-regularized network", network, (
        ratproof("figures", "net.safetensors", "-o", "pictures", "--string", "0", "--temperatures", "1", "--json"),
    ), share=0.1),
    Kind("strings to count over", strings, (ratproof("extract", "net.safetensors", "--counts", "hard", "--data", "strings.txt", "--json"),), share=0.5),
    Kind("FA-RNN classifier", classifier, (
        ratproof("rules", "show", "fa.safetensors", "--json"), ratproof("rules", "show", "fa.safetensors"),
        ratproof("rules", "add", "fa.safetensors", "--rules", "more.config", "-o", "out.safetensors", "--json"),
        ratproof("rules", "disable", "fa.safetensors", "1", "-o", "out.safetensors", "--data", ".", "--json"),
        ratproof("rules", "read-back", "fa.safetensors", "--data", ".", "--json"),
    ), share=2),
    Kind("training run", training_run, (ratproof(*LEARN, "--resume", "--minutes", "0.0005", "--json"),), share=0.5),
    Kind("FA-RNN training run", fa_rnn_run, (ratproof(*TRAIN, "--resume", "--minutes", "0.000001", "--json"),)),
    Kind("weights of a cell", cell_weights, (
        ratproof("not-rational", "elman", "--weights", "w.json", "--size", "3", "--json"), ratproof("not-rational", "elman", "--weights", "w.json", "--every-size"),
    )),
    Kind("rules", rule_file, (
        ratproof("compile", "home.config", "-o", "out.json", "--json"), ratproof("compile", "home.config", "--vocabulary", "lamp,play,it,x", "-o", "out.att", "--json"),
        ZERO_SHOT, DECIDE,
    ), share=2),
    Kind("rules to add", lambda folder: (classifier(folder), ("more.config",))[1], (
        ratproof("rules", "add", "fa.safetensors", "--rules", "more.config", "-o", "out.safetensors"),
    ), share=0.5),
    Kind("vocabulary (.txt)", vocabulary, (ratproof("compile", "home.config", "--vocabulary", "words.txt", "-o", "out.json", "--json"),), share=0.5),
    Kind("vocabulary (.json)", vocabulary_json, (ratproof("compile", "home.config", "--vocabulary", "words.json", "-o", "out.json", "--json"),), share=0.5),
    Kind("labelled sentences", labelled, (ZERO_SHOT, DECIDE)),
    Kind("labelled sentences to train on", labelled, (ratproof(*TRAIN, "--minutes", "0.000001", "--json"),), share=0.5),
    Kind("formulas", formulas, ((*ZERO_SHOT, "--logic", "logic.txt"),)),
    Kind("corpus", corpus, (("corpus", "text.txt"), ("corpus", "text.txt", "glove.txt"))),
    Kind("embeddings (GloVe)", glove, (("corpus", "text.txt", "glove.txt"), ("vectors", "glove.txt"))),
    Kind("embeddings (.gz)", glove_gz, (("corpus", "text.txt", "glove.txt.gz"),)),
    Kind("embeddings (.npz)", vectors_npz, (("corpus", "text.txt", "glove.npz"), ("vectors", "glove.npz"))),
    Kind("embeddings (.npz, words beside)", vectors_beside, (("corpus", "text.txt", "glove.npz"),)),
    Kind("embeddings (.npz, as published)", vectors_published, (("vectors", "glove.npz"),)),
)  # fmt: skip
"""Every kind of file that is read."""
