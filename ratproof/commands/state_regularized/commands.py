"""The commands ``certify``, ``extract`` and ``figures`` with their options.

The implementation of a command is imported when it runs, so that ``--help`` is fast.
"""

from __future__ import annotations

from typing import Annotated

from typer import Argument, Context, Option

from automata.extras import require_extra
from ratproof.commands.app import AsJson, CertificateFile, FormatName, HtmlFile, app, command_line, example

Checkpoint = Annotated[str, Argument(metavar="CHECKPOINT", help="a state-regularized network (.safetensors)")]
Network = Annotated[
    str,
    Argument(
        metavar="NETWORK",
        help="a state-regularized network or an FA-RNN of rules (.safetensors), or with --cell a state dict"
        " (.safetensors, .pt)",
    ),
]
Temperature = Annotated[
    float | None, Option("--temperature", help="temperature, a positive number (default: the network's own)")
]


@app.command(
    epilog=example(
        "certify gru-2.safetensors --cell gru --against no-00.json --certificate regions.json",
        "certify tomita-2.safetensors --certificate two.json -o two-soft.json",
    )
)
def certify(
    context: Context,
    checkpoint: Network,
    temperature: Temperature = None,
    against: Annotated[
        str | None,
        Option(
            "--against",
            help="compare the accepted strings with this boolean automaton (default: the hard automaton, or"
            " one that is extracted from the state dict); for an FA-RNN, a file of rules or an automaton",
        ),
    ] = None,
    output: Annotated[
        str | None, Option("-o", "--output", help="write the automaton that the network is proved to follow")
    ] = None,
    certificate: CertificateFile = None,
    kernel: Annotated[
        bool,
        Option(
            "--kernel",
            help="write a Coq file in which Coq's kernel checks a proof (kinds sr-elman and sr-gru, over the"
            " real numbers; with --cell, rnn, gru and lstm with one layer, also in binary32; FA-RNNs of"
            " rules, in binary32)",
        ),
    ] = False,
    kernel_file: Annotated[
        str | None,
        Option(
            "--kernel-file",
            help="name of the Coq file (default: follows_NAME.v, with --cell or for an FA-RNN agrees_NAME.v);"
            " implies --kernel",
        ),
    ] = None,
    file_format: FormatName = None,
    cell: Annotated[
        str | None,
        Option(
            "--cell",
            metavar="CELL",
            help="the cell of a state dict: rnn, rnn_relu, gru, lstm, or auto (from the tensor shapes)",
        ),
    ] = None,
    prefix: Annotated[
        str | None, Option("--prefix", help="the prefix of the recurrent layer's keys, such as encoder.rnn.")
    ] = None,
    readout: Annotated[
        str | None, Option("--readout", help="the key of the classifier, without .weight")
    ] = None,
    embeddings: Annotated[
        str | None,
        Option(
            "--embeddings",
            metavar="FILE|one-hot",
            help="the inputs of the symbols: word vectors (.npy, .safetensors, .txt), or one-hot"
            " (default: the state dict's own table, or one-hot)",
        ),
    ] = None,
    alphabet: Annotated[
        str | None,
        Option(
            "--alphabet",
            metavar="FILE|a,b,c",
            help="the symbols of a state dict, in the order of its inputs (default: those of --against)",
        ),
    ] = None,
    threshold: Annotated[
        float | None,
        Option(
            "--threshold", help="the output above which a state dict accepts (default: 0)", show_default=False
        ),
    ] = None,
    seconds: Annotated[
        float | None,
        Option(
            "--seconds", help="time limit of the proof about a state dict (default: 60)", show_default=False
        ),
    ] = None,
    height: Annotated[
        int | None,
        Option(
            "--height", min=0, help="maximum height of a counter's strings (default: 20)", show_default=False
        ),
    ] = None,
    length: Annotated[
        int | None,
        Option(
            "--length",
            min=0,
            help="maximum length of a counter's strings (default: 1000)",
            show_default=False,
        ),
    ] = None,
    saturated_height: Annotated[
        int | None,
        Option(
            "--saturated-height",
            min=0,
            help="maximum height with saturated gates and any length (default: 50)",
            show_default=False,
        ),
    ] = None,
    html: HtmlFile = None,
    as_json: AsJson = False,
) -> int:
    """Prove that a trained network follows an automaton on all strings.

    Exit status 0: certified, 1: different, 3: unknown.

    With --cell, the network is the state dict of an nn.RNN, nn.GRU or nn.LSTM with a linear classifier. It
    follows the automaton if, in float32, both have the same decision after every nonempty string. If there is
    no proof for all strings, the result is a string on which they differ, or a length up to which they agree.

    Without --cell, the file is a network that ratproof has saved. A soft network follows its hard automaton
    if both have the same most probable centroid after each symbol and the same decision. With --against, only
    the decision is compared. A network with a cell state (lstm, lstm-p, sr-lstm, sr-lstm-p) is certified to
    decide balanced parentheses on all strings up to --height and --length. With saturated gates, it is
    certified for strings of any length, and of a height up to --saturated-height.

    An FA-RNN of rules requires --kernel and --against. In binary32, each of its scores must be the number of
    accepting paths of the automaton, or of the rules with this label.
    """
    of_rules = cell is None and _is_of_rules(checkpoint)
    if cell is not None:
        from ratproof.commands.state_regularized.ordinary import certify as run
    elif of_rules:
        from ratproof.commands.state_regularized.rule_networks import certify as run
    else:
        from ratproof.commands.state_regularized.certifying import certify as run
    from ratproof.commands.state_regularized.certifying import CertifyOptions

    if kernel and kernel_file is None:
        from ratproof.coq.certificate import name_in_coq

        agrees = cell is not None or of_rules
        kernel_file = f"{'agrees' if agrees else 'follows'}_{name_in_coq(checkpoint)}.v"
    options = CertifyOptions(
        checkpoint=checkpoint,
        against=against,
        output=output,
        certificate=certificate,
        kernel=kernel_file,
        html=html,
        command=command_line(context),
        as_json=as_json,
        file_format=file_format,
        temperature=temperature,
        limits={"height": height, "length": length, "saturated_height": saturated_height},
        state_dict={
            "cell": cell,
            "prefix": prefix,
            "readout": readout,
            "embeddings": embeddings,
            "alphabet": alphabet,
            "threshold": threshold,
            "seconds": seconds,
        },
    )
    return run(options)


