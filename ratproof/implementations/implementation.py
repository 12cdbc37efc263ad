"""The implementations of a claim's network, which draw random cases for each kind of evidence.

A variant's network is its recurrence in exact fractions, or a torch layer that implements it.
:func:`sides_of` selects the implementations for a kind of evidence.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Any, ClassVar, Protocol, runtime_checkable

from hypothesis import strategies as st

from automata.strings import String
from automata.testing.strategies import LETTERS, alphabets, readings, strings
from neural.layer_kind import layer_kinds
from neural.scan.backends import available
from ratproof.evidence.ledger import ledger
from ratproof.evidence.lengths import (
    EXACT_LENGTHS,
    GRADIENT_LENGTHS,
    GRADIENT_LONGEST,
    LAYER_LONGEST,
    LAYER_RUN,
    LONG_LENGTHS,
    PROGRAM_LENGTHS,
    SAMPLED_LAYERS,
    SAMPLED_LONGEST,
    SAMPLED_RUN,
)
from ratproof.implementations.chernoff import FALSE_ALARM, power, threshold
from ratproof.implementations.comparison import Comparison
from ratproof.implementations.exact import ExactComparison, cases_for_long_strings
from ratproof.implementations.fa_rnn.comparison import FARNNComparison
from ratproof.implementations.fa_rnn.table import PROGRAMS
from ratproof.implementations.gradient import GradientComparison
from ratproof.implementations.layer import LayerComparison
from ratproof.implementations.layer_spec import DTYPES
from ratproof.implementations.layer_strategies import MOST_CENTROIDS, networks, sampled_layers
from ratproof.implementations.sampled_runs import SampledRuns
from ratproof.implementations.state_regularized.comparison import CellComparison
from ratproof.implementations.state_regularized.strategies import networks as state_regularized
from theory.claim import GRADIENT, USUAL, Claim, Effort, Variant

Sample = tuple[Comparison, Sequence[String]]
"""A comparison, and the strings that it compares."""


class Implementation(Protocol):
    """An implementation of a variant's network."""

    @property
    def label(self) -> str:
        """Return a label for the test's name, which is empty for the default implementation."""

    @property
    def device(self) -> str | None:
        """Return the device on which torch runs, or ``None`` if torch is not used."""

    @property
    def examples(self) -> int | None:
        """Return the number of random cases that a check draws, or ``None`` if it is not fixed."""

    def sample(self, claim: Claim, variant: Variant, effort: Effort, data: st.DataObject) -> Sample:
        """Draw a random case and random strings."""


@runtime_checkable
class ReadsLongStrings(Protocol):
    """An implementation that also reads long strings, because some errors do not occur on short strings."""

    @property
    def long_examples(self) -> int:
        """Return the number of random cases with a long string that a check draws."""

    @property
    def most_test_strings(self) -> int:
        """Return how many test strings are compared in addition to the long string, at most.

        Test strings distinguish the automata from other automata.
        """

    def long_sample(self, claim: Claim, variant: Variant, data: st.DataObject) -> Sample:
        """Draw a random case and one long string."""


@cache
def strings_over(
    alphabet: Sequence[str], most: int, longest: int, run: int
) -> st.SearchStrategy[list[String]]:
    """Return a strategy for 1 to ``most`` random strings over the alphabet."""
    return st.lists(strings(alphabet, longest, run), min_size=1, max_size=most)


@cache
def _readings(most: int, longest: int, run: int) -> st.SearchStrategy[tuple[dict[str, str], list[str]]]:
    """Return a cached strategy of :func:`automata.testing.strategies.readings`."""
    return readings(most=most, longest=longest, run=run)


@cache
def _cases(cases: Any) -> st.SearchStrategy[object]:
    """Return a strategy for random weights of a variant, over an alphabet of one or two letters."""
    return alphabets(2).flatmap(cases)


