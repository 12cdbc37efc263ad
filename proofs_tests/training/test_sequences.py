"""Tests of the classifiers of images and reviews, of their data, and of the paper's tables."""

import gzip
from dataclasses import replace
from types import SimpleNamespace

import pytest
import safetensors.torch
import torch

from proofs_tests.training.command_line import command_line
from proofs_tests.training.images_and_reviews import write_articles, write_images, write_reviews
from proofs_tests.training.small_runs import train
from training.engine.labelled import LabelledTexts
from training.engine.noise import Noise
from training.images import files as images
from training.images.settings import PRESETS, TABLE_7, PixelByPixel
from training.images.settings import paper as table_7
from training.reviews import files as reviews
from training.reviews.settings import TABLE_13, Sentiment
from training.reviews.settings import paper as table_5
from training.sequences.network import SequenceClassifier
from training.sequences.settings import HEADS, MODELS, SequenceClassification
from training.sequences.task import SequenceTask
from training.wikipedia import corpus
from training.wikipedia.network import WikipediaModel
from training.wikipedia.settings import MODELS as ARTICLES
from training.wikipedia.settings import WikipediaModelling

__all__ = ["command_line"]

TINY = SequenceClassification(hidden=4, k=3, layers=2)
PAIRS = [(m, h) for m in MODELS for h in HEADS if not (h == "c" and m in ("gru", "sr-gru"))]


def classifier(model: str, head: str, **more: object) -> SequenceClassifier:
    how = replace(TINY, model=model, head=head, **more)  # type: ignore[arg-type]
    return SequenceClassifier(how, 2, labels=3).double()


# The optimiser.


def test_the_papers_momentum_is_the_smoothing_of_the_squares():
    """Torch's momentum of 0.9 would multiply the steps by 10."""
    how, network = SequenceClassification(), classifier("lstm", "h")
    part = SimpleNamespace(lengths=torch.ones(1))
    (group,) = SequenceTask(network, how, part, part).optimiser().param_groups  # type: ignore[arg-type]
    assert (group["alpha"], group["momentum"], group["lr"]) == (0.9, 0, 0.01)


# The classifier.


@pytest.mark.parametrize(("model", "head"), PAIRS)
def test_scores_depend_only_on_the_sequence(model, head):
    """The scores do not depend on the batch, the padding, or whether a gradient is needed.

    They depend on the first vector through all inputs of the head.
    """
    network = classifier(model, head)
    torch.manual_seed(0)
    values, lengths = torch.randn(6, 3, 2, dtype=torch.float64), torch.tensor([2, 6, 4])
    together = network(values, lengths)
    spoiled = values.clone()
    spoiled[2:, 0], spoiled[4:, 2] = 9.0, -9.0
    torch.testing.assert_close(network(spoiled, lengths), together)
    for b, n in enumerate(lengths.tolist()):
        torch.testing.assert_close(network(values[:n, b : b + 1], lengths[b : b + 1]), together[b : b + 1])
    with torch.no_grad():
        torch.testing.assert_close(network(values, lengths), together.detach())
    changed = values.clone()
    changed[0] += 1.0
    assert bool((network(changed, lengths) != together).any(dim=1).all())


@pytest.mark.parametrize(("model", "head"), PAIRS)
def test_a_head_reads_its_documented_inputs(model, head):
    network = classifier(model, head)
    torch.manual_seed(1)
    values, lengths = torch.randn(5, 2, 2, dtype=torch.float64), torch.tensor([3, 5])
    lower, upper = network.run(values, lengths)
    last_h = torch.stack([upper.h[n - 1, b] for b, n in enumerate(lengths.tolist())])
    largest = torch.stack([upper.h[:n, b].amax(dim=0) for b, n in enumerate(lengths.tolist())])
    cells = [one.c for one in (lower, upper) if one.c is not None]
    read = {"h": [last_h], "max-h": [largest], "c": cells, "h-c": [last_h, *cells]}[head]
    torch.testing.assert_close(network.out(torch.cat(read, dim=1)), network(values, lengths))
    assert len(cells) == (0 if model in ("gru", "sr-gru") else 2)


