"""A case in which a model breaks a law."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field

from automata.aliases import JsonObject
from automata.text.printable_text import printable
from ratproof.evidence.counterexample import Refutation, ScriptedCounterexample
from ratproof.laws.models.problem import StatefulProblem


@dataclass(frozen=True)
class StatefulCounterexample(ScriptedCounterexample):
    """A case in which the two ways of a law give different outputs.

    Attributes:
        claim, variant: Names of the refuted claim and variant.
        law: Kind of evidence of the law.
        problem: The shapes of the case, on one line.
        position: Name of the outputs or of a gradient, and the index of the element.
        other, plain: The values of the other way and of the reference way, as text.
        other_way, plain_way: Descriptions of these two ways.
        rounding: The largest difference that the measured rounding explains; empty if it cannot be measured
            because the model is not deterministic.
        inputs: The tokens of the rows; empty if there are too many.
        seed: Seed of the inputs.
        sizes: The sizes of the case; counterexamples with small sizes come first.
        case: The problem as a Python expression.
    """

    claim: str
    variant: str
    law: str
    problem: str
    position: str
    other: str
    plain: str
    other_way: str
    plain_way: str
    rounding: str
    inputs: list[object] = field(default_factory=list)
    seed: int = 0
    sizes: tuple[int, ...] = ()
    case: str = field(default="", repr=False)

    def sentence(self) -> str:
        """Return one line with the shapes, the position, the two ways and the values."""
        explained = f"the measured rounding explains at most {self.rounding}"
        slack = explained if self.rounding else "rounding is not measured: equal calls differ"
        return printable(
            f"for {self.problem}: {self.position} is {self.other} {self.other_way}, and {self.plain}"
            f" {self.plain_way} ({slack})"
        )

    def in_short(self, unequal: str) -> str:
        """Return the position and the two values on one line.

        For example, ``outputs[0, 1]: 2 != 1`` if ``unequal`` is ``!=``. The value of the other way comes
        first.
        """
        return printable(f"{self.position}: {self.other} {unequal} {self.plain}")

    @property
    def simplicity(self) -> tuple[int, ...]:
        """Return a sort key, so that counterexamples with small sizes come first."""
        return self.sizes

    def to_json(self) -> JsonObject:
        """Return the counterexample as a JSON object."""
        return {name: value for name, value in asdict(self).items() if name not in ("case", "sizes")}

    def program(self, file: str) -> str:
        """Return a program that runs the case again with the model from the claim in ``file``.

        The program needs the file and ratproof. Only the inputs are generated, from the seed. Without a file,
        the program is empty.
        """
        if not file:
            return ""
        says = self.sentence().replace("\\", "\\\\").replace('"', '\\"')
        return _SCRIPT.format(
            says=says, seed=self.seed, file=file, claim=self.claim, law=self.law, case=self.case
        )


class BrokenLaw(Refutation):
    """Raised if a model breaks a law."""

    def __init__(self, counterexample: StatefulCounterexample, problem: StatefulProblem) -> None:
        super().__init__(counterexample.sentence())
        self.counterexample, self.problem = counterexample, problem


_SCRIPT = '''"""{says}

Seed {seed}. This script needs ratproof and the file with the claim, which creates the model.
"""

from ratproof.ladder.user_files import load
from ratproof.laws.models.problem import StatefulProblem
from ratproof.laws.runner import run_again

claim = load({file!r})[{claim!r}]
print(run_again(claim.declared, {law!r}, {case}))
'''