@dataclass(frozen=True)
class ExactRecurrence:
    """An implementation of a claim's network: its recurrence in exact fractions.

    Attributes:
        own: Whether the claim is a user's own, so that its recurrence is only defined by the user's file.
    """

    own: bool = False
    label: str = ""
    device: str | None = None
    examples: int | None = None
    most_test_strings: ClassVar[int] = 0

    @property
    def long_examples(self) -> int:
        """Return the number of cases with a long string; 0 for users' claims, whose fractions may be huge."""
        return 0 if self.own else EXACT_LONG

    def long_sample(self, claim: Claim, variant: Variant, data: st.DataObject) -> Sample:
        """Draw a random case without huge or tiny weights, and one long string."""
        alphabet = variant.alphabet or "ab"
        string = data.draw(string_of_length(alphabet, data.draw(st.sampled_from(EXACT_LENGTHS))))
        case = data.draw(cases_for_long_strings(variant, "" if variant.alphabet is not None else "ab"))
        return ExactComparison(claim.name, variant.name, case), [string]

    def sample(self, claim: Claim, variant: Variant, effort: Effort, data: st.DataObject) -> Sample:
        """Draw a random case and random strings over its alphabet."""
        case, some = self.case_and_strings(variant, effort, data)
        return ExactComparison(claim.name, variant.name, case), some

    def case_and_strings(
        self, variant: Variant, effort: Effort, data: st.DataObject
    ) -> tuple[object, Sequence[String]]:
        """Draw a random case and random strings, which OpenFst can also score."""
        sizes = effort.strings, effort.longest, effort.run
        if variant.alphabet is not None:
            return data.draw(variant.cases("")), data.draw(strings_over(variant.alphabet, *sizes))
        names, some = data.draw(_readings(*sizes))
        return data.draw(variant.cases("abc")).renamed(names), some

    def case(self, claim: Claim, variant: Variant, data: st.DataObject) -> ExactComparison:
        """Draw a random case for which equality on all strings will be decided.

        The case has one or two letters unless the variant has its own alphabet.
        """
        cases = _cases(variant.cases) if variant.alphabet is None else variant.cases("")
        return ExactComparison(claim.name, variant.name, data.draw(cases))


EXACT_LONG, LAYER_LONG, PROGRAM_LONG = 6, 3, 8
"""Numbers of cases with a long string: for exact arithmetic, layers and programs.

Layers have generic weights. For exact arithmetic and programs, the first case is a simple one.
"""
_ONE_IN_FOUR = st.integers(0, 3)


RUNS_OF_ONE = (20, 1)
"""Lengths of the runs of one symbol in strings of a given length.

A state converges in a long run, which exposes errors in its update.
"""


@cache
def string_of_length(alphabet: Sequence[str], length: int) -> st.SearchStrategy[String]:
    """Return a strategy for random strings of a given length, which consist of single symbols or of runs."""
    return st.builds(
        lambda seed, run: _string_of_runs(alphabet, length, run, seed),
        st.integers(0, 2**32),
        st.sampled_from(RUNS_OF_ONE),
    )


