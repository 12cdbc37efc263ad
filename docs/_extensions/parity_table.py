"""Generation of the table of accuracies on parity by length, from ``bench/results/parity.json``."""

import json
from pathlib import Path

from page_text import render


def pages(root: Path) -> dict[str, str]:
    """Return the table, keyed by its path; ``root`` is the project folder."""
    file = root / "bench" / "results" / "parity.json"
    results = json.loads(file.read_text(encoding="utf-8"))
    accuracies = results["accuracies"]
    lengths = [str(results["longest"]), list(next(iter(accuracies.values()))[0])[-1]]
    ranges = {
        name: [(min(row[n] for row in rows), max(row[n] for row in rows)) for n in lengths]
        for name, rows in accuracies.items()
    }
    return {"claims/parity.txt": render("parity", results=results, lengths=lengths, ranges=ranges)}
