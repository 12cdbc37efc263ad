"""The command line's entry: bad input is one sentence and exit status 2, whatever command it was given to."""

from __future__ import annotations

import contextlib
import os
import sys
import warnings
from typing import Any

import typer

from automata.errors import InputError
from ratproof import limits
from ratproof.commands import app, installed

# typer carries its own copy of click since 0.20 or so: take the classes from what it exports.
_BY_NAME = {cls.__name__: cls for cls in typer.BadParameter.__mro__}
ClickException: Any = _BY_NAME["ClickException"]
UsageError: Any = _BY_NAME["UsageError"]

installed.add(app)  # here, since what is installed imports ratproof.commands itself

BAD_INPUT = 2
INTERRUPTED = 130


def main(arguments: list[str] | None = None) -> None:
    """Run ``ratproof`` and leave with its exit status."""
    limits.supervise()
    sys.exit(run(arguments))


def run(arguments: list[str] | None = None) -> int:
    """Run ``ratproof``; the exit status."""
    warnings.showwarning = _note
    warnings.simplefilter("always", UserWarning)
    try:
        status = app(args=arguments, prog_name="ratproof", standalone_mode=False)
        sys.stdout.flush()
        return status if isinstance(status, int) else 0
    except InputError as error:
        return _refuse(str(error))
    except UsageError as error:
        if type(error).__name__ == "NoArgsIsHelpError":  # no command was named: the help, as it is written
            print(error.ctx.get_help(), file=sys.stderr)
            return BAD_INPUT
        where = f" (see {error.ctx.command_path} --help)" if error.ctx is not None else ""
        return _refuse(_sentence(error.format_message()) + where)
    except ClickException as error:
        return _refuse(_sentence(error.format_message()))
    except (typer.Abort, KeyboardInterrupt):
        print("ratproof: interrupted", file=sys.stderr)
        return INTERRUPTED
    except MemoryError:
        return _refuse("this needs more memory than there is; ask for fewer states, symbols or strings")
    except BrokenPipeError:
        # Whoever read our output has gone; Python would complain once more at exit.
        _forget_output()
        return 1
    except OSError as error:
        _forget_output()
        return _refuse(f"cannot write the result: {error.strerror or error}")


def _forget_output() -> None:
    """What is still to be written can go nowhere: without this, Python complains about it at exit."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _refuse(sentence: str) -> int:
    print("ratproof: " + sentence.replace("\n", "\\n"), file=sys.stderr)
    return BAD_INPUT


def _sentence(text: str) -> str:
    return " ".join(text.split()).rstrip(".")


def _note(message: Any, category: Any, filename: str, lineno: int, file: Any = None, line: str | None = None) -> None:
    if issubclass(category, UserWarning):
        print(f"ratproof: note: {message}", file=sys.stderr)
