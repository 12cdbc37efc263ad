"""The decision about an ordinary network: a proof, a counterexample, or a length up to which it agrees."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from automata.aliases import JsonObject, Symbols
from automata.moore import Moore
from ratproof.certification.ordinary_networks.certificate import to_json
from ratproof.certification.ordinary_networks.counterexamples import (
    Decide,
    counterexample,
    float32_decisions,
    labels_along,
    run_all_strings,
)
from ratproof.certification.ordinary_networks.extraction import extracted
from ratproof.certification.ordinary_networks.groups import Groups, grouped, symbol_groups
from ratproof.certification.ordinary_networks.harden import Hardening, harden_round
from ratproof.certification.ordinary_networks.net import WrongDecision
from ratproof.certification.ordinary_networks.network import OrdinaryNetwork
from ratproof.certification.ordinary_networks.recognise import Recognised, network_of_parts
from ratproof.certification.ordinary_networks.regions import Regions
from ratproof.certification.ordinary_networks.search import find_regions
from ratproof.certification.ordinary_networks.slowest import slowest_cycle
from ratproof.certification.ordinary_networks.word_trees import WordTrees, find_word_trees
from ratproof.checkers import check_regions

SECONDS = 60.0
"""Time limit of the search for regions, in seconds."""
GROUPS_SHARE = 1 / 2
"""The share of the time limit for the search with groups of symbols, if the automaton has such groups."""
WORDS_SHARE = 1 / 3
"""The share of the time limit for the search for word trees, before the search for regions."""
FEW_WORDS, CHEAPER_SECONDS = 2_000, 10.0
"""Most words of a proof for which no regions are sought, and the time for these; their check is faster."""
FIRST_ATTEMPT = 10.0
"""Time limit in seconds of the first attempt to certify a network that is being hardened; it grows later."""
MOST_MISTAKES = 8


@dataclass(frozen=True)
class OrdinaryCertification:
    """The result for an ordinary network and an automaton.

    Attributes:
        verdict: ``"certified"``, ``"different"`` or ``"unknown"``.
        network: The network.
        machine: The minimal automaton, with the decisions as outputs; None if no automaton was passed and the
            extraction failed.
        extracted: Whether the automaton was extracted from the network.
        word: A string on which the decisions differ, or None.
        decisions: The network's and the automaton's decision on ``word``, or None.
        regions: The number of regions of the proof, or None.
        bounded: If unknown, a length up to which all decisions are correct, as shown by enclosures in float64
            or by running all strings.
        why: If unknown, the reason.
        slow: If unknown, the cycle along which differences of states shrink least, and the factor per symbol.
        proof: The certificate, or None.
    """

    verdict: str
    network: OrdinaryNetwork = field(repr=False)
    machine: Moore | None = field(repr=False)
    extracted: bool
    word: Symbols | None = None
    decisions: tuple[int, int] | None = None
    regions: int | None = None
    bounded: int | None = None
    why: str = ""
    slow: tuple[Symbols, float] | None = None
    proof: JsonObject | None = field(default=None, repr=False)

    def certificate(self) -> JsonObject:
        """Return the certificate for ``check-certificate``; raise ValueError if nothing is proved."""
        if self.proof is None:
            raise ValueError("there is no certificate, because nothing is proved for all strings")
        return self.proof


def certify_ordinary(
    network: OrdinaryNetwork,
    machine: Moore | None,
    decide: Decide,
    seconds: float = SECONDS,
    progress: Callable[[str], None] = lambda _: None,
    explain: bool = True,
) -> OrdinaryCertification:
    """Decide whether a network agrees with an automaton after every nonempty string.

    Args:
        network: The network.
        machine: The automaton over the network's alphabet, with decisions as outputs. If None, an automaton
            is extracted from the network.
        decide: The network's decisions in torch's float32.
        seconds: Time limit of the search for a proof.
        progress: Called with a description of the current work.
        explain: Whether to find, if there is no proof, a length up to which all decisions are correct, and
            the cycle along which differences of states shrink least.
    """
    if machine is not None:
        return _certify(network, machine.minimal(), False, decide, seconds, progress, explain)
    progress("extracting an automaton")
    for candidate in extracted(network):
        answer = _certify(network, candidate, True, decide, seconds, progress, explain)
        if answer.verdict != "different":
            return answer
    why = "no automaton was found that agrees with the network on all tested strings"
    return OrdinaryCertification("unknown", network, None, True, why=why)


def _certify(
    network: OrdinaryNetwork,
    machine: Moore,
    was_extracted: bool,
    decide: Decide,
    seconds: float,
    progress: Callable[[str], None],
    explain: bool,
) -> OrdinaryCertification:
    progress("searching for a counterexample")
    word = counterexample(machine, decide)
    # a string may be too close to the threshold: then the decision depends on the size of the batch
    if word is not None and _differs(machine, decide, word):
        return _different(network, machine, was_extracted, decide, word)
    end, length = time.monotonic() + seconds, 0
    groups: Groups | None
    for groups in _groupings(machine):
        until = end if groups is None else time.monotonic() + seconds * GROUPS_SHARE
        proofs, reasons, shown, word = _search(network, machine, groups, until, progress)
        # the search runs in float64: the string counts only if float32 agrees
        if word is not None and _differs(machine, decide, word):
            return _different(network, machine, was_extracted, decide, word)
        length = max(length, shown)
        for candidate in proofs:
            proof, why = _checked(network, machine, candidate, groups, progress)
            if proof is not None:
                count = len(candidate)
                return OrdinaryCertification(
                    "certified", network, machine, was_extracted, regions=count, proof=proof
                )
            reasons.append(why)
    why = "; and ".join(reasons)
    if not explain:
        return OrdinaryCertification("unknown", network, machine, was_extracted, why=why)
    progress("running all short strings")
    tested, word = run_all_strings(machine, decide)
    if word is not None and _differs(machine, decide, word):
        return _different(network, machine, was_extracted, decide, word)
    slow = slowest_cycle(network, machine)
    return OrdinaryCertification(
        "unknown", network, machine, was_extracted, bounded=max(tested, length), why=why, slow=slow
    )


def _groupings(machine: Moore) -> list[Groups | None]:
    """Return the groups of symbols to try, and None for the symbols themselves, which are tried last."""
    groups = symbol_groups(machine)
    return [None] if len(groups) == len(machine.alphabet) else [groups, None]


def _search(
    network: OrdinaryNetwork,
    machine: Moore,
    groups: Groups | None,
    until: float,
    progress: Callable[[str], None],
) -> tuple[list[Regions | WordTrees], list[str], int, list[int] | None]:
    """Search for regions with edges for each symbol, or for each group of symbols.

    Returns:
        The regions that were found, the ones whose check is fastest first; why others were not found; a
        length up to which all decisions are correct; and a string with a wrong decision in float64, or None.
    """
    if groups is not None:
        network, machine = grouped(network, machine, groups)
    begun, length, wrong = time.monotonic(), 0, None
    proofs, reasons = list[Regions | WordTrees](), list[str]()
    words = find_word_trees(network, machine, begun + (until - begun) * WORDS_SHARE, progress)
    if isinstance(words, WordTrees):
        proofs.append(words)
        until = min(until, time.monotonic() + CHEAPER_SECONDS)
    else:
        length, why = words
        reasons.append(f"with steps of several symbols, {why}")
    if not isinstance(words, WordTrees) or words.leaves > FEW_WORDS:
        try:
            regions = find_regions(network, machine, until, progress)
        except WrongDecision as failure:
            wrong = failure.word if groups is None else [groups[group][0] for group in failure.word]
            regions = "the decision is too close to the threshold for float64 and float32 to agree"
        if isinstance(regions, Regions):
            proofs.insert(0, regions)
        else:
            reasons.insert(0, regions)
    return proofs, reasons, length, wrong


def _different(
    network: OrdinaryNetwork, machine: Moore, was_extracted: bool, decide: Decide, word: list[int]
) -> OrdinaryCertification:
    """Return the result ``different`` for a string, given as symbol indices."""
    words = np.array([word])
    pair = int(decide(words)[0, -1]), labels_along(machine, words)[0, -1].item()
    symbols = tuple(network.alphabet[symbol] for symbol in word)
    return OrdinaryCertification("different", network, machine, was_extracted, symbols, pair)


def _differs(machine: Moore, decide: Decide, word: list[int]) -> bool:
    """Return whether network and automaton decide differently after a string, run as a batch of one."""
    words = np.array([word])
    return bool(decide(words)[0, -1] != labels_along(machine, words)[0, -1])


def _checked(
    network: OrdinaryNetwork,
    machine: Moore,
    regions: Regions | WordTrees,
    groups: Groups | None,
    progress: Callable[[str], None],
) -> tuple[JsonObject | None, str]:
    """Return the certificate if the independent checker accepts it, otherwise the reason for rejection."""
    progress("checking the certificate")
    proof = json.loads(json.dumps(to_json(network, machine, regions, groups)))
    try:
        check_regions.verdict(proof)  # type: ignore[no-untyped-call]
    except ValueError as error:
        return None, f"the checker rejects the regions: {error}"
    return proof, ""


def harden_until_certified(
    parts: Recognised,
    machine: Moore,
    seconds: float,
    seed: int,
    progress: Callable[[str], None] = lambda _: None,
) -> OrdinaryCertification:
    """Train a network in rounds until it is certified or the time is up, and return the last result.

    Args:
        parts: The network and its modules, which are changed in place.
        machine: The automaton, with decisions as outputs.
        seconds: Time limit.
        seed: Seed of the strings. The noise is from torch's global generator.
        progress: Called with a description of the current work.
    """
    until = time.monotonic() + seconds
    network, rnn, linear = parts.network, parts.rnn, parts.linear
    hardening, rng = Hardening(), np.random.default_rng(seed)
    attempt = FIRST_ATTEMPT
    while True:
        harden_round(rnn, linear, parts.inputs, network.threshold, machine, hardening, rng, until, progress)
        vectors = parts.inputs.vectors().detach().double().cpu().numpy()
        now = network_of_parts(rnn, linear, vectors, network.threshold, network.alphabet)
        left = until - time.monotonic()
        answer = certify_ordinary(
            now, machine, float32_decisions(now, rnn, linear), min(attempt, max(left, 1)), progress, False
        )
        if answer.verdict == "certified" or left < 1:
            return answer
        attempt = min(2 * attempt, SECONDS)
        if answer.word is not None:
            word = tuple(network.alphabet.index(symbol) for symbol in answer.word)
            hardening.mistakes = (*hardening.mistakes, word)[-MOST_MISTAKES:]
