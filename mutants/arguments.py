"""An argument parser with one-line error messages and exit status 2."""

import argparse
import sys
from collections.abc import Callable
from typing import NoReturn


class Parser(argparse.ArgumentParser):
    """A parser that reports invalid input with a one-line message and exit status 2."""

    def error(self, message: str) -> NoReturn:
        """Print the message and exit."""
        print(f"{self.prog} {message}", file=sys.stderr)
        sys.exit(2)


def at_least(least: int) -> Callable[[str], int]:
    """Return a function that reads an integer of at least ``least``."""

    def read(text: str) -> int:
        if not text.isascii() or not text.isdigit() or int(text) < least:
            raise argparse.ArgumentTypeError(f"must be an integer of at least {least}, got {text!r}")
        return int(text)

    return read
