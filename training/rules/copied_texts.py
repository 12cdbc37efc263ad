"""Counts of copied texts in the published data sets, and the rules' accuracies with and without them.

A copied text is a dev or test text that also occurs in the training set. The command
``python -m training.rules.copied_texts DATA`` writes ``training/results/copied_texts.json``. DATA is the
folder of the published data sets.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from automata.io.files import write_whole
from training.classification_with_rules.copies import KEPT, without_copies
from training.classification_with_rules.data import load
from training.classification_with_rules.paper import SETS
from training.classification_with_rules.sources import SOURCES
from training.data_folder import Data


def measured(name: str, data: Path) -> dict[str, Any]:
    """Return the number of copied texts in a data set, and its rules' accuracies with and without them."""
    sentences = load(SOURCES[name], Data(data), 1.0, 0)
    result = {}
    for part, copied in sentences.copied.items():
        right = sentences.right_by_rules(part)
        result[part] = {
            "sha256": sentences.described[part]["sha256"],
            "sentences": len(right),
            "copied": int(copied.sum()),
            "rules_accuracy": float(right.double().mean()),
            "rules_accuracy_without_copies": without_copies(right, copied),
        }
    return result


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path)
    options = parser.parse_args()
    texts = {name: measured(name, options.data) for name in SETS}
    write_whole(KEPT, json.dumps(texts, indent=1) + "\n")


if __name__ == "__main__":
    main()
