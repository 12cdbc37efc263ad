"""A program that runs claims with a text fault: ``python -m mutants.planted SAYS CLAIM ...``.

The program imports one source file with the fault, and prints a row for each variant of the claims. It does
not change any file.
"""

import importlib.machinery
import json
import sys
from pathlib import Path
from typing import Any

from mutants.faults import TextFault, text_faults

ROOT = Path(__file__).resolve().parent.parent


def plant(fault: TextFault) -> None:
    """Make later imports of the fault's module use the faulty source."""
    path = ROOT / fault.file
    text = fault.planted(path.read_text(encoding="utf-8"))
    right = importlib.machinery.SourceFileLoader.get_code

    def get_code(self: Any, fullname: str) -> Any:
        if Path(self.get_filename(fullname)) == path:
            return compile(text, str(path), "exec")
        return right(self, fullname)

    importlib.machinery.SourceFileLoader.get_code = get_code  # type: ignore[method-assign]


def main(says: str, *names: str) -> None:
    """Plant the fault, run the claims, and print their rows."""
    (fault,) = (fault for fault in text_faults() if fault.says == says)
    plant(fault)
    from mutants import audit
    from mutants.faults import PARTS
    from theory.registry import claim_named

    with audit.up_to_the_first_refutation():
        for name in names:
            for variant in audit.holding(claim_named(name)):
                if fault.variants and variant.name not in fault.variants:
                    continue
                seen = audit.verdicts(name, variant, PARTS[fault.part], fault.part)
                if seen:
                    print(
                        json.dumps(audit.AuditRow(name, variant.name, fault.part, says, seen).to_json()),
                        flush=True,
                    )


if __name__ == "__main__":
    main(*sys.argv[1:])
