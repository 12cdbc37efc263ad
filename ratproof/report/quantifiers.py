"""The exact statement of each variant of a claim, and the domain over which each kind of evidence holds.

Sizes, semirings, weights and lengths are read from the code that draws and enumerates the cases.

>>> from theory.registry import claims
>>> claim = claims()["proposition-7"]
>>> statement(claim.variant("printed-nonempty"))
'on every string of at least 1 symbol, each unit of the network equals the score of its automaton'
>>> weights(claim.variant("printed"))
'c_0 (is 1); f(x) and u(x) for each symbol x; in the real semiring'
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice

from automata.text.number_text import plural
from ratproof.evidence.kinds import KINDS
from ratproof.evidence.lengths import (
    EXACT_LENGTHS,
    GRADIENT_LENGTHS,
    GRADIENT_LONGEST,
    LAYER_LONGEST,
    LAYER_RUN,
    LONG_LENGTHS,
    OPENFST_LONGEST,
    OPENFST_RUN,
    PROGRAM_LENGTHS,
    SAMPLED_LAYERS,
    SAMPLED_LONGEST,
    SAMPLED_RUN,
)
from theory.claim import EXACT, TORCH, Claim, Variant
from theory.reading import Following, NoAutomaton, NoInitialDistribution
from theory.signature import Signature, Sizes, WeightEntry, signatures_of

MOST_CASES = 2000
"""Number of small cases from which the sizes are read, if the cases are not drawn from a signature."""
MOST_VALUES = 6
"""Maximum number of allowed values of a weight that are listed."""


def statement(variant: Variant) -> str:
    """Return the formal statement of a variant, which its evidence tests or proves."""
    reading = variant.reading
    every = "on every string"
    if reading.shortest:
        every += f" of at least {plural(reading.shortest, 'symbol')}"
    if isinstance(reading, Following):
        return f"{every}, the most probable centroid of the mixture is the state of the automaton"
    if isinstance(reading, NoAutomaton):
        size = f" {reading.size}" if reading.size else ""
        return f"{every}, each unit of the network equals the score of some automaton{size}"
    if isinstance(reading, NoInitialDistribution):
        return f"{every}, each unit equals the score of its automaton from some initial distribution"
    algorithm = "" if reading.algorithm is None else " by the stated algorithm"
    return f"{every}, each unit of the network equals the score of its automaton{algorithm}"


def weights(variant: Variant) -> str:
    """Return the weights that the statement quantifies over, with their restrictions and the semiring."""
    drawn = signatures_of(variant)
    if not drawn:
        names = {case.automaton.semiring.name for case in islice(variant.small_cases(2), MOST_CASES)}
        return f"automata over these semirings: {', '.join(sorted(names))}"
    by_name: dict[str, list[WeightEntry]] = {}
    for signature in drawn:
        for entry in signature.entries:
            by_name.setdefault(entry.name, []).append(entry)
    parts = [_listed(drawn[0], by_name.values(), per) for per in ("constant", "symbol", "window")]
    which = ", and ".join(dict.fromkeys(f"in the {signature.over.name} semiring" for signature in drawn))
    hypothesis = "; only those that satisfy the variant's hypothesis" if any(s.where for s in drawn) else ""
    return f"{'; '.join(filter(None, parts))}; {which}{hypothesis}"


def _listed(signature: Signature, groups: Iterable[list[WeightEntry]], per: str) -> str:
    key = {"constant": "", "symbol": "x", "window": "w"}[per]
    names = [_restricted(signature, entries, key) for entries in groups if entries[0].per == per]
    where = {"constant": "", "symbol": " for each symbol x", "window": " for each window w"}[per]
    return _joined(names, "and") + where if names else ""


def _restricted(signature: Signature, entries: list[WeightEntry], key: str) -> str:
    name = f"{entries[0].name}({key})" if key else entries[0].name
    if all(entry.derived is not None for entry in entries):
        return f"{name} (follows from the others)"
    if any(entry.only is None for entry in entries):
        return name
    values = list(dict.fromkeys(value for entry in entries for value in entry.only or ()))
    shown = [signature.over.format(value) for value in values[:MOST_VALUES]]
    some = ", ".join(shown) + ", ..." if len(values) > MOST_VALUES else _joined(shown, "or")
    return f"{name} (is {some})"


def scopes(claim: Claim, variant: Variant) -> dict[str, str]:
    """Return, for each kind of evidence of a variant, the weights, sizes and strings that it covers."""
    return {kind: "; ".join(_scope(claim, variant, kind)) for kind in KINDS if kind in variant.kinds}


def _scope(claim: Claim, variant: Variant, kind: str) -> Iterator[str]:
    effort = claim.effort_of(variant)
    random = "random weights" + _sizes(variant.cases)
    if kind == "sampled" and EXACT in claim.runs_of(variant):
        runs = f" runs of one symbol of up to {effort.run}," if effort.run else ""
        yield (
            f"in exact arithmetic, {random}, and random strings of up to {effort.longest} symbols,{runs} and"
            f" some strings of {_joined(map(str, EXACT_LENGTHS), 'or')}"
        )
    if kind == "sampled" and TORCH in claim.runs_of(variant):
        layers = claim.layers_of(variant)
        if own := [layer for layer in layers if layer not in SAMPLED_LAYERS]:
            yield (
                f"random torch layers ({', '.join(own)}), on strings of up to {LAYER_LONGEST} symbols,"
                f" runs of up to {LAYER_RUN}, and some strings of {min(LONG_LENGTHS)} to"
                f" {max(LONG_LENGTHS):,}"
            )
        if sampling := [layer for layer in layers if layer in SAMPLED_LAYERS]:
            yield (
                f"random torch layers that sample ({', '.join(sampling)}), on strings of up to"
                f" {SAMPLED_LONGEST} symbols, runs of up to {SAMPLED_RUN}, and some strings of"
                f" {PROGRAM_LENGTHS[0]}"
            )
        if variant.programs:
            yield f"random weights of torch programs ({', '.join(variant.programs)})"
        if variant.torch_in_tests:
            yield "a dedicated test also runs torch"
    if kind == "gradient":
        layers = claim.layers_of(variant)
        yield (
            f"random torch layers ({', '.join(layers)}), for the derivatives of their outputs, on strings of"
            f" up to {GRADIENT_LONGEST} symbols, and of {_joined(map(str, GRADIENT_LENGTHS), 'or')}"
        )
    if kind == "cross-checked":
        yield (
            f"{random}, and random strings of up to {OPENFST_LONGEST} symbols and runs of up to"
            f" {OPENFST_RUN}; OpenFst computes in floats"
        )
    if kind == "exhausted":
        near = getattr(variant.small_cases, "__name__", "") == "near_generic"
        simple = "weights near a generic case, some of which are 0 or 1" if near else "the simplest weights"
        yield (
            f"all strings of up to {effort.exhausted} symbols over"
            f" {_letters(range(1, effort.letters + 1))}, for {simple}{_sizes(variant.small_cases)}"
            f"{_limit(variant)}"
        )
    if kind == "decided":
        unit = variant.reading.unit if isinstance(variant.reading, NoAutomaton) else None
        yield f"all strings, for the unit {unit} with fixed weights" if unit else f"all strings, for {random}"
        if not unit and claim.layers_of(variant) and claim.layers_are_cases:
            yield "and for the float weights of random torch layers"
    if kind == "proved" and variant.proof is not None:
        checked = variant.proof.checked
        letters = _letters({len(alphabet) for _, alphabet in checked})
        symbolic = ", and for a symbolic size" if variant.proof.sizes is not None else ""
        yield "all strings and all weights, in every commutative semiring"
        yield (
            f"the identities are checked over {letters}"
            f"{_named([signature for signature, _ in checked], ' with ')}{symbolic}"
        )
    if kind == "kernel-checked" and variant.theorem is not None:
        yield f"all that the Coq theorem {variant.theorem.name.rpartition('.')[2]} quantifies over"
        if variant.theorem.untied:
            yield f"its statement is not derived for the cases, because {variant.theorem.untied}"
        elif variant.theorem.hypotheses:
            yield f"its hypotheses are {_joined(variant.theorem.hypotheses, 'and')}"
    if kind == "kernel-checked-reals" and variant.real_theorem is not None:
        name = variant.real_theorem.name.rpartition(".")[2]
        yield f"all that the Coq theorem {name} quantifies over, with Coq's axioms of the real numbers"
        if variant.real_theorem.about:
            yield f"it is about {variant.real_theorem.about}"


def _sizes(cases: Callable[..., object]) -> str:
    """Return the sizes of the networks that a source of cases generates, as ``" with K = 1 to 3"``."""
    source = getattr(cases, "__self__", None)
    if isinstance(source, Signature):
        return _named([source], " with ")
    if not isinstance(source, Sizes):
        return ""
    own = source.random_sizes if cases.__name__ == "random" else source.small_sizes
    several = f" (sizes {_joined(map(str, own), 'and')})" if isinstance(own[0], tuple) else ""
    return _named([source.of(size) for size in own], " with ") + several


def _named(drawn: list[Signature], before: str) -> str:
    by_name: dict[str, set[int]] = {}
    for signature in drawn:
        if signature.size is not None:
            by_name.setdefault(signature.size[0], set()).add(signature.size[1])
    sizes = [f"{name} = {_range(sorted(values))}" for name, values in by_name.items()]
    return before + _joined(sizes, "and") if sizes else ""


def _limit(variant: Variant) -> str:
    source = getattr(variant.small_cases, "__self__", None)
    if not isinstance(source, (Signature, Sizes)):
        return ""
    most = max(signature.most_small for signature in source.signatures())
    return f" (at most {most:,} cases for each size and number of letters)"


def _letters(numbers: Iterable[int]) -> str:
    values = sorted(numbers)
    return plural(1, "letter") if values == [1] else f"{_range(values)} letters"


def _range(values: list[int]) -> str:
    consecutive = values == list(range(values[0], values[-1] + 1))
    return (
        f"{values[0]} to {values[-1]}"
        if consecutive and len(values) > 1
        else _joined(map(str, values), "and")
    )


def _joined(parts: Iterable[str], word: str) -> str:
    *first, last = parts
    return f"{', '.join(first)} {word} {last}" if first else last
