"""Specimens of the experiments' data, runs, results and campaigns."""

import gzip
import json
import shutil
from pathlib import Path

from proofs_tests.mutated_files.kind import Kind, run
from proofs_tests.training.images_and_reviews import write_articles, write_images, write_reviews
from proofs_tests.training.sentences import write_sets, write_text

TRAIN = "train cr --data . --any-size --model rrnn-b --hidden 2 --batch 8 --epochs 1 --no-tensorboard -o run"


def labelled_text(folder: Path) -> tuple[str, ...]:
    write_sets(folder, sentences=20)
    return ("cr/custrev.all",)


def experiment_run(folder: Path) -> tuple[str, ...]:
    """Write a run that was stopped after the first of two epochs."""
    write_sets(folder, sentences=20)
    run(f"{TRAIN} --epochs 2 --keep-every 0 --minutes 0.00001")
    return ("run/run.safetensors",)


def experiment_result(folder: Path) -> tuple[str, ...]:
    """Write the result of a run and return its path."""
    write_sets(folder, sentences=20)
    run(TRAIN)
    result = json.loads((folder / "run" / "result.json").read_text())
    shutil.rmtree(folder / "run")
    (folder / "run").mkdir()
    (folder / "run" / "result.json").write_text(json.dumps(result))
    return ("run/result.json",)


def campaign(folder: Path) -> tuple[str, ...]:
    """Write a campaign that has not started."""
    (folder / "small").mkdir()
    (folder / "small" / "campaign.toml").write_text(
        'name = "small"\npreset = "ours"\n\n[[part]]\nsearch = "sst2"\nmodels = ["lstm"]\ntrials = 2\n\n'
        '[[part]]\ntrain = ["cr"]\nmodels = ["lstm"]\nseeds = [0, 1]\nsearched = "sst2"\n'
        "settings = {batch = 8}\n"
    )
    return ("small/campaign.toml",)


def text(folder: Path) -> tuple[str, ...]:
    """Write the training, validation and test sets of a text, and return their paths."""
    write_text(folder, lines=8)
    return tuple(f"ptb/ptb.{part}.txt" for part in ("train", "valid", "test"))


def language_run(folder: Path) -> tuple[str, ...]:
    """Write a run that was stopped in its first epoch."""
    write_text(folder, lines=8)
    run(f"{MODEL} --keep-every 0 --minutes 0.0005")
    return ("run/run.safetensors",)


def images(folder: Path) -> tuple[str, ...]:
    write_images(folder, images=12)
    return unzipped(folder, "mnist/train-labels-idx1-ubyte", "mnist/t10k-images-idx3-ubyte")


def reviews(folder: Path) -> tuple[str, ...]:
    write_reviews(folder, reviews=20)
    return unzipped(folder, "imdb/train.tsv", "imdb/test.tsv")


def articles(folder: Path) -> tuple[str, ...]:
    """Write the training set of the articles."""
    write_articles(folder, lines=8)
    return ("wikipedia/train.txt",)


def unzipped(folder: Path, *names: str) -> tuple[str, ...]:
    """Replace the gzip files of these names by uncompressed files, and return the names."""
    for name in names:
        zipped = folder / f"{name}.gz"
        (folder / name).write_bytes(gzip.decompress(zipped.read_bytes()))
        zipped.unlink()
    return names


MODEL = (
    "train ptb --data . --any-size --model rrnn-b --hidden 2 --batch 2 --window 9 --epochs 1"
    " --no-tensorboard -o run"
)
SMALL = "--data . --any-size --hidden 2 --k 2 --epochs 1 --no-tensorboard -o run --json"
KINDS = (
    Kind("images", images, (f"train mnist {SMALL} --side 2",), share=0.1),
    Kind("reviews", reviews, (f"train imdb {SMALL} --length 3",), share=0.1),
    Kind("articles", articles, (f"train wikipedia {SMALL} --batch 2",), share=0.1),
    Kind("text of a language model", text, (f"{MODEL} --json",), share=0.3),
    Kind("run of a language model", language_run, (f"{MODEL} --resume --json",), share=0.3),
    Kind("labelled text", labelled_text, (f"{TRAIN} --json",), share=0.3),
    Kind("run of an experiment", experiment_run, (f"{TRAIN} --epochs 2 --resume --json",), share=0.5),
    Kind("result of a run", experiment_result, ("results run", "results run --json")),
    Kind("campaign", campaign, ("campaign status small --json",)),
)
