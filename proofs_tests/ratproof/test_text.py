"""Tests of corpora and word vectors: accepted and rejected formats, and the detection of wrong networks."""

import gzip
import json
import tracemalloc
import zipfile

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from automata.errors import FormatError
from neural import gated
from neural.scan import gated as right
from ratproof.evidence.counterexample import Disagreement
from ratproof.evidence.ledger import recording
from ratproof.implementations.corpus import agree_on_text, load_corpus, read_embeddings
from ratproof.ladder.counterexample_files import keep, replay

fuzz = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture
def corpus(tmp_path):
    path = tmp_path / "corpus.txt"
    path.write_text("the cat sat on the mat\n\n  the dog  \nmat\n", encoding="utf-8")
    return str(path)


def test_words_are_the_alphabet_and_every_prefix_is_counted(corpus):
    read = load_corpus(corpus, units=5)
    assert read.words == ["the", "cat", "sat", "on", "mat", "dog"] and len(read.sentences) == 3
    with recording() as book:
        agree_on_text("proposition-7", "corrected", read, "cpu")
    assert book.facts["prefixes"] == 7 + 3 + 2
    assert book.facts["scores_compared"] == 12 * 5
    assert book.share is not None and book.share <= 1


def test_seeded_vectors_are_reproducible(corpus):
    assert (load_corpus(corpus).vectors == load_corpus(corpus).vectors).all()


def test_glove_text_gzip_and_npz_give_the_same_vectors(corpus, tmp_path):
    text = "the 1 2\ncat -0.5 0.25\nzebra 9 9\n"
    (tmp_path / "v.txt").write_text(text)
    (tmp_path / "v.gz").write_bytes(gzip.compress(text.encode()))
    np.savez(
        tmp_path / "v.npz",
        vectors=np.array([[1, 2], [-0.5, 0.25], [9, 9]], np.float32),
        words=np.array(["the", "cat", "zebra"]),
    )
    loaded = [load_corpus(corpus, str(tmp_path / name)) for name in ("v.txt", "v.gz", "v.npz")]
    for read in loaded:
        np.testing.assert_array_equal(read.vectors, loaded[0].vectors)
        assert read.without == 4
        np.testing.assert_allclose(read.vectors[5], np.array([9.5, 11.25]) / 3, rtol=1e-6)


def test_words_with_spaces_and_unusual_line_ends_have_vectors(tmp_path):
    (tmp_path / "v.txt").write_text("the 1 2\n. . . 3 4\nodd\u0085word 5 6\n", encoding="utf-8")
    vectors, _ = read_embeddings(str(tmp_path / "v.txt"), {". . .", "odd\u0085word"})
    assert {word: v.tolist() for word, v in vectors.items()} == {". . .": [3, 4], "odd\u0085word": [5, 6]}


def test_a_network_that_is_wrong_on_one_sentence_is_detected_and_replays(corpus, tmp_path, monkeypatch):
    def wrong_after_five(gate, update, start):
        states = right(gate, update, start)
        return (
            states
            if len(states) < 5
            else states.index_add(0, states.new_tensor([4]).long(), states[4:5] * 1e-2)
        )

    monkeypatch.setattr(gated, "gated", wrong_after_five)
    with pytest.raises(Disagreement) as error:
        agree_on_text("proposition-7", "corrected", load_corpus(corpus, units=3), "cpu")
    assert error.value.counterexample.string == ["the", "cat", "sat", "on", "the"]
    path = keep(error.value.counterexample, tmp_path, None, "test")
    assert replay(path).compared.difference is not None
    monkeypatch.undo()
    assert replay(path).compared.difference is None
    assert len(json.loads(path.read_text())["comparison"]["embeddings"]) == 4


@fuzz
@given(st.binary(max_size=60) | st.text(max_size=60).map(lambda t: t.encode("utf-8", "surrogatepass")))
def test_any_bytes_are_read_as_a_corpus_or_refused(tmp_path, data):
    path = tmp_path / "t.txt"
    path.write_bytes(data)
    read_or_refused(lambda: load_corpus(str(path)))


@fuzz
@given(
    st.sampled_from(["v.txt", "v.npz", "v.gz"]),
    st.binary(max_size=60) | st.text("ab 01.-e\nnaif", max_size=60).map(str.encode),
)
def test_any_bytes_are_read_as_vectors_or_refused(tmp_path, name, data):
    path = tmp_path / name
    path.write_bytes(data)
    read_or_refused(lambda: read_embeddings(str(path), {"a", "b"}))


