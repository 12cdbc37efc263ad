"""The three commands' options; their work is imported when it is done, for a quick ``--help``."""

from __future__ import annotations

from typing import Annotated

from typer import Argument, Context, Option

from ratproof.commands.app import AsJson, CertificateFile, FormatName, HtmlFile, app, command_line, example

Checkpoint = Annotated[str, Argument(metavar="CHECKPOINT", help="a state-regularized network (.safetensors)")]
Temperature = Annotated[float | None, Option("--temperature", help="tau > 0; the network's own without")]


@app.command(epilog=example("certify tomita-2.safetensors --certificate two.json -o two-soft.json"))
def certify(
    context: Context,
    checkpoint: Checkpoint,
    temperature: Temperature = None,
    against: Annotated[
        str | None,
        Option(
            "--against", help="compare what is accepted with this boolean automaton, in place of the hard one"
        ),
    ] = None,
    output: Annotated[
        str | None, Option("-o", "--output", help="write the automaton that the soft network follows")
    ] = None,
    certificate: CertificateFile = None,
    file_format: FormatName = None,
    height: Annotated[
        int | None, Option("--height", min=0, help="of a counter's strings, 20 without", show_default=False)
    ] = None,
    length: Annotated[
        int | None, Option("--length", min=0, help="of a counter's strings, 1000 without", show_default=False)
    ] = None,
    saturated_height: Annotated[
        int | None,
        Option(
            "--saturated-height",
            min=0,
            help="with saturated gates and every length, 50 without",
            show_default=False,
        ),
    ] = None,
    html: HtmlFile = None,
    as_json: AsJson = False,
) -> int:
    """Prove that a soft network follows its automaton on all strings.

    Exit status 0: certified, 1: different, 3: unknown.

    Followed are the most probable centroid after each symbol and the decision to accept; with --against the
    decision alone. Of a network with a cell state (lstm, lstm-p, sr-lstm, sr-lstm-p) it is proved that it
    decides balanced parentheses: on all strings up to --height and --length, and with saturated gates on
    those of every length up to --saturated-height.
    """
    from ratproof.commands.state_regularized.certifying import certify as run

    limits = {"height": height, "length": length, "saturated_height": saturated_height}
    page = None if html is None else (html, command_line(context))
    return run(checkpoint, temperature, against, output, certificate, page, as_json, limits, file_format)


@app.command(epilog=example("extract tomita-2.safetensors -o two-hard.json"))
def extract(
    checkpoint: Checkpoint,
    output: Annotated[
        str | None, Option("-o", "--output", help="write the automaton: .json, .att, .dot or .svg")
    ] = None,
    soft: Annotated[
        bool, Option("--soft", help="the automaton that it follows at its temperature, proved")
    ] = False,
    probabilities: Annotated[
        bool, Option("--probabilities", help="the probabilistic automaton of equation 4")
    ] = False,
    minimal: Annotated[
        bool, Option("--minimal", help="the minimal DFA of the language, in place of centroids")
    ] = False,
    counts: Annotated[
        str | None,
        Option("--counts", help="also by Algorithm 1: hard or soft, over --data or all strings of --length"),
    ] = None,
    data: Annotated[
        str | None, Option("--data", help="strings, one a line, symbols split at white space")
    ] = None,
    length: Annotated[int, Option("--length", min=0, help="count over all strings up to it")] = 8,
    temperature: Temperature = None,
    as_json: AsJson = False,
) -> None:
    """Turn a trained network into its automaton. It is asked at every centroid for every symbol."""
    from ratproof.commands.state_regularized.extracting import Wanted
    from ratproof.commands.state_regularized.extracting import extract as run

    wanted = Wanted(soft, probabilities, minimal)
    run(checkpoint, output, wanted, counts, data, length, temperature, as_json)


@app.command(epilog=example("figures tomita-2.safetensors -o pictures"))
def figures(
    checkpoint: Checkpoint,
    output: Annotated[str, Option("-o", "--output", help="the folder for the pictures (.svg)")],
    string: Annotated[
        str | None, Option("--string", help="for the bars: symbols split at white space")
    ] = None,
    temperatures: Annotated[
        str | None, Option("--temperatures", help="for the bars, split at commas; 0.1 to 4 without")
    ] = None,
    temperature: Temperature = None,
    as_json: AsJson = False,
) -> None:
    """Draw a network as the papers' figures do.

    The figures are 3, 4 and 8 of Wang and Niepert (2019): the network's automata, and its transition
    probabilities over temperatures.
    """
    from ratproof.commands.state_regularized.drawing import figures as run

    run(checkpoint, output, string, temperatures, temperature, as_json)
