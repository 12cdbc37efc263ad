"""The exceptions for wrong automata, strings and files; each message is one clear sentence."""

from __future__ import annotations


class InputError(ValueError):
    """A user's input is wrong; its message is one sentence. The command line exits with status 2."""

    def about(self, *names: str) -> InputError:
        """The same error, which says first what it is about: files, mostly."""
        return type(self)(f"{' and '.join(names)}: {self}")


class WeightError(InputError):
    """A weight that its semiring does not hold, such as NaN or a negative max-times weight."""


class ShapeError(InputError):
    """Vectors, matrices and the number of states do not fit together."""


class UnknownSymbol(InputError):
    """A string, or a transition, uses a symbol that the alphabet lacks."""


class EpsilonCycle(InputError):
    """A cycle of epsilon transitions whose paths have no sum in the semiring."""


class LimitReached(InputError):
    """A request beyond a stated limit; the command line exits with status 3."""


class FormatError(InputError):
    """A file that is not what its format says; the message names the file and the field."""


class OutputError(InputError):
    """A result could not be written after the work. The command line exits with status 4."""
