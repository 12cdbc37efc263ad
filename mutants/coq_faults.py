"""Faults in the definitions of ``theory/coq``, and whether ``kernel-checked`` evidence detects them.

Each fault changes one operator in a definition that a theorem uses: a sum becomes a product, a one becomes a
zero, an index is not shifted, or two indices are exchanged. A change is skipped if the definition no longer
type-checks. Each theorem has one more fault, which replaces its statement by a trivial one.
"""

import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import chain, zip_longest
from pathlib import Path
from unittest.mock import patch

from mutants.coq_breaks import BREAKS
from ratproof.coq import bond, sources, theorems, ties
from ratproof.coq import programs as coq
from ratproof.coq.development import build
from ratproof.ladder.rungs import kernel_checked
from ratproof.ladder.steps import steps
from theory.claim import KERNEL, Claim, Variant

OPERATORS = (
    (r" \+ ", " * ", "a sum becomes a product"),
    (r" \* ", " + ", "a product becomes a sum"),
    (r"\.\+1\b", "", "an index is not shifted"),
    # exchanging two quantifiers would not change the meaning
    (r"(?<!forall )\b(i|p) (j|q)\b", r"\2 \1", "two indices are exchanged"),
    (r"(?<![\w.])1(?![\w%.'])", "0", "a one becomes a zero"),
    (r"(?<![\w.])0(?![\w%.'])", "1", "a zero becomes a one"),
    (r"\brev ", "id ", "a word is not reversed"),
    (r"\bNum\.max ", "+%R ", "a maximum becomes a sum"),
    (r"==", "!=", "an equality is negated"),
    (r"\b(f|u|alpha|beta|k|q|v|w|a|z|W|b|T|D_1|D_2) x\b", "0", "a weight is dropped"),
)
DROPS = (
    (r" \* \w+(?: \w+)+(?=\.$)", "", "the last factor is dropped"),
    (r"(?<==> )(?!0)\w+(?: \w+)*", "0", "a value is dropped"),
    (r"\bclosed N \((.*)\)(?=\.$)", r"\1", "epsilon transitions are dropped"),
    (r"\binitial A\b", "final A", "final weights replace initial ones"),
)
"""Operators that are tried after :data:`OPERATORS`."""
DEFINITION = re.compile(r"^(?:Definition|Fixpoint|Let) (\w+)\b.*?\.(?=\s)", re.DOTALL | re.MULTILINE)
FAULTS, TRIES = 3, 10
"""The number of faults in the definitions of each variant, and the maximum number of changes to try."""
NO_STATEMENT = "its theorem becomes trivial"


@dataclass(frozen=True)
class CoqFault:
    """A fault in one Coq file.

    Attributes:
        says: a description of the fault.
        file: the path below ``theory/coq``.
        text: the file's text with the fault.
        first, last: the numbers of the first and the last line of the changed definition.
    """

    says: str
    file: str
    text: str
    first: int = 0
    last: int = 0


def coq_faults(variant: Variant) -> Iterator[CoqFault]:
    """Yield candidate faults for a variant: first those in the file with its theorem."""
    assert variant.theorem is not None
    yield _saying_nothing(variant.theorem.name)
    folder = sources.source_folder()
    module = variant.theorem.name.rpartition(".")[0]
    own = module.replace(".", "/") + ".v"
    terms = " ".join((variant.theorem.network, variant.theorem.automaton, variant.theorem.score))
    used = set(re.findall(r"\w+", terms + " " + sources.statements()[variant.theorem.name].text))
    for says, (file, before, after) in BREAKS.items():
        if file == own:
            yield CoqFault(says, file, (folder / file).read_text(encoding="utf-8").replace(before, after))
    for operators in (OPERATORS, DROPS):
        for file in (own, *_imported(folder / own, folder)):
            yield from _faults_in_file(file, (folder / file).read_text(encoding="utf-8"), used, operators)
    yield from _faults_in_file("paths.v", (folder / "paths.v").read_text(encoding="utf-8"), used, DROPS)


def _saying_nothing(theorem: str) -> CoqFault:
    file = theorem.rpartition(".")[0].replace(".", "/") + ".v"
    name = theorem.rpartition(".")[2]
    text = (sources.source_folder() / file).read_text(encoding="utf-8")
    match = re.search(
        rf"^Theorem {name}\b.*?^(?:Qed|Defined)\.$|^Theorem {name}\b.*?\bQed\.$",
        text,
        re.DOTALL | re.MULTILINE,
    )
    assert match is not None, theorem
    nothing = f"Theorem {name} : True.\nProof.\nexact: I.\nQed."
    return CoqFault(NO_STATEMENT, file, text[: match.start()] + nothing + text[match.end() :])


def _imported(file: Path, folder: Path) -> list[str]:
    """Return the files of this project that a Coq file imports, as paths below ``theory/coq``."""
    imports = r"^From ratproof\.([\w.]+) Require Import (.*?)\.$"
    files = [
        f"{paper.replace('.', '/')}/{name}.v"
        for paper, names in re.findall(imports, file.read_text(encoding="utf-8"), re.MULTILINE)
        for name in names.split()
    ]
    return [name for name in files if (folder / name).exists()]


