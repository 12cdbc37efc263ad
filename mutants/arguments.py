"""How the commands here read their arguments: bad input is one sentence, and status 2."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from typing import NoReturn


class Parser(argparse.ArgumentParser):
    """Bad input is one sentence, and status 2."""

    def error(self, message: str) -> NoReturn:
        """Say it, and leave."""
        print(f"{self.prog} {message}", file=sys.stderr)
        sys.exit(2)


def at_least(least: int) -> Callable[[str], int]:
    """What reads an integer that is not smaller."""

    def read(text: str) -> int:
        if not text.isascii() or not text.isdigit() or int(text) < least:
            raise argparse.ArgumentTypeError(f"is {text!r}, where an integer of {least} or more is right")
        return int(text)

    return read
