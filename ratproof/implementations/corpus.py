"""Comparisons on a text corpus: words are symbols, word vectors are embeddings, and sentences are strings."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count, islice
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from automata.errors import FormatError
from automata.io.files import read_text
from automata.rounding.bounds import bound_table, bounded
from automata.strings import encode
from neural.example_6 import Example6
from neural.rounding import format_of
from neural.seeding import seeded
from ratproof.evidence.counterexample import Disagreement
from ratproof.evidence.ledger import IN_PART, TOO_SHORT, WITHOUT_BOUND, ledger
from ratproof.implementations.comparison import Constants, counterexample, shortest_of
from ratproof.implementations.layer import LayerComparison
from ratproof.implementations.layer_spec import spec
from ratproof.npz_files import arrays, finite_numbers, vectors_of

TABLE_WIDTH = 100  # width of random vectors, if no embeddings are passed
LONGEST_LINE = 1 << 20  # maximum number of characters in a line of gzipped vectors
PORTION = 1024  # number of sentences per batch


@dataclass(frozen=True)
class Corpus:
    """The sentences of a text, and a vector for each of their words.

    Attributes:
        path: Path of the text file.
        sentences: The words of each sentence.
        words: The alphabet, in order of appearance.
        vectors: float32 vectors of the words, shape ``(words, width)``.
        without: Number of words without a vector; the mean vector is assigned to them.
        units: Number of units of the network.
    """

    path: str
    sentences: list[list[str]]
    words: list[str]
    vectors: NDArray[np.float32]
    without: int
    units: int


def load_corpus(path: str, embeddings: str | None = None, units: int = 64, seed: int = 0) -> Corpus:
    """Read a text file with one sentence per line and words separated by white space.

    Args:
        path: Path of the text file, in UTF-8.
        embeddings: Path of vectors in GloVe's text format (a word, then its components), or of an npz file
            with an array ``vectors``. The words of an npz file are in its array ``words``, or in
            ``words.txt.gz`` in the same folder. Defaults to random normal vectors.
        units: Number of units of the network.
        seed: Seed of the random vectors.

    Raises:
        FormatError: If a file is empty or binary, or if the vectors have unequal widths.
    """
    sentences = [line.split() for line in read_text(path).splitlines()]
    sentences = [words for words in sentences if words]
    if not sentences:
        raise FormatError(f"{path}: the file must have at least one sentence, one per line")
    words = list(dict.fromkeys(word for sentence in sentences for word in sentence))
    if embeddings is None:
        vectors = np.random.default_rng(seed).standard_normal((len(words), TABLE_WIDTH)).astype(np.float32)
        return Corpus(path, sentences, words, vectors, 0, units)
    known, mean = read_embeddings(embeddings, set(words))
    rows = [known.get(word, mean) for word in words]
    return Corpus(path, sentences, words, np.stack(rows), sum(word not in known for word in words), units)


def read_embeddings(
    path: str, wanted: set[str]
) -> tuple[dict[str, NDArray[np.float32]], NDArray[np.float32]]:
    """Read the vectors of the wanted words, and return them with the mean of all vectors in the file."""
    if Path(path).suffix == ".npz":
        return _read_npz(Path(path), wanted)
    vectors: dict[str, NDArray[np.float32]] = {}
    total, count, width = np.zeros(0), 0, None
    for number, line in enumerate(_lines(path), 1):
        # words may contain spaces (". . ."), so read the vector from the right end of the line
        parts = line.rstrip().split(" ")
        least = 1 if width is None else max(1, len(parts) - width)
        word, numbers = " ".join(parts[:least]), parts[least:]
        if width is not None and least > 1 and _is_number(parts[least - 1]):
            numbers = parts[1:]
        if not numbers:
            raise FormatError(f"{path}: line {number}: a line must have a word and its vector, got no vector")
        try:
            with np.errstate(over="ignore"):  # values that overflow in float32 are refused below
                vector = np.array(numbers, dtype=np.float32)
        except ValueError:
            raise FormatError(
                f"{path}: line {number}: a line must have only numbers after the word"
            ) from None
        if width is None:
            width, total = len(vector), np.zeros(len(vector))
        if len(vector) != width:
            raise FormatError(
                f"{path}: line {number}: the vector must have {width} components, as in the first line, got"
                f" {len(vector)}"
            )
        if not np.isfinite(vector).all():
            raise FormatError(f"{path}: line {number}: all components must be finite in float32")
        total, count = total + vector, count + 1
        if word in wanted:
            vectors[word] = vector
    if not count:
        raise FormatError(f"{path}: the file must have at least one line with a word and its vector")
    return vectors, (total / count).astype(np.float32)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _lines(path: str) -> Iterator[str]:
    return _unzipped(Path(path)) if Path(path).suffix == ".gz" else _split(read_text(path))


def _split(text: str) -> Iterator[str]:
    """Split text only at line feeds, because words may contain other Unicode line breaks."""
    return iter(text.removesuffix("\n").split("\n") if text else [])


def _unzipped(path: Path) -> Iterator[str]:
    """Yield the lines of gzipped text one at a time, because the text can be far larger than the file."""
    try:
        with gzip.open(path, "rt", encoding="utf-8", newline="\n") as file:
            for number in count(1):
                line = file.readline(LONGEST_LINE + 1)
                if not line:
                    return
                if len(line) > LONGEST_LINE:
                    raise FormatError(
                        f"{path}: line {number}: a line must have at most {LONGEST_LINE:,} characters"
                    )
                yield line.removesuffix("\n")
    except (OSError, EOFError, UnicodeDecodeError, zlib.error) as error:
        raise FormatError(f"{path}: cannot be read as gzipped UTF-8 text: {error}") from None


def _read_npz(path: Path, wanted: set[str]) -> tuple[dict[str, NDArray[np.float32]], NDArray[np.float32]]:
    data = arrays(path)
    vectors = vectors_of(data, "vectors", path)
    words_file = path.parent / "words.txt.gz"
    if "words" in data:
        words = _words(data["words"], path)
    elif words_file.exists():
        words = list(islice(_unzipped(words_file), len(vectors)))
    else:
        raise FormatError(
            f"{path}: the file must have an array 'words', or a words.txt.gz in the same folder"
        )
    if len(words) != len(vectors):
        raise FormatError(
            f"{path}: the file must have one vector per word, got {len(vectors)} for {len(words)} words"
        )
    chosen = {word: vectors[i] for i, word in enumerate(words) if word in wanted}
    if "unk_mean" not in data:
        return chosen, mean_of(vectors)
    mean = finite_numbers(data["unk_mean"], "unk_mean", path)
    if mean.shape != vectors.shape[1:]:
        raise FormatError(f"{path}: unk_mean must have shape {vectors.shape[1:]}, got {mean.shape}")
    return chosen, mean


def mean_of(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the mean vector, summed in float64 because a float32 sum may overflow."""
    return np.asarray(vectors.mean(axis=0, dtype=np.float64), dtype=np.float32)


