"""Tests of the wording of the code: openings of docstrings, names of variables, and error messages."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parent.parent
ROOMS = (
    "automata",
    "theory",
    "neural",
    "ratproof",
    "training",
    "mutants",
    "outside",
    "bench",
    "proofs_tests",
)
OPENINGS = ("Of ", "What ", "Where ", "How ", "The same ", "Those ", "So many ", "As many ")
NAMES = frozenset(
    [
        "said",
        "given",
        "made",
        "found",
        "whole",
        "place",
        "places",
        "tell",
        "telling",
        "apart",
        "started",
        "lacks",
    ]
)
IN_CHECKPOINTS = {("neural/fa_rnn/cells.py", "apart"), ("neural/fa_rnn/factors.py", "apart")}
"""Names that are keys of saved networks."""
PHRASES = ("is gone on with", "so many as", "What is out there", "is held against", "are held against")
OLD_MESSAGE = re.compile(r"\bwhere [a-z ,{}!r.]+ (?:is|are) right\b")
GENERATED = {"_build", "api", "claims", "experiments", "tests"}


@cache
def trees() -> dict[str, ast.Module]:
    files = sorted(file for room in ROOMS for file in (ROOT / room).rglob("*.py"))
    return {file.relative_to(ROOT).as_posix(): ast.parse(file.read_text(encoding="utf-8")) for file in files}


def docstrings(tree: ast.Module) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        match node:  # also the text below an attribute or a constant
            case ast.Expr(value=ast.Constant(value=str(text))):
                yield node.lineno, text.strip()


def bound_names(tree: ast.Module) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.lineno, node.id
        elif isinstance(node, ast.arg):
            yield node.lineno, node.arg
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.lineno, node.name


def test_no_docstring_opens_with_a_fragment():
    wrong = [
        f"{file}:{line}: {text.splitlines()[0]}"
        for file, tree in trees().items()
        for line, text in docstrings(tree)
        if text.startswith(OPENINGS)
    ]
    assert wrong == []


def test_no_variable_has_an_ambiguous_name():
    wrong = [
        f"{file}:{line}: {name}"
        for file, tree in trees().items()
        for line, name in bound_names(tree)
        if name in NAMES and (file, name) not in IN_CHECKPOINTS
    ]
    assert wrong == []


def test_messages_state_the_requirement():
    wrong = [
        f"{file}:{node.lineno}: {node.value}"
        for file, tree in trees().items()
        for raised in ast.walk(tree)
        if isinstance(raised, ast.Raise)
        for node in ast.walk(raised)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and OLD_MESSAGE.search(node.value)
    ]
    assert wrong == []


def test_phrases_of_the_old_dialect_are_not_used():
    pages = [*ROOT.glob("*.md"), *(p for p in (ROOT / "docs").rglob("*.md") if not GENERATED & set(p.parts))]
    texts = {file: "\n".join(text for _, text in docstrings(tree)) for file, tree in trees().items()}
    texts |= {page.relative_to(ROOT).as_posix(): page.read_text(encoding="utf-8") for page in pages}
    assert [(name, phrase) for name, text in texts.items() for phrase in PHRASES if phrase in text] == []
