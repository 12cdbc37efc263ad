"""Benchmark of certification of ordinary networks.

Run it with ``python bench/ordinary.py [FILE] [--only PART ...] [--seconds S]``.

Networks of each cell and size learn languages in three ways: as users would train them, with noise on the
hidden state, and by :func:`ratproof.harden`. Each network is then certified against its language. The results
are saved to FILE after each network, so that a run can be stopped and resumed. The docs show them. If AALpy
is installed, its L* algorithm with random equivalence queries, which users might choose instead of
certification, also extracts an automaton from each network.
"""

import argparse
import json
import resource
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from timing import host, write
from torch import nn

import ratproof
from automata.dfa import DFA
from automata.languages.random_dfas import random_minimal_dfa
from automata.languages.tomita import tomita
from ratproof.api.machines import machine_of
from ratproof.certification.ordinary_networks.counterexamples import (
    Decide,
    float32_decisions,
    labels_along,
    run_all_strings,
)
from ratproof.certification.ordinary_networks.harden import advance
from ratproof.certification.ordinary_networks.recognise import network_of_module
from ratproof.checkers import check_regions

CELLS: dict[str, type[nn.RNNBase]] = {"rnn": nn.RNN, "gru": nn.GRU, "lstm": nn.LSTM}
TRAININGS = ("hardened", "ordinary", "noise")
STEPS, BATCH, LONGEST, RATE, NOISE = 2000, 128, 20, 5e-3, 0.1
HARDENING_SECONDS = 600.0
RIGHT_TO = 11
RULE_UNITS = 32
"""The number of units of the networks that learn a rule over words."""
KEYS = ("language", "cell", "units", "training", "seed")


def languages() -> dict[str, DFA]:
    """Return the minimal DFAs of the Tomita languages, two random languages, and a rule over 200 words."""
    random = {f"random{n}": random_minimal_dfa(n, "abcde", seed=n) for n in (10, 20)}
    return {f"tomita{n}": tomita(n).dfa for n in range(1, 8)} | random | {"rule200": rule(200)}


def rule(words: int) -> DFA:
    """Return a DFA that accepts if one of the first five words occurs, and later one of the next five."""
    start = [1] * 5 + [0] * (words - 5)
    then = [1] * 5 + [2] * 5 + [1] * (words - 10)
    return DFA(tuple(f"word{i}" for i in range(words)), 0, (start, then, [2] * words), frozenset({2}))


def networks(units: tuple[int, ...], seeds: int) -> Iterator[dict[str, Any]]:
    """Yield the settings of each network, with the keys :data:`KEYS`.

    For each seed, networks with 16 units come first, and among them those for the Tomita languages.
    """
    settings = [
        dict(zip(KEYS, (language, cell, size, training, seed), strict=True))
        for seed in range(seeds)
        for size in units
        for language in languages()
        for training in TRAININGS
        for cell in CELLS
        if (size == RULE_UNITS) == (language == "rule200")
        and (seed == 0 or (size == 16 and language.startswith("tomita")))
    ]
    yield from sorted(
        settings, key=lambda row: (row["seed"], row["units"] != 16, "random" in row["language"])
    )


def trained(dfa: DFA, cell: str, units: int, training: str, seed: int) -> nn.Module:
    """Train a network with Adam to decide a language on random strings of 1 to 20 symbols, and return it.

    About three of eight strings avoid absorbing states: a symbol that leads to one is drawn again, up to six
    times. For the training ``"ordinary"``, the loss is that of the last decision. With noise, it is that of
    the decisions after all symbols.
    """
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    symbols = len(dfa.alphabet)
    rnn, linear = CELLS[cell](symbols, units), nn.Linear(units, 1)
    machine = machine_of(dfa, tuple(dfa.alphabet), 2)
    vectors, size = torch.eye(symbols), units * (2 if cell == "lstm" else 1)
    parameters = [*rnn.parameters(), *linear.parameters()]
    optimizer = torch.optim.Adam(parameters, lr=RATE)
    for step in range(STEPS):
        for group in optimizer.param_groups:
            group["lr"] = RATE * min(1.0, max(0.02, 2.5 * (1 - step / STEPS)))
        words = _strings(dfa, rng, int(rng.integers(1, LONGEST + 1)))
        targets = torch.tensor(labels_along(machine, words)).T.float()
        if training == "ordinary":
            outputs, _ = rnn(vectors[words.T])
            loss = F.binary_cross_entropy_with_logits(linear(outputs[-1])[:, 0], targets[-1])
        else:
            state, hidden = torch.zeros(BATCH, size), []
            for position in range(words.shape[1]):
                state, output = advance(rnn, vectors[words[:, position]], state, NOISE)
                hidden.append(output)
            loss = F.binary_cross_entropy_with_logits(linear(torch.stack(hidden))[..., 0], targets)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(parameters, 1.0)
        optimizer.step()
    return ratproof.classifier(rnn, linear)


def _strings(dfa: DFA, rng: np.random.Generator, length: int) -> np.ndarray:
    table = np.array(dfa.table)
    absorbing = np.array([set(row) == {q} for q, row in enumerate(dfa.table)])
    words, states = np.empty((BATCH, length), int), np.full(BATCH, dfa.start)
    careful = (np.arange(BATCH) % 2 == 0) & (rng.random(BATCH) < 0.75)
    for position in range(length):
        words[:, position] = rng.integers(len(dfa.alphabet), size=BATCH)
        for _ in range(6):
            redo = careful & absorbing[table[states, words[:, position]]]
            words[redo, position] = rng.integers(len(dfa.alphabet), size=int(redo.sum()))
        states = table[states, words[:, position]]
    return words


