"""Commands on counterexamples: hunt, replay."""

from __future__ import annotations

import random
import shlex
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.live import Live
from rich.text import Text

from automata.corners import CORNERS
from automata.errors import InputError
from automata.number_text import shorten
from automata.printable_text import write_string
from ratproof.commands.app import AsJson, app, example
from ratproof.commands.terminal import console
from ratproof.process.exit_statuses import INTERRUPTED, NO, UNKNOWN, YES
from ratproof.process.json_answers import print_json
from ratproof.process.outputs import require_folder

if TYPE_CHECKING:
    from ratproof.runner.hunting import HuntProgress

REPLAYED = {"holds": YES, "refuted": NO, "unknown": UNKNOWN}


@app.command(epilog=example("hunt proposition-7 --minutes 1", "hunt --minutes 10 --seed 7"))
def hunt(
    names: Annotated[list[str] | None, typer.Argument(metavar="[CLAIM]...", help="all without")] = None,
    minutes: Annotated[float, typer.Option("--minutes", help="how long")] = 1.0,
    jobs: Annotated[int | None, typer.Option("--jobs", min=1, help="processes (default: one a core)")] = None,
    seed: Annotated[
        int | None, typer.Option("--seed", min=0, help="of the random numbers (default: fresh, printed)")
    ] = None,
    variant: Annotated[
        str | None, typer.Option("--variant", help="hunt this variant, whatever is expected of it")
    ] = None,
    keep: Annotated[
        str, typer.Option("--keep", help="the folder for counterexamples")
    ] = ".ratproof/counterexamples",
    device: Annotated[str, typer.Option("--device", help="where the networks run: cpu or cuda")] = "cpu",
    as_json: AsJson = False,
) -> int:
    """Search for counterexamples with fresh random cases, networks and strings, until the time is up."""
    from ratproof.runner.hunting import check
    from ratproof.runner.hunting import hunt as search
    from ratproof.runner.request import check_device, cores

    if not 0 < minutes < 1e6:
        raise InputError(f"--minutes is {minutes}, where a positive number is right")
    check_device(device)
    check(names or [], variant)
    require_folder("--keep", keep)
    number = random.SystemRandom().getrandbits(32) if seed is None else seed
    workers = jobs or cores()
    screen = console(error=True)
    screen.print(
        f"hunting with seed {number} on {workers} process{'' if workers == 1 else 'es'} for {minutes:g}"
        " minutes"
    )
    with Live(console=screen, transient=True, refresh_per_second=4) as live:
        result = search(
            names or [],
            minutes,
            workers,
            number,
            variant,
            Path(keep),
            device,
            lambda p: live.update(_line(p)),
        )
    if as_json:
        print_json(result.to_json())
    else:
        out = console()
        out.print(_line(result))
        missing = sorted(set(CORNERS) - result.corners)
        out.print(
            f"corners not seen (these automata may have none): {', '.join(missing)}"
            if missing
            else "every corner was seen"
        )
        for counterexample, path in result.finds.values():
            out.print(
                Text(f"\n{counterexample.claim}, {counterexample.variant}: counterexample", style="bold")
            )
            out.print(Text(f"  {counterexample.sentence()}"))
            out.print(Text(f"  ratproof replay {shlex.quote(str(path))}", style="dim"), soft_wrap=True)
        for error in result.errors:
            out.print(Text(f"error: {error}", style="red"))
    if result.interrupted:
        return INTERRUPTED
    return NO if result.finds or result.errors else YES


def _line(progress: HuntProgress) -> Text:
    """One line: what was compared, how fast, how many corners were seen, how many counterexamples found."""
    rates = ", ".join(f"{progress.rate(way):,.0f} {way}" for way in sorted(progress.cases)) or "starting"
    return Text(
        f"{sum(progress.cases.values()):,} cases; {rates} a second and core; {len(progress.corners)} of"
        f" {len(CORNERS)} corners; {len(progress.finds)}"
        f" counterexample{'' if len(progress.finds) == 1 else 's'}"
    )


@app.command(epilog=example("replay .ratproof/counterexamples/proposition-7--printed--decided.json"))
def replay(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="a counterexample that verify, check or hunt kept")
    ],
    claims: Annotated[
        str | None,
        typer.Option(
            "--claims", metavar="FILE.py", help="of a claim of your own: the file with it, which is run"
        ),
    ] = None,
    as_json: AsJson = False,
) -> int:
    """Run a kept counterexample again. Exit status 1 where the two sides still differ, 0 where they no longer
    do, 3 where neither is known.

    What is printed is what ran. Where the file's own words say something else, a note says so.
    """
    from ratproof.runner.counterexample_files import replay as run

    if claims is not None:
        from ratproof.runner.user_files import load

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
