"""Users' own programs, kernels and models, which are checked like claims of :mod:`theory.claim`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ratproof.evidence.results import Observation
from ratproof.evidence.run import Observe, run

if TYPE_CHECKING:  # the registration of a kernel must not import the theory
    from theory.claim import Claim

STATED = "stated"
"""The name of the only variant of a user's claim."""


@dataclass(frozen=True)
class OnlyVariant:
    """The single variant of a user's subject, with the attributes of :class:`theory.claim.Variant`."""

    says: str
    kinds: tuple[str, ...]
    name: str = STATED
    expected: str = "holds"
    constant: str = ""


@dataclass(frozen=True)
class Subject:
    """The program, kernel or model that evidence is about.

    Attributes:
        name: Name on the command line.
        says: The claim as a sentence.
        rungs: An assertion for each kind of evidence.
        device: Device of torch.
    """

    name: str
    says: str
    rungs: Mapping[str, Callable[[], None]]
    device: str = "cpu"

    @property
    def title(self) -> str:
        """Return the claim as a sentence, because a user's subject has no shorter title."""
        return self.says

    @property
    def variants(self) -> tuple[OnlyVariant, ...]:
        """Return the only variant in a tuple."""
        return (OnlyVariant(self.says, tuple(self.rungs)),)

    def variant(self, name: str) -> OnlyVariant:
        """Return the only variant; raise ``KeyError`` if its name is not ``name``."""
        if name != STATED:
            raise KeyError(f"{self.name} has no variant {name!r}; it has {STATED}")
        return self.variants[0]

    def runs_of(self, variant: object) -> tuple[str, ...]:
        """Return ``("torch",)``, because torch runs every subject."""
        return ("torch",)


@dataclass(frozen=True)
class SubjectStep:
    """One kind of evidence for a user's subject."""

    claim: Subject
    kind: str

    @property
    def variant(self) -> OnlyVariant:
        """Return the only variant of the subject."""
        return self.claim.variants[0]

    @property
    def label(self) -> str:
        """Return the names of the subject, the variant and the kind, joined by hyphens."""
        return f"{self.claim.name}-{self.variant.name}-{self.kind}"

    def run(
        self, seed: int | None = None, observe: Observe | None = None, test: str = ""
    ) -> list[Observation]:
        """Run the evidence, and return its observation."""
        show, device = self.claim.rungs[self.kind], self.claim.device
        seen = run(
            show, self.claim, self.variant, device, kind=self.kind, test=test, seed=seed, observe=observe
        )
        return [seen]


_registered: dict[str, Subject] = {}


def subject_named(name: str) -> Claim | Subject:
    """Return the registered subject with this name or, if there is none, the claim.

    Raises:
        InputError: If there is neither.
    """
    if name in _registered:
        return _registered[name]
    from theory.registry import claim_named

    return claim_named(name)


def is_own(name: str) -> bool:
    """Return whether a user's subject is registered under this name."""
    from theory.registry import is_registered

    return name in _registered or is_registered(name)


def forget(name: str) -> None:
    """Remove a user's subject; a built-in claim of the same name then becomes visible again."""
    from theory import registry

    _registered.pop(name, None)
    registry.forget(name)


def register(subject: Claim | Subject) -> None:
    """Register a user's subject under its name."""
    if isinstance(subject, Subject):
        _registered[subject.name] = subject
        return
    from theory import registry

    registry.register(subject)
    _registered.pop(subject.name, None)


@contextmanager
def registered(subject: Claim | Subject) -> Iterator[None]:
    """Register a subject for the duration of the block."""
    if not isinstance(subject, Subject):
        from theory import registry

        with registry.registered(subject):
            yield
        return
    before = _registered.get(subject.name)
    _registered[subject.name] = subject
    try:
        yield
    finally:
        del _registered[subject.name]
        if before is not None:
            _registered[subject.name] = before
