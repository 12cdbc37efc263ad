"""The ``campaign`` command, which runs many experiments at once; each can be killed and resumed."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from automata.errors import InputError
from automata.extras import require_extra
from automata.text.number_text import plural
from ratproof.commands.app import AsJson, example
from ratproof.commands.terminal import console, progress
from ratproof.process.exit_statuses import INTERRUPTED, NO, UNKNOWN, YES
from ratproof.process.interruptions import interruptions
from ratproof.process.json_answers import print_json
from ratproof.process.outputs import require_folder
from training.experiment_command import AnySize, Vectors, data_option

if TYPE_CHECKING:
    from training.campaign.runners import Runner

app = typer.Typer(
    name="campaign",
    no_args_is_help=True,
    help="Run many experiments: architectures, data, seeds and trials of a search.",
)

SHOWN = 10
"""The maximum number of unfinished rounds of a hunt that ``status`` lists."""
Folder = Annotated[str, typer.Argument(metavar="DIR", help="folder of the campaign")]


@app.callback()
def frame() -> None:
    """Run many experiments: architectures, data, seeds and trials of a search."""


@app.command("run", epilog=example("campaign run text.toml --data data -o text --jobs 2"))
def run(
    file: Annotated[str, typer.Argument(metavar="FILE", help="a .toml file with the runs")],
    data: Annotated[str, data_option("the data")],
    jobs: Annotated[
        int | None,
        typer.Option("--jobs", min=1, help="number of simultaneous runs, one per core (default: 1)"),
    ] = None,
    cluster: Annotated[
        str | None,
        typer.Option(
            "--cluster",
            metavar="FILE|ADDRESS",
            help="file or address of a Dask scheduler; its workers must be able to access -o and --data",
        ),
    ] = None,
    vectors: Vectors = None,
    any_size: AnySize = False,
    kept: Annotated[
        str | None,
        typer.Option(
            "--kept", metavar="DIR", help="folder with results of this campaign; their runs are not repeated"
        ),
    ] = None,
    output: Annotated[
        str | None,
        typer.Option(
            "-o", "--output", metavar="DIR", help="folder of the campaign (default: campaigns/NAME)"
        ),
    ] = None,
    as_json: AsJson = False,
) -> int:
    """Run the unfinished jobs.

    Each run is a separate process. The command resumes runs that were killed. Several of these commands can
    work on the same folder. The exit status is 1 if a run diverged. It is 3 if a run is not done, because
    another process is working on it or because it ended with an error. Its folder contains its log.
    """
    require_extra("training", "campaign run")
    from automata.io.files import read_text, write_whole
    from ratproof.jobs.local_executor import LocalExecutor
    from training.campaign.job import CAMPAIGN
    from training.campaign.plan import read
    from training.campaign.runners import Runner
    from training.campaign.work import Work, take

    if cluster is not None and jobs is not None:
        raise InputError("--jobs must not be given with --cluster, which has its own workers")
    plan = read(file)
    folder = Path(output) if output is not None else Path("campaigns") / plan.name
    require_folder("-o", folder, reads=(vectors, data))
    there = folder / CAMPAIGN
    if there.exists() and read(there).name != plan.name:
        raise InputError(f"-o {folder}: the folder must not belong to another campaign")
    folder.mkdir(parents=True, exist_ok=True)
    where = {
        "data": os.path.abspath(data),
        "vectors": None if vectors is None else os.path.abspath(vectors),
        "any_size": any_size,
    }
    if cluster is None:
        runner = Runner(LocalExecutor(jobs or 1), folder)
    else:
        from ratproof.jobs.dask_executor import DaskExecutor

        runner = Runner(DaskExecutor(cluster, kept="the campaign's folder"), folder)
    with (
        closing(runner),
        interruptions(terminations=True) as stop,
        progress(f"campaign {plan.name}") as report_progress,
    ):
        work = Work(plan, folder, where, runner)
        work.unfinished()  # raises InputError before anything is written
        write_whole(there, read_text(file))
        if kept is not None:
            take(plan, folder, Path(kept))
        stopped = work.do(stop, _StageReport(runner, report_progress))
    failed, missing = _show(folder, as_json, runner.notes)
    return INTERRUPTED if stopped else UNKNOWN if missing else NO if failed else YES


class _StageReport:
    """A display of the campaign's current stage; new notes about its workers are printed above the stage."""

    def __init__(self, runner: Runner, report_progress: Callable[[str], None]) -> None:
        self.runner, self.report_progress, self.notes_shown = runner, report_progress, 0

    def __call__(self, stage: str) -> None:
        """Print new notes, then show the stage."""
        for note in self.runner.notes[self.notes_shown :]:
            console(error=True).print(note, soft_wrap=True)
            self.notes_shown += 1
        self.report_progress(stage)


@app.command(
    "status",
    short_help="Print the status of a campaign or a hunt.",
    epilog=example("campaign status text --json"),
)
def status(folder: Folder, as_json: AsJson = False) -> int:
    """Print the status of a campaign's runs or of a hunt's rounds (``hunt --ledger``).

    The status includes a digest of the results, which does not depend on the time or the machine.
    """
    if _is_hunt(Path(folder)):
        _show_hunt(Path(folder), as_json)
    else:
        _show(Path(folder), as_json)
    return YES


