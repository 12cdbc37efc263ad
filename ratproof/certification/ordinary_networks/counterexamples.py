"""A search for strings on which a trained network and an automaton decide differently.

The candidates are all short strings, strings ``u v^n w``, and long random strings. ``u`` is an access string
of the automaton and ``v`` a short word, because errors of trained networks build up along cycles. The network
runs in torch's float32.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

import numpy as np
import torch
from torch import nn

from automata.dfa import DFA
from automata.moore import Moore
from automata.testing.distinguishing_strings import access_strings
from ratproof.certification.ordinary_networks.network import OrdinaryNetwork

Decide = Callable[[np.ndarray], np.ndarray]
"""A function from strings of one length to the decisions after each prefix; both have shape ``(B, T)``."""
SHORT_STRINGS = 5000
"""All strings of a length are tried if there are at most this many of them."""
MOST_TESTED, TESTED_ROWS = 1 << 17, 1 << 14
"""All strings of a length are run if there are at most ``MOST_TESTED``, in batches of ``TESTED_ROWS``."""
LONGEST_OF_ONE_SYMBOL = 400
"""Maximum length of tested strings over an alphabet of one symbol, which has one string of each length."""
POWERS = (3, 8, 20, 60, 150, 400)
"""Lengths of the repeated parts of pumped strings."""
MOST_ROWS = 2000
RANDOM_STRINGS, RANDOM_LENGTH = 1000, 300


def float32_decisions(network: OrdinaryNetwork, rnn: nn.RNNBase, linear: nn.Linear) -> Decide:
    """Return a function that computes the network's decisions with torch's modules, in evaluation mode."""
    device = linear.weight.device
    vectors = torch.tensor(network.embeddings, dtype=torch.float32, device=device)

    def decide(words: np.ndarray) -> np.ndarray:
        training = rnn.training
        rnn.eval()
        with torch.no_grad():
            inputs = vectors[torch.as_tensor(words, device=device)]
            outputs, _ = rnn(inputs if rnn.batch_first else inputs.transpose(0, 1))
            logits = linear(outputs if rnn.batch_first else outputs.transpose(0, 1))
        rnn.train(training)
        if logits.shape[-1] == 1:
            decisions = (logits[..., 0] > network.threshold).long()
        else:
            decisions = logits.argmax(-1)
        result: np.ndarray = decisions.cpu().numpy()
        return result

    return decide


def counterexample(machine: Moore, decide: Decide, seed: int = 0) -> list[int] | None:
    """Return a short string on which the decisions differ, as symbols' indices, or None if none was found."""
    for words in candidates(machine, np.random.default_rng(seed)):
        wrong = decide(words) != labels_along(machine, words)
        if wrong.any():
            ends = np.where(wrong.any(1), wrong.argmax(1), words.shape[1])
            row = int(ends.argmin())
            return shrunk(machine, decide, words[row, : ends[row] + 1])
    return None