def _faults_in_file(
    file: str, text: str, used: set[str], operators: tuple[tuple[str, str, str], ...]
) -> Iterator[CoqFault]:
    blank = re.sub(r"\(\*.*?\*\)", lambda m: re.sub(r"[^\n]", " ", m[0]), text, flags=re.DOTALL)
    definitions = {match[1]: match for match in DEFINITION.finditer(blank)}
    reached, names = list[str](), [name for name in definitions if name in used]
    while names:
        name = names.pop(0)
        if name not in reached:
            reached.append(name)
            names += [other for other in definitions if re.search(rf"\b{other}\b", definitions[name][0])]
    sites = [list(_sites(file, text, definitions[name], operators)) for name in reached]
    yield from filter(None, chain.from_iterable(zip_longest(*sites)))


def _sites(
    file: str, text: str, definition: re.Match[str], operators: tuple[tuple[str, str, str], ...]
) -> Iterator[CoqFault]:
    body = definition.start() + max(definition[0].find(":="), 0)
    lines = [text.count("\n", 0, position) + 1 for position in definition.span()]
    for pattern, instead, says in operators:
        site = re.compile(pattern).search(text, body, definition.end())
        if site is not None:
            changed = text[: site.start()] + site.expand(instead) + text[site.end() :]
            yield CoqFault(f"{says} in {definition[1]} ({file})", file, changed, *lines)


def verdicts_of_faults(claim: Claim, variant: Variant) -> Iterator[tuple[str, str]]:
    """Yield the description and the verdict, ``unknown`` or ``holds``, of each fault."""
    compiled, count = build(), 0
    for tried, fault in enumerate(coq_faults(variant)):
        if count > FAULTS or tried > TRIES:
            return
        verdict = verdict_of(claim, variant, fault, compiled)
        if verdict is not None:
            count += 1
            yield fault.says, verdict


def verdict_of(claim: Claim, variant: Variant, fault: CoqFault, compiled: Path) -> str | None:
    """Return the verdict of ``kernel-checked`` evidence on a fault, in a copy of the compiled Coq files.

    Return ``None`` if the changed definition does not type-check.
    """
    with tempfile.TemporaryDirectory(prefix="faults-") as folder:
        root = Path(folder) / "coq"
        shutil.copytree(compiled, root, copy_function=os.symlink)
        (root / fault.file).unlink()
        (root / fault.file).write_text(fault.text, encoding="utf-8")
        own = root / (variant_file(variant))
        try:
            for file in _to_compile(root, root / fault.file, own):
                for old in file.parent.glob(f"{file.stem}.vo*"):
                    old.unlink()
                coq.compile_file(file, root)
        except coq.Rejected as error:
            line = re.search(r"line (\d+)", error.where)  # absent if Coq runs out of stack, for example
            inside = line and fault.file in error.where and fault.first <= int(line[1]) <= fault.last
            return None if inside else "unknown"
        return _evidence_verdict(claim, variant, root)


def variant_file(variant: Variant) -> str:
    """Return the path of the file with the variant's theorem, relative to ``theory/coq``."""
    assert variant.theorem is not None
    return variant.theorem.name.rpartition(".")[0].replace(".", "/") + ".v"


def _to_compile(root: Path, changed: Path, own: Path) -> list[Path]:
    """Return the files to recompile after a change, in order: the changed file, then those that need it."""
    if changed == own:
        return [own]
    files = sorted(root.rglob("*.v"))
    needs = coq.dependencies(root, files)

    def depends(file: Path) -> bool:
        return file == changed or any(map(depends, needs[file]))

    order: list[Path] = []

    def visit(file: Path) -> None:
        if file not in order and depends(file):
            for need in needs[file]:
                visit(need)
            order.append(file)

    visit(own)
    return order or [changed]


def _evidence_verdict(claim: Claim, variant: Variant, root: Path) -> str:
    """Return the verdict of ``kernel-checked`` evidence on a variant, with the Coq files in ``root``."""
    assert variant.theorem is not None
    one = {variant.theorem.name: sources.statements()[variant.theorem.name]}
    runs = (claim.name, variant.name) in [(c.name, v.name) for c, v in bond.runnable_variants()]
    with ExitStack() as stack:
        for module, name, value in (
            (kernel_checked, "build", lambda: root),
            (theorems, "statements", lambda: one),
            (ties, "tied_variants", lambda: [] if variant.theorem.untied else [(claim, variant)]),
            (bond, "runnable_variants", lambda: [(claim, variant)] if runs else []),
        ):
            stack.enter_context(patch.object(module, name, value))
        (step,) = (s for s in steps([claim]) if s.variant == variant and s.kind == KERNEL)
        return str(step.run()[0].verdict)
