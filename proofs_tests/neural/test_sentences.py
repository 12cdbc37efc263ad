"""Tests of labelled sentences: a line contains a label, and words between BOS and EOS, which are optional."""

import pytest

from automata.errors import FormatError
from neural.fa_rnn.sentences import Sentences, part_of, read, vocabulary


def test_every_line_is_a_sentence_between_bos_and_eos(tmp_path):
    (tmp_path / "x.tsv").write_text("city\twhat city\n\nfare\tBOS the cost EOS\n")
    part = part_of(tmp_path / "x.tsv")
    assert part == Sentences(
        (("BOS", "what", "city", "EOS"), ("BOS", "the", "cost", "EOS")), ("city", "fare")
    )
    assert len(part) == 2 and vocabulary({"train": part}) == ("city", "cost", "the", "what")


def test_the_three_parts_of_a_folder_are_read_by_their_names(tmp_path):
    for part in ("train", "dev", "test"):
        (tmp_path / f"{part}.tsv").write_text(f"{part}\ta\n")
    assert {name: part.labels for name, part in read(tmp_path).items()} == {
        part: (part,) for part in ("train", "dev", "test")
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "at least one sentence"),
        ("no tab\n", "line 1: the line must be label<TAB>words, got 'no tab'"),
        ("a\tb\n \tb\n", "line 2: the line must be label<TAB>words, got ' \\\\tb'"),
        ("a\tb BOS c\n", "line 1: BOS must not occur inside the sentence"),
    ],
)
def test_a_malformed_line_is_refused_with_its_number(text, message, tmp_path):
    (tmp_path / "x.tsv").write_text(text)
    with pytest.raises(FormatError, match=message):
        part_of(tmp_path / "x.tsv")
