"""Laws that all layers of an architecture obey, with proofs.

No layer of an architecture recognises a language that violates one of its laws. The proofs are by hand. A
program checks each certificate, and tests each law on random layers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from inspect import cleandoc
from itertools import pairwise
from typing import Any

from automata.errors import InputError
from theory.one_layer.languages import Language
from theory.one_layer.layers import Layer
from theory.one_layer.machines import Map, Omega, Term, action, shown, word


@dataclass(frozen=True)
class LayerLaw:
    """A law that holds for all layers of a class, whose use is proved by hand only.

    Subclasses have the condition under which a language violates the law.

    Attributes:
        name: a short name for cells of the table.
        statement: the law.
        proof: its proof.
    """

    name: str
    statement: str
    proof: str

    def separates(self, language: Language, *arguments: Any) -> bool:
        """Return whether these arguments show that the language violates the law."""
        return False

    def text(self, *arguments: Any) -> str:
        """Return a text that says how these arguments show that a language violates the law."""
        return "proof by hand, without a certificate"


@dataclass(frozen=True)
class Equation(LayerLaw):
    """A law of layers with finitely many states: two terms act on the states in the same way.

    A term is a word that may contain ω-powers. ``pair`` returns the two terms of an instance of the law, or
    raises InputError if its arguments are not an instance.
    """

    pair: Callable[..., tuple[Term, Term]]

    def separates(self, language: Language, before: Term, after: Term, *arguments: Any) -> bool:
        """Return whether the language contains exactly one of the two extended terms.

        Both terms are extended by ``before`` and ``after``.
        """
        left, right = (word(before) + term + word(after) for term in self.pair(*arguments))
        return language.contains(left) != language.contains(right)

    def holds(self, maps: Mapping[Hashable, Map], *arguments: Any) -> bool:
        """Return whether a machine obeys the instance of the law with these arguments.

        ``maps`` contains, for each letter, the machine's next states.
        """
        left, right = self.pair(*arguments)
        return action(left, maps) == action(right, maps)

    def text(self, before: Term, after: Term, *arguments: Any) -> str:
        """Return a sentence that says that the language contains only one of the two extended terms.

        Both terms are extended by ``before`` and ``after``.
        """
        left, right = (shown(word(before) + term + word(after)) for term in self.pair(*arguments))
        return f"only one of {left} and {right} is in the language"


def _equation(name: str, statement: str) -> Callable[[Callable[..., tuple[Term, Term]]], Equation]:
    """Return a decorator that makes an :class:`Equation` from the function that returns its two terms.

    The function's docstring, without the first line, is the proof of the law.
    """

    def law(pair: Callable[..., tuple[Term, Term]]) -> Equation:
        return Equation(name, statement, cleandoc(pair.__doc__ or "").partition("\n\n")[2], pair)

    return law


def _last(term: Term) -> list[Hashable]:
    return list(dict.fromkeys(reversed(term)))


@_equation(
    "last occurrences",
    "Two words with the same order of last occurrences of the letters have the same effect.",
)
def LAST(left: Term, right: Term) -> tuple[Term, Term]:
    """Return the two words, or raise InputError if their orders of last occurrences differ (proof below).

    Diagonal layers: take one coordinate, and let X be its finite set of values. A letter with a gate g that
    is not 0 is injective, so it permutes X and preserves the mean c of X. This letter is the map
    x → c + g (x - c), whose order is finite. If g is in [0, 1], then g is 1 or X is one point. So each letter
    is the identity or constant, and the last constant letter determines the state.

    DeltaNet with β in [0, 1]: in one head, let X be the finite set of states and V the span of differences.
    If β < 1, the letter is injective, so it permutes X. Its linear part has norm at most 1 and finite order
    on V, so it is isometric on V. This means that k is orthogonal to V. The letter is then a translation
    of a finite set: the identity. Let s and t be letters with β = 1 whose keys are neither parallel nor
    orthogonal. Then s followed by t is injective on the hyperplane of t, permutes t(X), and is isometric
    on t(X), so the linear parts of s and t fix all differences of t(X). On t(X), the word st is a translation
    of a finite set by a combination of the keys, so this combination is 0. The keys are independent, so s and
    t fix t(X), and in the same way s(X). For x in X the vector s(x) - t(x) is in the span of the two keys and
    orthogonal to both keys, so s(x) = t(x). Then s(x) - x is parallel to both keys, so it is 0. So s and t
    are the identity on X. Any other two letters set the same coordinate or orthogonal coordinates, so the
    last letter for each direction determines the state.
    """
    left, right = word(left), word(right)
    if _last(left) != _last(right):
        raise InputError(f"{shown(left)} and {shown(right)} must have equal orders of last occurrences")
    return left, right


@cache
def power(r: int) -> Equation:
    """Return the law that s^r s^ω = s^r for each letter s, where s^ω is idempotent (proof below).

    The linear part A of a letter s in each head is the identity plus a matrix of rank at most r. Here r is
    n_h, or 1 for diagonal layers, where each coordinate is a head. Let X be the finite set of states of a
    head, V the span of its differences, and M the restriction of A to V. M - 1 is injective on the
    generalised kernel of M and has rank at most r, so this kernel has dimension at most r, and M is injective
    on the image of M^r. So s is injective on the finite set s^r(X). Then s permutes this set, and s^ω is the
    identity on it.
    """
    return Equation(
        f"powers, r = {r}",
        "For each letter s, reading s r times has the same effect as reading s^ω and then s r times.",
        cleandoc(power.__doc__ or "").partition("\n\n")[2],
        lambda letter: (word([letter] * r), (Omega(word([letter])), *[letter] * r)),
    )


@_equation("cubes", "For each letter s, the words s and sss have the same effect.")
def CUBE(letter: Hashable) -> tuple[Term, Term]:
    """Return a letter and its cube, which have the same effect (proof below).

    Take one head, or one coordinate of a diagonal layer, and let X be its finite set of states. A letter s
    maps X onto the set s(X), and by the law "powers" with r = 1, it permutes s(X). Let V be the span of the
    differences of the elements of s(X). On V, the linear part of s has finite order, so its eigenvalues are
    roots of unity. They are also real, so they are 1 or -1, and the linear part of s² is the identity on V.
    So s² is a translation of the finite set s(X), which is the identity.
    """
    return word([letter]), word([letter] * 3)


@_equation("idempotent letters", "For each letter s, the words s and ss have the same effect.")
def IDEMPOTENT(letter: Hashable) -> tuple[Term, Term]:
    """Return a letter and its square, which have the same effect (proof below).

    The matrix diag(w) - κ (a ∘ κ)ᵀ is block triangular: coordinates with a = 0 form a block diag(w), and the
    other block is similar to the symmetric matrix diag(w) - k kᵀ with k = √a ∘ κ. So all eigenvalues are
    real, and they are in (-1, 1], because w > 1/2 and |k| ≤ 1. For differences in the image of a high power
    they are also roots of unity, so they are 1. The eigenvalue 0 occurs at most once: only the symmetric
    block has it, and this block is an invertible matrix minus one of rank 1. Let X be the finite set of
    states of a head. As in the law "powers", a letter s permutes the set s(X). On the span of the differences
    of s(X), its linear part has finite order and the eigenvalue 1 only, so s is a translation of a finite
    set: the identity on s(X).
    """
    return word([letter]), word([letter] * 2)


@_equation("alternating letters", "For all letters s and t, the words sts and stststs have the same effect.")
def ALTERNATING(s: Hashable, t: Hashable) -> tuple[Term, Term]:
    """Return the words sts and stststs, which have the same effect (proof below).

    Let X be the finite set of states of a head, and V the span of its differences. By the law "idempotent
    letters" and its proof, the linear parts S and T on V are idempotent, and the kernel of each has dimension
    at most 1. So T is the identity minus a matrix of rank at most 1, and so is C, the map z → S T z of S(V).
    The powers of C are finitely many. So C is the identity, or its only other eigenvalue is 0 or -1. In each
    case C³ = C. The word ts maps s(X) into itself, with the linear part C. C² is the identity on the image of
    C, so on the states after sts, the word tsts is a translation of a finite set: the identity.
    """
    return word([s, t, s]), word([s, t, s, t, s, t, s])


@_equation("constant letters", "Two words with the same last letter have the same effect.")
def CONSTANT(left: Term, right: Term) -> tuple[Term, Term]:
    """Return the two words, or raise InputError if their last letters differ (proof of the law below).

    With a in (0, 1) the matrix diag(w) - κ (a ∘ κ)ᵀ is similar to the symmetric matrix diag(w) - k kᵀ with
    k = √a ∘ κ. Because w is in (1/2, 1) and |k| < 1, its eigenvalues are in (-1, 1). On differences of
    finitely many states, some power is idempotent, so only the eigenvalue 0 is possible. A diagonalisable
    matrix with no other eigenvalue is 0. So each letter maps all states to one state.
    """
    left, right = word(left), word(right)
    if left[-1:] != right[-1:] or not left:
        raise InputError(f"{shown(left)} and {shown(right)} must have the same last letter")
    return left, right


@_equation("abelian", "For all words x and y, the terms x y (xy)^ω and y x (xy)^ω have the same effect.")
def ABELIAN(x: Term, y: Term) -> tuple[Term, Term]:
    """Return x y (xy)^ω and y x (xy)^ω, which have the same effect (proof below).

    Take one coordinate, and let X be its finite set of values. Letters with gate 0 are constant. All other
    letters permute X and preserve the mean c of X. They are maps x → c + g (x - c) with the same c, so they
    commute on X. If neither x nor y has a letter with gate 0 in this coordinate, xy and yx are equal.
    Otherwise (xy)^ω is constant, and it comes last.
    """
    x, y = word(x), word(y)
    return (*x, *y, Omega(x + y)), (*y, *x, Omega(x + y))


@_equation(
    "idempotents",
    "For all words x and y, the terms e g e and e g e g e have the same effect, where e = x^ω and g = y^ω.",
)
def IDEMPOTENTS(x: Term, y: Term) -> tuple[Term, Term]:
    """Return e g e and e g e g e with e = x^ω and g = y^ω, which have the same effect (proof below).

    All linear parts have norm at most 1. Let X be the finite set of states and V the span of its differences.
    The linear part E of an idempotent word on V is an idempotent matrix of norm at most 1: an orthogonal
    projection. So the linear part of e g e is EGE, which is symmetric with eigenvalues in [0, 1]. An
    eigenvalue between 0 and 1 would give infinitely many differences, so EGE is a projection. So e g e is a
    translation on its image, which is finite and mapped into itself: it is the identity there.
    """
    e, g = Omega(word(x)), Omega(word(y))
    return (e, g, e), (e, g, e, g, e)


@_equation(
    "translations",
    "For all words a, x, c, t, the terms α^ω α and α^ω β α^ω have the same effect, where e = x^ω, "
    "f = (a e c)^ω, and α, β are a e t f and a t f in one of the two orders.",
)
def TRANSLATION(a: Term, x: Term, c: Term, t: Term, longer_first: bool) -> tuple[Term, Term]:
    """Return α^ω α and α^ω β α^ω, where α and β are a e t f and a t f if ``longer_first`` (proof below).

    All linear parts have norm at most 1. The word a e c permutes f(X), where X is the finite set of states,
    so distances in f(X) cannot shrink: |E A z| = |A z| = |z| for each difference z of f(X), where A and E
    are the linear parts of a and e. E is an orthogonal projection (law "idempotents"), so E A z = A z. So
    the effects of a e and a on f(X) differ by one vector. Let Y = α^ω(X), which is in f(X), because α ends
    with f. The effects of α and of β followed by α^ω on Y also differ by one vector d. Both map Y to Y. The
    first permutes Y, and so does the second, because it is injective. The sums over Y are equal, so d = 0.
    """
    a, e, t = word(a), Omega(word(x)), word(t)
    f = Omega((*a, e, *word(c)))
    alpha, beta = (*a, e, *t, f), (*a, *t, f)
    if not longer_first:
        alpha, beta = beta, alpha
    return (Omega(alpha), *alpha), (Omega(alpha), *beta, Omega(alpha))


@dataclass(frozen=True)
class Finite(LayerLaw):
    """The law of finitely many states, for the language a^n b^n."""

    def separates(self, language: Language, most: int) -> bool:
        """Return whether the language contains a^i b^i, but not a^j b^i, for all i ≠ j up to ``most``."""
        bound = range(most + 1)
        return all(language.contains(word("a" * j + "b" * i)) == (i == j) for i in bound for j in bound)

    def text(self, most: int) -> str:
        """Return a sentence with the words aⁱbⁱ and aʲbⁱ, which show that the language violates the law."""
        return f"aⁱbⁱ is in the language and aʲbⁱ is not if i ≠ j (run for i, j ≤ {most})"


FINITE = Finite(
    "finitely many states",
    "Two of the words ε, a, aa, … lead to the same state.",
    "There are more words than states. If aⁱ and aʲ lead to the same state, so do aⁱbⁱ and aʲbⁱ.",
)


REFLECTIONS = LayerLaw(
    "reflections",
    "A layer with n_h ≤ 3 does not recognise the words over all permutations of 5 items whose product is 1.",
    cleandoc(
        """
        Let the letters map onto a group G, which the state determines. Let e be an idempotent in the
        minimal ideal of the finite monoid M of letter maps. Then e M e is a finite group that maps onto G
        and acts on Y = e(X) in each head. All factors along a word that permutes Y are isometric on the
        current differences. A factor with β in (0, 2) is isometric on z only if k·z = 0, and then it fixes
        z. So on the span V of differences of Y, "s, then e" is R S, where S and R are the products of the
        factors with β = 2 of s and e, and R fixes V. So RSV = V, and S v = R⁻¹(RS v) = RS v: S preserves V,
        and the letter s acts on V as S, with rank(S - 1) ≤ n_h. So there is a finite group of orthogonal
        matrices for each head, jointly onto G, in which each letter has an element of this rank. It need
        not be G itself: it can be a cover.

        Suppose n_h ≤ 3. A power of the element of the 5-cycle c = (1 2 3 4 5) has an order that is a power
        of 5 and still lies over a 5-cycle, which we call c again. In each head rank(c - 1) is even, because
        its eigenvalues are in conjugate pairs, and at most 3: it is the identity or a rotation of a plane.
        Let t = (1 2), so that c and t c t⁻¹ generate A₅. Their elements generate a group that maps onto A₅,
        and acts in each head on at most 4 dimensions as a subgroup of SO(4) = (SU(2) × SU(2))/±1. So a
        central extension of it is a subdirect product of finite subgroups of SU(2), two for each head. A
        map of a subdirect product onto a simple group that is not abelian factors through one coordinate
        (Goursat). That coordinate is the binary icosahedral group, the only finite subgroup of SU(2) with
        the quotient A₅. In it, the components of c and t c t⁻¹ belong to rotations of a plane by the same
        angle, so their real parts agree up to sign, so they are conjugate up to sign, and c and t c t⁻¹ are
        conjugate in A₅. But t is odd and exchanges the two classes of 5-cycles of A₅: a contradiction.
        """
    ),
)


def pieces(term: Term) -> Counter[Any]:
    """Return what determines the summands of a diagonal layer's score on a word, as a multiset.

    The summand of a position depends on its letter, and on how often each letter occurs after it. The summand
    of the start depends on how often each letter occurs.
    """
    counts: Counter[Hashable] = Counter()
    result: Counter[Any] = Counter()
    for letter in (*reversed(term), None):
        result[letter, frozenset(counts.items())] += 1
        counts[letter] += 1
    return result


@dataclass(frozen=True)
class Crossing(LayerLaw):
    """The law that two lists of words have equal sums of scores in layers whose matrices commute.

    The arguments of the methods are the two lists.
    """

    def balanced(self, left: Sequence[Term], right: Sequence[Term]) -> bool:
        """Return whether the words of both lists have the same multiset of pieces; see :func:`pieces`."""
        return sum(map(pieces, left), Counter()) == sum(map(pieces, right), Counter())

    def separates(self, language: Language, left: Sequence[Term], right: Sequence[Term]) -> bool:
        """Return whether the language contradicts the law on these lists.

        This is the case if the lists are balanced, and the language contains all words of ``left`` and none
        of ``right``.
        """
        return (
            len(left) > 0
            and self.balanced(left, right)
            and all(map(language.contains, left))
            and not any(map(language.contains, right))
        )

    def holds(self, layer: Layer, left: Sequence[Term], right: Sequence[Term]) -> bool:
        """Return whether the sums of a layer's scores of the two lists of words are equal."""
        return sum(layer.score(layer.run(w)) for w in left) == sum(layer.score(layer.run(w)) for w in right)

    def text(self, left: Sequence[Term], right: Sequence[Term]) -> str:
        """Return the law as text, such as ``f(a b) + f(b a) = f(a a) + f(b b)``, where f is the score.

        The text also says that only the words on the left are in the language.
        """
        sums = (" + ".join(f"f({shown(w)})" for w in words) for words in (left, right))
        return " = ".join(sums) + "; only the words on the left are in the language"


