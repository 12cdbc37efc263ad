"""Independent scores of automata in files, which are parsed and computed without ratproof's code."""

import json
import math
import operator
import re
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

Number = Any
PLUS_AND_TIMES: dict[str, tuple[Callable[[Any, Any], Any], Callable[[Any, Any], Any], Any]] = {
    "real": (operator.add, operator.mul, 0),
    "counting": (operator.add, operator.mul, 0),
    "max-plus": (max, operator.add, -math.inf),
    "min-plus": (min, operator.add, math.inf),
    "max-times": (max, operator.mul, 0),
    "boolean": (operator.or_, operator.and_, False),
}
Arrow = tuple[int, int, str, Number]


def disagreement(arguments: list[str], out: str) -> str | None:
    """Return what is wrong in the output of a program that ended with exit status 0, as text.

    The result is ``None`` if the output is correct, or if the command is not checked here.
    """
    return {"score": wrong_scores, "check-certificate": wrong_certificate}.get(arguments[0], lambda *_: None)(
        arguments, out
    )


def wrong_certificate(arguments: list[str], out: str) -> str | None:
    """Score both automata on short strings, and return the error in an accepted certificate, or ``None``."""
    data = json.loads(Path(arguments[1]).read_bytes())
    if "A" not in data:
        return None
    a, b = (of_object(data[side]) for side in "AB")
    if a is None or b is None:
        return None
    if data["claims"] == "different":
        stated = [text == "true" if a[0] == "boolean" else number(text) for text in data["scores"]]
        actual = [score(*one, data["word"]) for one in (a, b)]
        return (
            None
            if actual == stated and actual[0] != actual[1]
            else f"the scores are {actual}, and it was accepted with {stated}"
        )
    letters = data["A"]["alphabet"]
    words = (list(word) for length in range(4) for word in product(letters, repeat=length))
    wrong = next((word for word in words if score(*a, word) != score(*b, word)), None)
    return None if wrong is None else f"it was accepted, and the scores of {wrong} differ"


def wrong_scores(arguments: list[str], out: str) -> str | None:
    """Return the error in the output of ``ratproof score FILE STRING ...``, or ``None``."""
    path, strings = arguments[1], [text.split() for text in arguments[2:-1]]
    read = from_json(path) if path.endswith(".json") else from_att(path)
    if read is None:
        return None
    semiring, initial, final, arrows = read
    answer = [number(text) if semiring != "boolean" else text == "true" for text in json.loads(out)["scores"]]
    right = [score(semiring, initial, final, arrows, string) for string in strings]
    return None if answer == right else f"the scores are {right}, and it says {answer}"


def score(
    semiring: str,
    initial: dict[int, Number],
    final: dict[int, Number],
    arrows: list[Arrow],
    string: list[str],
) -> Number:
    """Return the sum over all paths, for epsilon transitions without cycles."""
    plus, times, zero = PLUS_AND_TIMES[semiring]

    def along(vector: dict[int, Number], symbol: str) -> dict[int, Number]:
        result: dict[int, Number] = {}
        for p, q, s, w in arrows:
            if s == symbol and p in vector:
                result[q] = plus(result.get(q, zero), times(vector[p], w))
        return result

    def closed(vector: dict[int, Number]) -> dict[int, Number]:
        total, last = dict(vector), vector
        while last := along(last, ""):
            for q, w in last.items():
                total[q] = plus(total.get(q, zero), w)
        return total

    now = closed(initial)
    for symbol in string:
        now = closed(along(now, symbol))
    total = zero
    for q, w in now.items():
        total = plus(total, times(w, final.get(q, zero)))
    return total


def number(text: str) -> Number:
    """Parse a weight by the rules on the page on formats."""
    if re.fullmatch(r"[+-]?inf", text):
        return float(text)
    assert re.fullmatch(r"[+-]?([0-9]+/[0-9]+|([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?)", text), (
        f"{text!r} was read as a weight"
    )
    return Fraction(text)


def from_json(path: str) -> Any:
    """Return semiring, initial weights, final weights and transitions of an automaton in JSON.

    Return ``None`` if scores are not sums over finitely many paths.
    """
    return of_object(json.loads(Path(path).read_bytes()))


def of_object(data: dict[str, Any]) -> Any:
    """Return the same tuple as :func:`from_json`, from a JSON object."""
    semiring = data["semiring"]
    if semiring not in PLUS_AND_TIMES:
        return None
    plus, _, zero = PLUS_AND_TIMES[semiring]

    def weight(text: str) -> Number:
        return text == "true" if semiring == "boolean" else number(text)

    ends: list[dict[int, Number]] = [{}, {}]
    for vector, name in zip(ends, ("initial", "final"), strict=True):
        for state, text in data[name]:
            vector[state] = plus(vector.get(state, zero), weight(text))
    arrows = [(p, q, s, weight(text)) for p, q, s, text in data["transitions"]]
    return None if _cycle(arrows) else (semiring, *ends, arrows)


def from_att(path: str) -> Any:
    """Return the same tuple as :func:`from_json`, from AT&T text over min-plus.

    Return ``None`` if the text could be read in several ways, or a label is not in the table.
    """
    table = dict(
        line.split()
        for line in Path(path).with_suffix(".syms").read_text("utf-8-sig").splitlines()
        if line.split()
    )
    lines = [line.split() for line in Path(path).read_text("utf-8-sig").splitlines() if line.split()]
    fives = any(len(parts) == 5 for parts in lines)
    if (
        not fives
        or any(name.isascii() and name.isdigit() for name in table)
        or any(len(parts) == 3 for parts in lines)
    ):
        return None
    epsilon_names = {name for name, label in table.items() if int(label) == 0} | {"<epsilon>", "<eps>", "0"}
    final: dict[int, Number] = {}
    arrows: list[Arrow] = []

    def cost(text: str) -> Number:
        return number(re.sub("infinity", "inf", text.lower()))

    for parts in lines:
        if len(parts) <= 2:
            final[int(parts[0])] = min(
                final.get(int(parts[0]), math.inf), cost(parts[1]) if len(parts) == 2 else 0
            )
            continue
        if not (parts[2] in table or parts[2] in epsilon_names):
            return None
        symbol = "" if parts[2] in epsilon_names else parts[2]
        arrows.append((int(parts[0]), int(parts[1]), symbol, cost(parts[4]) if len(parts) == 5 else 0))
    return None if _cycle(arrows) else ("min-plus", {int(lines[0][0]): 0}, final, arrows)


def _cycle(arrows: list[Arrow]) -> bool:
    """Return whether there is a cycle of epsilon transitions."""
    epsilon_pairs = {(p, q) for p, q, s, _ in arrows if s == ""}
    left = {p for pair in epsilon_pairs for p in pair}
    while ends := {q for q in left if not any(p == q and r in left for p, r in epsilon_pairs)}:
        left -= ends
    return bool(left)