def _string_of_runs(alphabet: Sequence[str], length: int, run: int, seed: int) -> String:
    runs = Random(seed).choices(list(alphabet), k=-(-length // run))
    return tuple(symbol for symbol in runs for _ in range(run))[:length]


@cache
def _long_for_gradients() -> st.SearchStrategy[list[String]]:
    """Return a strategy for two long strings over all letters.

    The first string consists of runs of one symbol, and each symbol of the second string is random.
    """
    return st.integers(0, 2**32).map(
        lambda seed: [
            _string_of_runs(LETTERS, length, run, seed)
            for length, run in zip(GRADIENT_LENGTHS, RUNS_OF_ONE, strict=True)
        ]
    )


PROGRAM_STRINGS, PROGRAM_LONGEST = 8, 8
"""The maximum number of strings per case, and of symbols per string, for a torch program."""


def _from_seed(alphabet: str, lengths: st.SearchStrategy[list[int]]) -> st.SearchStrategy[list[String]]:
    """Return a strategy for strings of these lengths, all drawn from one seed."""

    def read(seed: int, lengths: Sequence[int]) -> list[String]:
        random = Random(seed)
        return [tuple(random.choices(alphabet, k=length)) for length in lengths]

    return st.builds(read, st.integers(0, 2**32), lengths)


@cache
def _batches(alphabet: str) -> st.SearchStrategy[list[String]]:
    """Return a strategy for batches of strings over the alphabet.

    In some batches, all strings are determined by one random seed and have distinct lengths. In others,
    Hypothesis draws each string separately.
    """
    lengths = st.permutations(range(PROGRAM_LONGEST + 1)).map(lambda order: order[:PROGRAM_STRINGS])
    few = strings_over(alphabet, PROGRAM_STRINGS, PROGRAM_LONGEST, PROGRAM_LONGEST)
    return _from_seed(alphabet, lengths) | few


GRADIENT_EXAMPLES, GRADIENT_STRINGS = 6, 3
"""Numbers of random cases per dtype and backend, and of strings per case, for a torch layer's gradients."""


@cache
def _few(alphabet: str) -> st.SearchStrategy[list[String]]:
    """Return a strategy for a few strings of random lengths, whose symbols are drawn from one seed."""
    lengths = st.lists(st.integers(0, GRADIENT_LONGEST), min_size=1, max_size=GRADIENT_STRINGS)
    return _from_seed(alphabet, lengths)


@dataclass(frozen=True)
class _TorchLayer:
    kind: str
    dtype: str
    device: str = "cpu"
    examples: int | None = None
    long_examples: ClassVar[int] = LAYER_LONG

    @property
    def label(self) -> str:
        """The layer's kind and its dtype."""
        return f"{self.kind}-{self.dtype}"


class Layer(_TorchLayer):
    """A torch layer that implements the network, in a dtype on a device."""

    most_test_strings: ClassVar[int] = 50

    def sample(self, claim: Claim, variant: Variant, effort: Effort, data: st.DataObject) -> Sample:
        """Draw a random layer with random options, weights and start, and random strings."""
        names, some = data.draw(_readings(USUAL.strings, LAYER_LONGEST, LAYER_RUN))
        network = self._drawn("abc", claim, variant, data).renamed(names)
        return self._on_a_backend(network, data), some

    def long_sample(self, claim: Claim, variant: Variant, data: st.DataObject) -> Sample:
        """Draw a random layer without extreme weights, and one long string."""
        string = data.draw(string_of_length("abc", data.draw(st.sampled_from(LONG_LENGTHS))))
        return self._on_a_backend(self._drawn("abc", claim, variant, data, generic=True), data), [string]

    @property
    def gradient_examples(self) -> int | None:
        """Return the number of random cases that a comparison of gradients draws."""
        return GRADIENT_EXAMPLES * len(available(self.device))

    def gradients(self, claim: Claim, variant: Variant, data: st.DataObject) -> Sample:
        """Draw a random layer for a comparison of gradients, and a few random strings."""
        some = data.draw(_few("ab"))
        network = self._on_a_backend(self._drawn("ab", claim, variant, data), data)
        return GradientComparison.of(network, data.draw(st.integers(0, 999))), some

    def long_gradients(self, claim: Claim, variant: Variant, data: st.DataObject) -> Sample:
        """Draw a random layer without extreme weights, and two long strings, for a comparison of gradients.

        One string has runs of one symbol. The other has few repeated symbols, and therefore few equally good
        paths. Any split of a gradient between equally good paths is accepted.
        """
        some = data.draw(_long_for_gradients())
        network = self._on_a_backend(self._drawn(LETTERS, claim, variant, data, generic=True), data)
        return GradientComparison.of(network, data.draw(st.integers(0, 999))), some

    def case(self, claim: Claim, variant: Variant, data: st.DataObject) -> LayerComparison:
        """Draw a random layer over two letters, for which equality on all strings will be decided."""
        return self._drawn("ab", claim, variant, data)

    def _on_a_backend(self, network: LayerComparison, data: st.DataObject) -> LayerComparison:
        """Return the network with a random backend for its device, sometimes without fused kernels.

        A network that can fuse gates and steps runs without fusion in one of four cases.
        """
        network.backend = data.draw(st.sampled_from(available(self.device)))
        network.unfused = network.can_fuse and data.draw(_ONE_IN_FOUR) == 3
        return network

    def _drawn(
        self, alphabet: str, claim: Claim, variant: Variant, data: st.DataObject, generic: bool = False
    ) -> LayerComparison:
        which = alphabet, self.kind, claim.name, variant.name, self.dtype, self.device
        return data.draw(networks(*which, start=layer_kinds()[self.kind].starts, generic=generic))


PROGRAM_EXAMPLES, CELLS_EXAMPLES = 40, 120
"""Numbers of random cases per dtype for a torch program and a state-regularized program.

A state-regularized program compares centroids instead of scores.
"""
EXAMPLES, STRINGS, RUNS, LONG_RUNS = 10, 3, 10_000, 500
TESTS = (EXAMPLES * STRINGS + LAYER_LONG) * MOST_CENTROIDS * len(SAMPLED_LAYERS) * len(DTYPES)
"""The maximum total number of counts that :class:`SampledLayer` compares with a probability."""


@dataclass(frozen=True)
class SampledLayer(_TorchLayer):
    """A state-regularized torch layer that samples its centroids (Wang & Niepert 2019, equation 4).

    The frequencies of the centroids are compared with the automaton's probabilities. With ``EXAMPLES``
    examples for each layer and dtype, the probability of any false alarm is at most one in a million. This
    probability is divided among the tests of all strings and centroids, and the threshold of a test follows
    from Chernoff's bound (:mod:`ratproof.implementations.chernoff`).
    """

    examples: int | None = EXAMPLES
    most_test_strings: ClassVar[int] = 0  # more strings would change the rate of false alarms

    def sample(self, claim: Claim, variant: Variant, effort: Effort, data: st.DataObject) -> Sample:
        """Draw a random layer and random strings."""
        names, some = data.draw(readings(most=STRINGS, longest=SAMPLED_LONGEST, run=SAMPLED_RUN))
        finds = power(RUNS, threshold(TESTS))
        ledger().facts.update(runs=RUNS, tests=TESTS, false_alarm=FALSE_ALARM, finds=finds)
        return self._drawn("abc", claim, variant, data).renamed(names), some

    def _drawn(
        self, alphabet: str, claim: Claim, variant: Variant, data: st.DataObject, runs: int = RUNS
    ) -> SampledRuns:
        which = alphabet, self.kind, claim.name, variant.name
        return data.draw(sampled_layers(*which, runs, TESTS, self.dtype, self.device))

    def long_sample(self, claim: Claim, variant: Variant, data: st.DataObject) -> Sample:
        """Draw a random layer and one long string, on which the layer runs fewer times than usual."""
        string = data.draw(string_of_length("abc", PROGRAM_LENGTHS[0]))
        return self._drawn("abc", claim, variant, data, LONG_RUNS), [string]


@dataclass(frozen=True)
class TorchProgram:
    """A torch program that implements the network, in a dtype on a device."""

    name: str
    dtype: str
    device: str = "cpu"
    long_examples: ClassVar[int] = PROGRAM_LONG

    @property
    def most_test_strings(self) -> int:
        """Return the maximum number of test strings, which is 0 if the units are centroids."""
        return 0 if self.name in CellComparison.transitions else 20

    @property
    def examples(self) -> int | None:
        """Return the number of random cases to draw."""
        return CELLS_EXAMPLES if self.name in CellComparison.transitions else PROGRAM_EXAMPLES

    @property
    def label(self) -> str:
        """The program's name and its dtype."""
        return f"{self.name}-{self.dtype}"

    def sample(self, claim: Claim, variant: Variant, effort: Effort, data: st.DataObject) -> Sample:
        """Draw random weights that the dtype can represent, and random strings."""
        if self.name in CellComparison.transitions:
            return self._drawn("abc", claim, variant, data), data.draw(_batches("abc"))
        names, some = data.draw(_readings(PROGRAM_STRINGS, 8, 10))
        return self._drawn("abc", claim, variant, data, names), some

    def long_sample(self, claim: Claim, variant: Variant, data: st.DataObject) -> Sample:
        """Draw random weights, and one long string."""
        lengths = LONG_LENGTHS if self.name in CellComparison.transitions else PROGRAM_LENGTHS
        string = data.draw(string_of_length("ab", data.draw(st.sampled_from(lengths))))
        return self._drawn("ab", claim, variant, data, generic=True), [string]

    def _drawn(
        self,
        alphabet: str,
        claim: Claim,
        variant: Variant,
        data: st.DataObject,
        names: dict[str, str] | None = None,
        generic: bool = False,
    ) -> CellComparison | FARNNComparison:
        where = claim.name, variant.name, self.name, self.dtype, self.device
        if self.name in CellComparison.transitions:
            return data.draw(state_regularized(alphabet, *where, remembers=generic))
        program = PROGRAMS[self.name]
        cases = (program.long_cases if generic else None) or program.cases
        case = data.draw(cases.random(alphabet))
        case = case if names is None else case.renamed(names)
        return FARNNComparison(claim.name, variant.name, case, self.name, self.dtype, self.device)


def sides_of(
    claim: Claim, variant: Variant, kind: str, device: str = "cpu", own: bool = False
) -> Iterator[Implementation]:
    """Yield the implementations of the variant's network that provide evidence of this kind.

    Args:
        claim: The claim.
        variant: A variant of the claim.
        kind: The kind of evidence.
        device: The device on which torch layers run.
        own: Whether the claim is a user's own.
    """
    if kind != GRADIENT:
        yield ExactRecurrence(own)
    if own:  # comparing our layers with their own automata is not evidence about a user's recurrence
        return
    for layer in claim.layers_of(variant):
        for dtype in DTYPES:
            if layer in SAMPLED_LAYERS:
                if kind == "sampled":
                    yield SampledLayer(layer, dtype, device)
            elif kind in ("sampled", GRADIENT) or (kind == "decided" and claim.layers_are_cases):
                yield Layer(layer, dtype, device, claim.effort_of(variant).layers)
    if kind == "sampled":
        yield from (TorchProgram(name, dtype, device) for name in variant.programs for dtype in DTYPES)