CROSSING = Crossing(
    "crossing",
    "If two lists of words have the same pieces, the scores of the words have the same sum.",
    cleandoc(
        """
        The matrices of the letters commute, so the score of a word is a sum of summands that are called the
        pieces of the word. The summand of a position depends on its letter and on how often each letter
        occurs after it. The summand of the start depends on how often each letter occurs. For example,
        f(wuv) + f(w'u'v) = f(wu'v) + f(w'uv) if u' is a permutation of u: x(wu) - x(wu') does not depend on
        w. The words on the left have positive scores and those on the right do not, so the sums differ: a
        contradiction. This holds over any commutative ring. Coq checks the identity with u and u'.
        """
    ),
)


@dataclass(frozen=True)
class Alternation(LayerLaw):
    """The law of layers with real eigenvalues.

    Consider the words u sⁱ v with i = k, k + ``stride``, k + 2 ``stride``, .... From some i on, a layer
    accepts either all of them or none.
    """

    stride: int

    def separates(self, language: Language, before: Term, letter: Hashable, after: Term) -> bool:
        """Return whether the answers on u sⁱ v, for every ``stride``-th i, change infinitely often.

        Here u is ``before``, s is ``letter``, and v is ``after``.
        """
        assert language.dfa is not None
        states = language.dfa.states
        words = [
            (*before, *[letter] * i, *after) for i in range(states, states + self.stride * (states + 1) + 1)
        ]
        # the answers are periodic in i, with a period of at most the number of states
        answers = [language.contains(w) for w in words]
        return any(a != b for a, b in zip(answers, answers[self.stride :], strict=False))

    def changes(self, layer: Layer, before: Term, letter: Hashable, after: Term, most: int) -> int:
        """Return how often a layer's answer on the words u sⁱ v changes.

        The exponents i are k, k + stride, ..., up to ``most``. The result is the maximum over k < stride.
        """
        signs = [layer.accepts(layer.run((*before, *[letter] * i, *after))) for i in range(most + 1)]
        return max(sum(a != b for a, b in pairwise(signs[k :: self.stride])) for k in range(self.stride))

    def text(self, before: Term, letter: Hashable, after: Term) -> str:
        """Return a sentence that says that the answers on the words u sⁱ v change infinitely often."""
        start, end = (shown(word(w)) if w else "" for w in (before, after))
        among = " among even i or odd i" if self.stride == 2 else ""
        return f"the answer on {start}({shown(word([letter]))})ⁱ{end} changes infinitely often{among}"


CHANGES = Alternation(
    "class changes",
    "If all eigenvalues are real and at least 0, the answers on u sⁱ v, i = 0, 1, …, change finitely often.",
    cleandoc(
        """
        The score on u sⁱ v is a sequence that is annihilated by a product of m factors (E - r) with r ≥ 0,
        where E is the shift. Such a sequence changes its class, positive or not, at most m times, by
        induction on m. Let y = (E - r) x. At a change of x from "not positive" to "positive", y > 0; at a
        change back, y ≤ 0. The two kinds of change alternate, so y has at least one change fewer than x.
        After m steps the sequence is 0.
        """
    ),
    1,
)
PERIOD_TWO = Alternation(
    "period two",
    "If all eigenvalues are real, the answers on u sⁱ v change finitely often for even i, and for odd i.",
    'The squares of the eigenvalues are not negative: apply the law "class changes" to the letter s twice.',
    2,
)
