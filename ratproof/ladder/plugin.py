"""The pytest plugin: it knows each evidence test's claim, variant and kind, and turns what ran into verdicts.

It refuses a marker that names no claim, variant or kind, and a claim that lacks a kind of evidence which it
promises. A test of a variant that is expected to be refuted passes exactly when its statement fails with a
counterexample; any other exception is an error, and no refutation.

It is no entry point: pytest loads it with ``-p ratproof.ladder.plugin``, and other projects' runs do without.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Generator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import pytest

from automata.errors import InputError
from ratproof.ladder.evidence import MARKER, Mark
from ratproof.process.interpreter import on_one_stack, rare_collections
from ratproof.process.orphans import end_with

NOT_RUN = "ratproof-not-run"
"""The name under which it carries what cannot run on this machine."""
PARENT = "ratproof-parent"
"""The name under which a worker process is told which process it works for."""
OBSERVED = "ratproof"
"""The name under which a test's report carries what it showed, from whatever process it ran in."""
ON_REQUEST = frozenset({"corpus", "rule_folder"})
"""Fixtures without which a test has nothing to show: of ``--text`` and ``--rules``."""
CORPUS: pytest.StashKey[Any] = pytest.StashKey()
"""Where ``ratproof verify --text`` leaves the corpus that it has read."""


@dataclass(frozen=True)
class Search:
    """How ``ratproof hunt`` wants a test to be run.

    Attributes:
        seed: of fresh random cases.
        observe: is told of each comparison and its strings.
    """

    seed: int | None = None
    observe: Callable[[Any, Any], None] | None = None


