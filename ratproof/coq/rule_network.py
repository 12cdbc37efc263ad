"""Coq files which prove that an FA-RNN in binary32 counts the accepting paths of its rules' automaton.

The weights of the network are 0 and 1, as before training. A checker that is verified in Coq accepts the
network. If the number of paths is not bounded, a score is proved to be exact while fewer than 2^24 paths read
each prefix, and its sign is proved to be correct for sentences up to some length.
"""

from __future__ import annotations

from collections import Counter

import numpy as np
from numpy.typing import NDArray

from ratproof.certification.rule_networks import (
    Bits,
    Match,
    PathAutomaton,
    RuleNetwork,
    bounding_weights,
    growth,
)
from ratproof.coq import certificate as coq_files
from ratproof.coq import reals
from ratproof.coq.terms import coq_list

THEOREM = "agrees"
HEADING = """\
(* Does the network {} count the accepting paths of {}? Written by ratproof for Coq 8.16 and Flocq 4.1.
   Check it with coqc. The file contains a checker that is proved sound. From "The network" on, it contains
   the network, the automaton, and the theorem. *)
"""
ON_ALL_WORDS = """\
(* For every sequence of words and every score, some program computes the score. Every score that a program
   may compute in binary32 is a finite number. It is equal to the number of accepting paths, so it is positive
   if and only if the automaton accepts. The program may add in any order, use fused operations, and round in
   any mode. *)
Theorem {theorem} : forall word, List.Forall (fun x => x < {symbols})%N word -> forall score,
  every_computed_score trained word score (fun y =>
    finite y = true /\\ value y = IZR (accepting_paths automaton score word) /\\
    ((0 < value y)%R <-> accepts automaton score word)).
Proof. apply (counts_on_all_words {symbols} trained automaton state_of table_of_vector {weights}%Z);
  vm_cast_no_check (eq_refl true). Qed.
Print Assumptions {theorem}.
"""
WHILE_SMALL = """\
(* For every sequence of words and every score, some program computes the score. Consider every score that a
   program may compute in binary32, in any order of the sums, with or without fused operations, and in any
   rounding mode. If fewer than 2^24 paths read each prefix, the score is a finite number and equal to the
   number of accepting paths. {positive} *)
Theorem {theorem} : forall word, List.Forall (fun x => x < {symbols})%N word -> forall score,
  every_computed_score trained word score (fun y =>
    ((forall prefix rest, word = (prefix ++ rest)%list -> (all_paths automaton prefix < 2 ^ 24)%Z) ->
       finite y = true /\\ value y = IZR (accepting_paths automaton score word) /\\
       ((0 < value y)%R <-> accepts automaton score word)) /\\
    (({growth} * Z.of_nat (length word) <= 103)%Z ->
       finite y = true /\\ ((0 < value y)%R <-> accepts automaton score word))).
Proof. apply (counts_while_small {symbols} trained automaton state_of table_of_vector {growth}%Z);
  vm_cast_no_check (eq_refl true). Qed.
Print Assumptions {theorem}.
"""
POSITIVE = "For at most {} words, it is finite, and positive if and only if the automaton accepts."
POSITIVE_FOR_ALL = "It is always finite, and positive if and only if the automaton accepts."
EXPONENTS = 103
"""The largest k for which sums of 2^24 terms do not overflow, if the state is at most 2^k."""


require_file = reals.RULES.require_file


def longest_word(network: RuleNetwork) -> int | None:
    """Return the number of words up to which the sign of a score is proved, or None if there is no limit."""
    k = growth(network)
    return None if k == 0 or bounding_weights(network) is not None else EXPONENTS // k


def write(
    path: str, network: RuleNetwork, automaton: PathAutomaton, matching: Match, names: tuple[str, str]
) -> bool:
    """Write the Coq file if Coq accepts it, and return whether it does.

    Raises:
        Rejected: If Coq does not accept the theory, which would be a bug in ratproof.
    """
    return reals.write_if_accepted(path, file_text(network, automaton, matching, names), "check_")


def file_text(network: RuleNetwork, automaton: PathAutomaton, matching: Match, names: tuple[str, str]) -> str:
    """Return the text of the file; ``names`` are those of the files of the network and the automaton."""
    words = ", ".join(f"{i} is {coq_files.plain(word)}" for i, word in enumerate(network.words))
    scores = ", ".join(f"{i} is {coq_files.plain(block.label)}" for i, block in enumerate(network.blocks))
    return "\n".join(
        [
            HEADING.format(*map(coq_files.plain, names)),
            reals.RULES.inlined(),
            "From Coq Require Import Reals ZArith NArith List.",
            "Import ListNotations exact_sums integer_sums rule_network rule_checker.",
            f"(* The network. Words, by their numbers: {words}. *)",
            f"(* Scores, by their numbers and labels: {scores}. *)",
            "Open Scope N_scope.",
            f"Definition trained : network := {_network(network)}.",
            "(* The automaton. *)",
            f"Definition automaton : rule_network.automaton := {_automaton(automaton)}.",
            "(* The automaton's state of each of the network's states, and its table of each vector. *)",
            f"Definition state_of : list N := {_numbers(matching.state_of)}.",
            f"Definition table_of_vector : list N := {coq_list(matching.table_of_vector)}.",
            _statement(network),
        ]
    )


def _statement(network: RuleNetwork) -> str:
    weights, k, symbols = bounding_weights(network), growth(network), len(network.words)
    if weights is not None:
        return ON_ALL_WORDS.format(theorem=THEOREM, symbols=symbols, weights=coq_list(weights))
    limit = longest_word(network)
    positive = POSITIVE_FOR_ALL if limit is None else POSITIVE.format(limit)
    return WHILE_SMALL.format(theorem=THEOREM, symbols=symbols, growth=k, positive=positive)


def _network(network: RuleNetwork) -> str:
    vectors = (
        f"({_row(v)}, {s:#x}%Z)" for v, s in zip(network.vectors, network.stands.tolist(), strict=True)
    )
    return "\n  ".join(
        [
            f"Network {network.states} {network.before.shape[1]}",
            _matrix(network.before),
            _matrix(network.after.T),
            _matrix(network.wildcard),
            coq_list(vectors),
            _numbers(network.vector_of),
            _row(network.initial),
            _matrix(network.final),
        ]
    )


def _automaton(automaton: PathAutomaton) -> str:
    tables = [[_repeated(row) for row in matrix] for matrix in automaton.matrices]
    base = [Counter(rows).most_common(1)[0][0] for rows in zip(*tables, strict=True)]
    differing = (
        coq_list(
            f"({q}, {row})" for q, (row, usual) in enumerate(zip(table, base, strict=True)) if row != usual
        )
        for table in tables
    )
    return "\n  ".join(
        [
            f"Automaton {_repeated(automaton.starts)}",
            coq_list(base),
            coq_list(differing),
            _numbers(automaton.table_of),
            coq_list(map(_repeated, automaton.accepting)),
        ]
    )


def _repeated(counts: NDArray[np.int64]) -> str:
    """Return each index as many times as its count."""
    return _numbers(np.repeat(np.arange(len(counts)), counts))


def _row(bits: Bits) -> str:
    """Return the entries of a row whose bits are not all zero."""
    columns = np.flatnonzero(bits)
    return coq_list(f"({j}, {b:#x}%Z)" for j, b in zip(columns.tolist(), bits[columns].tolist(), strict=True))


def _matrix(rows: Bits) -> str:
    return coq_list(map(_row, rows))


def _numbers(numbers: NDArray[np.int64]) -> str:
    return coq_list(numbers.tolist())
