"""Claims: statements of papers, with their sources, their variants and the expected verdicts.

Every claim compares a recurrence c of d units with d automata (Definition 8, Peng et al. 2018):
[c(x)]_i = A_i[x] for all strings x. A *case* holds the weights from which the recurrence and the automata are
built.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, Protocol

from theory.reading import Equality
from theory.theorem import RealTheorem, Theorem
from theory.weights import Weights

if TYPE_CHECKING:  # avoids the import of sympy and Hypothesis for --help
    from hypothesis.strategies import SearchStrategy

    from theory.induction import Induction

Expectation = Literal["holds", "refuted"]
LADDER = ("sampled", "cross-checked", "exhausted", "decided")
PROVED = (*LADDER, "proved")
KERNEL = "kernel-checked"
KERNEL_REALS = "kernel-checked-reals"
THEOREMS = (KERNEL, KERNEL_REALS)
"""The kinds of evidence that are theorems in Coq."""
GRADIENT = "gradient"
AS_PRINTED = ("none",)
"""The value of ``differences`` for a claim whose statements are those of the paper."""
QUOTED = (
    "The statement was compared with what the claim's file quotes of the paper, and not with the paper's"
    " whole text."
)
"""The last item of ``differences`` for a claim that was only compared with quotations from its paper."""
PARAPHRASED = (
    "The text of the paper was not compared word by word: the statement is paraphrased, from its abstract."
)
"""The first item of ``differences`` for a claim whose paper's text was not compared."""
EXACT, TORCH = "exact", "torch"
"""The ways to run a network on strings."""


class Case(Protocol):
    """Weights of a network, from which a recurrence and a construction are built."""

    alphabet: str

    def describe(self) -> str:
        """Return the weights on one line, in readable form."""

    def renamed(self, names: dict[str, str]) -> Any:
        """Return the weights of the letters in ``names`` only, under the new names of these letters."""

    def to_json(self) -> dict[str, Any]:
        """Return the weights as JSON without rounding; the class method ``from_json`` reads them."""


@dataclass(frozen=True)
class Effort:
    """The number and size of a variant's tests.

    Attributes:
        examples: the number of random cases: one number for all kinds of evidence, or a mapping from the kind
            to its number; ``None`` for the run's default.
        strings: the maximum number of random strings for each case.
        longest: the maximum length of random strings.
        run: the maximum length of the additional strings that repeat one symbol.
        layers: the number of random torch layers for each kind of evidence, in each dtype, if it differs from
            ``examples``.
        gradients: the numbers of random torch layers, in each dtype, whose gradients are compared on short
            strings and on long strings; ``None`` for the layer's default.
        exhausted, letters: the exhaustive test runs every string of at most ``exhausted`` symbols over
            alphabets of 1 to ``letters`` letters.
    """

    examples: int | Mapping[str, int] | None = None
    strings: int = 60
    longest: int = 12
    run: int = 16
    exhausted: int = 4
    letters: int = 2
    layers: int | None = None
    gradients: tuple[int, int] | None = None

    def examples_of(self, kind: str) -> int | None:
        """Return the number of random cases for a kind of evidence; ``None`` for the run's default."""
        return self.examples.get(kind) if isinstance(self.examples, Mapping) else self.examples


USUAL = Effort()


def _of_the_same_source(letters: int) -> Iterator[Any]:
    """Stand for the small cases of the signature or sizes from which random cases are drawn."""
    raise NotImplementedError


@dataclass(frozen=True)
class Variant:
    """A version of the claim: as printed, corrected, or with a hypothesis dropped.

    Attributes:
        name: ``printed``, ``printed-...``, ``corrected`` or ``without-...``.
        expected: the verdict that the suite must find.
        says: the variant's statement, in one sentence.
        reading: the formal statement, such as an equality or the absence of an automaton.
        cases: a function from an alphabet to a Hypothesis strategy for cases.
        small_cases: a function from a number of letters to all cases with weights among 0, 1, -1
            and 1/2, simplest first. If the variant holds, these may instead be small changes of one
            generic case, in which every weight matters. By default, they are the small cases of the signature
            or sizes whose method ``random`` is ``cases``.
        long_cases: the same as ``cases``, for strings of tens of symbols; by default, ``cases``.
        kinds: the kinds of evidence that the variant must have.
        proof: the induction that proves the statement for all weights, strings and sizes; ``proved`` is then
            added to ``kinds``.
        theorem: the theorem that Coq's kernel accepts; ``kernel-checked`` is then added to ``kinds``.
        real_theorem: the theorem that Coq's kernel accepts with the axioms of the real numbers;
            ``kernel-checked-reals`` is then added to ``kinds``.
        alphabet: the symbols of all its cases, if they are fixed.
        effort: the number and size of its tests; by default, the claim's.
        without: the kinds of evidence that are not available, with the reasons (:mod:`theory.without`).
        programs: the names of the torch programs that run its network and are not layers of units; see
            :mod:`ratproof.implementations.fa_rnn` and
            :mod:`ratproof.implementations.state_regularized`.
        layers: the names of the kinds of torch layers that run its network, if they differ from the claim's.
        torch_in_tests: whether a test that is written for the variant also runs torch.
        constant: the reason why its automata give all strings the same score, if they do. Then no
            case is informative, and verdicts from runs on strings do not require informative cases.
    """

    name: str
    expected: Expectation
    says: str
    reading: Equality
    cases: Callable[[str], SearchStrategy[Any]]
    small_cases: Callable[[int], Iterator[Any]] = _of_the_same_source
    kinds: tuple[str, ...] = LADDER
    proof: Induction | None = None
    theorem: Theorem | None = None
    real_theorem: RealTheorem | None = None
    alphabet: tuple[str, ...] | None = None
    effort: Effort | None = None
    programs: tuple[str, ...] = ()
    layers: tuple[str, ...] = ()
    torch_in_tests: bool = False
    without: Mapping[str, str] = field(default_factory=dict)
    constant: str = ""
    long_cases: Callable[[str], SearchStrategy[Any]] | None = None

    def __post_init__(self) -> None:
        if self.small_cases is _of_the_same_source:
            source: Any = getattr(self.cases, "__self__", None)
            if not hasattr(source, "small"):
                raise TypeError(f"{self.name}: small_cases must be given unless cases is of a signature")
            object.__setattr__(self, "small_cases", source.small)
        evidence = {"proved": self.proof, KERNEL: self.theorem, KERNEL_REALS: self.real_theorem}
        for kind, basis in evidence.items():
            if basis is not None and kind not in self.kinds:
                object.__setattr__(self, "kinds", (*self.kinds, kind))

    def changed(self, **parts: Any) -> Variant:
        """Return a copy with new values for these fields of the variant, or of its ``reading``."""
        reading = {name: value for name, value in parts.items() if hasattr(self.reading, name)}
        own = {name: value for name, value in parts.items() if name not in reading}
        return replace(self, reading=replace(self.reading, **reading), **own)

    def part(self, name: str) -> Any:
        """Return the field ``name`` of the variant's ``reading`` if it has one, otherwise of the variant."""
        return getattr(self.reading if hasattr(self.reading, name) else self, name)


