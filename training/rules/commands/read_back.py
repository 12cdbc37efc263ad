"""The command line's ``rules read-back``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from automata.text.number_text import plural
from ratproof.commands.app import AsJson, example
from ratproof.commands.rules.app import rules as app
from ratproof.commands.terminal import console, headed, progress
from ratproof.process.json_answers import print_json
from ratproof.process.outputs import require_folder

if TYPE_CHECKING:
    from training.rules.rules_read import ReadRule

FIRST = "first rules, as a list"


@app.command(
    "read-back",
    short_help="Read a trained network back as rules.",
    epilog=example("rules read-back house/network.safetensors --data home -o back"),
)
def read_back(
    checkpoint: Annotated[
        str, typer.Argument(metavar="CHECKPOINT", help="network.safetensors from ratproof train fa-rnn")
    ],
    data: Annotated[
        str, typer.Option("--data", metavar="DIR", help="train.tsv, dev.tsv and test.tsv: label<TAB>words")
    ],
    share: Annotated[
        float | None,
        typer.Option("--share", help="share of the training sentences (default: as in training)"),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option("--seed", min=0, max=2**63 - 1, help="seed that selects them (default: as in training)"),
    ] = None,
    output: Annotated[
        str | None,
        typer.Option(
            "-o",
            "--output",
            metavar="DIR",
            help="write the automata, the rules and the report to this folder",
        ),
    ] = None,
    as_json: AsJson = False,
) -> int:
    """Extract automata and rules from a trained network, and compare their accuracy with the network's.

    See Jiang et al. 2020, section 6.
    """
    from neural.fa_rnn import sentences
    from neural.fa_rnn.files import load
    from training.classification_with_rules.data import at, drawn_indices
    from training.rules.read_report import NAMES, keep, report, trained_on

    if output is not None:
        require_folder("-o", output, NAMES, reads=(checkpoint, data))
    with progress("rules read-back") as report_progress:
        report_progress("reading")
        model, about = load(checkpoint)
        own = trained_on(about, checkpoint)  # by default, the sentences on which the network was trained
        share, seed = own[0] if share is None else share, own[1] if seed is None else seed
        parts = sentences.read(data)
        parts["train"] = at(parts["train"], drawn_indices(len(parts["train"]), share, seed))
        result, automata, rules = report(model, parts, report_progress)
        systems = {"automata": automata, "rules": rules}
        files = [] if output is None else keep(result, systems, model, Path(output))
    if as_json:
        print_json(result.to_json())
        return 0
    out = console()
    for row in result.rows:
        many = "" if row.rules is None else f"   {plural(row.rules, 'rule')}"
        chosen = "" if row.choice is None or row.system == FIRST else f", threshold {row.choice.gamma:g}"
        accuracy = f"accuracy on dev {row.dev:7.2%}, on test {row.test:7.2%}"
        out.print(f"  {row.system:<22} {accuracy}{many}{chosen}", soft_wrap=True)
    header = "Rules, in order of priority; the first match decides."
    out.print(f"\n{header}{_about_sets(result.rules)}", soft_wrap=True)
    for rule in result.rules:
        out.print(headed(f"  {rule.label}", f": {shorten_middle(rule.rule or '', 300)}"), soft_wrap=True)
    out.print(f"  no match: {result.default}", soft_wrap=True)
    # rules with several final states are shown once
    several = {rule.before or rule.state: rule for rule in result.learned}
    if any(arrow.came for rule in several.values() for arrow in rule.arrows):
        out.print("\nWords that transitions of the automata learned (Figure 4):")
    for rule in several.values():
        for arrow in [arrow for arrow in rule.arrows if arrow.came][:3]:
            words = ", ".join(arrow.came[:12]) + (
                f" and {len(arrow.came) - 12} more" if len(arrow.came) > 12 else ""
            )
            line = f": from state {arrow.source} to {arrow.target}, in addition to the rules: {words}"
            out.print(headed(f"  {rule.label}", line), soft_wrap=True)
    if files:
        out.print(f"\n{', '.join(path.name for path in files)} in {output}", soft_wrap=True)
    return 0


def _about_sets(rules: Sequence[ReadRule]) -> str:
    """Return an explanation of the first named set of words, such as ``$787``, or the empty string."""
    sets = {name: words for rule in rules for name, words in rule.sets.items()}
    return next((f" {name} stands for any of {len(words)} words." for name, words in sets.items()), "")


def shorten_middle(text: str, most: int) -> str:
    """Return the text without its middle part if it is longer than ``most`` characters."""
    return text if len(text) <= most else f"{text[: most // 2]} ... {text[-most // 2 :]}"
