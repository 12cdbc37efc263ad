"""The commands ``rules show``, ``rules add`` and ``rules disable``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from automata.aliases import JsonObject
from automata.errors import InputError
from automata.text.number_text import plural, shorten
from ratproof.commands.app import AsJson, example
from ratproof.commands.rules.app import rules as app
from ratproof.commands.terminal import console, headed, print_answer
from ratproof.process.json_answers import print_json
from ratproof.process.outputs import require_outputs

if TYPE_CHECKING:
    from neural.fa_rnn.classifier import Classifier


Kept = Annotated[
    str, Argument(metavar="CHECKPOINT", help="a network.safetensors file from ratproof train fa-rnn")
]
NewFile = Annotated[
    str, Option("-o", "--output", metavar="FILE", help="the changed classifier (.safetensors)")
]
OnData = Annotated[
    str | None,
    Option(
        "--data",
        metavar="DIR",
        help="report the accuracy before and after on the test sentences in this folder",
    ),
]


@app.command(
    short_help="List the rules that a trained network was initialised with.",
    epilog=example("rules show house/network.safetensors"),
)
def show(checkpoint: Kept, as_json: AsJson = False) -> int:
    """List the rules that a trained network was initialised with, by number.

    Pass these numbers to ``rules disable``.
    """
    from neural.fa_rnn.files import load

    model, _ = load(checkpoint)
    if as_json:
        blocks = [
            {"number": n, "label": b.label, "rules": list(b.rules), "states": len(b.states)}
            for n, b in enumerate(model.blocks, start=1)
        ]
        print_json(
            {
                "labels": list(model.labels),
                "words": len(model.network.words),
                "states": model.cell.states,
                "rules": blocks,
            }
        )
        return 0
    out = console()
    out.print(
        f"{plural(len(model.labels), 'label')}, {len(model.network.words):,} words,"
        f" {plural(model.cell.states, 'state')}, rank {model.network.rank}"
    )
    for number, block in enumerate(model.blocks, start=1):
        for rule in block.rules:
            out.print(headed(f"  {number:>3}  {block.label}", f": {rule}"), soft_wrap=True)
    return 0


@app.command(
    short_help="Add rules to a trained network.",
    epilog=example("rules add house/network.safetensors --rules more.config -o more.safetensors"),
)
def add(
    checkpoint: Kept,
    rules: Annotated[
        str, Option("--rules", metavar="FILE", help="rules under [label] headers, which may be new labels")
    ],
    output: NewFile,
    weight: Annotated[
        float,
        Option(
            "--weight",
            help="the weight that a match adds to its label's logit; training makes other weights larger",
        ),
    ] = 5.0,
    data: OnData = None,
    as_json: AsJson = False,
) -> int:
    """Add rules to a trained network without training (equation 10).

    The scores of other rules do not change.
    """
    from automata.rules import rule_files
    from automata.rules.rule_set import rule_set
    from automata.rules.words import BEGIN, END
    from neural.fa_rnn.editing import add_rules
    from neural.fa_rnn.files import load

    require_outputs({"-o": output}, reads=(checkpoint, rules, data))
    model, about = load(checkpoint)
    written = rule_files.read(rules)
    if written[0].label is None:  # then no rule has a label
        raise InputError(
            f"{written[0].where}: the rule {shorten(str(written[0].rule))} must have a [label] line above it"
        )
    words = [str(word) for word in model.network.words if word not in (BEGIN, END)]
    compiled = rule_set(written, words)
    larger = add_rules(model, compiled, [str(rule.rule) for rule in written], weight)
    notes = (
        [f"words in rules that are not in the classifier's vocabulary: {', '.join(compiled.missing)}"]
        if compiled.missing
        else []
    )
    return _changed(
        model,
        larger,
        about,
        output,
        data,
        as_json,
        [f"{plural(len(written), 'rule')} added, {plural(larger.cell.states, 'state')}", *notes],
    )


@app.command(
    short_help="Remove rules from a trained network.",
    epilog=example("rules disable house/network.safetensors 2 -o fewer.safetensors"),
)
def disable(
    checkpoint: Kept,
    numbers: Annotated[list[int], Argument(metavar="N", help="numbers of rules, as listed by rules show")],
    output: NewFile,
    data: OnData = None,
    as_json: AsJson = False,
) -> int:
    """Remove rules from a trained network without training. The scores of other rules do not change."""
    from neural.fa_rnn.editing import disable_rules
    from neural.fa_rnn.files import load

    require_outputs({"-o": output}, reads=(checkpoint, data))
    model, about = load(checkpoint)
    smaller = disable_rules(model, [number - 1 for number in numbers])
    removed = len(model.blocks) - len(smaller.blocks)
    gone = model.cell.states - smaller.cell.states
    message = f"removed {plural(removed, 'group')} of rules and {gone} of {model.cell.states} states"
    return _changed(model, smaller, about, output, data, as_json, [message])


def _changed(
    before: Classifier,
    after: Classifier,
    about: JsonObject,
    output: str,
    data: str | None,
    as_json: bool,
    notes: list[str],
) -> int:
    """Save the edited classifier and print what changed."""
    from neural.fa_rnn import files, sentences

    right: dict[str, float] = {}
    if data is not None:
        test = sentences.read(data)["test"]
        right = {"before": sentences.accuracy(before, test), "after": sentences.accuracy(after, test)}
    files.save(after, output, {name: value for name, value in about.items() if name != "classifier"})
    answer = {
        "states": after.cell.states,
        "labels": list(after.labels),
        "test": right or None,
        "kept": output,
        "notes": notes,
    }
    accuracy = [f"test accuracy {right['before']:.2%} before, {right['after']:.2%} after"] if right else []
    print_answer(as_json, answer, "\n".join([*notes, *accuracy, f"saved in {output}"]))
    return 0
