r"""The lines of a proof's certificate, which are plain text, as Markdown with formulas in LaTeX.

>>> in_latex("c1 f1(a) + u(a)[1]")
'c^{(1)}\\,f^{(1)}(\\mathrm{a})+u_{1}(\\mathrm{a})'
>>> in_latex('("", h_new[1], alpha_inf)')
'(\\varepsilon,\\;h^{\\mathrm{new}}_{1},\\;\\alpha_{\\infty})'
>>> in_latex("b[j] + Sum(W[j, i]*c[i], (i, 1, n))")
'b_{j}+\\sum_{i=1}^{n} W_{j,i}\\,c_{i}'
>>> in_latex("tau(epsilon) = ((0, r), (0, 1))")
'\\tau(\\varepsilon)=\\begin{pmatrix}0&r\\\\0&1\\end{pmatrix}'
>>> markdown("unit 0, state c_0[1], symbol a: c f = f c")
'- Unit 0, state {math}`[c_{0}]_{1}`, symbol a: {math}`c\\,f=f\\,c`\n'
>>> in_latex("c[1")
Traceback (most recent call last):
    ...
ValueError: in the formula "c[1" of a proof "]" is expected at the end
"""

from __future__ import annotations

import re

from formulas import GREEK
from page_text import plain

SHORT = 40  # characters that fit a phone's line; what is longer can be moved sideways

_TOKEN = re.compile(
    r'\s*(?:(?P<call>[A-Za-z]\w*)\((?P<read>\w*)\)|(?P<name>[A-Za-z]\w*)|(?P<number>\d+)|"(?P<string>\w*)"'
    r"|(?P<sign><=|>=|\*\*|[-+*/^=<>,()\[\]]))"
)
_NAME = re.compile(r"([A-Za-z]+)(\d?)((?:_\w+)?)$")
_HEAD = re.compile(r"unit (?P<unit>\d+)(?:, state (?P<state>.+?))?(?:, symbol (?P<symbol>\w+))?$")
_RELATIONS = {"=": "=", "<": "<", ">": ">", "<=": r"\leq ", ">=": r"\geq "}
_WORDS = {"inf": r"\infty", "epsilon": r"\varepsilon", "": r"\varepsilon"}


def markdown(line: str) -> str:
    """A line of a proof as an item of a list, or as a formula by itself."""
    head, colon, formula = line.partition(": ")
    if not colon:
        return f"{plain(line)}\n" if line.startswith("and ") else _block(in_latex(line))
    if match := _HEAD.match(head):
        says = f"Unit {match['unit']}"
        says += f", state {{math}}`{in_latex(match['state'])}`" if match["state"] else ""
        says += f", symbol {match['symbol']}" if match["symbol"] else ""
    else:
        says = plain(re.sub(r"\[(\w+)\]", r"_{\1}", head))
        says = says[:1].upper() + says[1:]
    if len(formula) <= SHORT:
        return f"- {says}: {{math}}`{in_latex(formula)}`\n"
    left, _, right = formula.partition(" = ")
    sides = rf"\begin{{aligned}}&{in_latex(left)}\\&={in_latex(right)}\end{{aligned}}"
    return f"- {says}:\n\n" + "".join(f"  {row}\n" for row in _block(sides).splitlines())


def in_latex(formula: str) -> str:
    """A formula of a proof in LaTeX.

    Raises:
        ValueError: it is not written as the proofs write formulas.
    """
    return _Reader(formula).all()


def _block(latex: str) -> str:
    return f"```{{math}}\n{latex}\n```\n"


