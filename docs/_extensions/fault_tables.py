"""The tables of the page "What each check catches", from the matrix that ``mutants/`` keeps."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from page_text import plain, table
from rung_table import TITLES
from speed_figures import FOLDER

from theory.registry import claims

NOTHING = "nothing is broken"
SEEN = ("refuted", "unknown")
SIGNS = {"refuted": "●", "unknown": "○", "holds": "–", "out of time": "…"}
PARTS = {
    "network": "the exact recurrence",
    "automaton": "the automata",
    "layer": "the torch layer",
    "gates": "the gates, which layer and automata share",
    "reading": "how the layer is read as automata",
    "gradient": "the backward pass",
    "program": "the torch program",
    "formula": "a formula of the claim's file",
    "theorem": "Coq's definitions and theorem",
}


def pages(mutants: Path) -> dict[str, str]:
    """The tables, by path.

    Args:
        mutants: the folder with ``matrix.json``.
    """
    every = json.loads((mutants / "matrix.json").read_text(encoding="utf-8"))["rows"]
    if not every:
        names = ("parts", "single", "none", "claims")
        return {f"{FOLDER}/checks-{name}.txt": "The faults have not been run.\n" for name in names}
    rows = [row for row in every if row["says"] != NOTHING]
    seen = {id(row): [rung for rung, verdict in row["rungs"].items() if verdict in SEEN] for row in rows}
    single = [row for row in rows if len(seen[id(row)]) == 1 and len(row["rungs"]) > 1]
    audited, every_claim = dict.fromkeys(row["claim"] for row in rows), list(claims())
    open_claims = [name for name in every_claim if name not in audited]
    said = f"The faults of {len(audited)} of {len(every_claim)} claims have been run."
    said += f" Those of {', '.join(open_claims)} have not.\n\n" if open_claims else "\n\n"
    return {
        f"{FOLDER}/checks-parts.txt": said + _by_part(rows),
        f"{FOLDER}/checks-single.txt": _listed([(row, seen[id(row)][0]) for row in single]),
        f"{FOLDER}/checks-none.txt": _listed([(row, "") for row in rows if not seen[id(row)]]),
        f"{FOLDER}/checks-claims.txt": _by_claim(rows),
    }


def _rungs() -> list[str]:
    return [rung for rung in TITLES if rung != "gpu"]


def _head() -> list[str]:
    return [f'<abbr title="{TITLES[rung]}">{rung}</abbr>' for rung in _rungs()]


def _by_part(rows: list[dict[str, Any]]) -> str:
    made = []
    for part, words in PARTS.items():
        mine = [row for row in rows if row["part"] == part]
        cells = []
        for rung in _rungs():
            verdicts = [row["rungs"][rung] for row in mine if rung in row["rungs"]]
            cells.append(f"{sum(v in SEEN for v in verdicts)} of {len(verdicts)}" if verdicts else "")
        if mine:
            made.append([f"{words} ({len(mine):,} faults)", *cells])
    return table(["broken", *_head()], made)


def _listed(rows: list[tuple[dict[str, Any], str]]) -> str:
    """Faults by what they say, with the claims that have them."""
    claims: dict[tuple[str, str, str], list[str]] = {}
    for row, rung in rows:
        claims.setdefault((row["part"], row["says"], rung), []).append(row["claim"])
    made = [
        [PARTS[part], plain(says), rung, ", ".join(f"[{c}](/claims/{c}.md)" for c in dict.fromkeys(names))]
        for (part, says, rung), names in claims.items()
    ]
    return table(("broken", "fault", "rung", "claims"), made) if made else "There are none.\n"


def _by_claim(rows: list[dict[str, Any]]) -> str:
    parts = []
    for name in dict.fromkeys(row["claim"] for row in rows):
        made = []
        for row in (row for row in rows if row["claim"] == name):
            cells = [SIGNS[row["rungs"][rung]] if rung in row["rungs"] else "" for rung in _rungs()]
            made.append([f"`{row['variant']}`: {plain(row['says'])}", *cells])
        body = table(["", *_head()], made, css="rungs")
        parts.append(f"<details><summary>{name}: {len(made)} faults</summary>\n\n{body}\n</details>\n")
    return "\n".join(parts)
