"""The tables "architecture × language": every cell is "can", "cannot" or "open", with its evidence.

A cell names a construction or a law. `evidence` checks a construction by enumerating its states or on all
words up to a length, and it checks a law by its certificate.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeAlias, cast

from automata.errors import InputError
from theory.one_layer import constructions, laws
from theory.one_layer.architectures import ARCHITECTURES, Architecture
from theory.one_layer.languages import LANGUAGES, Language
from theory.one_layer.layers import Layer, Ray
from theory.one_layer.machines import Omega, word
from theory.one_layer.saturated import Saturated

Network: TypeAlias = Layer | Saturated
LONGEST = 10
"""The maximum length of the words on which a network with infinitely many states runs."""
MOST_STATES = 1000

FINITE_STATES = {
    "diagonal [0,1]": "reset last*13 finite",
    "diagonal [-1,1]": "reset cube move cube flip cube project flip cube commute*4 cube finite",
    "complex diagonal": "reset power move power flip rotate project flip rotate commute*4 power finite",
    "DeltaNet β ≤ 1": "reset last*13 finite",
    "DeltaNet β ≤ 2": "reset cube move cube flip cube project flip cube permute cube permute cube*2 finite",
    "DeltaProduct n_h = 2": "reset slots move*2 flip permute project flip permute*4 reflections power finite",
    "DeltaProduct n_h = 3": "reset slots move*2 flip permute project flip permute*4 reflections power finite",
    "DeltaProduct n_h = 4": "reset slots move*2 flip permute project flip permute*5 ? finite",
    "RWKV-7, open": "constant*14 finite",
    "RWKV-7, closed": "reset idempotent*5 alternate idempotent*7 finite",
    "PD-SSM, closed": "one_hot*14 finite",
    "saturated Elman": "saturated*14 finite",
    "Heaviside Elman": "saturated*14 finite",
    "ReLU Elman": "saturated*14 finite",
    "saturated GRU": "saturated*14 finite",
    "saturated LSTM": "saturated*14 finite",
    "linear second-order RNN": "one_hot*14 finite",
}
"""The first table: finitely many exact states, and any read-out.

