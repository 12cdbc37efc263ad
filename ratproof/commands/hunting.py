"""Commands on counterexamples: hunt, replay."""

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
from automata.testing.edge_cases import CORNERS
from automata.text.number_text import plural, shorten
from automata.text.printable_text import write_string
from ratproof.commands.app import AsJson, Device, app, example
from ratproof.commands.terminal import StageLog, console, progress_lines, shows_bar
from ratproof.process.exit_statuses import INTERRUPTED, NO, UNKNOWN, YES
from ratproof.process.json_answers import print_json
from ratproof.process.outputs import require_folder

if TYPE_CHECKING:
    from ratproof.hunting.crew import Crew
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
    names: Annotated[list[str] | None, Argument(metavar="CLAIM", help="all without")] = None,
    minutes: Annotated[
        float | None, Option("--minutes", help="how long (default: 1, or as long as --rounds takes)")
    ] = None,
    rounds: Annotated[
        int | None,
        Option(
            "--rounds", min=1, help="so many of each target, 50 examples each: the same for a seed, always"
        ),
    ] = None,
    ledger: Annotated[
        str | None,
        Option("--ledger", metavar="DIR", help="keep what is done in a folder, and go on with what is not"),
    ] = None,
    jobs: Annotated[int | None, Option("--jobs", min=1, help="processes (default: one a core)")] = None,
    cluster: Annotated[
        str | None,
        Option(
            "--cluster", metavar="FILE|ADDRESS", help="a Dask scheduler's file, or its address, for --jobs"
        ),
    ] = None,
    seed: Annotated[
        int | None, Option("--seed", min=0, max=2**63 - 1, help="(default: fresh, printed)")
    ] = None,
    variant: Annotated[
        str | None, Option("--variant", help="hunt this variant, whatever is expected of it")
    ] = None,
    keep: Annotated[
        str, Option("--keep", help="the folder for counterexamples, without --ledger")
    ] = ".ratproof/counterexamples",
    device: Device = "cpu",
    as_json: AsJson = False,
) -> int:
    """Search for counterexamples with fresh random cases, networks and strings.

    Work is numbered: seed, target and number say which cases a round has, on any number of processes and
    machines. Exit status 1 where there is a counterexample, 3 where a round could not be done or nothing was
    compared.
    """
    from ratproof.hunting.search import Hunt
    from ratproof.hunting.search import hunt as search
    from ratproof.hunting.targets import require_known
    from ratproof.ladder.request import check_device, cores
    from ratproof.process.interruptions import interruptions

    limit = (math.inf if rounds is not None else 1.0) if minutes is None else minutes
    if not limit > 0 or (minutes is not None and not minutes < 1e6):
        raise InputError(f"--minutes must be positive, got {minutes}")
    if cluster is not None and jobs is not None:
        raise InputError("--cluster has workers of its own: --jobs is for this machine's processes")
    check_device(device)
    require_known(names or [], variant)
    require_folder("--keep" if ledger is None else "--ledger", keep if ledger is None else ledger)
    number = random.SystemRandom().getrandbits(32) if seed is None else seed
    workers = jobs or cores()
    what = Hunt(tuple(names or ()), number, variant, device, rounds, limit, Path(keep))
    screen = console(error=True)
    where = f"the cluster {cluster}" if cluster else f"{workers} process{'' if workers == 1 else 'es'}"
    length = f"{rounds:,} rounds of each target" if rounds is not None else f"{limit:g} minutes"
    screen.print(f"hunting with seed {number} on {where} for {length}", soft_wrap=True)
    with ExitStack() as opened:
        crew = None if cluster is None else _cluster(cluster, what)
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
    return UNKNOWN if result.incomplete or result.nothing_compared else YES


class _Shown:
    """The bar, and above it what happened to the workers, when it happens."""

    def __init__(self, live: Live, bar: bool, log: StageLog) -> None:
        self.live, self.bar, self.log, self.notes_shown = live, bar, log, 0

    def __call__(self, progress: HuntProgress) -> None:
        """Show them."""
        for note in progress.notes[self.notes_shown :]:
            self.live.console.print(Text(note), soft_wrap=True)
        self.notes_shown = len(progress.notes)
        line = _line(progress)
        self.log(line.plain)
        if self.bar:
            self.live.update(line)


