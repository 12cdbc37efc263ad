"""Docstring processing for autodoc, which protects formulas and skips attributes of other modules."""

import re
from typing import Any

_CODE = re.compile(r"(``.+?``|:\w+:`.+?`)")
_ARRAY = re.compile(r"~?numpy\.ndarray\[tuple\[~?(?:typing\.)?Any, \.\.\.\], ~?numpy\.dtype\[([^\[\]]+)\]\]")
_ARRAY_LIKE = re.compile(r"~?[\w.]*_?Buffer \| [^,()]*?_NestedSequence\[complex \| bytes \| str\]")
_MARKS = re.compile(r"\||(?<=\w)_(?!\w)")


_COLON = "\ue000"


def hide_colons(app: Any, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    """Hide colons in the docstrings of data until Napoleon has read them.

    Napoleon interprets text before a colon as a variable's type, but our docstrings are sentences.
    """
    if what in ("data", "attribute"):
        lines[:] = [line.replace(": ", f"{_COLON} ") for line in lines]


def keep_formulas(app: Any, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    """Escape the special characters of formulas outside code.

    Docstrings contain formulas such as |x| and x_:t, which reStructuredText would read as substitutions and
    links.
    """
    in_example = False
    lines[:] = [line.replace(_COLON, ":") for line in lines]
    for i, line in enumerate(lines):
        in_example = bool(line.strip()) and (in_example or line.lstrip().startswith(">>>"))
        if not in_example:
            parts = _CODE.split(line)
            lines[i] = "".join(p if j % 2 else _MARKS.sub(r"\\\g<0>", p) for j, p in enumerate(parts))


def _short(text: str) -> str:
    return _ARRAY.sub(r"NDArray[\1]", _ARRAY_LIKE.sub("ArrayLike", text))


def skip_borrowed(app: Any, what: str, name: str, thing: Any, skip: bool, options: Any) -> bool | None:
    """Skip class attributes that are functions of another module, such as ``plus = max``.

    Fields of named tuples are also skipped, because their documentation is "Alias for field number 0".
    """
    borrowed = what == "class" and callable(thing) and "." not in getattr(thing, "__qualname__", ".")
    numbered = type(thing).__name__ == "_tuplegetter"
    return True if borrowed or numbered else None


def shorten_types(
    app: Any, what: str, name: str, thing: Any, options: Any, arguments: str | None, returns: str | None
) -> tuple[str | None, str | None]:
    """Shorten array types to ``NDArray[Any]``, as in the code, and omit the return types of tests."""
    arguments, returns = (None if text is None else _short(text) for text in (arguments, returns))
    return arguments, None if name.startswith("proofs_tests.") else returns