holding = partial(Variant, expected="holds")
"""Return a variant that must hold; its arguments are those of :class:`Variant`, by name."""
refuted = partial(Variant, expected="refuted")
"""Return a variant that must be refuted; its arguments are those of :class:`Variant`, by name."""


@dataclass(frozen=True)
class Source:
    """The location of a statement in a paper.

    Attributes:
        paper: the key in ``docs/references.bib``.
        section, statement: the numbers of the section and of the statement; the section is empty if unknown.
        equations: the numbers of the equations.
    """

    paper: str
    section: str
    statement: str
    equations: tuple[str, ...] = ()

    @property
    def in_section(self) -> str:
        """The text ``, section 3.1``, to append to a name; it is empty if the section is unknown."""
        return f", section {self.section}" if self.section else ""


@dataclass(frozen=True)
class Misprint:
    """A printed statement that has no formal meaning under any interpretation.

    Examples are shapes that do not match, an index that does not exist, a quantity that is defined by itself,
    or a text about the network instead of its scores.

    Attributes:
        printed: the printed statement.
        right: the correction.
        test: the pytest id of the test that demonstrates it.
    """

    printed: str
    right: str
    test: str


@dataclass(frozen=True)
class TableRow:
    """A row of one of the paper's tables.

    Attributes:
        table: the number of the table.
        cells: the paper's entries in that row, paraphrased.
    """

    table: str
    cells: tuple[str, ...]


@dataclass(frozen=True)
class Claim:
    """A statement of a paper.

    Attributes:
        name: the name on the command line, such as ``proposition-7``.
        title: the title, a few words.
        statement: the paraphrased statement.
        source: the location in the paper.
        hypotheses: the assumptions, stated or not.
        variants: the variants of the statement; at least one is expected to hold.
        example: a case to draw on the claim's page.
        uses: the names of the claims from which it follows.
        case: the class of its cases, which can parse them from JSON.
        layers: the names of the kinds of torch layers that run the network of the variant ``corrected``.
        layers_are_cases: whether the gates of one unit of such a layer are a case of the claim. Then the
            equality is also decided for this unit.
        differentiable: whether the gradients of these layers are compared.
        effort: the number and size of the tests of its variants.
        row: the corresponding row of one of the paper's tables.
        misprints: printed statements that have no formal meaning, each with the test that shows it.
        differences: the differences between the paper and the variants that hold, one sentence each;
            :data:`AS_PRINTED` if there are none. A refuted variant states its difference in ``says``.
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
    differences: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.differentiable:
            object.__setattr__(self, "variants", tuple(map(self._with_gradients, self.variants)))

    def _with_gradients(self, variant: Variant) -> Variant:
        """Return the variant with ``gradient`` added to its kinds of evidence if it has layers."""
        if not self.layers_of(variant) or GRADIENT in variant.kinds:
            return variant
        lowest, *others = variant.kinds
        return replace(variant, kinds=(lowest, GRADIENT, *others))

    def effort_of(self, variant: Variant) -> Effort:
        """Return the variant's effort, or the claim's if the variant has none."""
        return self.effort if variant.effort is None else variant.effort

    def layers_of(self, variant: Variant) -> tuple[str, ...]:
        """Return the names of the kinds of torch layers that run the variant's network."""
        return variant.layers or (self.layers if variant.name == "corrected" else ())

    def runs_of(self, variant: Any) -> tuple[str, ...]:
        """Return the ways to run the variant's network: in exact arithmetic, and in torch if it can."""
        by_torch = self.layers_of(variant) or variant.programs or variant.torch_in_tests
        return (EXACT, TORCH) if by_torch else (EXACT,)

    def variant(self, name: str) -> Variant:
        """Return the variant with this name."""
        for variant in self.variants:
            if variant.name == name:
                return variant
        raise KeyError(
            f"{self.name} has no variant {name!r}; its variants are"
            f" {', '.join(v.name for v in self.variants)}"
        )