class _Reader:
    """Reads a formula from left to right. Each method but the first writes one kind of part."""

    def __init__(self, formula: str) -> None:
        self.formula = formula
        self.tokens: list[re.Match[str]] = []
        end = 0
        while end < len(formula):
            token = _TOKEN.match(formula, end)
            if token is None:
                raise ValueError(f'in the formula "{formula}" of a proof "{formula[end:]}" cannot be read')
            self.tokens.append(token)
            end = token.end()
        self.here = 0

    def all(self) -> str:
        latex = self.relation()
        if self.here < len(self.tokens):
            raise self.error("nothing")
        return latex

    def relation(self) -> str:
        latex = self.sum()
        matrix = latex.startswith(r"\tau")
        while (sign := self.next_sign()) in _RELATIONS:
            self.here += 1
            latex += _RELATIONS[sign] + (self.matrix() if matrix else self.sum())
        return latex

    def sum(self) -> str:
        latex = self.product()
        while (sign := self.next_sign()) in ("+", "-"):
            self.here += 1
            latex += sign + self.product()
        return latex

    def product(self) -> str:
        latex = self.power()
        while self.here < len(self.tokens) and (sign := self.next_sign()) in ("", "*", "/", "("):
            self.here += sign in ("*", "/")
            if latex.startswith(r"\sum"):
                latex = f"({latex})"
            latex += ("/" if sign == "/" else r"\,") + self.power()
        return latex

    def power(self) -> str:
        latex = self.atom()
        if self.next_sign() in ("^", "**"):
            self.here += 1
            latex += f"^{{{self.atom()}}}"
        return latex

    def atom(self) -> str:
        if self.next_sign() == "-":
            self.here += 1
            return "-" + self.atom()
        if self.next_sign() == "(":
            items = r",\;".join(self.listed("(", ")"))
            return f"({items})"
        if self.here == len(self.tokens) or self.next_sign():
            raise self.error("a number or a name")
        token = self.tokens[self.here]
        self.here += 1
        if token["number"]:
            return token["number"]
        if token["string"] is not None:
            return _symbols(token["string"])
        if token["name"] == "Sum":
            return self.big_sum()
        places = ",".join(self.listed("[", "]")) if self.next_sign() == "[" else ""
        read = f"({_symbols(token['read'])})" if token["call"] else ""
        return _name(token["call"] or token["name"], places) + read

    def big_sum(self) -> str:
        """``Sum(x[i], (i, 1, n))``."""
        self.expect("(")
        summand = self.sum()
        self.expect(",")
        index, first, last = self.listed("(", ")")
        self.expect(")")
        if re.search(r"[-+]", re.sub(r"\([^()]*\)|\{[^{}]*\}", "", summand)):
            summand = f"({summand})"
        return rf"\sum_{{{index}={first}}}^{{{last}}} {summand}"

    def matrix(self) -> str:
        """``((0, r), (0, 1))``, row by row."""
        self.expect("(")
        rows = ["&".join(self.listed("(", ")"))]
        while self.next_sign() == ",":
            self.here += 1
            rows.append("&".join(self.listed("(", ")")))
        self.expect(")")
        return r"\begin{pmatrix}" + r"\\".join(rows) + r"\end{pmatrix}"

    def listed(self, opening: str, closing: str) -> list[str]:
        self.expect(opening)
        items = [self.sum()]
        while self.next_sign() == ",":
            self.here += 1
            items.append(self.sum())
        self.expect(closing)
        return items

    def next_sign(self) -> str:
        return self.tokens[self.here]["sign"] or "" if self.here < len(self.tokens) else ""

    def expect(self, sign: str) -> None:
        if self.next_sign() != sign:
            raise self.error(f'"{sign}"')
        self.here += 1

    def error(self, expected: str) -> ValueError:
        rest = self.tokens[self.here :]
        place = f'before "{self.formula[rest[0].start() :].strip()}"' if rest else "at the end"
        return ValueError(f'in the formula "{self.formula}" of a proof {expected} is expected {place}')


def _name(text: str, places: str) -> str:
    """``c2_0_new`` with its places, which stand at the right below."""
    match = _NAME.match(text)
    if match is None:
        raise ValueError(f'in a formula of a proof "{text}" is no name')
    letters, number, below = match.groups()
    latex = f"\\{letters}" if letters in GREEK or letters == "tau" else _upright(letters)
    words = below.strip("_").split("_") if below else []
    above = [f"({number})"] if number else []
    if "new" in words:
        words.remove("new")
        above.append(r"\mathrm{new}")
    latex += f"^{{{','.join(above)}}}" if above else ""
    own = ",".join(_WORDS.get(word) or _upright(word) for word in words)
    if own and places:
        return f"[{latex}_{{{own}}}]_{{{places}}}"
    return latex + (f"_{{{own or places}}}" if own or places else "")


def _symbols(text: str) -> str:
    return _WORDS.get(text) or rf"\mathrm{{{text}}}"


def _upright(letters: str) -> str:
    return letters if len(letters) == 1 or letters.isdigit() else rf"\mathrm{{{letters}}}"