@app.command("merge", epilog=example("campaign merge here there"))
def merge(
    folder: Annotated[
        str,
        typer.Argument(metavar="A", help="folder of the campaign or hunt to merge into, which is changed"),
    ],
    other: Annotated[str, typer.Argument(metavar="B", help="another folder of the same campaign or hunt")],
    as_json: AsJson = False,
) -> int:
    """Merge the folder B of a campaign or hunt into the folder A.

    Common entries must be equal: if a round has two digests or a run has two results, the command fails and
    merges nothing.
    """
    into, source = Path(folder), Path(other)
    if into.resolve() == source.resolve():
        raise InputError(f"{other}: the two folders must be different")
    for path in (into, source):
        if not path.is_dir():
            raise InputError(f"{path}: the path must be the folder of a campaign or a hunt")
    if _is_hunt(into) != _is_hunt(source):
        raise InputError(f"{folder} and {other}: both folders must belong to a hunt, or both to a campaign")
    if _is_hunt(into):
        from ratproof.hunting.merging import merge as merge_hunts

        counts = merge_hunts(into, source)
    else:
        from training.campaign.merging import merge as merge_runs

        counts = merge_runs(_plan(into), into, _plan(source), source)
    if as_json:
        print_json(counts)
    else:
        console().print(", ".join(f"{count:,} new {name}" for name, count in counts.items()))
    return YES


@app.command("results", epilog=example("campaign results text --keep results/text"))
def results(
    folder: Folder,
    keep: Annotated[
        str | None,
        typer.Option("--keep", metavar="DIR", help="save the results in this folder, in results.jsonl.xz"),
    ] = None,
    as_json: AsJson = False,
) -> int:
    """Print the tables of the finished runs."""
    from training.campaign.work import keep as copy
    from training.engine.results import results_in
    from training.results_command import show

    plan = _plan(Path(folder))
    if keep is not None:
        require_folder("--keep", keep)
        copy(plan, Path(folder), Path(keep))
    return show(results_in(folder), as_json)


def _plan(folder: Path):  # type: ignore[no-untyped-def]  # a Plan, whose module takes a while to import
    from training.campaign.job import CAMPAIGN
    from training.campaign.plan import read

    if not (folder / CAMPAIGN).is_file():
        raise InputError(f"{folder}: the folder must contain {CAMPAIGN}")
    return read(folder / CAMPAIGN)


def _is_hunt(folder: Path) -> bool:
    from ratproof.hunting.store import FILE

    return (folder / FILE).exists()


def _show_hunt(folder: Path, as_json: bool) -> None:
    from ratproof.hunting.store import HuntLedger

    state = HuntLedger(folder).status()
    if as_json:
        print_json(state)
        return
    out = console()
    counterexamples, missing = state["counterexamples"], state["incomplete"]
    out.print(
        f"{plural(state['rows'], 'round')} done, {len(missing):,} left; digest {state['digest']}",
        soft_wrap=True,
    )
    for target, number in missing[:SHOWN]:
        out.print(f"  not done: {target}, round {number}", soft_wrap=True)
    if len(missing) > SHOWN:
        out.print(f"  and {len(missing) - SHOWN:,} more")
    for name in counterexamples:
        out.print(f"  ratproof replay {shlex.quote(str(folder / 'counterexamples' / name))}", soft_wrap=True)


def _show(folder: Path, as_json: bool, notes: Sequence[str] = ()) -> tuple[int, int]:
    """Print the states of the runs; return the number of diverged runs and the number of unfinished runs."""
    from training.campaign.job import LOG
    from training.campaign.merging import status_of
    from training.campaign.searches import FAILED
    from training.campaign.work import STATES, state
    from training.engine.names import RESULT

    plan = _plan(folder)
    states = {job.name: state(job, folder) for job in plan.jobs}
    counts = {name: sum(one == name for one in states.values()) for name in STATES}
    if as_json:
        names = ("name", "experiment", "model", "seed", "trial")
        jobs = [{n: getattr(job, n) for n in names} | {"state": states[job.name]} for job in plan.jobs]
        done = status_of(plan, folder)
        about = {"campaign": plan.name, "runs": len(plan.jobs), **counts, "jobs": jobs}
        print_json({**done, **about, **({"notes": list(notes)} if notes else {})})
    else:
        summary = ", ".join(f"{count} {name}" for name, count in counts.items() if count)
        out = console()
        out.print(f"{plan.name}: {plural(len(plan.jobs), 'run')}: {summary}", soft_wrap=True)
        for name, one in states.items():
            if one in ("failed", "broken"):
                paths = [folder / name / file for file in (FAILED, LOG, RESULT)]
                path = next((path for path in paths if path.exists()), paths[1])
                out.print(f"  {one}: {name}, see {path}", soft_wrap=True)
    return counts["failed"], len(plan.jobs) - counts["failed"] - counts["done"]