def measured(settings: dict[str, Any], seconds: float) -> dict[str, Any]:
    """Train and certify a network with these settings, and return a row of results."""
    dfa = languages()[settings["language"]]
    cell, units, training, seed = (settings[key] for key in KEYS[1:])
    alphabet = [str(symbol) for symbol in dfa.alphabet]
    begun = time.perf_counter()
    if training == "hardened":
        torch.manual_seed(seed)
        module = ratproof.classifier(CELLS[cell](len(alphabet), units), nn.Linear(units, 1))
        ratproof.harden(
            module, dfa, embeddings="one-hot", alphabet=alphabet, seconds=HARDENING_SECONDS, seed=seed
        )
    else:
        module = trained(dfa, cell, units, training, seed)
    row: dict[str, Any] = {**settings, "training_seconds": time.perf_counter() - begun}
    recognition = network_of_module(module, embeddings="one-hot", alphabet=alphabet)
    decide = float32_decisions(recognition.network, recognition.rnn, recognition.linear)
    right_to, _ = run_all_strings(machine_of(dfa, tuple(alphabet), 2), decide)
    row["right_to_11"] = right_to >= RIGHT_TO if len(alphabet) == 2 else None  # too many strings
    begun = time.perf_counter()
    report = ratproof.certify(module, dfa, embeddings="one-hot", alphabet=alphabet, seconds=seconds)
    row |= report.to_json() | {"seconds": time.perf_counter() - begun}
    for field in ("schema_version", "automaton", "extracted", "certificate", "decisions", "kernel"):
        row.pop(field, None)
    if report.verdict == "certified":
        data = json.loads(text := json.dumps(report.certificate()))
        begun = time.perf_counter()
        check_regions.verdict(data)
        row |= {"check_seconds": time.perf_counter() - begun, "certificate_megabytes": len(text) / 1e6}
    row["oracle"] = oracle(dfa, decide)
    return row | {"megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}


def oracle(dfa: DFA, decide: Decide) -> dict[str, Any] | None:
    """Extract an automaton from a network by AALpy's L*, and compare it with the language.

    L* searches for counterexamples with random words and random walks. In the result, ``word`` is a string on
    which the automaton and the language differ. Return ``None`` if AALpy is not installed.
    """
    try:
        from aalpy.base import SUL
        from aalpy.learning_algs import run_Lstar
        from aalpy.oracles import RandomWMethodEqOracle
    except ImportError:
        return None
    symbols = [str(symbol) for symbol in dfa.alphabet]

    class Network(SUL):
        """An adapter through which AALpy queries the network symbol by symbol."""

        def pre(self) -> None:
            self.word: list[int] = []

        def post(self) -> None:
            self.word = []

        def step(self, letter: str | None) -> bool:
            if letter is None:  # the claim does not cover the empty string
                return dfa.start in dfa.final
            self.word.append(symbols.index(letter))
            return bool(decide(np.array([self.word]))[0, -1])

    begun, system = time.perf_counter(), Network()
    eq_oracle = RandomWMethodEqOracle(symbols, system, walks_per_state=12, walk_len=12)
    learned, information = run_Lstar(
        symbols, system, eq_oracle, "dfa", max_learning_rounds=10, return_data=True, print_level=0
    )
    states = {state: index for index, state in enumerate(learned.states)}
    table = tuple(tuple(states[state.transitions[s]] for s in symbols) for state in learned.states)
    final = frozenset(states[state] for state in learned.states if state.is_accepting)
    difference = DFA(tuple(symbols), states[learned.initial_state], table, final).shortest_difference(dfa)
    queries = information["queries_learning"] + information["queries_eq_oracle"]
    word = None if difference is None else [str(symbol) for symbol in difference]
    taken = time.perf_counter() - begun
    return {
        "found": word is not None,
        "word": word,
        "queries": queries,
        "seconds": taken,
        "states": len(states),
    }


def main() -> None:
    """Measure the networks that are not in FILE yet."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", nargs="?", default="bench/results/ordinary.json")
    parser.add_argument(
        "--only", nargs="*", default=[], help="values of the settings, such as gru tomita4 16"
    )
    parser.add_argument("--units", nargs="*", type=int, default=[16, 8, RULE_UNITS])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=60.0, help="time limit of a proof")
    arguments = parser.parse_args()
    path = Path(arguments.file)
    kept = json.loads(path.read_text()) if path.exists() else {"networks": []}
    known = {tuple(row[key] for key in KEYS) for row in kept["networks"]}
    torch.set_num_threads(1)
    for settings in networks(tuple(arguments.units), arguments.seeds):
        values = {str(value) for value in settings.values()}
        if tuple(settings.values()) in known or not values.issuperset(arguments.only):
            continue
        row = measured(settings, arguments.seconds)
        # another run may have added rows to the file
        kept = json.loads(path.read_text()) if path.exists() else kept
        kept = {**host("numpy", "torch"), "networks": [*kept["networks"], row]}
        write(kept, str(path))
        shown = {key: row.get(key) for key in (*KEYS, "verdict", "regions", "bounded", "seconds", "why")}
        print(*shown.values(), len(row["word"] or ()), flush=True)


if __name__ == "__main__":
    main()