def run_all_strings(machine: Moore, decide: Decide) -> tuple[int, list[int] | None]:
    """Run all strings up to a length, in batches.

    Args:
        machine: The automaton, with decisions as outputs.
        decide: The network's decisions.

    Returns:
        The length up to which all decisions are correct, and a shortest string with a wrong decision; None if
        all decisions are correct.
    """
    symbols = len(machine.alphabet)
    longest = _length_within(symbols, MOST_TESTED)
    length, wrong_word = longest, None
    for first in range(0, symbols**longest, TESTED_ROWS):
        numbers = np.arange(first, min(first + TESTED_ROWS, symbols**longest))
        digits = [numbers // symbols**power % symbols for power in reversed(range(longest))]
        words = np.stack(digits, 1)[:, : length if wrong_word is None else length + 1]
        wrong = decide(words) != labels_along(machine, words)
        if wrong.any():
            end = int(wrong.any(0).argmax())
            if wrong_word is None or end < length:
                length, wrong_word = end, words[wrong[:, end].argmax(), : end + 1].tolist()
    return length, wrong_word


def _length_within(symbols: int, most: int) -> int:
    """Return the largest length with at most ``most`` strings, or 1 if even that length has more."""
    length = 1
    while symbols ** (length + 1) <= most and length < LONGEST_OF_ONE_SYMBOL:
        length += 1
    return length


def labels_along(machine: Moore, words: np.ndarray) -> np.ndarray:
    """Return the automaton's outputs after each prefix of each row, of shape ``(B, T)``."""
    table, outputs = np.array(machine.table), np.array(machine.outputs)
    states, labels = np.full(len(words), machine.start), np.empty(words.shape, int)
    for position in range(words.shape[1]):
        states = table[states, words[:, position]]
        labels[:, position] = outputs[states]
    return labels


def candidates(machine: Moore, rng: np.random.Generator) -> Iterator[np.ndarray]:
    """Yield batches of strings of one length; a string or one of its prefixes may be a counterexample."""
    symbols = len(machine.alphabet)
    length = _length_within(symbols, SHORT_STRINGS)
    yield np.array(list(itertools.product(range(symbols), repeat=length)))
    bases = access_words(machine)
    powers = [word for n in (1, 2, 3) for word in itertools.product(range(symbols), repeat=n)][:300]
    pairs = list(itertools.product(bases, powers))
    for power in POWERS:
        chosen = pairs
        if len(pairs) > MOST_ROWS:
            chosen = [pairs[i] for i in rng.choice(len(pairs), MOST_ROWS, replace=False)]
        total = max(map(len, bases)) + power + 12
        rows = rng.integers(symbols, size=(len(chosen), total))
        for row, (base, word) in zip(rows, chosen, strict=True):
            pumped = (*base, *itertools.islice(itertools.cycle(word), power))
            row[: len(pumped)] = pumped
        yield rows
    yield from _random_strings(machine, rng)


def access_words(machine: Moore) -> list[tuple[int, ...]]:
    """Return the shortlex-least string that leads to each state, as symbols' indices."""
    return access_strings(DFA(tuple(range(len(machine.alphabet))), machine.start, machine.table, frozenset()))


def _random_strings(machine: Moore, rng: np.random.Generator) -> Iterator[np.ndarray]:
    """Yield random strings in which some symbols are rare; half of the strings avoid absorbing states."""
    symbols = len(machine.alphabet)
    table = np.array(machine.table)
    absorbing = np.array([set(row) == {q} for q, row in enumerate(machine.table)])
    weights = rng.dirichlet(np.full(symbols, 0.5), size=RANDOM_STRINGS)
    words = np.empty((RANDOM_STRINGS, RANDOM_LENGTH), int)
    states = np.full(RANDOM_STRINGS, machine.start)
    careful = np.arange(RANDOM_STRINGS) % 2 == 0
    for position in range(RANDOM_LENGTH):
        allowed = weights * np.where(careful[:, None] & absorbing[table[states]], 0.0, 1.0) + 1e-12
        shares = allowed.cumsum(1) / allowed.sum(1)[:, None]
        words[:, position] = (rng.random(RANDOM_STRINGS)[:, None] > shares).sum(1).clip(0, symbols - 1)
        states = table[states, words[:, position]]
    yield words


def shrunk(machine: Moore, decide: Decide, word: np.ndarray) -> list[int]:
    """Shorten a string by deleting blocks of symbols while the decisions still differ."""

    def differs(words: np.ndarray) -> np.ndarray:
        wrong: np.ndarray = decide(words)[:, -1] != labels_along(machine, words)[:, -1]
        return wrong

    block = len(word) // 2
    while block:
        if block < len(word):
            starts = range(0, len(word) - block + 1, max(1, block // 4))
            shorter = np.stack([np.delete(word, slice(start, start + block)) for start in starts])
            wrong = differs(shorter)
            if wrong.any():
                word = shorter[wrong.argmax()]
                continue
        block //= 2
    return [int(symbol) for symbol in word]
