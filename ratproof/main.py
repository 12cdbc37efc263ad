"""The command line, which reports invalid input with a one-line error message and exit status 2."""

from __future__ import annotations

import contextlib
import errno
import os
import sys
import traceback
import warnings
from functools import cache
from typing import Any

import typer

from automata import extras
from automata.errors import InputError, LimitReached, OutputError
from automata.text.number_text import shorten
from automata.text.printable_text import printable
from ratproof.commands.app import COMPLETING, app
from ratproof.process import limits
from ratproof.process.exit_statuses import BAD_INPUT, INTERRUPTED, NOT_WRITTEN, UNKNOWN, YES
from ratproof.process.streams import ClosedPipeError, forget_output, guarded

# Recent versions of typer contain a copy of click, so the classes are imported from typer.
_BY_NAME = {cls.__name__: cls for cls in typer.BadParameter.__mro__}
ClickException: Any = _BY_NAME["ClickException"]
UsageError: Any = _BY_NAME["UsageError"]
_NO_NAMES = (errno.ENAMETOOLONG, errno.ELOOP)
"""Values of ``errno`` after an error that an invalid file name on the command line can cause."""


def main(arguments: list[str] | None = None) -> None:
    """Run ``ratproof`` and exit with its exit status."""
    limits.supervise()
    sys.exit(run(arguments))


def run(arguments: list[str] | None = None) -> int:
    """Run ``ratproof`` and return the exit status."""
    warnings.showwarning = _note
    warnings.simplefilter("always", UserWarning)
    try:
        with guarded():
            return _run(arguments)
    except ClosedPipeError:  # the reader closed the pipe, which is not an error
        forget_output()
        return NOT_WRITTEN
    except OutputError as error:
        forget_output()
        return _print_error(str(error), NOT_WRITTEN)


def _run(arguments: list[str] | None) -> int:
    try:
        typed = sys.argv[1:] if arguments is None else list(arguments)
        status = _command()(args=arguments, prog_name="ratproof", standalone_mode=False, obj=typed)
        return status if isinstance(status, int) else YES
    except OutputError:
        raise
    except LimitReached as error:
        return _print_error(str(error), UNKNOWN)
    except InputError as error:
        return _print_error(str(error), BAD_INPUT)
    except UsageError as error:
        if type(error).__name__ == "NoArgsIsHelpError":  # no command was passed: print the help unchanged
            print(error.ctx.get_help(), file=sys.stderr)
            return BAD_INPUT
        where = f" (see {error.ctx.command_path} --help)" if error.ctx is not None else ""
        return _print_error(_sentence(error.format_message()) + where, BAD_INPUT)
    except ClickException as error:
        return _print_error(_sentence(error.format_message()), BAD_INPUT)
    except (typer.Abort, KeyboardInterrupt):
        return _print_error("interrupted", INTERRUPTED)
    except MemoryError:
        return _print_error(
            "the command needs more memory than is available; use fewer states, symbols or strings", UNKNOWN
        )
    except OSError as error:
        if error.errno in _NO_NAMES:
            return _print_error(f"{shorten(error.filename)}: {error.strerror}; use another file", BAD_INPUT)
        # the help or a library's output could not be written
        raise OutputError(f"cannot write the output: {error.strerror or error}") from None
    except Exception as error:  # Python would exit with status 1, which means a negative result
        if isinstance(error, ModuleNotFoundError) and (needs := extras.needs(error, "this command")):
            return _print_error(needs, BAD_INPUT)
        traceback.print_exc()
        return _print_error(
            f"internal error: {type(error).__name__}: {error}; please report this bug", UNKNOWN
        )


@cache
def _command() -> Any:
    """Return the application as a click command.

    The result is cached, because Typer would read the signatures of all commands in each run.
    """
    if COMPLETING in os.environ:
        from typer._completion_classes import completion_init

        completion_init()
    return typer.main.get_command(app)


def _print_error(sentence: str, status: int) -> int:
    with contextlib.suppress(OSError, ValueError):
        print("ratproof: " + printable(sentence), file=sys.stderr)
    return status


def _sentence(text: str) -> str:
    return " ".join(text.split()).rstrip(".")


def _note(
    message: Any, category: Any, filename: str, lineno: int, file: Any = None, line: str | None = None
) -> None:
    if issubclass(category, UserWarning):
        print(f"ratproof: note: {printable(message)}", file=sys.stderr)
