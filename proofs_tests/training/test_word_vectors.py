"""Tests of finding, reading and refusing word vectors for rules."""

import json

import numpy as np
import pytest

from automata.errors import FormatError, InputError
from training.classification_with_rules.vectors import vectors, word_vector_file


def test_vectors_of_words_in_other_forms_or_missing(tmp_path, monkeypatch):
    monkeypatch.delenv("RATPROOF_DATA", raising=False)
    file = tmp_path / "glove.txt"
    file.write_text("a 1 0\nb 0 1\n")
    table = vectors(file, ("a", "A", "b,", "BOS", "zebra"))
    assert table.table[:3].tolist() == [[1, 0], [1, 0], [0, 1]] and table.without == 1
    assert table.table[4].tolist() == [0.5, 0.5]
    assert vectors("one-hot", ("a", "b")).table.tolist() == [[1, 0], [0, 1]]
    with pytest.raises(InputError, match=r"must have word vectors.*--vectors one-hot"):
        word_vector_file(tmp_path / "none", tmp_path / "none")
    assert word_vector_file(tmp_path / "none", tmp_path) == file
    (tmp_path / "vocab_labels.json").write_text(json.dumps({"vocab": ["a", "b"]}))
    np.savez(tmp_path / "glove2.npz", emb=np.array([[1.0, 2.0], [3.0, 4.0]]))
    assert vectors(tmp_path / "glove2.npz", ("b", "c")).table.tolist() == [[3, 4], [2, 3]]


@pytest.mark.parametrize(
    ("emb", "listed", "says"),
    [
        (np.zeros((1, 2)), {"vocab": ["a", "b"]}, "each of the 2 words of vocab_labels.json, got 1"),
        (np.array([["x"], ["y"]]), {"vocab": ["a", "b"]}, "real numbers"),
        (np.zeros((2, 2)), {"vocab": ["a", {}]}, "vocab_labels.json: the file must have a list of words"),
        (np.zeros((2, 2)), [], "vocab_labels.json: the file must have a list of words"),
    ],
)
def test_malformed_published_vectors(tmp_path, emb, listed, says):
    (tmp_path / "vocab_labels.json").write_text(json.dumps(listed))
    np.savez(tmp_path / "glove.npz", emb=emb)
    with pytest.raises(FormatError, match=says):
        vectors(tmp_path / "glove.npz", ("a",))
    (tmp_path / "glove.npz").write_bytes((tmp_path / "glove.npz").read_bytes()[:100])
    with pytest.raises(FormatError, match="cannot be read as npz"):
        vectors(tmp_path / "glove.npz", ("a",))
