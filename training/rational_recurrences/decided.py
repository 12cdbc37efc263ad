"""Decision whether the units of a trained network are equal to their automata.

The models are those of section 6.1 (Peng et al. 2018). The decision is about all strings over a layer's
alphabet, with the trained weights. The gates are the floats that the trained layer computes. With these
gates, the paper's recurrence is converted to an automaton, which is compared with the automaton that the
paper constructs. An independent program can check the certificate. The alphabet of the first layer consists
of words of the training set. The alphabet of an upper layer consists of outputs of the layer below on
training sentences.
"""

from __future__ import annotations

import random
import time
from typing import Any

import torch
from torch import Tensor

from ratproof.evidence.ledger import recording
from ratproof.implementations.layer import LayerComparison
from ratproof.implementations.layer_spec import spec
from ratproof.ladder.rungs.decision import decide_units, read
from theory.registry import claims
from training.engine.seeds import mixed
from training.rational_recurrences.classifier import SentenceClassifier
from training.rational_recurrences.task import EncodedTexts

CLAIMS = {
    "rrnn-b": "model-b",
    "rrnn-b-max-plus": "model-b-max-plus",
    "rrnn-c": "model-c",
    "rrnn-f": "model-f",
}
READING = "corrected"
SYMBOLS = 16
"""The number of words or vectors in a layer's alphabet."""
COMPARED = 50
"""The number of random strings on which the layer's floats are compared with the automata."""


def decide(network: SentenceClassifier, training: EncodedTexts, table: Tensor) -> dict[str, Any] | None:
    """Decide whether all units of all layers are equal to their automata.

    Args:
        network: the trained network.
        training: the training sentences. The alphabet of a layer consists of its inputs on some of these
            sentences, which are drawn with the run's seed.
        table: the word vectors.

    Returns:
        The decision as a JSON object; ``None`` for a network that is not rational.

    Raises:
        Disagreement: If a unit differs from its automaton (:mod:`ratproof.evidence.counterexample`).
    """
    rng = random.Random(mixed(network.settings.seed, 3))
    like = next(network.parameters())
    vectors = _alphabets(network, training, table.to(like), rng)
    return decide_layers(network.settings.model, list(network.layers), vectors, rng)


def decide_layers(
    kind: str, layers: list[Any], alphabets: list[Tensor], rng: random.Random
) -> dict[str, Any] | None:
    """Decide like :func:`decide`; the alphabet of each layer is a tensor of shape ``(symbols, size)``."""
    if kind not in CLAIMS:
        return None
    begun = time.perf_counter()
    decided = [
        _decided(kind, layer, vectors, rng, number)
        for number, (layer, vectors) in enumerate(zip(layers, alphabets, strict=True), 1)
    ]
    return {
        "claim": CLAIMS[kind],
        "reading": READING,
        "verdict": "equivalent",
        "units": sum(layer["units"] for layer in decided),
        "layers": decided,
        "seconds": round(time.perf_counter() - begun, 1),
    }


def some(vectors: Tensor, rng: random.Random) -> Tensor:
    """Draw up to ``SYMBOLS`` of the vectors as the alphabet of a layer."""
    return vectors[sorted(rng.sample(range(len(vectors)), min(SYMBOLS, len(vectors))))]


@torch.no_grad()
def _alphabets(
    network: SentenceClassifier, training: EncodedTexts, table: Tensor, rng: random.Random
) -> list[Tensor]:
    """Return, for each layer, distinct inputs from training sentences, shape ``(symbols, size)``."""
    indices = rng.sample(range(len(training.rows)), min(SYMBOLS * 4, len(training.rows)))
    vectors, lengths, _ = training.at(torch.tensor(sorted(indices)), table)
    there = torch.arange(len(vectors), device=lengths.device)[:, None] < lengths
    return [some(torch.unique(read[there], dim=0), rng) for read in network.inputs(vectors)]


def _decided(kind: str, layer: Any, vectors: Tensor, rng: random.Random, number: int) -> dict[str, Any]:
    claim = claims()[CLAIMS[kind]]
    variant = next(variant for variant in claim.variants if variant.name == READING)
    letters = [chr(0x4E00 + i) for i in range(len(vectors))]  # the claims' alphabets are characters
    side = LayerComparison(
        claim.name,
        variant.name,
        spec(
            kind,
            {"input_size": layer.input_size, "hidden_size": layer.hidden_size, **layer.options},
            {name: values.detach().cpu().numpy() for name, values in layer.cell.state_dict().items()},
            vectors.cpu().numpy(),
            letters,
            str(vectors.dtype).removeprefix("torch."),
        ),
    )
    units = range(layer.hidden_size)
    read_off = [read(variant.reading.recurrence, side.claim_weights(unit)) for unit in units]
    with recording() as book:
        decide_units(
            side,
            [automata[unit % len(automata)] for unit, automata in zip(units, read_off, strict=True)],
            side.automata(),
        )
        decided = book.cases
    strings = [tuple(rng.choices(letters, k=rng.randint(1, 20))) for _ in range(COMPARED)]
    worst = 0.0
    for compared in side.compare(strings):
        if compared.difference is not None:
            raise RuntimeError(f"layer {number}: {compared.difference}")
        worst = max(worst, compared.share or 0.0)
    return {
        "layer": number,
        "units": decided,
        "symbols": len(letters),
        "of": "words of training sentences"
        if number == 1
        else "outputs of the layer below on training sentences",
        "float_strings": len(strings),
        "largest_share_of_the_rounding_bound": round(worst, 6),
    }
