"""What is hunted: the evidence that draws cases, scores and gradients, as pytest collects it."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import redirect_stdout
from io import StringIO
from typing import Any, cast

import pytest

from automata.errors import InputError
from ratproof.hunting.rounds import EXAMPLES
from ratproof.ladder.evidence import MARKER, Mark
from ratproof.ladder.request import Request
from ratproof.ladder.steps import Step
from ratproof.ladder.verification import pytest_arguments, pytest_environment
from ratproof.ladder.watch import last_line
from theory.claim import GRADIENT, Variant
from theory.registry import claim_named, claims

DRAWN = ("sampled", GRADIENT)
"""The kinds of evidence that draw cases."""


def require_known(names: Sequence[str], variant: str | None) -> None:
    """Raise :class:`~automata.errors.InputError` for a claim or a variant that is not there."""
    for name in names:
        claim_named(name)
    if variant is not None and not any(
        v.name == variant for n in names or claims() for v in claim_named(n).variants
    ):
        raise InputError(f"no claim that was asked for has a variant {variant!r}")


def collect(plugin: Any, names: Sequence[str], device: str) -> None:
    """Have pytest collect the evidence for these claims that draws cases, and hand it to the plugin."""
    only = tuple((name, kind) for name in names or claims() for kind in DRAWN)
    request = Request(tuple(names), (), EXAMPLES, seed=0, device=device, only=only)
    with pytest_environment(request), redirect_stdout(StringIO()) as output:
        code = pytest.main(pytest_arguments(request), plugins=[plugin])
    if code in (pytest.ExitCode.USAGE_ERROR, pytest.ExitCode.INTERNAL_ERROR, pytest.ExitCode.INTERRUPTED):
        raise RuntimeError(last_line(output.getvalue()) or "pytest could not start")


def is_target(item: pytest.Item, variant: str | None) -> bool:
    """Is it evidence that draws cases, of a variant that should hold, or of the one that is hunted?"""
    marker = item.get_closest_marker(MARKER)
    if marker is None or not isinstance(item, pytest.Function):
        return False
    mark: Mark = marker.args[0]
    parameters = item.callspec.params if hasattr(item, "callspec") else {}
    draws = hasattr(item.obj, "hypothesis") or any(isinstance(p, Step) for p in parameters.values())
    _, variants = mark.resolve()
    chosen = [cast(Variant, parameters["variant"])] if "variant" in parameters else variants
    wanted = all(v.name == variant if variant is not None else v.expected == "holds" for v in chosen)
    return mark.kind in DRAWN and draws and wanted


def by_name(items: Sequence[pytest.Item], variant: str | None) -> dict[str, pytest.Item]:
    """The targets among the tests, in an order that does not depend on the machine. A name is the test's
    place and its parameters.
    """
    named = {item.nodeid.partition("::")[2]: item for item in items if is_target(item, variant)}
    if len(named) != sum(is_target(item, variant) for item in items):
        named = {item.nodeid: item for item in items if is_target(item, variant)}
    return dict(sorted(named.items()))