def test_after_an_end_token_the_stochastic_component_is_not_applied():
    how = replace(TINY, model="sr-lstm-p", head="h", layers=1)
    ends = SequenceClassifier(how, 2, labels=3, ends=True)
    values, lengths = torch.randn(5, 2, 2), torch.tensor([3, 5])
    (ran,) = ends.run(values, lengths)
    last_u = torch.stack([ran.u[n - 1, b] for b, n in enumerate(lengths.tolist())])
    torch.testing.assert_close(ends.out(last_u), ends(values, lengths))
    assert not torch.allclose(ran.u[2, 0], ran.h[2, 0])


@pytest.mark.parametrize("model", MODELS)
def test_the_gate_that_preserves_the_state_starts_with_its_bias(model):
    """With a large bias the state keeps its initial value 0."""
    kept, free = (classifier(model, "h-c", layers=1, forget_bias=bias) for bias in (50.0, 0.0))
    for one, other in zip(kept.parameters(), free.parameters(), strict=True):
        assert torch.equal(one, other) or float((one - other).detach().max()) == pytest.approx(50)
    changed = zip(kept.parameters(), free.parameters(), strict=True)
    assert sum(int((one != other).sum()) for one, other in changed) == 4


def test_dropout_belongs_to_examples():
    network = classifier("sr-lstm", "h", dropout=0.5)
    values, lengths = torch.randn(3, 4, 2, dtype=torch.float64), torch.full((4,), 3)
    noise = [Noise(0, 1, torch.tensor(which)) for which in ([5, 6, 7, 8], [7])]
    together, alone = network(values, lengths, noise[0]), network(values[:, 2:3], lengths[:1], noise[1])
    torch.testing.assert_close(together[2:3], alone)
    assert not torch.allclose(network(values, lengths), together)


# Images.


def test_an_image_is_read_row_by_row_or_in_one_permutation():
    pixels = torch.arange(784, dtype=torch.uint8).reshape(1, 28, 28)
    one = images.Images(pixels, torch.tensor([3]))
    full = images.Pixels(one, 28, "normal")
    assert torch.equal(full.at(torch.tensor([0]))[:, 0, 0], pixels.flatten().float() / 255)
    small = images.Pixels(one, 14, "normal").at(torch.tensor([0]))[:, 0, 0]
    assert small.shape == (196,)
    corner = pixels[0, :2, 2:4].float().mean() / 255
    torch.testing.assert_close(small[1], corner)
    permuted = images.Pixels(one, 14, "permuted").at(torch.tensor([0]))[:, 0, 0]
    assert torch.equal(permuted, small[images.permutation(14)]) and not torch.equal(permuted, small)
    assert torch.equal(images.permutation(14).sort().values, torch.arange(196))


def test_the_dev_part_is_the_end_of_the_training_file(tmp_path):
    write_images(tmp_path)
    parts = images.load("mnist", tmp_path, any_size=True)
    assert [len(parts[name].labels) for name in ("train", "dev", "test")] == [30, 6, 36]
    raw = gzip.decompress((tmp_path / "mnist/train-labels-idx1-ubyte.gz").read_bytes())[8:]
    assert bytes(torch.cat([parts["train"].labels, parts["dev"].labels]).tolist()) == raw
    assert "test" not in images.load("mnist", tmp_path, any_size=True, test=False)


@pytest.mark.parametrize("model", [model for model in MODELS if model != "sr-gru"])
@pytest.mark.parametrize("preset", PRESETS)
def test_an_untrained_network_of_a_preset_distinguishes_images(preset, model):
    """A network that does not distinguish images can only learn how frequent the labels are.

    The images end with as many blank pixels as the median image of MNIST. The final states must differ in
    half of float32's digits. SR-GRUs are excluded: only a mean of the centroids passes from step to step, so
    their final states are equal.
    """
    pixels = torch.randint(0, 256, (4, 784), generator=torch.Generator().manual_seed(0), dtype=torch.uint8)
    pixels[:, -103:] = 0
    how = PixelByPixel(**{**PRESETS[preset], "model": model})
    values = images.Pixels(images.Images(pixels.reshape(4, 28, 28), torch.arange(4)), how.side, how.order)
    network, lengths = SequenceClassifier(how, 1, labels=10), values.lengths
    with torch.no_grad():
        read = network._read(network.run(values.at(torch.arange(4)), lengths), lengths)
    digits = torch.finfo(read.dtype).eps ** 0.5
    assert bool(((read - read[0]).abs().amax(dim=1)[1:] > digits * read.abs().max()).all())


