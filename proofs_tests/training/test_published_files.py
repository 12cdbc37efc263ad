"""Tests that the error for a malformed file of published data contains the expected format and the source."""

import gzip
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from automata.errors import FormatError
from proofs_tests.training.images_and_reviews import idx, write_articles, write_images, write_reviews
from proofs_tests.training.sentences import write, write_rule_sets, write_sets, write_text
from training.classification_with_rules import data as with_rules
from training.classification_with_rules.sources import SOURCES as RULED
from training.data_folder import Data
from training.images import files as images
from training.language_modelling import corpus as treebank
from training.rational_recurrences import data as sentences
from training.rational_recurrences.sources import SOURCES
from training.reviews import files as reviews
from training.wikipedia import corpus as articles

LABELS, IMAGES = np.zeros(36), np.zeros((36, 28, 28))


def load_rules(name: str, folder: Path, any_size: bool = False) -> object:
    return with_rules.load(RULED[name], Data(folder, any_size=any_size), 1.0, 0)


OF: dict[str, tuple[Callable[..., Path], Callable[..., Any], tuple[str, ...]]] = {
    **{n: (write_sets, partial(sentences.load, n), (s.says(),)) for n, s in SOURCES.items()},
    "ptb": (write_text, treebank.load, (treebank.FORMAT, treebank.WHERE)),
    "imdb": (write_reviews, reviews.load, ()),
    "wikipedia": (write_articles, partial(articles.load, most=10), (articles.WHERE,)),
    **{n: (write_images, partial(images.load, n), (images.WHERE[n],)) for n in ("mnist", "fashion-mnist")},
    "sms": (write_rule_sets, partial(load_rules, "sms"), ()),
}
"""For each experiment: the function that writes its files, the function that loads them, and the texts that
its error messages contain.
"""


def zipped(data: bytes) -> bytes:
    """Return gzip data without a date.

    The data are part of a test's name, which must be the same in all worker processes.
    """
    return gzip.compress(data, mtime=0)


@pytest.mark.parametrize(
    ("experiment", "file", "data", "says"),
    [
        ("sst2", "sst2/stsa.binary.dev", None, "No such file"),
        ("sst2", "sst2/stsa.binary.train", b"1 caf\xe9\n0 tea\n", "must be UTF-8, got an invalid byte"),
        ("sst2", "sst2/stsa.binary.train", b"1 good\n0 ba", "the last line must end with a line feed"),
        (
            "sst2",
            "sst2/stsa.binary.train",
            b"1 good\nbad 0\n",
            "line 2: the line must begin with 0 or 1, got 'bad 0'",
        ),
        ("sst2", "sst2/stsa.binary.train", b"", "line 1: the last line must end with a line feed"),
        ("sst2", "sst2/stsa.binary.train", b"1 \n0 \n", "must contain words"),
        ("subj", "subj/subj.all", "0 a\n1 b\n".encode("utf-16"), "got binary or UTF-16"),
        ("amazon", "amazon/elec-test.cat", None, "No such file"),
        (
            "amazon",
            "amazon/elec-test.cat",
            b"1\n" * 49,
            "must have 50 labels, one per sentence of elec-test.txt.tok",
        ),
        ("amazon", "amazon/elec-25k-train.cat", b"1\n0\n" * 25, "line 2: the line must be 1 or 2, got '0'"),
        ("ptb", "ptb/ptb.train.txt", None, "cannot be read: No such file"),
        ("ptb", "ptb/ptb.test.txt", b"\n", "must contain words"),
        ("ptb", "ptb/ptb.test.txt", b"the zebra\n", "in the training set, got 'zebra'"),
        ("ptb", "ptb/ptb.train.txt.gz", zipped(b"the film\n")[:-9], "cannot be read"),
        ("fashion-mnist", "train-images-idx3-ubyte.gz", None, "cannot be read"),
        ("fashion-mnist", "train-images-idx3-ubyte.gz", b"no gzip", "cannot be read"),
        ("fashion-mnist", "train-images-idx3-ubyte.gz", zipped(b"\0\0\x08\x01"), "3 axes"),
        ("fashion-mnist", "train-images-idx3-ubyte.gz", zipped(idx(IMAGES)[:-1]), "truncated"),
        ("fashion-mnist", "train-images-idx3-ubyte.gz", zipped(idx(IMAGES[:, :9, :9])), "9 x 9"),
        ("fashion-mnist", "train-labels-idx1-ubyte.gz", zipped(idx(LABELS[:-1])), "got 35"),
        ("fashion-mnist", "train-labels-idx1-ubyte.gz", zipped(idx(LABELS + 10)), "must be between 0 and 9"),
        ("fashion-mnist", "t10k-labels-idx1-ubyte.gz", zipped(b""), "1 axes"),
        ("imdb", "imdb/train.tsv.gz", None, "cannot be read"),
        ("imdb", "imdb/train.tsv.gz", zipped(b"good\t9\t1\tfine\n"), "line 1"),
        ("imdb", "imdb/train.tsv.gz", zipped(b"pos\t9\t1\tfine\n" * 12), "both labels"),
        ("wikipedia", "wikipedia/valid.txt", None, "cannot be read"),
        ("wikipedia", "wikipedia/valid.txt", b"a b", "truncated"),
        ("sms", "re2rnn/SMS/rules.config", b"$ * good $ *\n", "must be below a [label]"),
        ("sms", "re2rnn/SMS/dev.tsv", None, "dev.tsv: the path must be a file"),
    ],
    ids=str,
)
def test_a_malformed_file_is_reported_with_its_format_and_source(tmp_path, experiment, file, data, says):
    make, load, about = OF[experiment]
    path = make(tmp_path) / ("fashion_mnist" if experiment == "fashion-mnist" else "") / file
    for there in (path, path.with_name(path.name.removesuffix(".gz"))):
        there.unlink(missing_ok=True)
    if data is not None:
        write(path, data)
    with pytest.raises(FormatError) as error:
        load(tmp_path, any_size=True)
    named = path.name if experiment != "imdb" else "imdb/train.tsv"
    assert all(words in str(error.value) for words in (named, says, *about))


@pytest.mark.parametrize(
    ("experiment", "says"),
    [
        ("sst2", "must have 6,920 sentences, like the published file, got 50; pass --any-size to"),
        ("ptb", "words and ends of sentences, like the published file, got"),
        ("mnist", "60,000 images, like the published file, got 36"),
        ("imdb", "25,000 reviews, like the published file, got 40"),
        ("wikipedia", "about 22,500,000"),
        ("sms", r"train.tsv: the file must have 4,502 sentences, like the published file, got 40"),
    ],
)
def test_a_file_of_another_size_may_be_truncated(experiment, says, tmp_path):
    make, load, _ = OF[experiment]
    with pytest.raises(FormatError, match=says):
        load(make(tmp_path))


def test_a_missing_folder_is_reported_with_its_source(tmp_path):
    with pytest.raises(FormatError, match=r"re2rnn/SMS: the path must be a folder.*published at https"):
        load_rules("sms", tmp_path)
