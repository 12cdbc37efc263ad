"""Docstrings as autodoc should read them: formulas stay formulas, and a class has only what was written in
it.
"""

from __future__ import annotations

import re
from typing import Any

_CODE = re.compile(r"(``.+?``|:\w+:`.+?`)")
_ARRAY = re.compile(r"~?numpy\.ndarray\[tuple\[~?(?:typing\.)?Any, \.\.\.\], ~?numpy\.dtype\[([^\[\]]+)\]\]")
_ARRAY_LIKE = re.compile(r"~?[\w.]*_?Buffer \| [^,()]*?_NestedSequence\[complex \| bytes \| str\]")
_MARKS = re.compile(r"\||(?<=\w)_(?!\w)")


_COLON = "\ue000"


def hide_colons(app: Any, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    """Napoleon takes what stands before a colon for a variable's type, where ours are sentences: hide it till
    it has read them.
    """
    if what in ("data", "attribute"):
        lines[:] = [line.replace(": ", f"{_COLON} ") for line in lines]


def keep_formulas(app: Any, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    """Docstrings write |x| and x_:t, and never mean a substitution or a link by it: escape the marks outside
    of code.
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
    """A class attribute that is another module's function (``plus = max``) is no method of ours to
    document.
    """
    borrowed = what == "class" and callable(thing) and "." not in getattr(thing, "__qualname__", ".")
    numbered = (
        type(thing).__name__ == "_tuplegetter"
    )  # a named tuple's field, documented as "Alias for field number 0"
    return True if borrowed or numbered else None


def shorten_types(
    app: Any, what: str, name: str, thing: Any, options: Any, arguments: str | None, returns: str | None
) -> tuple[str | None, str | None]:
    """Arrays as the code writes them, ``NDArray[Any]``; a test returns nothing worth saying."""
    arguments, returns = (None if text is None else _short(text) for text in (arguments, returns))
    return arguments, None if name.startswith("proofs_tests.") else returns
