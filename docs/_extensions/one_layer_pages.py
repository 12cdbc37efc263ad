"""Generation of the tables of languages that one layer recognises, from ``theory/one_layer``."""

from collections import Counter
from inspect import cleandoc

from page_text import render

from theory.one_layer import table
from theory.one_layer.architectures import ARCHITECTURES
from theory.one_layer.languages import LANGUAGES

MARKS = {"decided": "✓", "tested": "(✓)", "certificate": "✗", "by hand": "(✗)", "none": "?"}


def pages() -> dict[str, str]:
    """Return the tables by path; tests check the evidence for every cell."""
    cells = {name: list(table.cells(name)) for name in table.TABLES}
    kinds = {cell: cell.kind for own in cells.values() for cell in own}
    shared = {
        "marks": MARKS,
        "kinds": kinds,
        "languages": LANGUAGES.values(),
        "architectures": ARCHITECTURES.values(),
        "longest": table.LONGEST,
    }
    used = {cell.entry: cell for cell in kinds}
    constructions = {
        name: (titled(name), cleandoc(function.__doc__ or "").partition("\n\n")[2])
        for name, function in table.CONSTRUCTIONS.items()
    }
    certified = {
        entry: (
            cell.law,
            sorted({(c.language.name, c.law.text(*c.arguments)) for c in kinds if c.entry == entry}),
        )
        for entry, cell in used.items()
        if cell.answer == "cannot"
    }
    texts = {
        f"table-{name.replace(' ', '-')}": render(
            "one_layer_table", own=own, counts=Counter(kinds[cell] for cell in own), **shared
        )
        for name, own in cells.items()
    }
    texts["names"] = render("one_layer_names", **shared)
    texts["constructions"] = render("one_layer_constructions", constructions=constructions)
    texts["laws"] = render("one_layer_laws", certified=certified)
    return {f"claims/one_layer-{name}.txt": text for name, text in texts.items()}


def titled(name: str) -> str:
    """Return a function's name as a title: with blanks, and a capital first letter."""
    return name.replace("_", " ").capitalize()
