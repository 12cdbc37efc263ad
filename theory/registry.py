"""A registry of all claims in the papers' folders and of the claims that users add."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from functools import cache

import theory
from automata.errors import InputError
from automata.text.number_text import shorten
from theory.claim import Claim
from theory.papers import PAPERS


@cache
def modules() -> dict[str, Claim]:
    """Return the claims of the papers, keyed by the dotted names of their modules."""
    papers = (m for m in pkgutil.iter_modules(theory.__path__, "theory.") if m.ispkg)
    every = (
        m
        for p in papers
        for m in pkgutil.walk_packages(importlib.import_module(p.name).__path__, f"{p.name}.")
    )
    values = {m.name: getattr(importlib.import_module(m.name), "CLAIM", None) for m in every}
    return {name: claim for name, claim in values.items() if isinstance(claim, Claim)}


@cache
def claims() -> dict[str, Claim]:
    """Return the claims of the papers, keyed by name and ordered by paper, section and number."""
    by_name: dict[str, Claim] = {}
    for claim in modules().values():
        if by_name.setdefault(claim.name, claim) is not claim:
            raise ValueError(f"two files define the claim {claim.name}")
    return dict(sorted(by_name.items(), key=lambda item: _order(item[1])))


_registered: dict[str, Claim] = {}


def claim_named(name: str) -> Claim:
    """Return the claim of this name, including claims that users registered."""
    if not isinstance(name, str):
        raise InputError(
            f"the name of a claim must be a string, got {shorten(name)} of type {type(name).__name__}"
        )
    if name in _registered:
        return _registered[name]
    if name not in claims():
        near = get_close_matches(name.lower(), claims(), 1, cutoff=0.5)
        which = f"did you mean {near[0]}?" if near else "ratproof claims lists all claims"
        raise InputError(f"there is no claim {shorten(name)}; {which}")
    return claims()[name]


def is_registered(name: str) -> bool:
    """Return whether a claim of this name was registered by a user."""
    return name in _registered


def register(claim: Claim) -> None:
    """Register a user's claim under its name until the program ends.

    The claim replaces a claim of the papers with the same name.

    Raises :class:`~automata.errors.InputError` if the claim itself is built-in.
    """
    if claims().get(claim.name) is claim:
        raise InputError(f"{claim.name} is a built-in claim; run it with ratproof verify")
    _registered[claim.name] = claim


def forget(name: str) -> None:
    """Remove a user's claim."""
    _registered.pop(name, None)


@contextmanager
def registered(claim: Claim) -> Iterator[None]:
    """Register a claim until the ``with`` block ends; then restore the earlier registrations."""
    before = dict(_registered)
    register(claim)
    try:
        yield
    finally:
        _registered.clear()
        _registered.update(before)


def _order(claim: Claim) -> tuple[int, tuple[str, ...], int, str]:
    number = "".join(c for c in claim.source.statement if c.isdigit())
    papers = list(PAPERS)
    paper = papers.index(claim.source.paper) if claim.source.paper in papers else len(papers)
    return paper, tuple(claim.source.section.split(".")), int(number or 0), claim.name
