"""Benchmark of diagonal layers with gates in (0, 1) and in (-1, 1) on parity: accuracy by length.

``python bench/parity.py [FILE]`` trains layers x_t = g(u_t) o x_{t-1} + b(u_t) with an affine read-out on
random words. The target is the parity of each prefix. Each layer is then tested on random words of several
lengths, with the weights at the end of training. The gates g are sigmoids or hyperbolic tangents. The
accuracies are printed for every seed, and written to FILE as JSON. On one core this takes less than a minute.
"""

from typing import Any

import torch
from timing import argument, host, show, write
from torch import Tensor, nn

GATES = {"gates in (0, 1)": torch.sigmoid, "gates in (-1, 1)": torch.tanh}
SEEDS, UNITS, BATCH, STEPS, RATE, LONGEST = 5, 16, 128, 600, 2e-2, 16
LENGTHS, WORDS = (2, 4, 8, 16, 32, 64, 128, 256, 512), 1000


class DiagonalLayer(nn.Module):
    """A diagonal layer over two symbols, whose gates depend only on the symbol, with an affine read-out."""

    def __init__(self, squash: Any) -> None:
        super().__init__()
        self.squash, self.read_out = squash, nn.Linear(UNITS, 1)
        self.gates, self.offsets = (nn.Parameter(torch.randn(2, UNITS)) for _ in range(2))
        self.initial = nn.Parameter(torch.randn(UNITS))

    def forward(self, words: Tensor) -> Tensor:
        """Return the score of each nonempty prefix: words of shape ``(B, T)`` give ``(B, T)``."""
        g, x, states = self.squash(self.gates), self.initial.expand(len(words), -1), []
        for symbols in words.unbind(1):
            x = g[symbols] * x + self.offsets[symbols]
            states.append(x)
        scores: Tensor = self.read_out(torch.stack(states, 1))
        return scores[..., 0]


def random_words(number: int, length: int) -> tuple[Tensor, Tensor]:
    """Return random words, and whether each prefix has an odd number of ones."""
    words = torch.randint(0, 2, (number, length))
    return words, words.cumsum(1) % 2 == 1


def trained(squash: Any, seed: int) -> DiagonalLayer:
    """Train a layer on random words of 16 symbols, and return it.

    The function ``squash`` maps the layer's weights to its gates.
    """
    torch.manual_seed(seed)
    layer = DiagonalLayer(squash)
    optimizer = torch.optim.Adam(layer.parameters(), RATE)
    for _ in range(STEPS):
        words, is_odd = random_words(BATCH, LONGEST)
        loss = nn.functional.binary_cross_entropy_with_logits(layer(words), is_odd.float())
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
    return layer


@torch.no_grad()
def accuracies(layer: DiagonalLayer) -> dict[int, float]:
    """Return, for each length, the percentage of random words whose parity the layer decides correctly."""
    torch.manual_seed(SEEDS)
    result = {}
    for length in LENGTHS:
        words, is_odd = random_words(WORDS, length)
        result[length] = 100 * float(((layer(words)[:, -1] > 0) == is_odd[:, -1]).double().mean())
    return result


def main() -> None:
    """Print a line for each layer, and write the figures."""
    torch.set_num_threads(1)
    names = ("units", "batch", "steps", "rate", "longest", "words")
    settings = dict(zip(names, (UNITS, BATCH, STEPS, RATE, LONGEST, WORDS), strict=True))
    results: dict[str, Any] = {**host("torch"), **settings, "accuracies": {}}
    for name, squash in GATES.items():
        results["accuracies"][name] = [accuracies(trained(squash, seed)) for seed in range(SEEDS)]
        for seed, row in enumerate(results["accuracies"][name]):
            show(f"{name}, seed {seed}", {str(length): value for length, value in row.items()})
    write(results, argument(1))


if __name__ == "__main__":
    main()