A row has an entry for each language, in their order; ``last*13`` is an entry for 13 languages.
"""

EXACT_SIGN = {
    "diagonal [0,1]": "reset penalty crossing*2 changes*2 crossing changes*2 crossing*5 penalty",
    "diagonal [-1,1]": "reset penalty crossing*2 flip period crossing flip period crossing*5 penalty",
    "complex diagonal": "reset penalty crossing*2 flip rotate crossing flip rotate crossing*5 penalty",
    "DeltaNet β ≤ 1": "reset penalty changes ? changes*2 ? changes*6 ? penalty",
    "DeltaNet β ≤ 2": "reset penalty ?*2 flip period ? flip period permute period permute period ? penalty",
    "DeltaProduct n_h = 2": "reset slots ?*2 flip permute ? flip permute*4 ?*2 penalty",
    "DeltaProduct n_h = 3": "reset slots ? shift flip permute ? flip permute*4 ?*2 penalty",
    "DeltaProduct n_h = 4": "reset slots ? shift flip permute ? flip permute*5 ? penalty",
    "RWKV-7, open": "fading penalty ?*2 scaled_flip period ? scaled_flip period ? period ? period ? penalty",
    "PD-SSM, open": "scaled_one_hot*14 penalty",
    "saturated Elman": "saturated*14 finite",
    "Heaviside Elman": "saturated*14 finite",
    "tanh Elman": "saturated*14 ?",
    "ReLU Elman": "saturated*14 counting",
    "saturated GRU": "saturated*14 finite",
    "saturated LSTM": "saturated*14 counting",
    "linear second-order RNN": "one_hot*14 square",
}
"""The second table: exact arithmetic, any number of states, and the sign of an affine read-out."""

TABLES = {"finite states": FINITE_STATES, "exact sign": EXACT_SIGN}

CONSTRUCTIONS: dict[str, Callable[[Language, Architecture], Network]] = {
    function.__name__: function
    for function in (
        constructions.reset,
        constructions.flip,
        constructions.scaled_flip,
        constructions.rotate,
        constructions.permute,
        constructions.slots,
        constructions.shift,
        constructions.penalty,
        constructions.fading,
        constructions.one_hot,
        constructions.scaled_one_hot,
        constructions.square,
        constructions.saturated,
        constructions.counting,
    )
}

UNBOUNDED = ("penalty", "fading", "square", "counting")
"""The constructions with infinitely many states, which are compared on words up to a length."""
SWAP, TURN, S, T, TURN_5 = "213", "231", "21345", "13245", "23145"
"""Elements of order 2 and 3 of S₃; two swaps and an element of order 3 of S₅."""
_LAST = {
    "T2": ("10", "110"),
    "T3": ("100", "10"),
    "T4": ("0", "000"),
    "T5": ("00", "0"),
    "T6": ("000", "0"),
    "T7": ("0101", "010101"),
    "parity": ("a", "aa"),
    "mod 3": ("aaa", "a"),
    **dict.fromkeys(("S₃ swaps", "S₃"), ((SWAP, SWAP), (SWAP,))),
    **dict.fromkeys(("S₅ swaps", "S₅"), ((S, S), (S,))),
    "Dyck-(2,3)": ("()", "(()"),
}


def _crossing(s: str, t: str) -> tuple[Any, ...]:
    return [(t, s, s, t), (s, t, t, s)], [(t, s, t, s), (s, t, s, t)]


def _words(left: str, right: str) -> tuple[Any, ...]:
    return [word(w) for w in left.split()], [word(w) for w in right.split()]


CERTIFICATES: dict[str, Mapping[str, tuple[Any, ...]]] = {
    "last": {name: ("", "", *pair) for name, pair in _LAST.items()},
    "constant": {name: ("", "", *pair) for name, pair in (_LAST | {"T1": ("1", "01")}).items()},
    "idempotent": {
        "T2": ("", "0", "1"),
        "T3": ("1", "", "0"),
        "T4": ("0", "", "0"),
        "T5": ("", "", "0"),
        "T6": ("0", "", "0"),
        "parity": ("", "", "a"),
        "mod 3": ("a", "", "a"),
        **dict.fromkeys(("S₃ swaps", "S₃"), ("", "", SWAP)),
        **dict.fromkeys(("S₅ swaps", "S₅"), ("", "", S)),
        "Dyck-(2,3)": ("", ")", "("),
    },
    "alternate": {"T7": ("0", "", "1", "0")},
    "cube": {
        "T2": ("", "0", "1"),
        "T4": ("", "", "0"),
        "T6": ("", "", "0"),
        "mod 3": ("", "", "a"),
        "S₃": ("", "", TURN),
        "S₅": ("", "", TURN_5),
        "Dyck-(2,3)": ("", ")", "("),
    },
    "power": {"T2": ("", "0", "1"), "T4": ("", "", "0"), "Dyck-(2,3)": ("", ")", "(")},
    "commute": {
        **dict.fromkeys(("S₃ swaps", "S₃"), ("", ("132", SWAP), (SWAP,), ("132",))),
        **dict.fromkeys(("S₅ swaps", "S₅"), ("", (T, S), (S,), (T,))),
    },
    "project": {"T7": ("0", "", "1", "0")},
    "move": {
        "T3": ("", "", "1", "0", (Omega(word("1")),), "1011", False),
        "T4": ("", "", "00", "1", "", "01", True),
    },
    "finite": {"aⁿbⁿ": (12,)},
    "reflections": {"S₅": ()},
    "crossing": {
        "T3": _words("001 110", "010 101"),
        "T4": _words("00101 010010", "10001 000110"),
        "T7": _words("0110 10001 11100", "1010 10100 10101"),
        **dict.fromkeys(("S₃ swaps", "S₃"), _crossing(SWAP, "132")),
        **dict.fromkeys(("S₅ swaps", "S₅"), _crossing(S, T)),
        "Dyck-(2,3)": _words("[()] ([])", "([)] [(])"),
    },
    "changes": {
        "T3": ("", "1", "0"),
        "T5": ("", "0", ""),
        "T6": ("", "0", ""),
        "parity": ("", "a", ""),
        "mod 3": ("", "a", ""),
        **dict.fromkeys(("S₃ swaps", "S₃"), ("", SWAP, "")),
        **dict.fromkeys(("S₅ swaps", "S₅"), ("", S, "")),
    },
    "period": {"T6": ("", "0", ""), "mod 3": ("", "a", ""), "S₃": ("", TURN, ""), "S₅": ("", TURN_5, "")},
}
"""For each law and each language that contradicts it, the arguments of the contradiction."""

LAWS = {
    "last": laws.LAST,
    "constant": laws.CONSTANT,
    "idempotent": laws.IDEMPOTENT,
    "alternate": laws.ALTERNATING,
    "cube": laws.CUBE,
    "commute": laws.ABELIAN,
    "project": laws.IDEMPOTENTS,
    "move": laws.TRANSLATION,
    "finite": laws.FINITE,
    "reflections": laws.REFLECTIONS,
    "crossing": laws.CROSSING,
    "changes": laws.CHANGES,
    "period": laws.PERIOD_TWO,
}
"""The law for each entry; ``power`` is missing, because it depends on the architecture."""


@dataclass(frozen=True)
class TableCell:
    """One cell of a table; its entry is the name of a construction or of a law, or ``?``."""

    table: str
    architecture: Architecture
    language: Language
    entry: str

    @property
    def answer(self) -> str:
        """Whether the architecture recognises the language: ``can``, ``cannot`` or ``open``."""
        return "open" if self.entry == "?" else "can" if self.entry in CONSTRUCTIONS else "cannot"

    @property
    def kind(self) -> str:
        """The kind of evidence, which `evidence` returns after it has checked the cell."""
        if self.answer == "can":
            return "tested" if self.entry in UNBOUNDED else "decided"
        if self.answer == "open":
            return "none"
        return "by hand" if type(self.law) is laws.LayerLaw else "certificate"

    @property
    def law(self) -> laws.LayerLaw:
        """The law that the entry names, if the answer is ``cannot``."""
        if self.entry != "power":
            return LAWS[self.entry]
        return next(law for law in self.architecture.finite_laws if law.name.startswith("powers"))

    @property
    def arguments(self) -> tuple[Any, ...]:
        """The arguments for which the language violates the law."""
        arguments = CERTIFICATES[self.entry][self.language.name]
        # the word closes as many brackets as it opens
        if self.entry == "power" and self.language.name == "Dyck-(2,3)":
            before, after, letter = arguments
            return before, after * int(self.law.name.split()[-1]), letter
        return arguments

    def network(self) -> Network:
        """Return the network that the entry names, if the answer is ``can``."""
        return _network(self.entry, self.language, self.architecture)


@cache
def _network(entry: str, language: Language, architecture: Architecture) -> Network:
    return CONSTRUCTIONS[entry](language, architecture)


def cells(table: str) -> Iterator[TableCell]:
    """Return the cells of a table, row by row."""
    for name, row in TABLES[table].items():
        pairs = (entry.partition("*") for entry in row.split())
        entries = [entry for entry, _, times in pairs for _ in range(int(times or 1))]
        for language, entry in zip(LANGUAGES.values(), entries, strict=True):
            yield TableCell(table, ARCHITECTURES[name], language, entry)


def evidence(cell: TableCell) -> str:
    """Check a cell and return the kind of its evidence.

    Returns:
        ``decided`` if the network accepts exactly the language, ``tested`` if it does on all words up to the
        length `LONGEST`, ``certificate`` if the language contradicts a law of the architecture, ``by hand``
        if only a written proof shows it, and ``none`` if the cell is open.

    Raises:
        InputError: If a check fails.
    """
    if cell.answer == "open":
        return "none"
    if cell.answer == "can":
        return _recognises(cell)
    architecture, law = cell.architecture, cell.law
    obeyed = architecture.finite_laws if cell.table == "finite states" else architecture.exact_laws
    if law not in obeyed:
        raise InputError(f"{architecture.name}: the laws of the architecture must contain {law.name!r}")
    if type(law) is laws.LayerLaw:
        return "by hand"
    if not law.separates(cell.language, *cell.arguments):
        raise InputError(
            f"{cell.language.name}: the language must contradict the law {law.name!r}:"
            f" {law.text(*cell.arguments)}"
        )
    return "certificate"


def _recognises(cell: TableCell) -> str:
    network, finite = cell.network(), cell.table == "finite states"
    if not cell.architecture.contains(network):
        raise InputError(f"{cell.entry}: the network must be in the class {cell.architecture.name}")
    if isinstance(network, Ray) and (finite or not network.is_homogeneous):
        raise InputError(
            f"{cell.entry}: a network that is compared up to scale must be linear, and must not be in the"
            " table of finite states"
        )
    difference, is_decided = compare(network, cell.language, decide=finite or cell.language.dfa is not None)
    if difference is not None:
        raise InputError(
            f"{cell.entry}: the network must accept exactly {cell.language.name}, but differs on"
            f" {difference!r}"
        )
    if finite and not is_decided:
        raise InputError(f"{cell.entry}: the network must have at most {MOST_STATES} states")
    return "decided" if is_decided else "tested"


@cache
def compare(network: Network, language: Language, decide: bool) -> tuple[tuple[Any, ...] | None, bool]:
    """Search for a shortest word on which the network differs from the language.

    Args:
        network: the network.
        language: the language.
        decide: whether to search all reachable pairs of a state of the network and a state of the DFA. If
            this is ``False``, or if there are more than `MOST_STATES` pairs, the search ends with the words
            of length `LONGEST`.

    Returns:
        The word, or ``None``; and whether the search proves that there is no such word.
    """
    dfa, machine = language.dfa, cast("Any", network)  # both classes of networks have start, step and accepts
    start = (machine.start, dfa.start if dfa and decide else ())
    level: dict[Any, tuple[Any, ...]] = {start: ()}
    seen, length = {start}, 0
    while level:
        for (state, other), w in level.items():
            accepted = other in dfa.final if dfa and decide else language.rule(w)
            if machine.accepts(state) != accepted:
                return w, False
        if decide and len(seen) > MOST_STATES:
            return compare(network, language, decide=False)
        if not decide and length == LONGEST:
            return None, False
        after: dict[Any, tuple[Any, ...]] = {}
        for (state, other), w in level.items():
            for letter in language.alphabet:
                pair = (machine.step(state, letter), language.maps[letter][other] if decide else (*w, letter))
                if pair not in seen:
                    after[pair] = (*w, letter)
        if decide:
            seen.update(after)
        level, length = after, length + 1
    return None, True
