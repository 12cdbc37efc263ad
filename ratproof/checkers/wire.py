"""The code that all certificate checkers share: strict parsing, one-line error messages, and output.

Each program is a single file. ``python -m ratproof.checkers.inline`` copies everything below the mark into
each program. A program's own part defines ``verdict`` and ``about``.
"""

import hashlib
import json
import re
import sys
from pathlib import Path

verdict = about = None

# The rest of this file is copied from wire.py: change wire.py, and run python -m ratproof.checkers.inline.

FORMAT = "ratproof certificate 1"


def need(condition, reason):
    if not condition:
        raise ValueError(reason)


def known(data, fields, more=()):
    """Raise ValueError unless the data is an object with all of ``fields``, and no others except ``more``."""
    need(type(data) is dict, f"expected a JSON object, got {data!r:.40}")
    lacking = [name for name in fields if name not in data]
    need(not lacking, f"missing field: {', '.join(lacking)}")
    odd = sorted({*data} - {*fields, *more})
    need(not odd, f"unexpected field: {', '.join(map(str, odd)):.60}")


def fits(x, *types):
    return type(x) is types[0] if len(types) == 1 else type(x) is list and [*map(type, x)] == [*types]


def listed(data, what, *types):
    """Return ``data``, a list of values of one type, or of rows with several types; else raise ValueError."""
    right = type(data) is list and all(fits(x, *types) for x in data)
    need(right, f"{what} must be a list of [{', '.join(x.__name__ for x in types)}], got {data!r:.60}")
    return data


def claimed(data, subject, pattern):
    """Return the claim of a certificate; raise ValueError unless its subject and claim are as expected."""
    known(data, ["format"], data)
    written, claim = data["format"], data.get("claims")
    need(written == FORMAT, f"'format' must be {FORMAT!r}, got {written!r:.60}")
    need(data.get("about", subject) == subject, f"'about' must be {subject!r}, got {data.get('about')!r:.60}")
    right = type(claim) is str and re.fullmatch(pattern, claim)
    need(right, f"'claims' must match {pattern!r}, got {claim!r:.40}")
    return claim


def digest(part):
    return hashlib.sha256(json.dumps(part, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def many(number, what):
    return f"{number} {what}{'s' * (number != 1)}"


def shown(symbols):
    text = ", ".join(json.dumps(x if len(x) <= 40 else f"{x[:39]}…", ensure_ascii=False) for x in symbols[:8])
    return f"[{text}]" if len(symbols) <= 8 else f"[{text}, ...: {len(symbols)} in all]"


def once(pairs):
    fields = dict(pairs)
    need(len(fields) == len(pairs), f"a field occurs twice: {[*fields]!r:.80}")
    return fields


def short(digits):
    is_short = len(digits) < 10 and digits.lstrip("-").isdecimal()
    need(is_short, f"numbers must be integers of at most 9 characters, got {digits:.20}")
    return int(digits)


def parse(text):
    """Return a JSON value; raise ValueError for repeated fields, and for numbers except short integers."""
    return json.loads(text, object_pairs_hook=once, parse_int=short, parse_float=short, parse_constant=short)


def main(arguments):
    """Print the verdict on the certificate in a file as one line of ASCII, and return the exit status."""
    try:
        data = parse(Path(*arguments).read_bytes().decode("utf-8-sig"))
        message, status = verdict(data) and f"accepted: {about(data)['says']}", 0
    except TimeoutError as error:
        message, status = f"not checked: {error}", 3
    except (OSError, UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        why = getattr(error, "strerror", None) or error
        message, status = f"cannot read {' '.join(arguments)}: {why}; usage: {Path(__file__).name} FILE", 2
    except Exception as error:
        kind = {ValueError: "", KeyError: "malformed: missing "}.get(type(error), "malformed: ")
        message, status = f"rejected: {kind}{error}", 1
    plain = "".join(x if " " <= x <= "~" else json.dumps(x)[1:-1] for x in message).replace("\x7f", "\\u007f")
    try:
        stream = sys.stderr if status == 2 else sys.stdout
        stream.write(plain + "\n")
        stream.flush()
    except (OSError, AttributeError):  # the stream is closed or full, so the verdict could not be printed
        sys.stdout, status = None, 4
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
