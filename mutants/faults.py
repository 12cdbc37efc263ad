"""Faults that change the result of a claim's network, automaton, layer, gradient or program.

Most faults are derived from the claim, so a new claim has them automatically: a weight is dropped, weights of
the same shape are exchanged, a symbol is read late, the state is lost, or a matrix is transposed. Faults of
single formulas are defined as text in ``mutants/faults.toml``, and faults of Coq's definitions in
:mod:`mutants.coq_faults`.
"""

import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations, islice, product
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("faults.toml")
LOST = (40, 150)
"""The number of symbols after which a state is lost in torch."""
LOST_EXACTLY = 20
"""The number of symbols after which a state is lost in exact arithmetic.

Random strings are shorter, and a decision can still find the fault.
"""
PARTS = {
    "network": ("exa", "xck", "exh", "dec", "prv", "coq"),
    "automaton": ("exa", "xck", "exh", "dec", "prv", "coq"),
    "layer": ("cpu",),
    "gates": ("cpu",),
    "reading": ("cpu", "dec"),
    "gradient": ("grd",),
    "program": ("cpu",),
    "formula": ("exa", "cpu", "grd", "xck", "exh", "dec", "prv", "coq"),
    "theorem": ("coq",),
}
"""The parts that a fault can change, with the kinds of evidence that run them."""
Change = Callable[[Any], Any]


@dataclass(frozen=True)
class Fault:
    """A fault in one variant of a claim.

    Attributes:
        part: the broken part, a key of :data:`PARTS`.
        says: a description of the fault.
        plant: a context in which the fault is present; it yields the changed variant.
    """

    part: str
    says: str
    plant: Callable[[], Any]


@dataclass(frozen=True)
class TextFault:
    """A fault that replaces a piece of the code in a source file.

    Attributes:
        claims: the claims that run this code.
        variants: the variants that the fault affects; by default, all that hold.
    """

    part: str
    says: str
    file: str
    before: str
    after: str
    claims: tuple[str, ...]
    variants: tuple[str, ...] = ()

    def planted(self, text: str) -> str:
        """Return the file's text with the fault.

        Raises:
            ValueError: If the file does not contain ``before`` exactly once.
        """
        count = text.count(self.before)
        if count != 1:
            raise ValueError(
                f"{self.says}: {self.before!r} must occur once in {self.file}, got {count} times"
            )
        return text.replace(self.before, self.after)


def text_faults() -> list[TextFault]:
    """Return the faults of ``faults.toml``."""
    entries = tomllib.loads(FILE.read_text(encoding="utf-8")).get("fault", [])
    lists = ("claims", "variants")
    return [TextFault(**entry | {name: tuple(entry.get(name, ())) for name in lists}) for entry in entries]


def faults_of(claim: Any, variant: Any) -> Iterator[Fault]:
    """Yield the faults that are derived from a claim, and from its torch layers and programs."""
    yield from _network_faults(claim, variant)
    yield from _automata_faults(claim, variant)
    for layer in claim.layers_of(variant):
        if not layer.startswith("sr-"):
            yield from _layer_faults(variant, layer)
    yield from _program_faults(claim, variant)


# Networks over exact numbers, and automata.


def _network_faults(claim: Any, variant: Any) -> Iterator[Fault]:
    entries = getattr(_probes(variant)[0], "entries", {})
    # tables keyed by symbol come first
    names = sorted(entries, key=lambda name: not isinstance(entries[name], dict))
    by_symbol = [name for name in names if isinstance(entries[name], dict)]
    alike = [(a, b) for a, b in combinations(names, 2) if _shape(entries[a]) == _shape(entries[b])]
    square = [name for name in names if _is_square(entries[name])]
    steps: dict[str, Change] = {
        "every symbol is read twice": _stepping(lambda step, w, s, x: step(w, step(w, s, x), x)),
        "another symbol is read": _stepping(
            lambda step, w, s, x: step(w, s, w.alphabet[-1 - list(w.alphabet).index(x)])
        ),
        f"the state is lost after {LOST_EXACTLY} symbols": _losing(LOST_EXACTLY),
    }
    groups: list[tuple[dict[str, Change], int]] = [
        (steps, len(steps)),
        ({f"{name} is dropped": _with_weights(_dropping(name)) for name in names}, 2),
        ({f"{a} and {b} are exchanged": _with_weights(_exchanging(a, b)) for a, b in alike}, 1),
        ({f"{name} is transposed": _with_weights(_transposing(name)) for name in square}, 1),
        ({f"{name} is read a symbol late": _late(name) for name in by_symbol}, 1),
    ]
    networks = {"": "recurrence"}
    if variant.reading.algorithm is not None:
        networks[", in the algorithm"] = "algorithm"
    for where, part in networks.items():
        for changes, most in groups if part == "recurrence" else groups[:1]:  # an algorithm has no weights
            for says, broken in islice(_effective_changes(variant, part, changes), most):
                yield Fault("network", says + where, _registering(claim, broken))


