"""The decision whether a float FA-RNN at beta = 1 agrees with its rules on all sentences, including rounding.

At beta = 1 with exact factors every weight is a small integer. Two facts are proved about the network as
torch runs it.

*It does not round.* The matrix of a word is the product of its factors, which are non-negative integers;
    torch computes the same matrix on unit vectors. No matrix increases the sum of h, except if h is nonzero
    on states that no transition enters. After one word, h is 0 on these states. The sum of h therefore never
    exceeds its maximum over the empty sentence and all sentences of one word. Every intermediate sum, in any
    order, is an integer with non-negative terms, within the bound. If the bound is below 2^24 (float32),
    every operation is exact for sentences of any length. This requires full float32 products in torch; there
    is no claim for lower precision (TF32, bfloat16).

*It equals the rules.* The network is therefore the automaton of these matrices. For each label, the sentences
    with a score larger than 0 are compared with the language of the label's rules. The rules' automata are
    built by Thompson's construction, independently of the network.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import reduce

import numpy as np
import torch
from numpy.typing import NDArray

from automata.aliases import JsonObject, Symbol, Symbols
from automata.determinisation import minimal
from automata.equivalence import Answer, Different, Equivalent, Unknown, equivalent
from automata.errors import InputError
from automata.operations import sum_of, trim
from automata.rules.rule_files import Labelled
from automata.rules.rule_set import Part, RuleSet, letters_of
from automata.rules.syntax import Rule
from automata.rules.thompson import thompson
from automata.rules.words import BEGIN, Letters
from automata.semirings import BOOLEAN
from automata.truth import NoTruthValue
from automata.wfsa import WFSA
from neural.fa_rnn.cells import FactoredCell, FAGRUCell, TensorCell
from neural.fa_rnn.network import FARNN
from neural.rounding import format_of
from ratproof.checkers.table import accepted_certificate

ORDER = ("equivalent", "unknown", "different")


@dataclass(frozen=True)
class RuleDecision(NoTruthValue):
    """The decision about a group of rules.

    Attributes:
        answer: Whether the network's score is larger than 0 exactly if the rules match.
        certificates: Certificates, accepted by ``ratproof/checkers/check_bisimulation.py``, of the steps from
            Thompson's automata to the network's automaton.
        stand: The representative words of the certificates, each with all words that it represents. These
            words have the same matrix in the network, and the same letter in the rules.
    """

    answer: Answer
    certificates: tuple[JsonObject, ...]
    stand: dict[Symbol, Symbols]

    def stand_json(self) -> dict[str, list[str]]:
        """Return the representative words, each with the words that it represents."""
        return {str(word): [str(other) for other in others] for word, others in self.stand.items()}


@dataclass(frozen=True)
class NetworkDecision(NoTruthValue):
    """The decision about a network.

    Attributes:
        answers: For each label, a tuple with one decision for all its rules, or with one decision for each
            group of rules that has its own final states. A decision says whether the score is larger than 0
            exactly on the sentences that the rules match.
        exact: Whether no operation rounds, for any sentence.
        largest: A bound on all intermediate values.
    """

    answers: dict[str | None, tuple[RuleDecision, ...]]
    exact: bool
    largest: int

    @property
    def verdict(self) -> str:
        """Return ``equivalent``, ``different`` or ``unknown`` for all labels together.

        The verdict is unknown for a network that may round.
        """
        verdicts = {decision.answer.verdict for decisions in self.answers.values() for decision in decisions}
        if self.exact and "different" in verdicts:
            return "different"
        return "equivalent" if self.exact and verdicts == {"equivalent"} else "unknown"

    def different(self) -> list[tuple[str | None, RuleDecision]]:
        """Return each decision that found a difference between the network and the rules, with its label."""
        return [
            (label, decision)
            for label, decisions in self.answers.items()
            for decision in decisions
            if decision.answer.verdict == "different"
        ]

    def to_json(self) -> JsonObject:
        """Return the decision as ``rules decide --json`` prints it."""
        words = {
            label: list(decision.answer.word)
            for label, decision in self.different()
            if isinstance(decision.answer, Different)
        }
        labels = [
            {
                "label": label,
                "verdict": max((decision.answer.verdict for decision in decisions), key=ORDER.index),
                "certificates": sum(len(decision.certificates) for decision in decisions),
                "word": words.get(label),
            }
            for label, decisions in self.answers.items()
        ]
        return {"verdict": self.verdict, "exact": self.exact, "largest": self.largest, "labels": labels}


def decide_network(
    network: FARNN,
    rules: Sequence[Labelled],
    compiled: RuleSet,
    progress: Callable[[str], None] = lambda stage: None,
) -> NetworkDecision:
    """Decide whether a label's score is larger than 0 exactly if its rules match, on all sentences.

    Args:
        network: A network with forward scoring, no gates, and one score per label; see
            :meth:`neural.fa_rnn.network.FARNN.of_rules`.
        rules: The rules of the file.
        compiled: The rules from which the network was built; only the order of its labels, and whether
            sentences begin with BOS, are used.
        progress: Called with a description of each stage.

    Raises:
        InputError: If the network is of a different kind.
    """
    if isinstance(network.cell, FAGRUCell) or network.scoring != "forward":
        kind = "gates" if network.scoring == "forward" else f"{network.scoring!r} scores"
        raise InputError(f"the network must have forward scores and no gates, got {kind}")
    cell = network.cell
    if isinstance(cell, FactoredCell) and cell.turn is not None and cell.beta != 1:
        raise InputError(
            f"beta of the network must be 1, so that pretrained vectors have no effect, got {cell.beta}"
        )
    if len(network.final) != len(compiled.labels):
        raise InputError(
            f"the network must have one score for each of {len(compiled.labels)} labels, got"
            f" {len(network.final)}"
        )
    if differing := {rule.label for rule in rules} ^ set(compiled.labels):
        raise InputError(
            "the labels of the network must be the labels of the rules, got"
            f" {min(map(str, differing))!r} in only one of them"
        )
    if network.initial.dtype == torch.float32 and torch.get_float32_matmul_precision() != "highest":
        raise InputError(
            "torch must multiply float32 with 'highest' precision, so that integers do not round, got"
            f" {torch.get_float32_matmul_precision()!r}; call torch.set_float32_matmul_precision('highest')"
        )
    progress("reading the network")
    matrices, letter, same = matrices_of(network)
    initial, final = (part.double().cpu().numpy() for part in (network.initial, network.final))
    largest, integral = largest_number(network, matrices, initial, final)
    exact = integral and same and largest * format_of(network.initial.dtype).unit < 1
    different = [matrix > 0 for matrix in matrices]  # words with the same matrix share one object
    tables = {word: different[index] for word, index in zip(network.words, letter, strict=True)}
    support = WFSA(BOOLEAN, initial > 0, np.zeros(len(initial), dtype=bool), tables)

    def decided(states: NDArray[np.bool_], indices: Iterable[int], join: bool) -> RuleDecision:
        some = [rules[index].rule for index in indices]
        return decide(support.replace(final=states), some, compiled.begins, join)

    answers: dict[str | None, tuple[RuleDecision, ...]] = {}
    for row, label in enumerate(compiled.labels):
        progress(f"deciding {label}")
        indices = [index for index, rule in enumerate(rules) if rule.label == label]
        some = [part for part in compiled.parts if part.label == label]
        decisions: list[RuleDecision] = []
        if covers(final[row], some, indices):
            for part in some:
                own = np.isin(np.arange(len(initial)), part.states)
                decisions.append(decided((final[row] > 0) & own, part.rules, join=True))
        if not decisions or any(decision.answer.verdict != "equivalent" for decision in decisions):
            # a part may differ although the union of all parts is correct
            decisions = [decided(final[row] > 0, indices, join=False)]
        answers[label] = tuple(decisions)
    return NetworkDecision(answers, exact, largest)


def decide(network: WFSA, rules: Sequence[Rule], begins: bool, join: bool) -> RuleDecision:
    """Decide whether a boolean automaton accepts exactly the sentences that the rules match.

    The decision has several steps, each with its own certificate. First, the Thompson automaton of each rule
    is minimised. With ``join``, the automata of the rules are joined one by one, and each union is minimised
    to keep the number of states small. The last step compares the result with the network.
    """
    side = trim(network)
    known = letters_of(rules, tuple(map(str, network.index)), begins)
    stand = representatives(side, known, begins)
    known = _among(known, [str(word) for word in stand if word != BEGIN or not begins])
    steps: list[tuple[WFSA, WFSA]] = []
    parts: list[WFSA] = []
    for rule in rules:
        thompsons = thompson(rule, known)
        parts.append(minimal(thompsons))
        steps.append((parts[-1], thompsons))
        if join and len(parts) == 2:
            both = sum_of(*parts)
            parts = [minimal(both)]
            steps.append((parts[0], both))
    own = WFSA(BOOLEAN, side.initial, side.final, {word: side.matrix(word) for word in stand})
    steps.append((own, behind_begin(reduce(sum_of, parts)) if begins else reduce(sum_of, parts)))
    certificates = []
    for one, other in steps:
        answer = equivalent(one, other)
        if not isinstance(answer, Equivalent) and one is not own:
            raise RuntimeError(f"an automaton that was built from rules is not equivalent to them: {answer}")
        if not isinstance(answer, Unknown):
            certificates.append(accepted_certificate(answer))
    return RuleDecision(answer, tuple(certificates), stand)


def covers(final: NDArray[np.float64], parts: Sequence[Part], rules: Iterable[int]) -> bool:
    """Return whether the parts of the network for a label have all of the label's final states and rules.

    If they have, it is enough to decide each part separately.
    """
    states = {state for part in parts for state in part.states}
    return set(np.flatnonzero(final).tolist()) <= states and {
        rule for part in parts for rule in part.rules
    } == set(rules)


def matrices_of(network: FARNN) -> tuple[list[NDArray[np.float64]], list[int], bool]:
    """Return the distinct matrices of words, the index of each word's matrix, and whether torch agrees.

    The matrices are computed in float64, which is exact if :func:`largest_number` finds a bound. torch agrees
    if one step of the network from each unit vector equals the row of the matrix.
    """
    cell = network.cell
    if isinstance(cell, TensorCell):
        return (
            [matrix.astype(np.float64) for matrix in cell.matrices.detach().cpu().numpy()],
            cell.letters.tolist(),
            True,
        )
    assert isinstance(cell, FactoredCell)
    rules, before, after, wildcard, stands = weights_of(cell)
    rows, letter = np.unique(np.column_stack([rules, stands]), axis=0, return_inverse=True)
    first = {number: word for word, number in reversed(list(enumerate(letter.tolist())))}
    unit = torch.eye(cell.states, dtype=network.initial.dtype, device=network.initial.device)
    matrices, same = [], True
    for number, row in enumerate(rows):
        matrices.append((before * row[:-1]) @ after.T + row[-1] * wildcard)
        words = torch.full((1, cell.states), first[number], dtype=torch.long, device=unit.device)
        with torch.no_grad():
            product = cell(words, torch.ones_like(words, dtype=torch.bool), unit).double().cpu().numpy()
        same = same and np.array_equal(product, matrices[-1])
    return matrices, letter.tolist(), same


def weights_of(cell: FactoredCell) -> list[NDArray[np.float64]]:
    """Return the factors E_R, D_1 and D_2 of the cell's transition tensor, and its wildcard, in float64.

    The wildcard is a matrix, and a weight of 0 or 1 per word that says whether the matrix is added.
    """
    return [
        part.detach().double().cpu().numpy()
        for part in (cell.rules, cell.before, cell.after, cell.apart, cell.stands)
    ]


def largest_number(
    network: FARNN,
    matrices: Sequence[NDArray[np.float64]],
    initial: NDArray[np.float64],
    final: NDArray[np.float64],
) -> tuple[int, bool]:
    """Return a bound on all intermediate values for any sentence, and whether a bound was found.

    Without a bound, the first value is 0. See the module's docstring for the proof.
    """
    weights = weights_of(network.cell) if isinstance(network.cell, FactoredCell) else []
    every = (*matrices, initial, final, *weights)
    if not all(
        np.isfinite(values).all() and (values >= 0).all() and (values == np.floor(values)).all()
        for values in every
    ):
        return 0, False
    entered = np.logical_or.reduce([matrix.any(axis=0) for matrix in matrices])
    sums = [matrix.sum(axis=1) for matrix in matrices]
    if any((row[entered] > 1).any() for row in sums):
        return 0, False
    most = max([initial.sum(), *(initial @ row for row in sums)])  # bound on the sum of h, after any sentence
    bound = most * max(1.0, final.max(initial=0))
    if weights:
        rules, before, after, wildcard, stands = (max(1.0, values.max(initial=0)) for values in weights)
        # h D_1, times a word's row of E_R, times D_2 (sums of r terms), plus h times the wildcard's matrix
        columns = max(1, weights[0].shape[1])
        bound = max(bound, most * before * rules * after * columns + most * wildcard * len(initial) * stands)
    return (int(bound), True) if bound < 2.0**53 else (0, False)


def representatives(network: WFSA, known: Letters, begins: bool) -> dict[Symbol, Symbols]:
    """Return the first word of each class of words, with all words of the class.

    Words of the same class have the same matrix in the network and the same letter in the rules.
    """
    in_rules = dict(zip(known.alphabet, known.letter, strict=True))
    matrix_bytes = [matrix.tobytes() for matrix in network.matrices]
    kinds: dict[tuple[bytes, int | None], list[Symbol]] = {}
    for word, index in network.index.items():
        kinds.setdefault(
            (matrix_bytes[index], None if begins and word == BEGIN else in_rules[str(word)]), []
        ).append(word)
    return {own[0]: tuple(own) for own in kinds.values()}


def _among(known: Letters, words: Sequence[str]) -> Letters:
    """Return ``known``, which has the letter of each word in the rules, restricted to these words."""
    letter_of = dict(zip(known.alphabet, known.letter, strict=True))
    return replace(known, alphabet=tuple(words), letter=tuple(letter_of[word] for word in words))


def behind_begin(automaton: WFSA) -> WFSA:
    """Return the automaton of the sentences that begin with BOS, without epsilon transitions."""
    n = automaton.states + 1
    padded = [np.pad(matrix, (1, 0)) for matrix in automaton.matrices]
    wide = {word: padded[index] for word, index in automaton.index.items()}
    start = np.zeros((n, n), dtype=bool)
    start[0, 1:] = automaton.initial
    return WFSA(BOOLEAN, np.arange(n) == 0, np.pad(automaton.final, (1, 0)), {BEGIN: start, **wide})
