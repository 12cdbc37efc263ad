"""``proved`` evidence, which checks the identities of an invariant and returns the proof in readable form."""

from __future__ import annotations

from collections.abc import Iterable

from automata.aliases import JsonObject
from ratproof.evidence.ledger import ledger, left_out_in_words, recording
from ratproof.implementations.implementation import ExactRecurrence, Implementation
from ratproof.ladder.rungs.on_numbers import ran_on_cases
from ratproof.ladder.rungs.sampled import sampled
from theory.claim import Claim, Effort, Variant
from theory.generality import what_is_left_out
from theory.induction import (
    BY_SYMPY,
    COMMUTATIVE,
    IN_PATH_ORDER,
    TURNED_ROUND,
    Identity,
    Induction,
    Reading,
    identities,
)
from theory.signature import Signature, signatures_of

IN_ANY_ORDER = (
    "It holds in every semiring, commutative or not, because the factors are in the order of the path."
)
IF_TURNED = (
    "It holds in every semiring, commutative or not, if the weights of a path are multiplied from its end to"
    " its start, as the paper writes them. In the usual order, the semiring must be commutative."
)
NOT_IN_ORDER = (
    "The semiring must be commutative, because not all identities hold otherwise, in either order of factors."
)


class NotProved(AssertionError):
    """Raised if an identity of the proof fails.

    It does not refute the claim, because another invariant may prove it.
    """

    def __init__(self, identity: Identity, where: str) -> None:
        super().__init__(f"not proved in {where}: {identity}")
        self.identity = identity


class GapInProof(AssertionError):
    """Raised if the identities of the proof do not cover every reachable state."""


def proved(claim: Claim, variant: Variant, side: Implementation, effort: Effort) -> None:
    """Assert the claim for all weights, strings and sizes, in every commutative semiring.

    In the proof, the weights are variables. A user's own claim is also sampled on numbers, because its
    functions might treat variables and numbers differently.

    Raises:
        NotProved: If an identity fails; the error contains the first one.
        GapInProof: If the identities do not cover all states.
        Disagreement: If the network differs from its automaton for some numbers.
    """
    prove(variant)
    if not (isinstance(side, ExactRecurrence) and side.own):
        return
    outer = ledger()
    try:
        with recording() as current_ledger:
            sampled(claim, variant, side, effort)
        if not current_ledger.cases:
            raise RuntimeError(f"nothing was compared on numbers: {left_out_in_words(current_ledger.facts)}")
    except BaseException:
        outer.certificate = None  # the certificate is about a different statement
        raise
    outer.facts["on_numbers"] = ran_on_cases(current_ledger.cases)


def prove(variant: Variant) -> None:
    """Assert that an invariant proves the variant in every commutative semiring, and record the proof.

    Raises:
        NotProved: If an identity fails; the error contains the first one.
        GapInProof: If the identities do not cover all states.
    """
    induction = variant.proof
    if induction is None:
        raise RuntimeError(f"{variant.name} must have an invariant")
    if variant.reading.algorithm is not None:
        raise RuntimeError(f"{variant.name} must use the Forward algorithm, got another algorithm")
    current_ledger = ledger()
    if not induction.instances:
        raise GapInProof(f"the proof of {variant.name} must have at least one instance")
    if (name := _fixed_only_in_proof(variant, induction)) is not None:
        raise GapInProof(f"the proof of {variant.name} fixes the weight {name}, which the variant does not")
    for instance in induction.checked:
        gap = what_is_left_out(variant.reading.recurrence, induction, instance)
        if gap is not None:
            raise GapInProof(f"the proof of {variant.name} {gap}")
    for reading in (COMMUTATIVE, BY_SYMPY):
        checked = _all(variant, induction, reading)
        current_ledger.add(_counted(checked, reading.name))
    sizes = [] if induction.sizes is None else induction.sizes()
    current_ledger.add(_counted(sizes, "sizes that are symbols"))
    current_ledger.certificate = _written(variant, induction, len(checked), sizes)