def _automata_faults(claim: Any, variant: Any) -> Iterator[Fault]:
    import numpy as np

    changes: dict[str, Change] = {
        "its matrices are transposed": lambda a: a.replace(matrices=a.matrices.transpose(0, 2, 1)),
        "its initial weights are shifted": lambda a: a.replace(initial=np.roll(a.initial, 1)),
        "its last transition is lost": _without_last_transition,
        "its final weights are shifted": lambda a: a.replace(final=np.roll(a.final, 1)),
        "its initial weights are all zero": lambda a: a.replace(
            initial=np.full_like(a.initial, a.semiring.zero)
        ),
    }
    each = {says: _each(change) for says, change in changes.items()}
    for says, broken in islice(_effective_changes(variant, "construction", each), 3):
        yield Fault("automaton", says, _registering(claim, broken))


def _effective_changes(variant: Any, part: str, changes: Mapping[str, Change]) -> Iterator[tuple[str, Any]]:
    """Yield the description and the changed variant of each change that changes some value.

    Each change is applied to one part of the variant, such as ``recurrence``.
    """
    for says, change in changes.items():
        broken = variant.changed(**{part: change(variant.part(part))})
        if _differs(variant, broken, says):
            yield says, broken


def _each(change: Change) -> Change:
    return lambda construction: lambda w: [change(a) for a in construction(w)]


def _without_last_transition(automaton: Any) -> Any:
    """Return the automaton without the last nonzero weight in its matrices."""
    import numpy as np

    zero, matrices = automaton.semiring.zero, automaton.matrices.copy()
    indices = np.argwhere(matrices != zero)
    if not len(indices):
        return automaton
    matrices[tuple(indices[-1])] = zero
    return automaton.replace(matrices=matrices)


def _registering(claim: Any, broken: Any) -> Callable[[], Any]:
    @contextmanager
    def plant() -> Iterator[Any]:
        from theory import registry

        variants = tuple(broken if v.name == broken.name else v for v in claim.variants)
        registry._registered[claim.name] = replace(claim, variants=variants)
        try:
            yield broken
        finally:
            del registry._registered[claim.name]

    return plant


def _stepping(step: Callable[..., Any]) -> Change:
    """Return a change that replaces the step of a recurrence by ``step``.

    The new step gets the original one as its first argument.
    """
    return lambda recurrence: replace(recurrence, step=lambda w, state, x: step(recurrence.step, w, state, x))


def _remembering(recurrence: Any, first: Any, step: Callable[..., Any]) -> Any:
    """Return a recurrence that remembers one of finitely many values next to its state.

    Args:
        recurrence: the original recurrence.
        first: the first value.
        step: a function from the weights, the value, the state and a symbol to the next value and state.
    """

    def pair(state: Any, more: Any) -> Any:
        return ((more, state[0]), state[1]) if recurrence.modes else (more, state)

    def parts(state: Any) -> tuple[Any, Any]:
        more, rest = state
        return (more[0], (more[1], rest)) if recurrence.modes else (more, rest)

    def start(w: Any) -> Any:
        return pair(recurrence.start(w), first)

    def after(w: Any, state: Any, x: Any) -> Any:
        more, rest = step(w, *parts(state), x)
        return pair(rest, more)

    reads = {"out": lambda w, state: recurrence.out(w, parts(state)[1])}
    if hasattr(recurrence, "scores"):
        reads = {"scores": lambda w, state: recurrence.scores(w, parts(state)[1])}
    return replace(recurrence, start=start, step=after, modes=True, **reads)


