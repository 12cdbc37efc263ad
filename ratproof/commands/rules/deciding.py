"""The command ``rules decide``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Option

from automata.errors import InputError
from automata.io.files import write_whole
from automata.text.number_text import plural
from automata.text.printable_text import write_string
from ratproof.commands.app import AsJson, example
from ratproof.commands.rules.app import rules as app
from ratproof.commands.rules.missing_words import warn_of_missing
from ratproof.commands.terminal import console, headed, progress
from ratproof.process.exit_statuses import NO, UNKNOWN, YES
from ratproof.process.json_answers import print_json
from ratproof.process.outputs import require_folder

if TYPE_CHECKING:
    from ratproof.certification.fa_rnn import NetworkDecision

EXIT = {"equivalent": YES, "different": NO, "unknown": UNKNOWN}


@app.command(
    short_help="Decide whether a network is equivalent to its rules.",
    epilog=example("rules decide --rules home/home.config --data home"),
)
def decide(
    rules: Annotated[str, Option("--rules", metavar="FILE", help="rules under [label] headers")],
    data: Annotated[
        str | None, Option("--data", metavar="DIR", help="use the words of the sentences in this folder")
    ] = None,
    words: Annotated[str | None, Option("--vocabulary", metavar="FILE|a,b,c", help="use these words")] = None,
    undecomposed: Annotated[
        bool, Option("--undecomposed", help="use equation 4 instead of equation 5")
    ] = False,
    dtype: Annotated[str, Option("--dtype", help="float32 or float64")] = "float32",
    device: Annotated[str, Option("--device", help="cpu or cuda")] = "cpu",
    certificates: Annotated[
        str | None, Option("--certificates", metavar="DIR", help="write certificates, for check-certificate")
    ] = None,
    as_json: AsJson = False,
) -> int:
    """Decide whether the network of a set of rules is equivalent to the rules on all sentences.

    The network is the program that torch runs at beta = 1, including its rounding.

    Exit status 0: equivalent, 1: different, 3: unknown.
    """
    import torch

    from automata.rules import rule_files
    from automata.rules.rule_set import rule_set
    from automata.rules.vocabulary import vocabulary
    from neural.fa_rnn import sentences
    from neural.fa_rnn.network import FARNN
    from ratproof.certification.fa_rnn import decide_network
    from ratproof.ladder.request import check_device

    if (data is None) == (words is None):
        raise InputError("pass exactly one of --data and --vocabulary")
    if dtype not in ("float32", "float64"):
        raise InputError(f"--dtype must be float32 or float64, got {dtype!r}")
    check_device(device)
    if certificates is not None:
        require_folder("--certificates", certificates)
    written = rule_files.read(rules)
    with progress("rules decide") as report_progress:
        report_progress("reading")
        known = vocabulary(words) if words is not None else sentences.vocabulary(sentences.read(str(data)))
        report_progress("compiling rules")
        compiled = rule_set(written, known)
        warn_of_missing(compiled)
        network = FARNN.of_rules(
            compiled, decomposed=not undecomposed, dtype=getattr(torch, dtype), device=torch.device(device)
        )
        decision = decide_network(network, written, compiled, report_progress)
        count = 0 if certificates is None else _keep(decision, Path(certificates))
    if as_json:
        print_json(
            {
                **decision.to_json(),
                "states": compiled.automaton.states,
                "rank": network.rank,
                "words": len(known),
                "missing": list(compiled.missing),
            }
        )
        return EXIT[decision.verdict]
    out = console()
    counts = (
        f"{plural(len(written), 'rule')}, {plural(compiled.automaton.states, 'state')}, rank {network.rank},"
        f" {plural(len(known), 'word')}"
    )
    out.print(headed(decision.verdict, f": {counts}"))
    if decision.exact:
        out.print(
            f"  no rounding in {dtype}: for every sentence, all values are integers of at most"
            f" {decision.largest:,}"
        )
    else:
        out.print(f"  unknown whether {dtype} rounds: values may exceed its largest exact integer")
    for label, pair in decision.different():
        assert pair.answer.word is not None
        out.print(f"  {label}: only the rules or only the network match {write_string(pair.answer.word)}")
    if certificates is not None:
        out.print(
            f"  {count} certificates in {certificates}: ratproof check-certificate FILE", soft_wrap=True
        )
    return EXIT[decision.verdict]


def _keep(decision: NetworkDecision, folder: Path) -> int:
    """Write the certificates to a folder, and return their number."""
    written = [
        (
            f"{number:02}-{str(label).replace('/', '-')[:60]}-{part}-{step}.json",
            {**certificate, "stand": answer.stand_json()},
        )
        for number, (label, answers) in enumerate(decision.answers.items())
        for part, answer in enumerate(answers)
        for step, certificate in enumerate(answer.certificates)
    ]
    for name, certificate in written:
        write_whole(folder / name, json.dumps(certificate, ensure_ascii=False) + "\n")
    return len(written)
