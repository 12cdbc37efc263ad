"""What the programs that check certificates share: reading strictly, refusing in a sentence, and printing.

Each program is one file, so ``python -m ratproof.checkers.inline`` copies all below the mark into each of
them. A program's own part defines ``verdict`` and ``about``.
"""

import hashlib
import json
import re
import sys
from pathlib import Path

verdict = about = None

# The rest of this file is copied from wire.py: change it there, and run python -m ratproof.checkers.inline.

FORMAT = "ratproof certificate 1"


def need(condition, reason):
    if not condition:
        raise ValueError(reason)


def known(data, fields, more=()):
    """Refuse all but an object with these fields, maybe some of the others, and no more."""
    need(type(data) is dict, f"{data!r:.40} is no object")
    lacking = [name for name in fields if name not in data]
    need(not lacking, f"the field {lacking[:1]} is missing")
    odd = sorted({*data} - {*fields, *more})
    need(not odd, f"there is no field {odd[:1]!r:.60}")


def fits(x, *types):
    return type(x) is types[0] if len(types) == 1 else type(x) is list and [*map(type, x)] == [*types]


def listed(data, what, *types):
    """Return a list of values of one type, or of rows with these types; refuse all else."""
    right = type(data) is list and all(fits(x, *types) for x in data)
    need(right, f"{what}: {data!r:.60} is no list of what it should be")
    return data


def claimed(data, subject, pattern):
    """Return what a certificate about this subject claims, which must match a regular expression."""
    known(data, ["format"], data)
    written, claim = data["format"], data.get("claims")
    need(written == FORMAT, f"its format is {written!r:.60}, where this program reads {FORMAT!r}")
    need(data.get("about", subject) == subject, f"it is about {data.get('about')!r:.60}, not about {subject}")
    right = type(claim) is str and re.fullmatch(pattern, claim)
    need(right, f"{claim!r:.40} is no claim that this program knows")
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
    need(len(fields) == len(pairs), f"a field is there twice: {[*fields]!r:.80}")
    return fields


def short(digits):
    whole = len(digits) < 10 and digits.lstrip("-").isdecimal()
    need(whole, f"the number {digits:.20} is not whole, or too long")
    return int(digits)


def parse(text):
    """Return a JSON value in which no field is there twice, and numbers are whole and short."""
    return json.loads(text, object_pairs_hook=once, parse_int=short, parse_float=short, parse_constant=short)


def main(arguments):
    """Print the verdict on a file in a line of plain ASCII, and return the exit status."""
    try:
        data = parse(Path(*arguments).read_bytes().decode("utf-8-sig"))
        message, status = f"accepted: {verdict(data)}: {about(data)['says']}", 0
    except TimeoutError as error:
        message, status = f"not checked: {error}", 3
    except (OSError, UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        message, status = f"no certificate to check ({error}); call: python {Path(__file__).name} FILE", 2
    except Exception as error:
        reason = error if type(error) is ValueError else f"it is malformed: {error!r}"
        message, status = f"rejected: {reason}", 1
    plain = "".join(x if " " <= x <= "~" else json.dumps(x)[1:-1] for x in message).replace("\x7f", "\\u007f")
    try:
        stream = sys.stderr if status == 2 else sys.stdout
        stream.write(plain + "\n")
        stream.flush()
    except (OSError, AttributeError):  # a closed or a full one: nobody has read the verdict
        sys.stdout, status = None, 4
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
