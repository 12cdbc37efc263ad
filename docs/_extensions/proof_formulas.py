r"""Conversion of the plain-text lines of a proof to Markdown with formulas in LaTeX.

>>> in_latex("c1 f1(a) + u(a)[1]")
'c^{(1)}\\,f^{(1)}(\\mathrm{a})+u_{1}(\\mathrm{a})'
>>> in_latex('("", h_new[1], alpha_inf)')
'(\\varepsilon,\\;h^{\\mathrm{new}}_{1},\\;\\alpha_{\\infty})'
>>> in_latex("b[j] + Sum(W[j, i]*c[i], (i, 1, n))")
'b_{j}+\\sum_{i=1}^{n} W_{j,i}\\,c_{i}'
>>> in_latex("Sum(A[i, k]*h[i], (k, 1, r), (i, 1, n))")
'\\sum_{i=1}^{n}\\sum_{k=1}^{r} A_{i,k}\\,h_{i}'
>>> in_latex("tau(epsilon) = ((0, r), (0, 1))")
'\\tau(\\varepsilon)=\\begin{pmatrix}0&r\\\\0&1\\end{pmatrix}'
>>> markdown("unit 0, state c_0[1], symbol a: c f = f c")
'- Unit 0, state {math}`[c_{0}]_{1}`, symbol a: {math}`c\\,f=f\\,c`\n'
>>> in_latex("c[1")
Traceback (most recent call last):
    ...
ValueError: the formula "c[1" of a proof cannot be read
"""

import ast
import re
from collections.abc import Sequence

from formulas import GREEK
from page_text import plain

SHORT = 40  # characters that fit a phone's line; longer lines scroll sideways

_TOKEN = re.compile(
    r'\s*(?:(?P<call>[A-Za-z]\w*)\((?P<read>\w*)\)|(?P<name>[A-Za-z]\w*)|(?P<number>\d+)|(?P<string>"\w*")'
    r"|(?P<sign><=|>=|\*\*|[-+*/^=<>,()\[\]]))"
)
_NAME = re.compile(r"([A-Za-z]+)(\d?)((?:_\w+)?)$")
_HEAD = re.compile(r"unit (?P<unit>\d+)(?:, state (?P<state>.+?))?(?:, symbol (?P<symbol>\w+))?$")
_RELATIONS = {ast.Eq: "=", ast.Lt: "<", ast.Gt: ">", ast.LtE: r"\leq ", ast.GtE: r"\geq "}
_OPERATORS = {ast.Add: "+", ast.Sub: "-", ast.Mult: r"\,", ast.Div: "/"}
_COMMA = r",\;"
_WORDS = {"inf": r"\infty", "epsilon": r"\varepsilon", "": r"\varepsilon"}


def markdown(line: str) -> str:
    """Convert a line of a proof to a list item, or to a displayed formula."""
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


def _block(latex: str) -> str:
    return f"```{{math}}\n{latex}\n```\n"


def in_latex(formula: str) -> str:
    """Convert a formula of a proof to LaTeX.

    Raises:
        ValueError: If it is not written as the proofs write formulas.
    """
    try:
        return _latex(ast.parse(_python(formula), mode="eval").body)
    except (SyntaxError, ValueError, AttributeError) as error:
        raise ValueError(f'the formula "{formula}" of a proof cannot be read') from error


def _python(formula: str) -> str:
    """Convert the formula to a Python expression that can be parsed.

    Products get multiplication signs, names get a leading underscore, and brackets become calls of ``_``.
    """
    parts: list[str] = []
    end, is_operand = 0, False
    while end < len(formula.rstrip()):
        token = _TOKEN.match(formula, end)
        if token is None:
            raise ValueError(formula[end:])
        sign = token["sign"] or ""
        if is_operand and sign in ("", "("):
            parts.append("*")
        if token["call"]:
            parts.append(f"_{token['call']}('{token['read']}')")
        elif token["name"]:
            parts.append(f"_{token['name']}")
        elif sign == "(":
            parts.append("(" if parts[-1:] == ["_Sum"] else "_(")
        else:
            parts.append({"=": "==", "^": "**"}.get(sign) or token[0].strip())
        is_operand = sign in ("", ")", "]") and token["name"] != "Sum"
        end = token.end()
    return "".join(parts)