def _is_of_rules(checkpoint: str) -> bool:
    from neural.checkpoints import kind_of
    from neural.fa_rnn.files import KIND

    return kind_of(checkpoint) == KIND


@app.command(epilog=example("extract tomita-2.safetensors -o two-hard.json"))
def extract(
    checkpoint: Checkpoint,
    output: Annotated[
        str | None, Option("-o", "--output", help="write the automaton: .json, .att, .dot or .svg")
    ] = None,
    soft: Annotated[
        bool, Option("--soft", help="extract the proved automaton of the soft network at its temperature")
    ] = False,
    probabilities: Annotated[
        bool, Option("--probabilities", help="extract the probabilistic automaton of equation 4")
    ] = False,
    minimal: Annotated[
        bool,
        Option("--minimal", help="write the minimal DFA of the language, instead of one state per centroid"),
    ] = False,
    counts: Annotated[
        str | None,
        Option(
            "--counts",
            help="count transitions by Algorithm 1, hard or soft, over --data or strings up to --length",
        ),
    ] = None,
    data: Annotated[
        str | None, Option("--data", help="a file with one string per line, symbols separated by spaces")
    ] = None,
    length: Annotated[int, Option("--length", min=0, help="count over all strings up to this length")] = 8,
    temperature: Temperature = None,
    as_json: AsJson = False,
) -> None:
    """Convert a trained network to its automaton.

    The network is evaluated at every centroid for every symbol.
    """
    from ratproof.commands.state_regularized.extracting import Wanted
    from ratproof.commands.state_regularized.extracting import extract as run

    wanted = Wanted(soft, probabilities, minimal)
    run(checkpoint, output, wanted, counts, data, length, temperature, as_json)


@app.command(epilog=example("figures tomita-2.safetensors -o pictures"))
def figures(
    checkpoint: Checkpoint,
    output: Annotated[str, Option("-o", "--output", help="folder for the figures (.svg)")],
    string: Annotated[
        str | None, Option("--string", help="string for the bar charts, symbols separated by spaces")
    ] = None,
    temperatures: Annotated[
        str | None,
        Option(
            "--temperatures", help="temperatures for the bar charts, separated by commas (default: 0.1 to 4)"
        ),
    ] = None,
    temperature: Temperature = None,
    as_json: AsJson = False,
) -> None:
    """Draw the papers' figures for a network.

    The figures are 3, 4 and 8 of Wang and Niepert (2019): the network's automata, and its transition
    probabilities over temperatures.
    """
    require_extra("draw", "figures")  # before torch is imported, which takes seconds
    require_extra("training", "figures")
    from ratproof.commands.state_regularized.drawing import figures as run

    run(checkpoint, output, string, temperatures, temperature, as_json)
