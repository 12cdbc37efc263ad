"""The entry point of ``ratproof``, which first checks that no other package shadows one of ratproof's."""

from __future__ import annotations

import sys

from ratproof.namesakes import hidden


def main() -> None:
    """Run the command line, and exit with its exit status."""
    sentence = hidden()
    if sentence:
        print(f"ratproof: {sentence}", file=sys.stderr)
        sys.exit(2)
    try:
        from ratproof.main import main as run

        run()
    except ModuleNotFoundError as error:  # a module that every command needs is missing
        from automata.extras import needs

        sentence = needs(error, "ratproof")
        if not sentence:
            raise
        print(f"ratproof: {sentence}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:  # interrupted during imports, so nothing was printed yet
        sys.exit(130)
