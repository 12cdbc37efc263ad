"""Exceptions for invalid automata, strings and files, with one-line messages."""

from __future__ import annotations


class InputError(ValueError):
    """An invalid user input, with a one-line message; the command line exits with status 2."""

    def about(self, *names: str) -> InputError:
        """Return the error with its subjects, usually the names of files, prepended to the message."""
        return type(self)(f"{' and '.join(names)}: {self}")


class WeightError(InputError):
    """A weight outside its semiring, such as NaN or a negative max-times weight."""


class ShapeError(InputError):
    """A mismatch between vectors, matrices and the number of states."""


class UnknownSymbol(InputError):
    """A symbol of a string or transition that is not in the alphabet."""


class EpsilonCycle(InputError):
    """A cycle of epsilon transitions whose paths have no sum in the semiring."""


class LimitReached(InputError):
    """A request that exceeds a stated limit; the command line exits with status 3."""


class FormatError(InputError):
    """A file that violates its format; the message names the file and the field."""


class OutputError(InputError):
    """A failure to write a result after the work is done; the command line exits with status 4."""
