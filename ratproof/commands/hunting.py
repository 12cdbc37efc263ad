"""The commands ``hunt`` and ``replay``."""

from __future__ import annotations

import math
import random
import shlex
import time
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from rich.live import Live
from rich.text import Text
from typer import Argument, Option

from automata.errors import InputError
from automata.extras import require_extra
from automata.testing.edge_cases import EDGE_CASES
from automata.text.number_text import plural, shorten
from automata.text.printable_text import write_string
from ratproof.commands.app import AsJson, ClaimNames, Device, app, example
from ratproof.commands.terminal import StageLog, console, progress_lines, shows_bar
from ratproof.process.exit_statuses import INTERRUPTED, NO, UNKNOWN, YES
from ratproof.process.json_answers import print_json
from ratproof.process.outputs import require_folder
from ratproof.process.streams import output_to_stderr

if TYPE_CHECKING:
    from ratproof.hunting.progress import HuntProgress
    from ratproof.hunting.search import Hunt
    from ratproof.hunting.store import HuntLedger

REPLAYED = {"holds": YES, "refuted": NO, "unknown": UNKNOWN}


@app.command(
    epilog=example(
        "hunt proposition-7 --minutes 1",
        "hunt --minutes 10 --seed 7",
        "hunt --seed 7 --rounds 20 --ledger found --jobs 2",
    )
)
def hunt(
    names: ClaimNames = None,
    minutes: Annotated[
        float | None, Option("--minutes", help="time limit in minutes (default: 1, or none with --rounds)")
    ] = None,
    rounds: Annotated[
        int | None,
        Option(
            "--rounds",
            min=1,
            help="number of rounds of 50 examples per target; the rounds depend only on the seed",
        ),
    ] = None,
    ledger: Annotated[
        str | None, Option("--ledger", metavar="DIR", help="save rounds in a folder, and resume from it")
    ] = None,
    jobs: Annotated[
        int | None, Option("--jobs", min=1, help="number of processes (default: one per core)")
    ] = None,
    cluster: Annotated[
        str | None,
        Option(
            "--cluster", metavar="FILE|ADDRESS", help="file or address of a Dask scheduler, instead of --jobs"
        ),
    ] = None,
    seed: Annotated[
        int | None,
        Option("--seed", min=0, max=2**63 - 1, help="seed (default: a random seed, which is printed)"),
    ] = None,
    variant: Annotated[
        str | None, Option("--variant", help="hunt this variant, regardless of its expected verdict")
    ] = None,
    keep: Annotated[
        str, Option("--keep", help="folder for counterexamples, if --ledger is not used")
    ] = ".ratproof/counterexamples",
    device: Device = "cpu",
    as_json: AsJson = False,
) -> int:
    """Search for counterexamples with fresh random cases, networks and strings.

    The cases of a round depend only on the seed, the target and the round's number, and not on the number of
    processes or machines. Exit status 1: there is a counterexample, or a round ended with an error, 3: a
    round was skipped because its worker died three times, or nothing was compared, in total or in all
    finished rounds of a target.
    """
    if cluster is not None:
        require_extra("cluster", "--cluster")  # before torch is imported, which takes seconds
    from ratproof.hunting.crew import cluster_crew
    from ratproof.hunting.search import Hunt
    from ratproof.hunting.search import hunt as search
    from ratproof.hunting.targets import require_known
    from ratproof.ladder.request import check_device, cores
    from ratproof.process.interruptions import interruptions

    limit = (math.inf if rounds is not None else 1.0) if minutes is None else minutes
    if not limit > 0 or (minutes is not None and not minutes < 1e6):
        raise InputError(f"--minutes must be positive and less than 1,000,000, got {minutes:g}")
    if cluster is not None and jobs is not None:
        raise InputError("--cluster and --jobs cannot be used together")
    check_device(device)
    require_known(names or [], variant)
    require_folder("--keep" if ledger is None else "--ledger", keep if ledger is None else ledger)
    number = random.SystemRandom().getrandbits(32) if seed is None else seed
    workers = jobs or cores()
    what = Hunt(tuple(names or ()), number, variant, device, rounds, limit, Path(keep))
    screen = console(error=True)
    where = f"the cluster {cluster}" if cluster else f"{workers} process{'' if workers == 1 else 'es'}"
    length = f"{limit:g} minutes"
    if rounds is not None:
        length = f"{rounds:,} round{'' if rounds == 1 else 's'} of each target"
    screen.print(f"hunting with seed {number} on {where} for {length}", soft_wrap=True)
    with ExitStack() as opened:
        crew = None if cluster is None else cluster_crew(cluster, what.arguments)
        if crew is not None:
            opened.callback(crew.close)
        store = opened.enter_context(_store(ledger, what))
        stop = opened.enter_context(interruptions(terminations=True))
        log = opened.enter_context(progress_lines("hunt"))
        bar = shows_bar()
        live = opened.enter_context(
            Live(console=screen, transient=True, refresh_per_second=4, auto_refresh=bar)
        )
        result = search(what, workers, store, _Shown(live, bar, log), crew, stop)
    if as_json:
        print_json(result.to_json())
    else:
        _show(result, ledger)
    if result.interrupted:
        return INTERRUPTED
    if result.finds or result.errors:
        return NO
    return UNKNOWN if result.incomplete or result.nothing_compared or result.without_cases else YES


