"""The mutations of a source file.

These are the operators of cosmic-ray, except mutations that every test or no test detects.
"""

import ast
import difflib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import parso
from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.operators.number_replacer import NumberReplacer
from cosmic_ray.operators.operator import Operator
from cosmic_ray.plugins import get_operator

# One or two replacements per operator. Most other replacements cause type errors, which any test detects.
_BINARY = (
    "Add_Sub Sub_Add Mul_Div Mul_Add Div_Mul FloorDiv_Div FloorDiv_Mul Mod_FloorDiv Pow_Mul BitAnd_BitOr"
    " BitOr_BitAnd BitXor_BitOr LShift_RShift RShift_LShift"
)
_COMPARISONS = "Eq_NotEq NotEq_Eq Lt_LtE Lt_GtE LtE_Lt LtE_Gt Gt_GtE Gt_LtE GtE_Gt GtE_Lt Is_IsNot IsNot_Is"
_OTHERS = (
    "AddNot ExceptionReplacer RemoveDecorator ReplaceAndWithOr ReplaceOrWithAnd ReplaceTrueWithFalse"
    " ReplaceFalseWithTrue ReplaceBreakWithContinue ReplaceContinueWithBreak ReplaceUnaryOperator_Delete_Not"
    " ReplaceUnaryOperator_Delete_USub ReplaceUnaryOperator_Delete_Invert ZeroIterationForLoop"
)
_SWAPS = {"max": "min", "any": "all", "maximum": "minimum", "floor": "ceil"}
_IN_PLACE = ("+=", "-=", "*=", "/=", "|=", "&=", "^=", "%=", "@=", "//=", "**=", "<<=", ">>=")
# Caches only change the run time, and these markers have no effect.
_NO_EFFECT = {"cache", "lru_cache", "override", "final", "overload"}


class _Number(NumberReplacer):
    """An operator that adds 1 to a number or subtracts 1 from it."""

    def mutate(self, node: Any, index: int) -> Any:
        replaced = super().mutate(node, index)
        replaced.value, replaced.prefix = replaced.value.strip(), node.prefix
        return replaced


class _SwappedName(Operator):
    """An operator that replaces a function name by its counterpart, such as ``max`` by ``min``."""

    names = _SWAPS | {after: before for before, after in _SWAPS.items()}

    def mutation_positions(self, node: Any) -> Iterator[Any]:
        if node.type == "name" and node.value in self.names:
            yield node.start_pos, node.end_pos

    def mutate(self, node: Any, index: int) -> Any:
        node.value = self.names[node.value]
        return node

    @classmethod
    def examples(cls) -> Any:
        return ()


class _RemovedStatement(Operator):
    """An operator that replaces a call, ``x += 1`` or ``x[i] = 1`` by ``pass``."""

    def mutation_positions(self, node: Any) -> Iterator[Any]:
        if node.type == "simple_stmt":
            first = node.children[0]
            called = first.type == "atom_expr" and first.children[-1].get_code().startswith("(")
            assigned = first.type == "expr_stmt" and (
                first.children[0].type == "atom_expr" or first.children[1].get_code().strip() in _IN_PLACE
            )
            if called or assigned:
                yield first.start_pos, first.end_pos

    def mutate(self, node: Any, index: int) -> Any:
        node.children[0] = parso.parse(node.children[0].get_first_leaf().prefix + "pass")
        return node

    @classmethod
    def examples(cls) -> Any:
        return ()


@cache
def operators() -> dict[str, Operator]:
    """Return the mutation operators, keyed by name."""
    names = [f"ReplaceBinaryOperator_{n}" for n in _BINARY.split()]
    names += [f"ReplaceComparisonOperator_{n}" for n in _COMPARISONS.split()]
    names += _OTHERS.split()
    ours = {"Number": _Number(), "SwappedName": _SwappedName(), "RemovedStatement": _RemovedStatement()}
    return {name: get_operator(f"core/{name}")() for name in names} | ours


@dataclass(frozen=True)
class MutationSite:
    """A position of a mutation: the ``occurrence``-th place in the file where an operator applies."""

    operator: str
    occurrence: int
    line: int


@dataclass(frozen=True)
class Mutation:
    """A mutated text, with the original and the new line without indentation."""

    text: str
    definition: str
    line: int
    before: str
    after: str


def mutation_sites(source: str) -> list[MutationSite]:
    """Return all positions at which some operator applies."""
    counts = dict.fromkeys(operators(), 0)
    result = []
    for node in ast_nodes(get_ast(source)):
        for name, operator in operators().items():
            for start, _ in operator.mutation_positions(node):
                result.append(MutationSite(name, counts[name], start[0]))
                counts[name] += 1
    return result


def mutation(source: str, site: MutationSite) -> Mutation | None:
    """Return the mutated text, or None if it has the same meaning or is not valid Python.

    Changes of annotations and docstrings do not change the meaning.
    """
    try:
        text = mutate_code(source, operators()[site.operator], site.occurrence)
    except AttributeError:  # cosmic-ray only replaces exceptions that are names, and fails on others
        return None
    if text is None or meaning(text) in (None, meaning(source)):
        return None
    matcher = difflib.SequenceMatcher(None, source.splitlines(), text.splitlines(), autojunk=False)
    changes = [c for c in matcher.get_opcodes() if c[0] != "equal"]
    first, last = changes[0], changes[-1]
    return Mutation(
        text,
        definition(source, site.line),
        first[1] + 1,
        _joined(source.splitlines()[first[1] : last[2]]),
        _joined(text.splitlines()[first[3] : last[4]]),
    )


def diff(name: str, source: str, text: str) -> str:
    """Return a unified diff of two versions of a file."""
    before, after = source.splitlines(keepends=True), text.splitlines(keepends=True)
    return "".join(difflib.unified_diff(before, after, f"a/{name}", f"b/{name}"))


def _joined(lines: Iterable[str]) -> str:
    return "\n".join(line.strip() for line in lines)


@cache
def meaning(source: str) -> str | None:
    """Return the syntax tree without parts that have no effect, or None if the text is not valid Python."""
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return None
    return ast.dump(_Effects().visit(tree))


class _Effects(ast.NodeTransformer):
    """A transformer that removes annotations, docstrings, caches, and other code without effect."""

    def visit_Expr(self, node: ast.Expr) -> Any:
        return ast.Pass() if isinstance(node.value, ast.Constant) else self.generic_visit(node)

    def visit_FunctionDef(self, node: Any) -> Any:
        if node.name in ("__repr__", "__str__"):
            return ast.Pass()
        node.returns = None
        node.decorator_list = [d for d in node.decorator_list if _name(d) not in _NO_EFFECT]
        return self.generic_visit(node)

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_arg(self, node: ast.arg) -> Any:
        node.annotation = None
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> Any:
        node.annotation = ast.Constant(None)
        return self.generic_visit(node)

    def visit_If(self, node: ast.If) -> Any:
        return ast.Pass() if "TYPE_CHECKING" in ast.unparse(node.test) else self.generic_visit(node)


def _name(node: ast.expr) -> str:
    """Return the last component of a dotted name, or of the name of a called function."""
    return ast.unparse(node).split("(")[0].split(".")[-1]


def definition(source: str, line: int) -> str:
    """Return the qualified name of the code around a line, such as ``RealSteps._error``."""
    names: list[str] = []

    def descend(node: ast.AST) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                first = min([child.lineno, *(d.lineno for d in child.decorator_list)])
                if first <= line <= (child.end_lineno or first):
                    names.append(child.name)
                    descend(child)
            elif hasattr(child, "body"):
                descend(child)

    descend(ast.parse(source))
    return ".".join(names)
