r"""Recognition of formulas in the plain text of claims and counterexamples, and conversion to LaTeX.

>>> in_latex("with lambda(q_1) = c_0, for every string")
['with ', '\\lambda (q_{1})=c_{0}', ', for every string']
>>> in_latex("a two-state automaton, f_t alone")
['a two-state automaton, ', 'f_{t}', ' alone']
>>> in_latex("c_0 = 1, f(a) = 0, but a unit")
['', 'c_{0}=1', ', ', 'f(a)=0', ', but a unit']
>>> in_latex("c1_t = max(f_t + c_{t-1}, u_t)")
['', 'c^{(1)}_{t}=\\max (f_{t}+c_{t-1},\\,u_{t})', '']
"""

import re

GREEK = ["alpha", "beta", "gamma", "lambda", "mu", "phi", "rho", "sigma", "tau", "Omega"]
FUNCTIONS = {name: f"\\{name}" for name in ("max", "min", "log", "ln", "exp", "tanh")}
FUNCTIONS["pinv"] = r"\mathrm{pinv}"
SIGNS = {
    "...": r"\ldots ",
    "*": r"\cdot ",
    ">=": r"\geq ",
    "<=": r"\leq ",
    "(.)": r"\odot ",
    "infinity": r"\infty ",
    "|": r"\vert ",
}

_ONE_INDEX = r"(?:_\{[^{}]*\}|_[A-Za-z0-9]+|\^\{[^{}]*\}|\^\([^()]*\)|\^[A-Za-z0-9]+|'(?![A-Za-z]))"
_INDEX = f"{_ONE_INDEX}*"
_TOKEN = re.compile(
    rf"(?P<space>\s+)|(?P<sign>\.\.\.|>=|<=|\(\.\)|[-+*/=<>,()\[\]|])|(?P<name>[A-Za-z]+\d?{_INDEX}(?![-\w]))"
    rf"|(?P<number>\d+(?:\.\d+)?{_INDEX}(?![-\d_.]\w|\w\w|-))"
    rf"|(?P<index>{_ONE_INDEX}+)|(?P<word>[^\s,()\[\]]+)"
)
_NAME = re.compile(r"([A-Za-z]+)(\d?)(.*)", re.DOTALL)


def in_latex(text: str) -> list[str]:
    """Split the text into prose and formulas in LaTeX, which alternate; the first part is prose."""
    tokens = [(m.lastgroup or "", m[0]) for m in _TOKEN.finditer(text)]
    parts, prose, i = [], "", 0
    while i < len(tokens):
        length = _formula_at(tokens, i)
        if length:
            parts += [prose, _latex(tokens[i : i + length])]
            prose, i = "", i + length
        else:
            prose += tokens[i][1]
            i += 1
    return [*parts, prose]


def _formula_at(tokens: list[tuple[str, str]], start: int) -> int:
    """Return the number of tokens of a formula that begins at ``start``, or 0 if none does."""
    if tokens[start][0] not in ("name", "number") and tokens[start][1] not in "([|-":
        return 0
    if start and tokens[start - 1][0] not in ("space", "sign"):  # RRNN(C): within a word
        return 0
    if tokens[start][1] in FUNCTIONS and tokens[start + 1 : start + 2] and tokens[start + 1][0] == "space":
        return 0
    end = start
    while end < len(tokens) and (_may_stand_in_a_formula(*tokens[end]) or _is_an_argument(tokens, end)):
        end += 1
    for stop in range(end, start, -1):
        part = tokens[start:stop]
        if part[-1][0] == "space" or part[-1][1] in {",", "+", "-", "*", "/", "=", "<", ">", "(", "["}:
            continue
        if _balanced(part) and _says_something(part):
            return len(part)
    return 0


def _may_stand_in_a_formula(kind: str, text: str) -> bool:
    if kind != "name":
        return kind in ("space", "sign", "number", "index")
    letters, digit, index = _parts(text)
    return (
        (len(letters) == 1 and (letters not in "aAI" or bool(index or digit)))
        or (letters in (*GREEK, *FUNCTIONS, *SIGNS))
        or (bool(index) and len(letters) <= 2)
    )


def _is_an_argument(tokens: list[tuple[str, str]], at: int) -> bool:
    """Return whether the token "a" is a symbol, as in f(a), and not the article."""
    before = next((text for kind, text in reversed(tokens[:at]) if kind != "space"), "")
    after = next((text for kind, text in tokens[at + 1 :] if kind != "space"), "")
    return tokens[at][1] == "a" and before in ("(", ",") and after in (")", ",")


def _says_something(part: list[tuple[str, str]]) -> bool:
    """Return whether the text contains a relation, an index or a Greek letter, and is therefore a formula.

    A list counts only if it contains an ellipsis.
    """
    if "," in _outside(part) and not any(text == "..." for _, text in part):
        return False
    if any(kind == "sign" and text in {"=", "<", ">", ">=", "<="} for kind, text in part):
        return len(part) > 2
    return any(
        kind in ("name", "index") and ("_" in text or "^" in text or _parts(text)[0] in GREEK)
        for kind, text in part
    )


def _outside(part: list[tuple[str, str]]) -> list[str]:
    """Return the tokens that are outside all brackets."""
    depth, outside = 0, []
    for _, text in part:
        depth -= text in (")", "]")
        outside += [text] if depth == 0 else []
        depth += text in ("(", "[")
    return outside


def _balanced(part: list[tuple[str, str]]) -> bool:
    open_ = []
    for _, text in part:
        if text in ("(", "["):
            open_.append(text)
        elif text in (")", "]") and (not open_ or open_.pop() + text not in ("()", "[]")):
            return False
    return not open_


def _parts(text: str) -> tuple[str, str, str]:
    match = _NAME.match(text.replace("cj_", "c^(j)_"))
    return (match[1], match[2], match[3]) if match else ("", "", text)


def _latex(part: list[tuple[str, str]]) -> str:
    latex = ""
    for i, (kind, text) in enumerate(part):
        if kind == "space":
            (before, left), (after, right) = part[i - 1], part[i + 1]
            if "word" not in (before, after) and left not in _TIGHT and right not in _TIGHT:
                latex += r"\,"
        elif kind == "name":
            letters, digit, index = _parts(text)
            if letters in GREEK:
                latex += f"\\{letters} "
            else:
                latex += f"{FUNCTIONS[letters]} " if letters in FUNCTIONS else SIGNS.get(letters, letters)
            latex += (f"^{{({digit})}}" if digit else "") + _index(index)
        else:
            latex += SIGNS.get(text, _index(text) if kind in ("index", "number") else text)
    return re.sub(r" (?=[_^])", "", latex).replace(r"\lambda(", r"\lambda (")


_TIGHT = {"+", "-", "*", "/", "=", "<", ">", ">=", "<=", "...", "(.)"}


def _index(text: str) -> str:
    """Return the formula with braces around indices, such as ``_{t}`` and ``^{(j)}``."""
    text = re.sub(r"\^(\([^()]*\)|[A-Za-z0-9]+)", r"^{\1}", text)
    return re.sub(r"_([A-Za-z0-9]+)", r"_{\1}", text)