def _words(array: np.ndarray, path: Path) -> list[str]:
    if array.ndim != 1 or array.dtype.kind != "U":
        raise FormatError(
            f"{path}: words must be a one-dimensional array of strings, got {array.dtype} of shape"
            f" {array.shape}"
        )
    try:
        return [str(word) for word in array.tolist()]
    except (SystemError, ValueError):  # raised for invalid code points
        raise FormatError(f"{path}: words must have only valid Unicode characters") from None


@torch.no_grad()
def agree_on_text(claim: str, variant: str, corpus: Corpus, device: str, seed: int = 0) -> None:
    """Assert that a float32 layer of Example 6 agrees with its automata on every prefix of every sentence.

    The assertion covers every unit. The automata are scored in float64, and the bound includes the rounding
    of these scores. A sentence counts as a case if all its scores have a bound.

    Raises:
        Disagreement: If a score is not within its bound.
    """
    with seeded(seed, device.startswith("cuda")):
        layer = Example6(corpus.vectors.shape[1], corpus.units, device=device)
    embeddings = torch.as_tensor(corpus.vectors, device=device)
    automata = layer.to_automata(embeddings, corpus.words, exact=False)
    slack = layer.deviations(embeddings)
    current_ledger = ledger()
    kind = format_of(torch.float32)
    shortest = shortest_of(claim, variant)
    prefixes = compared = cases = 0
    constants = [Constants() for _ in automata]
    varies = False
    order = sorted(range(len(corpus.sentences)), key=lambda i: -len(corpus.sentences[i]))
    for low in range(0, len(order), PORTION):
        sentences = [corpus.sentences[i] for i in order[low : low + PORTION]]
        batch = encode(automata[0].index, sentences)
        states = _states(layer, embeddings, batch.codes)
        if states.shape != (len(batch), batch.codes.shape[1] + 1, len(automata)):
            raise ValueError(
                f"the network's states must have {len(automata)} units and one state per prefix, got shape"
                f" {states.shape}"
            )
        lengths = np.arange(batch.codes.shape[1] + 1)
        inside = (lengths <= batch.lengths[:, None]) & (lengths >= shortest)
        has = np.zeros_like(states, dtype=bool)
        prefixes += int(inside.sum())
        for unit, automaton in enumerate(automata):
            scores, bounds = bound_table(automaton, batch, kind, slack[unit])
            errors = np.abs(states[:, :, unit] - scores) * (1 + 2.0**-50)
            has[:, :, unit] = inside & bounded(bounds)
            with np.errstate(invalid="ignore", divide="ignore"):
                used = np.where(has[:, :, unit] & ~(errors == 0), errors / bounds, 0.0)  # NaN remains NaN
            if not (used <= 1).all():
                row, length = (int(i) for i in np.argwhere(~(used <= 1))[0])
                raise Disagreement(
                    _counterexample(claim, variant, layer, corpus, sentences[row][:length], unit, device)
                )
            current_ledger.add(0, float(used.max()))
            with_bound = has[:, :, unit]
            varies = (
                constants[unit].exclude(scores[with_bound][:, None], bounds[with_bound][:, None]) or varies
            )
        compared += int(has.sum())
        some, every = has.any(axis=(1, 2)), (has | ~inside[:, :, None]).all(axis=(1, 2))
        complete = int((some & every).sum())
        current_ledger.add(complete)
        cases += complete
        current_ledger.leave_out(TOO_SHORT, int((~inside.any(axis=1)).sum()))
        current_ledger.leave_out(IN_PART, int((some & ~every).sum()))
        current_ledger.leave_out(WITHOUT_BOUND, int((inside.any(axis=1) & ~some).sum()))
    current_ledger.inform(cases if varies else 0)
    current_ledger.facts.update(
        text=Path(corpus.path).name,
        sentences=len(corpus.sentences),
        words=len(corpus.words),
        prefixes=prefixes,
        units=corpus.units,
        scores_compared=compared,
        scores_without_bound=prefixes * corpus.units - compared,
        words_without_vector=corpus.without,
    )