# Reviews.


def test_a_review_is_its_words_in_lowercase_letters():
    assert reviews.words_of("It's<br /><br />GREAT: 10/10!") == ("it", "s", "great", "10", "10", "!")


def test_the_vocabulary_is_the_most_frequent_words_of_the_training_part(tmp_path):
    part = LabelledTexts((("b", "a", "c"), ("a", "b"), ("d",)), (0, 1, 1))
    index = reviews.vocabulary(part, 3)
    assert index == {"a": 3, "b": 4, "c": 5}
    encoded = reviews.Encoded(part, index, 2, tokens=True)
    assert [row.tolist() for row in encoded.rows] == [[1, 4, 3, 2], [1, 3, 4, 2], [1, 0, 2]]
    plain = reviews.Encoded(LabelledTexts((("a",), ()), (0, 1)), index, 0, tokens=False)
    assert [row.tolist() for row in plain.rows] == [[3], [0]]


def test_a_tenth_of_the_training_file_is_the_dev_part(tmp_path):
    parts = reviews.load(write_reviews(tmp_path), any_size=True)
    assert [len(parts[name].labels) for name in ("train", "dev", "test")] == [36, 4, 40]
    again = reviews.load(tmp_path, any_size=True, test=False)
    assert again["dev"] == parts["dev"] and "test" not in again


# Wikipedia.


def test_infrequent_words_are_unknown(tmp_path):
    folder = write_articles(tmp_path)
    text_corpus = corpus.load(folder, most=5, any_size=True)
    assert text_corpus.words[:2] == ("</s>", "<unk>") and len(text_corpus.words) == 7
    text = (folder / "wikipedia/test.txt").read_text()
    tokens = [word for line in text.splitlines() for word in (*line.split(), "</s>")]
    assert len(text_corpus.parts["test"]) == len(tokens)
    shown = [text_corpus.words[int(index)] for index in text_corpus.parts["test"]]
    assert all(one == other or one == "<unk>" for one, other in zip(shown, tokens, strict=True))
    assert shown[-2:] == ["<unk>", "</s>"]


def test_table_14s_parameters_are_those_of_the_model():
    """With 77,000 words and k = 1,000 centroids of 300 units, the numbers are 47.0M and 47.3M, as printed.

    The counts include our two biases per gate and one per word of the softmax.
    """
    counts = {}
    for model in ARTICLES:
        with torch.device("meta"):
            network = WikipediaModel(WikipediaModelling(model=model), 77_002)
        counts[model] = sum(p.numel() for p in network.parameters())
    expected = {"lstm": 47.0, "lstm-p": 47.0, "sr-lstm": 47.3, "sr-lstm-p": 47.3}
    assert {name: round(count / 1e6, 1) for name, count in counts.items()} == expected


# Settings, and the paper's figures.


def test_the_papers_figures_are_found_by_model_and_settings():
    for (model, k), accuracies in TABLE_7.items():
        for order, accuracy in accuracies.items():
            how = PixelByPixel(model=model, k=k or 10, order=order)
            assert (table_7("mnist", how) or {})["test_accuracy"] == accuracy
    assert table_7("mnist", PixelByPixel(model="sr-gru")) is None
    assert (table_7("fashion-mnist", PixelByPixel(k=10)) or {})["test_accuracy"] == 0.86
    assert (table_5(Sentiment(k=10)) or {})["test_accuracy"] == pytest.approx(0.908)
    assert (table_5(Sentiment(k=10, layers=2, head="c")) or {})["test_accuracy"] == pytest.approx(0.906)
    assert table_5(Sentiment(k=2)) is None
    short = table_5(Sentiment(model="lstm", length=10)) or {}
    assert short["test_error_200"] == TABLE_13["lstm"]["test"][200] == 33.19


# Runs.


@pytest.mark.usefixtures("command_line")
def test_glove_vectors_stay_unchanged_if_fixed(tmp_path):
    assert train(tmp_path / "fixed", "imdb", "--model sr-lstm --embedding glove --fixed") == 0
    assert train(tmp_path / "free", "imdb", "--model sr-lstm --embedding glove") == 0
    fixed, free = (
        safetensors.torch.load_file(tmp_path / name / "network.safetensors") for name in ("fixed", "free")
    )
    assert "table" not in fixed and free["table"].shape == (12, 4)