def _losing(symbols: int) -> Change:
    """Return a fault that resets the state to the initial state after ``symbols`` symbols."""

    def change(recurrence: Any) -> Any:
        def step(w: Any, count: int, state: Any, x: Any) -> tuple[int, Any]:
            before = recurrence.start(w) if count == symbols else state
            return min(count + 1, symbols + 1), recurrence.step(w, before, x)

        return _remembering(recurrence, 0, step)

    return change


def _with_weights(change: Change) -> Change:
    """Return a fault that changes the weights of a recurrence."""

    def with_change(right: Callable[..., Any]) -> Callable[..., Any]:
        return lambda w, *rest: right(change(w), *rest)

    def broken(recurrence: Any) -> Any:
        names = ("start", "step", "scores" if hasattr(recurrence, "scores") else "out")
        return replace(recurrence, **{name: with_change(getattr(recurrence, name)) for name in names})

    return broken


def _entry(w: Any, name: str, value: Any) -> Any:
    return replace(w, entries={**w.entries, name: value})


def _mapped(function: Change, value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _mapped(function, v) for key, v in value.items()}
    return tuple(_mapped(function, v) for v in value) if isinstance(value, tuple) else function(value)


def _dropping(name: str) -> Change:
    return lambda w: (
        _entry(w, name, _mapped(lambda _: w.over.zero, w.entries[name])) if name in w.entries else w
    )


def _exchanging(a: str, b: str) -> Change:
    return lambda w: _entry(_entry(w, a, w.entries[b]), b, w.entries[a]) if {a, b} <= set(w.entries) else w


def _transposing(name: str) -> Change:
    def turned(value: Any) -> Any:
        return (
            {key: turned(v) for key, v in value.items()}
            if isinstance(value, dict)
            else tuple(zip(*value, strict=True))
        )

    return lambda w: _entry(w, name, turned(w.entries[name])) if name in w.entries else w


def _late(name: str) -> Change:
    """Return a fault that uses the weight of the previous symbol instead of the current one."""

    def change(recurrence: Any) -> Any:
        def step(w: Any, before: Any, state: Any, x: Any) -> tuple[Any, Any]:
            table = w.entries[name]
            late = {key: table.get(key[:-1] + before if before else key, v) for key, v in table.items()}
            return x, recurrence.step(_entry(w, name, late), state, x)

        return _remembering(recurrence, "", step)

    return change


def _shape(value: Any) -> Any:
    if isinstance(value, dict):
        return "table", *sorted({_shape(v) for v in value.values()})
    return (len(value), *_shape(value[0])) if isinstance(value, tuple) and value else ()


def _is_square(value: Any) -> bool:
    one = next(iter(value.values())) if isinstance(value, dict) else value
    return (
        isinstance(one, tuple)
        and len(one) > 1
        and all(isinstance(r, tuple) and len(r) == len(one) for r in one)
    )