@contextmanager
def _store(ledger: str | None, what: Hunt) -> Iterator[HuntLedger | None]:
    """Open the ledger in a folder, and lock it against other writers; yield None without a folder."""
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


def _cluster(address: str, what: Hunt) -> Crew:
    from ratproof.hunting.crew import Crew
    from ratproof.jobs.dask_executor import DaskExecutor

    # Dask spends about a thousandth of a second on each chunk
    return Crew(DaskExecutor(address, kept="the ledger"), what.arguments, seconds_a_chunk=30.0)


def _show(result: HuntProgress, ledger: str | None) -> None:
    out = console()
    out.print(_line(result))
    missing = sorted(set(CORNERS) - result.corners)
    out.print(
        f"corners not seen (these automata may have none): {', '.join(missing)}"
        if missing
        else "every corner was seen"
    )
    for counterexample, path in result.finds.values():
        out.print(Text(f"\n{counterexample.claim}, {counterexample.variant}: counterexample", style="bold"))
        out.print(Text(f"  {counterexample.sentence()}"))
        out.print(Text(f"  ratproof replay {shlex.quote(str(path))}", style="dim"), soft_wrap=True)
    for one in result.incomplete:
        out.print(
            Text(f"given up: {one.target}, round {one.number}: its worker ended again and again", style="red")
        )
    for note in result.notes:
        out.print(Text(note), soft_wrap=True)
    if result.nothing_compared:
        out.print("nothing was compared: the time was up before the first case")
    for error in result.errors:
        out.print(Text(f"error: {error}", style="red"))
    if ledger is not None:
        out.print(f"kept in {ledger}: ratproof campaign status {shlex.quote(ledger)}", soft_wrap=True)


def _line(progress: HuntProgress) -> Text:
    """One line: what was compared, how fast, how many corners were seen, how many counterexamples found."""
    rates = ", ".join(f"{progress.rate(way):,.0f} {way}" for way in sorted(progress.cases)) or "starting"
    done = ""
    if progress.asked_for is not None:
        done = f"{progress.rounds + progress.resumed:,} of {progress.asked_for:,} rounds{_left(progress)}; "
    return Text(
        f"{plural(progress.jobs, 'worker')}; {done}{sum(progress.cases.values()):,} cases; {rates} a second"
        f" and core; {len(progress.corners)} of {len(CORNERS)} corners;"
        f" {plural(len(progress.finds), 'counterexample')}"
    )


def _left(progress: HuntProgress) -> str:
    """Return the estimated time left at the present rate, in words."""
    if not progress.rounds or progress.asked_for is None:
        return ""
    left = progress.asked_for - progress.rounds - progress.resumed
    seconds = (time.monotonic() - progress.start_time) / progress.rounds * left
    return f", {seconds / 60:.0f} minutes left" if seconds >= 60 else f", {seconds:.0f} s left"


@app.command(epilog=example("replay .ratproof/counterexamples/proposition-7--printed--decided.json"))
def replay(
    file: Annotated[str, Argument(metavar="FILE", help="a counterexample that verify, check or hunt kept")],
    claims: Annotated[
        str | None,
        Option("--claims", metavar="FILE.py", help="of a claim of your own: the file with it, which is run"),
    ] = None,
    as_json: AsJson = False,
) -> int:
    """Run a kept counterexample again.

    Exit status 1: the two sides still differ, 0: they no longer do, 3: neither is known.

    What is printed is what ran. Where the file's own words say something else, a note says so.
    """
    from ratproof.ladder.counterexample_files import replay as run

    if claims is not None:
        from ratproof.ladder.user_files import load

        load(claims)
    replayed = run(file)
    now, data = replayed.compared.difference, replayed.data
    otherwise = replayed.otherwise()
    for field, says in otherwise.items():
        warnings.warn(f"{file}: field {field} says something else than what runs: {says}", stacklevel=1)
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
            "the two sides agree now"
            if replayed.verdict == "holds"
            else "nothing could be compared: no difference is known to be more than rounding"
        )
        print(
            f"on {string} {what}; the file says that they were {shorten(data['network'])} and"
            f" {shorten(data['automaton'])}"
        )
    return REPLAYED[replayed.verdict]