SEARCH: pytest.StashKey[Search] = pytest.StashKey()
"""Where ``ratproof hunt`` leaves it."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options that ``ratproof verify`` sets."""
    group = parser.getgroup("ratproof")
    group.addoption("--ratproof-device", default="cpu", help="where the networks run: cpu or cuda")
    group.addoption(
        "--ratproof-text", default=None, help="a corpus, one sentence a line, for the tests on real text"
    )
    group.addoption(
        "--ratproof-embeddings", default=None, help="word vectors for the corpus: GloVe text, or npz"
    )
    group.addoption(
        "--ratproof-units", default=64, type=int, help="how many units the network on the corpus has"
    )
    group.addoption(
        "--ratproof-rules",
        default=None,
        help="a folder with rules and labelled sentences, for the tests on real rules",
    )
    group.addoption("--ratproof-evidence", action="store_true", help="run evidence tests only")
    group.addoption(
        "--ratproof-claim", action="append", default=[], help="of this claim (may be given again)"
    )
    group.addoption("--ratproof-kind", action="append", default=[], help="of this kind; may be repeated")
    group.addoption(
        "--ratproof-only",
        action="append",
        default=[],
        help="CLAIM:KIND, and nothing else (may be given again)",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Announce the marker; as a worker of ``ratproof verify``, end with it."""
    worker: dict[str, Any] = getattr(config, "workerinput", {})
    if PARENT in worker:
        end_with(worker[PARENT])
    config.addinivalue_line(
        "markers", f"{MARKER}(mark): evidence for a claim (use ratproof.ladder.evidence.evidence)"
    )


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Where evidence alone is asked for, do not import the tests that have none."""
    if not config.getoption("--ratproof-evidence") or not re.fullmatch(r"test_.*\.py", collection_path.name):
        return None
    return True if "evidence(" not in collection_path.read_text(encoding="utf-8") else None


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test with an argument ``variant`` once for each variant of its claim that promises its kind."""
    mark = _mark(metafunc.definition)
    if mark is not None and "variant" in metafunc.fixturenames:
        _, variants = _resolved(mark, metafunc.definition.nodeid)
        metafunc.parametrize("variant", variants, ids=[v.name for v in variants])


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Refuse dangling markers, and claims that lack a kind which they promise."""
    there: set[tuple[str, str, str]] = set()
    for item in items:
        mark = _mark(item)
        if mark is not None:
            claim, variants = _resolved(mark, item.nodeid)
            there |= {(claim.name, v.name, mark.kind) for v in _variants_of(item, variants)}
    inside = any("proofs_tests" in Path(arg.partition("::")[0]).resolve().parent.parts for arg in config.args)
    partial = inside or any("::" in a for a in config.args) or config.option.keyword or config.option.markexpr
    if not partial:
        _refuse_missing(there)
    if config.getoption("--ratproof-evidence"):
        kept = [item for item in items if _wanted(config, _mark(item))]
        config.hook.pytest_deselected(items=[item for item in items if item not in kept])
        items[:] = sorted(kept, key=_of_a_group)


def _of_a_group(item: pytest.Item) -> bool:
    """Is its claim one of a group of papers, which run after those that are listed by themselves?"""
    from theory.papers import PAPERS
    from theory.registry import claim_named

    mark = _mark(item)
    assert mark is not None
    paper = PAPERS.get(claim_named(mark.claim).source.paper)
    return paper is not None and bool(paper.among)


def _wanted(config: pytest.Config, mark: Any) -> bool:
    """Is it evidence that was asked for?"""
    if mark is None:
        return False
    claims, kinds = config.getoption("--ratproof-claim"), config.getoption("--ratproof-kind")
    only = config.getoption("--ratproof-only")
    return (
        (not claims or mark.claim in claims)
        and (not kinds or mark.kind in kinds)
        and (not only or f"{mark.claim}:{mark.kind}" in only)
    )


def _refuse_missing(there: set[tuple[str, str, str]]) -> None:
    from theory.registry import claim_named

    for name in sorted({claim for claim, _, _ in there}):
        for variant in claim_named(name).variants:
            for kind in variant.kinds:
                if (name, variant.name, kind) not in there:
                    raise pytest.UsageError(
                        f"{name}, variant {variant.name}, promises to be {kind}, and no test shows it"
                    )


@pytest.hookimpl(wrapper=True)
def pytest_runtestloop() -> Generator[None, bool, bool]:
    """Run the tests with few collections of garbage: all modules are there by now."""
    with rare_collections():
        return (yield)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool:
    """Run a test as pytest does, on one piece of stack."""
    runner = cast(Any, item.config.pluginmanager.get_plugin("runner"))
    return bool(on_one_stack(runner.pytest_runtest_protocol)(item, nextitem))


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run an evidence test through the runner, and see whether it showed what is expected."""
    mark = _mark(pyfuncitem)
    if mark is None:
        return None
    from dataclasses import replace

    from ratproof.evidence.kinds import Verdict
    from ratproof.evidence.not_run import NotRun
    from ratproof.ladder.run import run
    from ratproof.ladder.written_tests import Written, rung_of_test

    claim, resolved = _resolved(mark, pyfuncitem.nodeid)
    variants = _variants_of(pyfuncitem, resolved)
    on_request = not ON_REQUEST.isdisjoint(pyfuncitem.fixturenames)
    search = pyfuncitem.config.stash.get(SEARCH, Search())
    try:
        seen = run(
            rung_of_test(pyfuncitem, search.seed),
            claim,
            variants[0],
            Written(cast("str | None", pyfuncitem.funcargs.get("device"))),
            claim.effort_of(variants[0]),
            kind=mark.kind,
            test=pyfuncitem.nodeid,
            seed=search.seed,
            passed_on=(NotRun, pytest.skip.Exception) if on_request else (NotRun,),
            observe=search.observe,
        )
    except NotRun as reason:
        for variant in variants:
            not_run = {"claim": claim.name, "variant": variant.name, "kind": mark.kind, "why": str(reason)}
            pyfuncitem.user_properties.append((NOT_RUN, json.dumps(not_run)))
        pytest.skip(str(reason))
    for variant in variants:
        observation = replace(seen, variant=variant.name, expected=variant.expected)
        pyfuncitem.user_properties.append((OBSERVED, observation.to_text()))
        pyfuncitem.config.hook.pytest_ratproof_observed(observation=observation)
    expected = {v.expected for v in variants}
    if seen.verdict == Verdict.UNKNOWN or expected != {str(seen.verdict)}:
        if seen.raised is not None:
            raise seen.raised
        names = ", ".join(v.name for v in variants)
        result = f"{claim.name}, variant {names}: expected {', '.join(expected)}, found {seen.verdict}"
        pytest.fail(f"{result}; {seen.why}", pytrace=False)
    return True


class Hooks:
    """What other plugins may listen to."""

    @staticmethod
    def pytest_ratproof_observed(observation: Any) -> None:
        """Called with the :class:`~ratproof.evidence.results.Observation` of each run of an evidence test."""


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    """Add :class:`Hooks`."""
    pluginmanager.add_hookspecs(Hooks)


def _mark(item: Any) -> Any:
    marker = item.get_closest_marker(MARKER)
    if marker is None:
        return None
    if len(marker.args) != 1 or not isinstance(marker.args[0], Mark):
        raise pytest.UsageError(
            f"{item.nodeid}: the marker is what ratproof.ladder.evidence.evidence(claim, kind=...) gives"
        )
    return marker.args[0]


def _resolved(mark: Any, test: str) -> Any:
    try:
        return mark.resolve()
    except InputError as error:
        raise pytest.UsageError(f"{test}: {error}") from None


def _variants_of(item: Any, variants: list[Any]) -> list[Any]:
    chosen = getattr(item, "callspec", None)
    return [chosen.params["variant"]] if chosen is not None and "variant" in chosen.params else variants
