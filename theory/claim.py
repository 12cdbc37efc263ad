"""What a claim is: a statement, its source, and its variants, each with the verdict that is expected of it.

Every claim here has one shape (Definition 8, Peng et al. 2018): a recurrence c with d units equals d
automata, [c(x)]_i = A_i[x] for all strings x. A *case* is the weights that both are made of.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, Protocol

from theory.reading import Equality
from theory.theorem import Theorem
from theory.weights import Weights

if TYPE_CHECKING:  # sympy and Hypothesis, which a command's --help does without
    from hypothesis.strategies import SearchStrategy

    from theory.induction import Induction

Expectation = Literal["holds", "refuted"]
LADDER = ("sampled", "cross-checked", "exhausted", "decided")
PROVED = (*LADDER, "proved")
KERNEL = "kernel-checked"
GRADIENT = "gradient"
EXACT, TORCH = "exact", "torch"
"""What runs a network on strings."""


class Case(Protocol):
    """Weights of a network: what a recurrence and a construction are given."""

    alphabet: str

    def describe(self) -> str:
        """The weights as a person would write them, on one line."""

    def renamed(self, names: dict[str, str]) -> Any:
        """The same weights for the letters named, under their new names; other letters are dropped."""

    def to_json(self) -> dict[str, Any]:
        """The weights, exactly; the class's ``from_json`` reads them back."""


@dataclass(frozen=True)
class Effort:
    """How much is tried of a variant, where that is not the usual.

    Attributes:
        examples: random cases a rung: of every rung, or by the kind of evidence; ``None`` for the run's own.
        strings: random strings a case, at most.
        longest, run: the most symbols of a random string, and of a long run of one symbol, which comes
            besides.
        exhausted, letters: every string up to that length over alphabets of 1 to so many letters.
    """

    examples: int | Mapping[str, int] | None = None
    strings: int = 60
    longest: int = 12
    run: int = 16
    exhausted: int = 4
    letters: int = 2

    def examples_of(self, kind: str) -> int | None:
        """Random cases of a rung of that kind; ``None`` for the run's own."""
        return self.examples.get(kind) if isinstance(self.examples, Mapping) else self.examples


USUAL = Effort()


@dataclass(frozen=True)
class Variant:
    """A way to read the claim: as printed, corrected, or with a hypothesis dropped.

    Attributes:
        name: ``printed``, ``printed-...``, ``corrected`` or ``without-...``.
        expected: what the suite must find.
        says: what this reading says, in a sentence.
        reading: what it claims: an equality, no automaton, ....
        cases: for an alphabet, random cases over it, for Hypothesis.
        small_cases: for a number of letters, all cases with weights among 0, 1, -1 and 1/2, the simplest
            first; or, of what holds, cases near one in which every weight matters.
        kinds: the kinds of evidence that it promises.
        proof: the invariant that proves it for all weights, strings and sizes.
        theorem: what Coq's kernel accepts of it; with one, it promises to be kernel-checked.
        alphabet: the symbols of all its cases, where they are given and not drawn.
        effort: how much is tried of it; the claim's own without.
        without: for kinds of evidence that it cannot have, why (:mod:`theory.without`).
        programs: the torch programs that stand for its network besides layers of units, by their names in
            :mod:`ratproof.implementations.fa_rnn` and :mod:`ratproof.implementations.state_regularized`.
        layers: the torch layers that stand for its network, by their kinds' names, where they are not those
            of the claim.
        torch_in_tests: does a test of its own run torch besides?
        constant: why its automata give all strings the same score, where they do: then no case is
            informative, and evidence that runs on strings may hold all the same.
    """

    name: str
    expected: Expectation
    says: str
    reading: Equality
    cases: Callable[[str], SearchStrategy[Any]]
    small_cases: Callable[[int], Iterator[Any]]
    kinds: tuple[str, ...] = LADDER
    proof: Induction | None = None
    theorem: Theorem | None = None
    alphabet: tuple[str, ...] | None = None
    effort: Effort | None = None
    programs: tuple[str, ...] = ()
    layers: tuple[str, ...] = ()
    torch_in_tests: bool = False
    without: Mapping[str, str] = field(default_factory=dict)
    constant: str = ""

    def __post_init__(self) -> None:
        if self.theorem is not None and KERNEL not in self.kinds:
            object.__setattr__(self, "kinds", (*self.kinds, KERNEL))

    def changed(self, **parts: Any) -> Variant:
        """The same variant with other parts: of its reading, or of itself."""
        reading = {name: value for name, value in parts.items() if hasattr(self.reading, name)}
        own = {name: value for name, value in parts.items() if name not in reading}
        return replace(self, reading=replace(self.reading, **reading), **own)

    def part(self, name: str) -> Any:
        """A part of its reading, or of itself."""
        return getattr(self.reading if hasattr(self.reading, name) else self, name)