def _latex(node: ast.AST, indices: str = "") -> str:
    match node:
        case ast.Compare(left, signs, others):
            first = _latex(left)
            shown = _matrix if first.startswith(r"\tau") else _latex
            return first + "".join(_RELATIONS[type(s)] + shown(o) for s, o in zip(signs, others, strict=True))
        case ast.BinOp(left, ast.Pow(), right):
            return f"{_latex(left)}^{{{_latex(right)}}}"
        case ast.BinOp(left, sign, right):
            first = _latex(left)
            if isinstance(sign, ast.Mult | ast.Div) and first.startswith(r"\sum"):
                first = f"({first})"
            return first + _OPERATORS[type(sign)] + _latex(right)
        case ast.UnaryOp(ast.USub(), operand):
            return f"-{_latex(operand)}"
        case ast.Constant(int() as number):
            return str(number)
        case ast.Constant(str() as string):
            return _symbols(string)
        case ast.Call(ast.Name("_"), items) if items:
            return f"({_listed(items, _COMMA)})"
        case ast.Call(ast.Name("_Sum"), [summand, *limits]) if limits:
            shown = _latex(summand)
            if re.search(r"[-+]", re.sub(r"\([^()]*\)|\{[^{}]*\}", "", shown)):
                shown = f"({shown})"
            return "".join(map(_sum, reversed(limits))) + f" {shown}"
        case ast.Call(ast.Name(name), [ast.Constant(str() as read)]):
            return f"{_name(name[1:], indices)}({_symbols(read)})"
        case ast.Subscript(value, ast.Tuple(items)) if not indices:
            return _latex(value, _listed(items, ","))
        case ast.Subscript(value, index) if not indices:
            return _latex(value, _latex(index))
        case ast.Name(name):
            return _name(name[1:], indices)
    raise ValueError(ast.dump(node))


def _listed(items: Sequence[ast.AST], between: str) -> str:
    return between.join(map(_latex, items))


def _sum(limits: ast.AST) -> str:
    """Return the LaTeX of one summation sign with its limits."""
    index, first, last = map(_latex, limits.args)  # type: ignore[attr-defined]
    return rf"\sum_{{{index}={first}}}^{{{last}}}"


def _matrix(node: ast.AST) -> str:
    """Convert a nested tuple such as ``((0, r), (0, 1))`` to a matrix in LaTeX, row by row."""
    rows = r"\\".join(_listed(row.args, "&") for row in node.args)  # type: ignore[attr-defined]
    return rf"\begin{{pmatrix}}{rows}\end{{pmatrix}}"


def _name(text: str, indices: str) -> str:
    """Convert a name such as ``c2_0_new`` to LaTeX with sub- and superscripts."""
    match = _NAME.match(text)
    if match is None:
        raise ValueError(text)
    letters, number, below = match.groups()
    latex = f"\\{letters}" if letters in GREEK or letters == "tau" else _upright(letters)
    words = below.strip("_").split("_") if below else []
    above = [f"({number})"] if number else []
    if "new" in words:
        words.remove("new")
        above.append(r"\mathrm{new}")
    latex += f"^{{{','.join(above)}}}" if above else ""
    own = ",".join(_WORDS.get(word) or _upright(word) for word in words)
    if own and indices:
        return f"[{latex}_{{{own}}}]_{{{indices}}}"
    return latex + (f"_{{{own or indices}}}" if own or indices else "")


def _symbols(text: str) -> str:
    return _WORDS.get(text) or rf"\mathrm{{{text}}}"


def _upright(letters: str) -> str:
    return letters if len(letters) == 1 or letters.isdigit() else rf"\mathrm{{{letters}}}"
