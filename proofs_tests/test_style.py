"""Tests of the wording of the code: openings of docstrings, names of variables, and error messages."""

import ast
import re
from collections.abc import Iterator
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


def wrong_in_python(path: Path) -> Iterator[str]:
    """Yield the places of a file whose wording must change; each file is parsed and walked once."""
    file = path.relative_to(ROOT).as_posix()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names: list[str] = []
        match node:
            case ast.Expr(value=ast.Constant(value=str(text))):  # also below an attribute or a constant
                if text.strip().startswith(OPENINGS):
                    yield f"{file}:{node.lineno}: {text.strip().splitlines()[0]}"
                yield from (f"{file}:{node.lineno}: {phrase}" for phrase in PHRASES if phrase in text)
            case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name):
                names = [name]
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                names = [name]
            case ast.Raise():
                for part in ast.walk(node):
                    match part:
                        case ast.Constant(value=str(text)) if OLD_MESSAGE.search(text):
                            yield f"{file}:{part.lineno}: {text}"
        for name in names:
            if name in NAMES and (file, name) not in IN_CHECKPOINTS:
                yield f"{file}:{node.lineno}: {name}"


def test_no_fragment_ambiguous_name_old_message_or_phrase_is_used_in_code():
    files = sorted(file for room in ROOMS for file in (ROOT / room).rglob("*.py"))
    assert [wrong for file in files for wrong in wrong_in_python(file)] == []


def test_phrases_of_the_old_dialect_are_not_used_in_pages():
    pages = [*ROOT.glob("*.md"), *(p for p in (ROOT / "docs").rglob("*.md") if not GENERATED & set(p.parts))]
    texts = {page.relative_to(ROOT).as_posix(): page.read_text(encoding="utf-8") for page in pages}
    assert [(name, phrase) for name, text in texts.items() for phrase in PHRASES if phrase in text] == []