def _probes(variant: Any) -> list[Any]:
    """Return test cases on which a changed variant is compared with the original.

    These are small cases and, if the variant has a theorem, the cases with generic weights on which Coq's
    definitions are compared with Python's.
    """
    from ratproof.coq.bond import some_cases

    generic = some_cases(variant)[::-1] if variant.theorem is not None else []
    small = list(islice(variant.small_cases(2), 400))
    return [*(case for case in generic if hasattr(case, "entries")), *small[:: -(len(small) // 12 + 1)]]


def _differs(variant: Any, broken: Any, says: str) -> bool:
    """Return whether the broken variant differs from the correct one on some test case and string."""
    for case in _probes(variant):
        letters = tuple(case.alphabet)
        long = letters * (-(-(LOST_EXACTLY + 2) // len(letters)))
        strings = [long] if "lost after" in says else product(letters, repeat=3)
        for string in strings:
            for of in (_shown, _scored):
                try:
                    if of(variant, case, string) != of(broken, case, string):
                        return True
                except (ArithmeticError, ValueError, TypeError, LookupError, AssertionError):
                    return True  # a step that raises an error also differs
    return False


def _shown(variant: Any, case: Any, string: Sequence[Any]) -> Any:
    return list(variant.reading.recurrence.values(case, string))


def _scored(variant: Any, case: Any, string: Sequence[Any]) -> Any:
    return [list(variant.reading.scores(a, string)) for a in variant.reading.construction(case)]


# Torch layers whose units are automata.


def _layer_faults(variant: Any, layer: str) -> Iterator[Fault]:
    from hypothesis import strategies as st

    from neural.layer_kind import layer_kinds

    kind = layer_kinds()[layer]
    cell = kind.cls.cell_class

    def fault(part: str, says: str, **methods: Any) -> Fault:
        return Fault(part, f"{layer}: {says}", _patching(variant, [(cell, methods)]))

    right = cell.recur
    for n in LOST:
        yield fault("layer", f"the state is lost after {n} symbols", recur=_torch_losing(right, n))
    yield fault("layer", "every symbol is read a step late", recur=_torch_late(right))
    if repr(kind.starts) != repr(st.none()):  # otherwise the first state is the semiring's zero
        yield fault("layer", "the first state is ignored", recur=lambda c, v, s: right(c, v, _zeros(c, s)))
        yield fault(
            "gradient",
            "the gradient of the first state is lost",
            recur=lambda c, v, s: right(c, v, [x.detach() for x in s]),
        )
    for n in (4, LOST[0]):
        yield fault("gradient", f"the gradient ends {n} symbols back", recur=_truncating(right, n))
    arrays = cell.arrays
    for says, turn in _WRONG_ARRAYS.items():
        yield fault("reading", says, arrays=lambda c, *more, t=turn: [t(*of) for of in arrays(c, *more)])
    for says, wrong in _WRONG_GRADIENTS.items():
        yield fault("gradient", says, recur=_backward(right, wrong))
    for says, change in _wrong_gates(cell).items():
        yield fault(
            "layer", f"{says}, in its steps", recur=lambda c, v, s, ch=change: c.steps(ch(c, c.gates(v)), s)
        )
        yield fault(
            "gates",
            f"{says}, for its automata too",
            gates=lambda c, v, ch=change, g=cell.gates: ch(c, g(c, v)),
            fused=lambda c, v, s: None,  # the fused code computes the gates itself
        )


def _wrong_gates(cell: Any) -> dict[str, Callable[[Any, dict[str, Any]], dict[str, Any]]]:
    """Return functions that change a layer's gates, keyed by a description of the fault.

    They change gates that are weights of the layer's automaton, if it has such gates.
    """
    from neural.affine import AffineCell
    from neural.linear_recurrence_cell import LinearRecurrenceCell
    from neural.pattern import ONE, START, ZERO

    if issubclass(cell, LinearRecurrenceCell):
        return _wrong_polynomial_gates()
    pattern = getattr(cell, "pattern", None)
    arrows = () if pattern is None else (*pattern.arrows, *pattern.epsilon)
    names = [name for name in dict.fromkeys(name for _, _, name in arrows) if name not in (ONE, START, ZERO)]

    def halved(_: Any, gates: dict[str, Any]) -> dict[str, Any]:
        name = (names or list(gates))[0]
        return gates | {name: 0.5 * gates[name]}

    def exchanged(_: Any, gates: dict[str, Any]) -> dict[str, Any]:
        pair = (names or list(gates))[:2]
        return gates | dict(zip(pair, (gates[name] for name in reversed(pair)), strict=True))

    def transposed(_: Any, gates: dict[str, Any]) -> dict[str, Any]:
        return gates | {"W": gates["W"].transpose(-1, -2)}

    first, both = (names[0], " and ".join(names[:2])) if names else ("the first gate", "the first two gates")
    second = (
        {"W is transposed": transposed}
        if issubclass(cell, AffineCell)
        else {f"{both} are exchanged": exchanged}
    )
    return {f"{first} is halved": halved, **second}


def _wrong_polynomial_gates() -> dict[str, Callable[[Any, dict[str, Any]], dict[str, Any]]]:
    """Return the faults for layers whose automata have polynomials in the gates as weights."""

    def change(at: int, change: Callable[[Any], Any]) -> Callable[[Any, dict[str, Any]], dict[str, Any]]:
        def changed(cell: Any, gates: dict[str, Any]) -> dict[str, Any]:
            name = list(gates)[at]
            return gates | {name: change(gates[name])}

        return changed

    return {
        "the first gate is halved": change(0, lambda gate: 0.5 * gate),
        "the last gate is negated": change(-1, lambda gate: -gate),
    }


def _zeros(cell: Any, state: Sequence[Any]) -> list[Any]:
    import torch

    return [torch.full_like(s, cell.semiring.zero) if i < cell.c_states else s for i, s in enumerate(state)]


def _torch_losing(right: Any, symbols: int) -> Any:
    import torch

    def recur(cell: Any, view: Any, state: Sequence[Any]) -> Any:
        if len(view) <= symbols:
            return right(cell, view, state)
        head = right(cell, view[:symbols], state)
        return tuple(map(torch.cat, zip(head, right(cell, view[symbols:], _zeros(cell, state)), strict=True)))

    return recur


def _truncating(right: Any, symbols: int) -> Any:
    """Return a fault that stops the gradient at every multiple of ``symbols`` symbols."""
    import torch

    def recur(cell: Any, view: Any, state: Sequence[Any]) -> Any:
        head = right(cell, view[:symbols], state)
        if len(view) <= symbols:
            return head
        last = [h[-1].detach() for h in head]
        rest = recur(cell, view[symbols:], [*last, *state[len(last) :]])
        return tuple(map(torch.cat, zip(head, rest, strict=True)))

    return recur


def _torch_late(right: Any) -> Any:
    import torch

    return lambda cell, view, state: right(cell, torch.cat([view[:1], view[:-1]]), state)


_WRONG_GRADIENTS: dict[str, Change] = {
    "gradients are negated": lambda g: -g,
    "gradients arrive a step late": lambda g: g.roll(1, 0),
}


_WRONG_ARRAYS: dict[str, Callable[[Any, Any, Any], tuple[Any, Any, Any]]] = {
    "its automata's matrices are transposed": lambda i, f, m: (i, f, m.swapaxes(-1, -2).copy()),
    "its automata's initial and final weights are exchanged": lambda i, f, m: (f, i, m),
}


def _backward(right: Any, wrong: Change) -> Any:
    import torch

    class Wrong(torch.autograd.Function):
        @staticmethod
        def forward(context: Any, value: Any) -> Any:
            return value.clone()

        @staticmethod
        def backward(context: Any, *gradients: Any) -> Any:
            return wrong(gradients[0])

    through: Any = Wrong
    return lambda cell, view, state: tuple(through.apply(c) for c in right(cell, view, state))


def _patching(variant: Any, changes: Sequence[tuple[Any, Mapping[str, Any]]]) -> Callable[[], Any]:
    """Return a context manager that plants changes by replacing attributes of classes or modules."""

    @contextmanager
    def plant() -> Iterator[Any]:
        with ExitStack() as stack:
            for owner, attributes in changes:
                for name, value in attributes.items():
                    stack.enter_context(_attribute(owner, name, value))
            yield variant

    return plant


@contextmanager
def _attribute(owner: Any, name: str, value: Any) -> Iterator[None]:
    own, before = name in vars(owner), vars(owner).get(name)
    setattr(owner, name, value)
    try:
        yield
    finally:
        if own:
            setattr(owner, name, before)
        else:
            delattr(owner, name)


# Torch programs: FA-RNNs and state-regularized networks.


def _program_faults(claim: Any, variant: Any) -> Iterator[Fault]:
    from ratproof.implementations.fa_rnn.table import PROGRAMS

    for name in variant.programs:
        if name in PROGRAMS:
            yield from _fa_rnn_faults(variant, name)
    sr = [n for n in (*variant.programs, *claim.layers_of(variant)) if n.startswith("sr-")]
    if sr:
        yield from _cell_faults(variant)


def _without_first(count: int, words: Any) -> Any:
    """Return the words without the first ``count`` words, or all words if there are not more than that."""
    return words[count:] or words


def _reads_in_order(variant: Any) -> bool:
    """Return whether reversing some string of three symbols changes its final scores in some test case."""
    return any(
        [scores[-1] for scores in _scored(variant, case, string)]
        != [scores[-1] for scores in _scored(variant, case, string[::-1])]
        for case in _probes(variant)
        for string in product(tuple(case.alphabet), repeat=3)
    )


def _fa_rnn_faults(variant: Any, name: str) -> Iterator[Fault]:
    from ratproof.implementations.fa_rnn.table import PROGRAMS

    program = PROGRAMS[name]
    reads: dict[str, Change] = {
        "sentences are read from their end": lambda words: words[::-1],
        "the first word is not read": lambda words: words[1:],
        "every word is read twice": lambda words: tuple(w for w in words for _ in range(2)),
        **{f"the state is lost after {n} words": partial(_without_first, n) for n in LOST},
    }

    def reading(change: Change) -> Any:
        def build(case: Any, factory: Any) -> Any:
            network = program.build(case, factory)
            return lambda sentences: network([change(words) for words in sentences])

        return build

    def of(says: str, build: Any) -> Fault:
        @contextmanager
        def plant() -> Iterator[Any]:
            PROGRAMS[name] = replace(program, build=build)
            try:
                yield variant
            finally:
                PROGRAMS[name] = program

        return Fault("program", f"{name}: {says}", plant)

    if not _reads_in_order(variant):
        del reads["sentences are read from their end"]
    for says, change in reads.items():
        yield of(says, reading(change))
    yield of(
        "scores are halved", lambda case, factory: lambda s, n=None: 0.5 * program.build(case, factory)(s)
    )


def _cell_faults(variant: Any) -> Iterator[Fault]:
    import torch

    from neural.state_regularized import fast_steps
    from neural.state_regularized.component import StochasticComponent
    from neural.state_regularized.layers import SRCell
    from neural.unrolled import CellOutput

    def losing(symbols: int, run: Any = SRCell.run) -> Any:
        def broken(cell: Any, inputs: Any, state: Any) -> Any:
            if len(inputs) <= symbols:
                return run(cell, inputs, state)
            parts = run(cell, inputs[:symbols], state), run(cell, inputs[symbols:], state)
            scores, outputs, states = (
                [getattr(p, name) for p in parts] for name in ("scores", "outputs", "states")
            )
            last_states = tuple(map(torch.cat, zip(*states, strict=True)))
            return CellOutput(torch.cat(scores), torch.cat(outputs), last_states)

        return broken

    def fault(says: str, owner: Any, **attributes: Any) -> Fault:
        slow = (fast_steps, {"can_run": lambda *_: False})  # the fast steps do not use the faulty code
        changes = [(owner, attributes), slow]
        return Fault("program", f"state-regularized layers: {says}", _patching(variant, changes))

    right, similar = StochasticComponent.forward, StochasticComponent.similarities
    # The layers of a variant without programs sample. The cells to which they are compared get no fault.
    samples = not variant.programs

    def choosing(change: Callable[[Any, Any], Any]) -> Any:
        def forward(component: Any, u: Any) -> Any:
            h, alpha = right(component, u)
            if samples and component.transition == "limit":
                return h, alpha
            other = change(component, alpha)
            chosen = component.centroids.T[other.argmax(-1)]
            return (other @ component.centroids.T if component.transition == "mixture" else chosen), other

        return forward

    if not {"sr-asked", "sr-counted"} & set(variant.programs):  # these programs use short strings
        for n in LOST[:1] if samples else LOST:  # strings for layers that sample have at most 48 symbols
            yield fault(f"the state is lost after {n} symbols", SRCell, run=losing(n))
    for says, change in (
        ("the least probable centroid is taken", lambda c, alpha: (1 - alpha) / (c.k - 1)),
        ("the centroid after the chosen one is taken", lambda c, alpha: alpha.roll(1, -1)),
        ("the first centroid is always taken", lambda c, alpha: torch.eye(c.k).to(alpha)[0].expand_as(alpha)),
    ):
        yield fault(says, StochasticComponent, forward=choosing(change))
    if samples:  # these faults do not change the most probable centroid

        def unlike(change: Callable[[Any, Any], Any]) -> Any:
            return lambda c, u: similar(c, u) if c.transition == "limit" else change(c, similar(c, u))

        for says, change in (
            (
                "equation 3 has the square of the distance",
                lambda c, b: b * b.abs() if c.similarity == "euclidean" else b,
            ),
            ("the temperature is doubled", lambda c, b: b / 2),
        ):
            yield fault(says, StochasticComponent, similarities=unlike(change))
