"""The command line's ``train fa-rnn``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from automata.errors import InputError
from ratproof.commands.app import AsJson
from ratproof.commands.terminal import console, headed, progress
from ratproof.process.exit_statuses import INTERRUPTED, NO, YES
from ratproof.process.interruptions import interruptions
from ratproof.process.json_answers import print_json
from ratproof.process.outputs import require_folder

if TYPE_CHECKING:
    from training.fa_rnn.experiment import Report


def fa_rnn(
    data: Annotated[
        str, typer.Option("--data", metavar="DIR", help="train.tsv, dev.tsv and test.tsv: label<TAB>words")
    ],
    rules: Annotated[
        str | None,
        typer.Option(
            "--rules", metavar="FILE", help="rules under [label] headers (default: the .config in DIR)"
        ),
    ] = None,
    share: Annotated[
        float, typer.Option("--share", help="of the training sentences, drawn with the seed: 0.01 is 1 %")
    ] = 1.0,
    seed: Annotated[
        int, typer.Option("--seed", min=0, max=2**63 - 1, help="the same seed, the same network")
    ] = 0,
    vectors: Annotated[
        str | None,
        typer.Option(
            "--vectors",
            metavar="FILE|one-hot",
            help="GloVe text or npz, or a vector of its own for each word (default: glove*.npz in DIR)",
        ),
    ] = None,
    beta: Annotated[
        float | None, typer.Option("--beta", help="of equation 6: 1 is rules alone, without vectors")
    ] = None,
    epochs: Annotated[int | None, typer.Option("--epochs", min=1, help="at most")] = None,
    rate: Annotated[
        float | None, typer.Option("--rate", help="Adam's learning rate, of recurrence and readout")
    ] = None,
    batch: Annotated[int | None, typer.Option("--batch", min=1, help="sentences")] = None,
    extra: Annotated[int | None, typer.Option("--extra", min=0, help="K', more states")] = None,
    minutes: Annotated[float, typer.Option("--minutes", help="the most to train")] = 10.0,
    output: Annotated[
        str | None,
        typer.Option(
            "-o",
            "--output",
            help="a folder for run, network and report (default: trained/fa-rnn-DATA-SHARE-SEED)",
        ),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="go on with the run that is in the folder")
    ] = False,
    as_json: AsJson = False,
) -> int:
    """Train an FA-RNN that begins as rules on labelled sentences (Jiang et al. 2020, section 4.4).

    The epoch that is best on the dev set is kept, and measured on the test set. Exit status 1 where the time
    was up before.
    """
    from automata.rules.rule_files import rule_file_in
    from training.fa_rnn.experiment import NETWORK, REPORT, RUN, Experiment, run

    if rate is not None and not 0 < rate <= 1:
        raise InputError(f"--rate is {rate}, where a number from 0, which is left out, to 1 is right")
    changes: dict[str, Any] = {
        "beta": beta,
        "epochs": epochs,
        "extra": extra,
        "rate": rate,
        "readout_rate": rate,
        "batch": batch,
    }
    name = Path(data).resolve().name
    experiment = Experiment(
        data=Path(data),
        rules=Path(rules) if rules is not None else rule_file_in(Path(data)),
        seed=seed,
        share=share,
        vectors=None if vectors is None else Path(vectors),
        changes={name: value for name, value in changes.items() if value is not None},
        minutes=minutes,
        folder=Path(output) if output is not None else Path("trained") / f"fa-rnn-{name}-{share:g}-{seed}",
    )
    require_folder("-o", experiment.folder, [RUN, NETWORK, REPORT], reads=(experiment.rules, vectors, data))
    with interruptions() as stop, progress("train fa-rnn") as tell:
        report = run(experiment, resume, tell, stop)
    if as_json:
        print_json(report.to_json())
    else:
        show(report, experiment.folder)
    if report.outcome == "interrupted":
        return INTERRUPTED
    return YES if report.outcome == "trained" else NO


def show(report: Report, folder: Path) -> None:
    """Print the results."""
    out = console()
    training, dev, test = report.sentences
    out.print(
        headed(
            report.data,
            f": {training:,} sentences to train, {dev:,} to choose, {test:,} to test; {report.labels} labels;"
            f" {report.states} states, rank {report.rank}; seed {report.seed}",
        )
    )
    drawn = f"no vectors (beta {report.recipe['beta']:g})"
    if report.vectors is not None:
        drawn = (
            f"vectors from {report.vectors} (beta {report.recipe['beta']:g}; {report.without} words have none"
            " of their own)"
        )
    without = "no label" if report.default is None else report.default
    out.print(f"  {drawn}; a sentence that matches no rule begins with {without}")
    if report.missing:
        out.print(f"  words of rules that no sentence has: {', '.join(report.missing)}")
    out.print(
        f"  {report.outcome} ({report.seconds:.1f} s, {report.epochs} epochs); epoch {report.best_epoch} was"
        " best on the dev set"
    )
    out.print(
        f"  right on dev {report.dev_start:.2%} at the start, then {report.dev:.2%}; on test"
        f" {report.test_start:.2%}, then {report.test:.2%}"
    )
    out.print(
        f"  kept in {folder}; ratproof rules read-back {folder / 'network.safetensors'} --data DIR reads its"
        " rules",
        soft_wrap=True,
    )
    if report.outcome != "trained":
        more = " and a larger --minutes" if report.outcome == "out of time" else ""
        out.print(f"  to go on: the same command with --resume{more}")