def _fixed_only_in_proof(variant: Variant, induction: Induction) -> str | None:
    """Return a weight that all instances of the proof fix at 0 or 1, but the variant does not."""

    def allowed(every: Iterable[Signature]) -> dict[str, set[object]]:
        values: dict[str, set[object]] = {}
        for signature in every:
            for entry in signature.entries:
                fixed = entry.only in ((signature.over.zero,), (signature.over.one,))
                values.setdefault(entry.name, set()).add(entry.only if fixed else None)
        return values

    in_variant = allowed(signatures_of(variant))
    for name, values in allowed(signature for signature, _ in induction.instances).items():
        if None not in values and not in_variant.get(name, values) <= values:
            return name
    return None


def _all(variant: Variant, induction: Induction, reading: Reading) -> list[Identity]:
    return [
        identity
        for instance in induction.checked
        for identity in identities(variant, induction, reading, instance)
    ]


def _counted(checked: list[Identity], where: str) -> int:
    for identity in checked:
        if not identity.holds:
            raise NotProved(identity, where)
    return len(checked)


def order_of_factors(variant: Variant, induction: Induction) -> str:
    """Return a sentence that says whether the proof needs commutativity.

    The identities are checked for noncommuting variables, in both orders of the factors.
    """
    for reading, sentence in ((IN_PATH_ORDER, IN_ANY_ORDER), (TURNED_ROUND, IF_TURNED)):
        if all(identity.holds for identity in _all(variant, induction, reading)):
            return sentence
    return NOT_IN_ORDER


def _written(variant: Variant, induction: Induction, checked: int, sizes: list[Identity]) -> JsonObject:
    """Return the proof as a JSON object.

    An instance is a size of the network and an alphabet. The object contains the invariant, the identities of
    the first instance, and a list of all instances.
    """
    # The two sides of each identity were checked to be equal if variables commute. They are shown with the
    # factors of each product in their original order.
    first = identities(variant, induction, IN_PATH_ORDER, induction.instances[0])
    return {
        "type": "induction",
        "invariant": induction.says,
        "automaton": _automaton(variant, induction),
        "base": [_side_by_side(i) for i in first if i.name == "base"],
        "step": [_side_by_side(i) for i in first if i.name == "step"],
        "readout": [_side_by_side(i) for i in first if i.name == "readout"],
        "instances": _instances(induction),
        "enough": induction.enough,
        "identities": checked,
        "sizes": [str(i) for i in sizes],
        "order": order_of_factors(variant, induction),
    }


def _instances(induction: Induction) -> list[str]:
    """Return a description of the sizes and alphabets for which the identities were checked."""
    named = []
    for signature, alphabet in induction.checked:
        size = "" if signature.size is None else f"{signature.size[0]} = {signature.size[1]} and "
        named.append(f"{size}alphabet {{{', '.join(alphabet)}}}")
    return list(dict.fromkeys(named))


def _automaton(variant: Variant, induction: Induction) -> list[str]:
    """Format the first unit's automaton for the first instance, with variables as weights."""
    signature, alphabet = induction.instances[0]
    a = variant.reading.construction(signature.variables(alphabet, IN_PATH_ORDER.over))[0]
    tables = [(x, a.matrix(x)) for x in a.alphabet] + (
        [("epsilon", a.epsilon_table.dense(a.semiring))] if a.has_epsilon else []
    )
    matrices = [f"tau({x}) = ({', '.join(map(_row, table))})" for x, table in tables]
    return [f"lambda = {_row(a.initial)}", *matrices, f"rho = {_row(a.final)}"]


def _row(values: Iterable[object]) -> str:
    return f"({', '.join(map(str, values))})"


def _side_by_side(identity: Identity) -> str:
    return f"{identity.where}: {identity.left} = {identity.right}"