def read_or_refused(read):
    try:
        read()
    except FormatError as error:
        assert "\n" not in str(error)


@pytest.mark.parametrize(
    ("arrays", "says"),
    [
        ({"other": np.zeros((1, 2))}, ", got no such array"),
        ({"vectors": np.zeros(3)}, "got shape .3,."),
        ({"vectors": np.zeros((2, 2))}, "must have an array 'words'"),
        ({"vectors": np.zeros((2, 2)), "words": np.array(["a"])}, "got 2 for 1 words"),
        ({"vectors": np.zeros((0, 2)), "words": np.array([], dtype=str)}, "must have at least one vector"),
        ({"vectors": np.array([["x"]]), "words": np.array(["a"])}, "real numbers"),
        (
            {"vectors": np.zeros((1, 2)), "words": np.array(["a"]), "unk_mean": np.zeros(3)},
            "unk_mean must have shape",
        ),
        ({"vectors": np.full((1, 2), np.nan), "words": np.array(["a"])}, "must be finite"),
        ({"vectors": np.array([[{}]], dtype=object), "words": np.array(["a"])}, "cannot be read as npz"),
        ({"vectors": np.full((1, 2), 1e300), "words": np.array(["a"])}, "must be finite in float32"),
        (
            {"vectors": np.zeros((1, 2)), "words": np.array(["a"]), "unk_mean": np.array(["a", "b"])},
            "unk_mean must contain real numbers, got <U1",
        ),
        ({"vectors": np.zeros((1, 2)), "words": np.array([["a"]])}, "a one-dimensional array of strings"),
        ({"vectors": np.zeros((1, 2)), "words": np.array([1])}, "must be a one-dimensional array of strings"),
        (
            {"vectors": np.zeros((1, 2)), "words": np.array([2**31 - 1], dtype="<u4").view("<U1")},
            "only valid Unicode characters",
        ),
    ],
)
def test_npz_files_without_vectors_are_refused(arrays, says, tmp_path):
    np.savez(tmp_path / "v.npz", **arrays)
    with pytest.raises(FormatError, match=says) as error:
        read_embeddings(str(tmp_path / "v.npz"), {"a"})
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("name", ["vectors", "words", "unk_mean"])
def test_a_member_that_is_not_an_array_is_refused(tmp_path, name):
    arrays = {"vectors": np.zeros((1, 2)), "words": np.array(["a"]), "unk_mean": np.zeros(2)}
    np.savez(tmp_path / "v.npz", **{key: array for key, array in arrays.items() if key != name})
    with zipfile.ZipFile(tmp_path / "v.npz", "a") as archive:
        archive.writestr(f"{name}.npy", b"no array")
    with pytest.raises(FormatError, match=f"the member '{name}' must be an array"):
        read_embeddings(str(tmp_path / "v.npz"), {"a"})


def test_a_mean_of_large_vectors_does_not_overflow(tmp_path):
    np.savez(
        tmp_path / "v.npz", vectors=np.full((4, 1), 3e38, dtype=np.float32), words=np.array(list("abcd"))
    )
    assert read_embeddings(str(tmp_path / "v.npz"), {"a"})[1].tolist() == [np.float32(3e38)]


def test_gzipped_text_is_read_line_by_line(corpus, tmp_path):
    """A small file may decompress to a thousand times its size."""
    (tmp_path / "v.gz").write_bytes(gzip.compress(b"the 1 2\n" + b"0" * 50_000_000))
    tracemalloc.start()
    with pytest.raises(FormatError, match=r"line 2: a line must have at most 1,048,576 characters"):
        load_corpus(corpus, str(tmp_path / "v.gz"))
    assert tracemalloc.get_traced_memory()[1] < 20_000_000
    tracemalloc.stop()


def test_an_npz_that_declares_more_than_it_contains_is_refused(corpus, tmp_path, monkeypatch):
    np.savez_compressed(
        tmp_path / "v.npz", vectors=np.zeros((1000, 1000), np.float32), words=np.array(["the"] * 1000)
    )
    monkeypatch.setattr("ratproof.npz_files.free_memory", lambda: 1_000_000)
    with pytest.raises(FormatError, match="bytes, but only 1,000,000 are free"):
        load_corpus(corpus, str(tmp_path / "v.npz"))
