"""Benchmark of a factored FA-RNN on batches of sentences.

``python bench/factored.py [--device cuda] [FILE]`` prints a table, and writes the figures to FILE as JSON.
The network is compared with a loop that calls its cell for each word, and with its matrix products alone.
Sentences have 4 to 20 words, and the cell is as large as the one compiled from the ATIS rules. On a CPU, the
benchmark uses one thread. The compared variants run alternately, and each figure is the minimum over all
repetitions. The variant "products" performs only the matrix products of the recurrence, in one batch of all
words: two products in the forward pass, and six in forward and backward pass together.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from timing import interleaved, keep_memory, on_device, show, write
from torch import Tensor

from neural.fa_rnn.cells import FactoredCell
from neural.fa_rnn.factors import Factors
from neural.fa_rnn.network import FARNN

WORDS, STATES, RANK, VECTORS, LEADS = 943, 113, 191, 100, 26
"""The sizes of the cell that is compiled from the ATIS rules.

They are the numbers of words, of states and of columns of the factors, the size of the word vectors, and the
number of states with transitions on the wildcard.
"""
Run = Callable[[], Any]
BATCHES = (1, 16, 64, 256)
TIMES = 15


def network(device: str) -> FARNN:
    """Return a factored FA-RNN with random weights, of the size of the network for the ATIS rules."""
    rng = np.random.default_rng(0)
    diagonal = np.diag(np.arange(STATES) < LEADS).astype(float)
    scale = (STATES * RANK) ** -0.25
    before, after = (scale * rng.normal(size=(STATES, RANK)) for _ in range(2))
    factors = Factors(rng.normal(size=(WORDS, RANK)), before, after, diagonal, np.ones(WORDS))
    embeddings = torch.randn(WORDS, VECTORS)
    cell = FactoredCell(factors, embeddings=embeddings, beta=0.9, device=device)
    initial = torch.zeros(STATES, device=device)
    initial[0] = 1
    return FARNN(range(WORDS), cell, initial, torch.ones(1, STATES, device=device))


def step_by_step(network: FARNN, words: Tensor, sizes: list[int]) -> Tensor:
    """Return the last state of each sentence, computed by one call of the cell's ``step`` per word.

    ``sizes`` contains the number of sentences with a word at each position. The sentences are sorted by
    decreasing length.
    """
    cell, done = network.cell, []
    assert isinstance(cell, FactoredCell)
    h = network.initial.expand(words.shape[1], -1)
    for z, stands, size in zip(*(part.unbind(0) for part in cell.read(words)), sizes, strict=True):
        done.append(h[size:])
        h = cell.step((z[:size], stands[:size]), h[:size])
    return torch.cat([h, *done[::-1]])


def measured(batch: int, device: str) -> dict[str, Any]:
    """Return the milliseconds of each implementation for a batch of sentences.

    The times are those of the forward pass, and of the forward and the backward pass together.
    """
    torch.manual_seed(0)
    farnn = network(device)
    lengths = torch.randint(4, 21, (batch,)).sort(descending=True).values.to(device)
    time = int(lengths[0])
    words = (WORDS * torch.rand(time, batch, device=device) ** 3).long()  # some words are frequent
    sizes = (torch.arange(time, device=device)[:, None] < lengths).sum(1).tolist()
    weights = [p for p in farnn.parameters() if p.requires_grad]
    rows = torch.randn(sum(sizes), STATES, device=device)
    one, other = torch.randn(STATES, RANK, device=device), torch.randn(RANK, STATES, device=device)

    def products(number: int) -> None:
        for _ in range(number):
            torch.mm(torch.mm(rows, one), other)

    runs = {
        "network": lambda: farnn.states(words, lengths),
        "steps": lambda: step_by_step(farnn, words, sizes),
    }

    def with_gradient(run: Run) -> Run:
        def both() -> tuple[Tensor, ...]:
            return torch.autograd.grad(run().sum(), weights)

        return both

    back = {name: with_gradient(run) for name, run in runs.items()}
    with torch.no_grad():
        fused, separate = farnn.states(words, lengths), step_by_step(farnn, words, sizes)
        assert torch.allclose(fused, separate, rtol=1e-3, atol=1e-4 * float(fused.abs().max()))
        forward = interleaved({**runs, "products": lambda: products(1)}, TIMES, device, least=True)
    backward = interleaved({**back, "products": lambda: products(3)}, TIMES, device, least=True)
    return {"sentences": batch, "words": sum(sizes), "forward": forward, "backward": backward}


def main() -> None:
    """Print the table, and write the figures."""
    device, about, file = on_device()
    if device == "cpu":
        torch.set_num_threads(1)
    sizes = {"words": WORDS, "states": STATES, "columns": RANK}
    results = {**about, "sizes": sizes, "rows": [measured(batch, device) for batch in BATCHES]}
    show("milliseconds", about)
    for row in results["rows"]:
        for way in ("forward", "backward"):
            show(f"  {row['sentences']} sentences, {way}", row[way])
    write(results, file)


if __name__ == "__main__":
    keep_memory()
    main()
