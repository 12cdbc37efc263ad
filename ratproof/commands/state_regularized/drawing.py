"""The implementation of ``ratproof figures``."""

from __future__ import annotations

from pathlib import Path

from automata.errors import InputError
from automata.io import files
from neural.state_regularized.files import load as load_network
from ratproof.certification.extraction import figures as pictures
from ratproof.certification.extraction.probabilities import indices
from ratproof.certification.soft_networks.certify import certify as decide
from ratproof.commands.state_regularized.networks import numbers_at
from ratproof.commands.terminal import print_answer, progress
from ratproof.process.outputs import require_folder

COLDEST, HOTTEST = 1e-30, 1e30
"""Range of temperatures in figures."""
MOST_PANELS = 150
"""Maximum number of bar charts: temperatures times symbols."""


def figures(
    checkpoint: str,
    output: str,
    string: str | None,
    temperatures: str | None,
    temperature: float | None,
    as_json: bool,
) -> None:
    """Draw the figures, and print the names of their files."""
    network, _ = load_network(checkpoint)
    numbers = numbers_at(checkpoint, network, temperature)
    taus = sorted(pictures.TEMPERATURES if temperatures is None else map(_number, temperatures.split(",")))
    word = pictures.string_100(numbers.alphabet) if string is None else tuple(string.split())
    indices(numbers, word, "--string: ")
    if len(taus) * (len(word) + 1) > MOST_PANELS:
        raise InputError(
            f"--string has {len(word)} symbols and --temperatures has {len(taus)} temperatures, which makes"
            f" more than {MOST_PANELS} bar charts; pass fewer"
        )
    folder = Path(output)
    require_folder("-o", folder, reads=(checkpoint,))
    with progress("figures") as report_progress:
        answer = decide(
            network,
            numbers.temperature,
            None,
            lambda done, of: report_progress(f"proving node {done + 1} of {of}"),
            report_progress,
        )
        drawn = pictures.draw_all(numbers, answer, word, taus)
    for name, text in drawn.items():
        if text is not None:
            files.write_whole(folder / name, text)
    written = [str(folder / name) for name, text in drawn.items() if text is not None]
    reasons = {
        "hard.svg": f"a possible tie at {', '.join(answer.hard.ties)}",
        "soft.svg": f"no boxes were proved: {answer.why}",
    }
    left_out = [name for name, text in drawn.items() if text is None]
    lines = [*written, *(f"{name} is omitted: {reasons[name]}" for name in left_out)]
    print_answer(as_json, {"files": written, "left_out": left_out}, "\n".join(lines))


def _number(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not COLDEST <= value <= HOTTEST:
        raise InputError(
            f"--temperatures must be numbers from {COLDEST:g} to {HOTTEST:g} separated by commas, got"
            f" {text.strip()!r}"
        )
    return value