class _Shown:
    """A progress line on the terminal, with messages about workers above it."""

    def __init__(self, live: Live, bar: bool, log: StageLog) -> None:
        self.live, self.bar, self.log, self.notes_shown = live, bar, log, 0

    def __call__(self, progress: HuntProgress) -> None:
        """Update the bar and print new messages."""
        for note in progress.notes[self.notes_shown :]:
            self.live.console.print(Text(note), soft_wrap=True)
        self.notes_shown = len(progress.notes)
        line = _line(progress)
        self.log(line.plain)
        if self.bar:
            self.live.update(line)


@contextmanager
def _store(ledger: str | None, what: Hunt) -> Iterator[HuntLedger | None]:
    """Open the ledger in a folder and lock it against other writers; yield None if there is no folder."""
    if ledger is None:
        yield None
        return
    from ratproof.hunting.store import HuntLedger, locked

    folder = Path(ledger)
    with locked(folder, "--ledger "):
        store = HuntLedger(folder, what.about())
        try:
            yield store
        finally:
            store.close()


def _show(result: HuntProgress, ledger: str | None) -> None:
    out = console()
    out.print(_line(result))
    missing = sorted(set(EDGE_CASES) - result.corners)
    out.print(
        f"edge cases not seen (they may not occur for these automata): {', '.join(missing)}"
        if missing
        else "all edge cases were seen"
    )
    for counterexample, path in result.finds.values():
        out.print(Text(f"\n{counterexample.claim}, {counterexample.variant}: counterexample", style="bold"))
        out.print(Text(f"  {counterexample.sentence()}"))
        out.print(Text(f"  ratproof replay {shlex.quote(str(path))}", style="dim"), soft_wrap=True)
    for one in result.incomplete:
        out.print(
            Text(
                f"{one.target}, round {one.number}: skipped because its worker ended repeatedly", style="red"
            )
        )
    for note in result.notes:
        out.print(Text(note), soft_wrap=True)
    if result.nothing_compared:
        out.print("nothing was compared (perhaps the time limit was reached before the first case)")
    for target in result.without_cases:
        out.print(Text(f"{target}: its rounds compared nothing", style="red"))
    for error in result.errors:
        out.print(Text(f"error: {error}", style="red"))
    if ledger is not None:
        out.print(f"saved in {ledger}; see ratproof campaign status {shlex.quote(ledger)}", soft_wrap=True)


def _line(progress: HuntProgress) -> Text:
    """Return the progress line: the numbers of cases, edge cases and counterexamples, and the rate."""
    rates = ", ".join(f"{progress.rate(way):,.0f} {way} cases" for way in sorted(progress.cases))
    done = ""
    if progress.asked_for is not None:
        done = f"{progress.rounds + progress.resumed:,} of {progress.asked_for:,} rounds{_left(progress)}; "
    return Text(
        f"{plural(progress.jobs, 'worker')}; {done}{sum(progress.cases.values()):,} cases;"
        f" {rates or 'starting'} per second and core; {len(progress.corners)} of {len(EDGE_CASES)} kinds of"
        f" edge case; {plural(len(progress.finds), 'counterexample')}"
    )


def _left(progress: HuntProgress) -> str:
    """Return the estimated time left at the current rate, in words."""
    if not progress.rounds or progress.asked_for is None:
        return ""
    left = progress.asked_for - progress.rounds - progress.resumed
    seconds = (time.monotonic() - progress.start_time) / progress.rounds * left
    return f", {seconds / 60:.0f} minutes left" if seconds >= 60 else f", {seconds:.0f} s left"


@app.command(epilog=example("replay .ratproof/counterexamples/proposition-7--printed--decided.json"))
def replay(
    file: Annotated[str, Argument(metavar="FILE", help="a counterexample from verify, check or hunt")],
    claims: Annotated[
        str | None,
        Option("--claims", metavar="FILE.py", help="the file with your own claim, which is executed"),
    ] = None,
    as_json: AsJson = False,
) -> int:
    """Run a saved counterexample again.

    Exit status 1: the network and the automaton still differ, 0: they agree, 3: unknown.

    The command prints the case that it runs. It warns if the description of the case in the file is wrong.
    """
    from ratproof.ladder.counterexample_files import replay as run

    with output_to_stderr():  # what the user's own code prints is not part of the answer
        if claims is not None:
            from ratproof.ladder.user_files import load

            load(claims)
        replayed = run(file)
        otherwise = replayed.otherwise()
    now, data = replayed.compared.difference, replayed.data
    for field, says in otherwise.items():
        warnings.warn(f"{file}: field '{field}' must match the data that runs, got {says}", stacklevel=1)
    if as_json:
        print_json(
            {
                "claim": data["claim"],
                "variant": data["variant"],
                "string": replayed.string,
                "verdict": replayed.verdict,
                "weights": replayed.comparison.weights(),
                "unit": None if now is None else now.unit,
                "network": None if now is None else now.network,
                "automaton": None if now is None else now.automaton,
                "kept": {"network": data["network"], "automaton": data["automaton"]},
                "otherwise": list(otherwise),
            }
        )
        return REPLAYED[replayed.verdict]
    print(f"{data['claim']}, {data['variant']}: {replayed.comparison.weights()}")
    string = write_string(replayed.string)
    if now is not None:
        print(f"on {string} the network gives {now.network}, the automaton {now.automaton}")
    else:
        what = (
            "the network and the automaton agree"
            if replayed.verdict == "holds"
            else "unknown: no difference is known to exceed rounding"
        )
        print(
            f"on {string} {what}; the file has the scores {shorten(data['network'])} and"
            f" {shorten(data['automaton'])}"
        )
    return REPLAYED[replayed.verdict]