@dataclass(frozen=True)
class Source:
    """Where a paper says it.

    Attributes:
        paper: the key in ``docs/references.bib``.
        section, statement: as the paper numbers them; the section is empty where its number is not known.
        equations: the numbers of the equations.
    """

    paper: str
    section: str
    statement: str
    equations: tuple[str, ...] = ()

    @property
    def in_section(self) -> str:
        """What follows the statement's name, or the paper's: a comma and the section, or nothing."""
        return f", section {self.section}" if self.section else ""


@dataclass(frozen=True)
class Misprint:
    """What a paper prints and no reading can run: shapes that do not fit, an index that is not there, a
    quantity that is defined by itself; or what its text says of the network and not of its scores.

    Attributes:
        printed: the print.
        right: what is right.
        test: the test that shows it, as pytest names it.
    """

    printed: str
    right: str
    test: str


@dataclass(frozen=True)
class TableRow:
    """A row of one of the paper's tables.

    Attributes:
        table: its number.
        cells: what the paper has in that row, in our words.
    """

    table: str
    cells: tuple[str, ...]


@dataclass(frozen=True)
class Claim:
    """One statement of a paper.

    Attributes:
        name: as the command line knows it, ``proposition-7``.
        title: a few words.
        statement: what it says, in our own words.
        source: where the paper says it.
        hypotheses: what it assumes, said or not.
        variants: at least one of them expected to hold.
        example: a case to draw on the claim's page.
        uses: the names of the claims that it follows from.
        case: the class of its cases, which reads them back from JSON.
        layers: the torch layers that stand for the network of its variant ``corrected``, by their kinds'
            names.
        layers_are_cases: are the gates of a unit of such a layer a case of the claim? Then they are decided
            too.
        differentiable: have these layers gradients that could be compared? Then they are.
        effort: how much is tried of its variants.
        row: where it stands in one of the paper's tables.
        misprints: what is printed and is no reading, each with the test that shows it.
    """

    name: str
    title: str
    statement: str
    source: Source
    hypotheses: tuple[str, ...]
    variants: tuple[Variant, ...]
    example: Any
    uses: tuple[str, ...] = ()
    case: Any = Weights
    row: TableRow | None = None
    layers: tuple[str, ...] = ()
    layers_are_cases: bool = True
    differentiable: bool = True
    effort: Effort = USUAL
    misprints: tuple[Misprint, ...] = ()

    def __post_init__(self) -> None:
        if self.differentiable:
            object.__setattr__(self, "variants", tuple(map(self._with_gradients, self.variants)))

    def _with_gradients(self, variant: Variant) -> Variant:
        """The variant, which promises gradients too where layers stand for it."""
        if not self.layers_of(variant) or GRADIENT in variant.kinds:
            return variant
        lowest, *others = variant.kinds
        return replace(variant, kinds=(lowest, GRADIENT, *others))

    def effort_of(self, variant: Variant) -> Effort:
        """How much is tried of the variant."""
        return self.effort if variant.effort is None else variant.effort

    def layers_of(self, variant: Variant) -> tuple[str, ...]:
        """The torch layers that stand for the variant's network."""
        return variant.layers or (self.layers if variant.name == "corrected" else ())

    def runs_of(self, variant: Any) -> tuple[str, ...]:
        """What runs the variant's network on strings: exact arithmetic, torch, or both."""
        by_torch = self.layers_of(variant) or variant.programs or variant.torch_in_tests
        return (EXACT, TORCH) if by_torch else (EXACT,)

    def variant(self, name: str) -> Variant:
        """The variant of that name."""
        for variant in self.variants:
            if variant.name == name:
                return variant
        raise KeyError(
            f"{self.name} has no variant {name!r}; it has {', '.join(v.name for v in self.variants)}"
        )
