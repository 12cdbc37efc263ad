"""The implementation of ``ratproof certify`` for FA-RNNs of rules."""

from __future__ import annotations

from pathlib import Path

from automata.aliases import JsonObject
from automata.errors import InputError
from automata.io import files
from automata.operations import trim
from automata.rules import rule_files
from automata.rules.rule_set import rule_set
from automata.rules.words import BEGIN, END
from automata.semirings import BOOLEAN
from automata.text.number_text import plural, shorten
from automata.text.printable_text import write_string
from neural.fa_rnn.files import load
from ratproof.certification.rule_networks import (
    PathAutomaton,
    RuleNetwork,
    bounding_weights,
    differing_word,
    is_exact,
    match,
    path_automaton,
    rule_network_of,
)
from ratproof.commands.rules.missing_words import warn_of_missing
from ratproof.commands.state_regularized.certifying import EXIT, CertifyOptions, refuse_options
from ratproof.commands.terminal import naming, note_unwritten, print_answer, progress
from ratproof.coq import rule_network as coq_files
from ratproof.process.supervisor import OutOfTime
from ratproof.report.certification import kernel_json, kernel_sentence

AUTOMATA = set(files.FORMATS) - {".txt"}
"""Suffixes of files with automata. A file with any other suffix contains rules, which may be a .txt file."""


def certify(options: CertifyOptions) -> int:
    """Certify an FA-RNN in Coq, print the result, and return the exit status."""
    checkpoint, against, kernel = options.checkpoint, options.against, options.kernel
    others = {name: getattr(options, name) for name in ("temperature", "output", "certificate", "html")}
    refuse_options(
        {**others, **options.limits, **options.state_dict}, "a network of another kind, and not an FA-RNN"
    )
    if against is None or kernel is None:
        raise InputError(
            f"{checkpoint}: an FA-RNN requires --against and --kernel; without Coq, ratproof rules decide"
            " compares rules with their network"
        )
    model, _ = load(checkpoint)
    with naming(checkpoint):
        network = rule_network_of(model)
    coq_files.require_file(kernel)
    options.require_outputs()
    with progress("certify") as report_progress:
        report_progress(f"reading {against}")
        with naming(against):
            automata = automata_of(against, network, options.file_format)
        report_progress("comparing the states")
        matches = ((automaton, match(network, automaton)) for automaton in automata)
        proofs = ((automaton, matching) for automaton, matching in matches if matching is not None)
        proof, difference, accepted = next(proofs, None), None, False
        refusal = "Coq does not accept the network"
        if proof is None:
            report_progress("searching for a difference")
            difference = differing_word(network, automata[0])
        else:
            report_progress(f"Coq checks {plural(len(network.words), 'word')}")
            try:
                accepted = coq_files.write(kernel, network, *proof, (checkpoint, against))
            except OutOfTime as error:
                refusal = str(error)
    label, word = (None, None) if difference is None else (network.blocks[difference[0]].label, difference[1])
    differs = word is not None and is_exact(network, word)
    verdict = "certified" if accepted else "different" if differs else "unknown"
    on_all = bounding_weights(network) is not None
    data: JsonObject = {
        "verdict": verdict,
        "word": list(word) if word is not None and differs else None,
        "score": label if differs else None,
        "words": len(network.words),
        "states": network.states,
        "scores": len(network.final),
        "counts_on_all_words": on_all if accepted else None,
        "signs_up_to": coq_files.longest_word(network) if accepted else None,
        "kernel": kernel_json(kernel if accepted else None, coq_files.THEOREM),
    }
    lines = []
    if accepted:
        size = f"{plural(network.states, 'state')}, {plural(len(network.words), 'word')}"
        limits = "for every sequence of words" if on_all else "while fewer than 2^24 paths read each prefix"
        lines += [
            f"certified: {plural(len(network.final), 'score')}, {size}",
            f"  in binary32, each score is the number of accepting paths of {against}, {limits}",
        ]
        longest = coq_files.longest_word(network)
        if not on_all:
            length = "of any length" if longest is None else f"of at most {plural(longest, 'word')}"
            lines.append(f"  for sequences {length}, it is positive if and only if there is one")
        lines.append(kernel_sentence(kernel, coq_files.THEOREM))
    elif word is not None and differs:
        lines.append(
            f"different: on {write_string(list(word))}, the score of {shorten(str(label))} is not the number"
            f" of accepting paths of {against}"
        )
    elif word is not None:
        lines.append(
            f"unknown: the numbers of paths differ on {write_string(list(word))}, but they reach 2^24, where"
            " binary32 rounds sums"
        )
    elif proof is not None:
        lines.append(f"unknown: {refusal}")
    else:
        lines.append(
            "unknown: no string with a difference exists, but the network's states could not be mapped to"
            f" those of {against}"
        )
    print_answer(options.as_json, data, "\n".join(lines))
    if not accepted:
        note_unwritten(kernel, "the network was not certified")
    return EXIT[verdict]


def automata_of(path: str, network: RuleNetwork, file_format: str | None) -> list[PathAutomaton]:
    """Return the automata with which the network is compared, over the words of the network.

    A file of rules gives one automaton. A file with an automaton gives two, unless they have no states: the
    automaton itself, and the automaton without the states that are on no accepting path.
    """
    if file_format is None and Path(path).suffix not in AUTOMATA:
        rules = rule_files.read(path)
        compiled = rule_set(rules, [word for word in network.words if word not in (BEGIN, END)])
        warn_of_missing(compiled)
        ours, theirs = [block.label for block in network.blocks], [part.label for part in compiled.parts]
        if ours != theirs:
            raise InputError(
                f"the rules must have the labels of the network's scores, {', '.join(ours)}, got"
                f" {', '.join(map(str, theirs))}"
            )
        parts = [part.states for part in compiled.parts]
        return [path_automaton(compiled.automaton, network.words, parts)]
    if len(network.final) != 1:
        raise InputError(
            f"an automaton is compared with a network that has one score, got {len(network.final)}; pass the"
            " file of rules, which has a label for each score"
        )
    says_none = files.suffix_of(path, file_format) in files.WITHOUT_SEMIRING
    automaton = files.read(path, BOOLEAN if says_none else None, file_format=file_format)
    candidates = [each for each in (automaton, trim(automaton)) if each.states]
    if not candidates:
        raise InputError("the automaton must have at least one state, got none")
    return [path_automaton(each, network.words) for each in candidates]