def _states(layer: Example6, embeddings: torch.Tensor, codes: NDArray[np.intp]) -> NDArray[np.float64]:
    """Return the layer's states c_0, ..., c_T on each sentence, shape ``(sentences, T + 1, units)``.

    The states after a sentence's end are arbitrary.
    """
    read = torch.as_tensor(np.maximum(codes, 0), device=embeddings.device).T
    c = layer.scores(embeddings[read])
    every: np.ndarray = torch.cat([torch.zeros_like(c[:1]), c]).transpose(0, 1).double().cpu().numpy()
    return every


def _counterexample(
    claim: str, variant: str, layer: Example6, corpus: Corpus, sentence: list[str], unit: int, device: str
) -> Any:
    """Return the counterexample of a sentence for a smaller layer, with one unit and the sentence's words."""
    words = list(dict.fromkeys(sentence)) or corpus.words[:1]
    index = {word: i for i, word in enumerate(corpus.words)}
    parameters = {
        name: p.detach().cpu().numpy()[unit : unit + 1] for name, p in layer.cell.named_parameters()
    }
    options = {"input_size": layer.input_size, "hidden_size": 1}
    vectors = corpus.vectors[[index[word] for word in words]]
    small = LayerComparison(
        claim, variant, spec("example-6", options, parameters, vectors, words, device=device)
    )
    compared = next(iter(small.compare([sentence])))
    if compared.difference is None:
        raise AssertionError(
            f"unit {unit} differs on {' '.join(sentence)!r} in the batch, but not when it runs alone"
        )
    return counterexample(small, compared)
