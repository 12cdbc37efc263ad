"""Specimens of state-regularized networks and of training runs."""

from pathlib import Path

from proofs_tests.mutated_files.kind import Kind, run, writer_for


def network(folder: Path) -> tuple[str, ...]:
    """Write a network of 5 centroids whose boxes are proved in a fraction of a second."""
    from neural.state_regularized.files import save
    from proofs_tests.papers.certification.some_networks import random_network

    small = random_network(0)
    small.set_temperature(0.5)
    save(small, folder / "net.safetensors", {"trained": {"seed": 3}})
    (folder / "strings.txt").write_text("0 1 1\n\n1\n0 0 1\n")
    return ("net.safetensors",)


def counting_network(folder: Path) -> tuple[str, ...]:
    """Write a network with a cell state and no centroids that decides balanced parentheses."""
    from neural.state_regularized.files import save
    from proofs_tests.papers.counters.some_counters import counter

    save(counter(), folder / "net.safetensors", {"trained": {"seed": 3}})
    return ("net.safetensors",)


def ordinary_network(folder: Path) -> tuple[str, ...]:
    """Write the state dict of a network with one unit that remembers a symbol."""
    from safetensors.torch import save_file

    from proofs_tests.papers.certification.latches import state_dict, tiny_latch

    save_file(state_dict(tiny_latch()), folder / "net.safetensors")
    return ("net.safetensors",)


def training_run(folder: Path) -> tuple[str, ...]:
    """Write a run that learns a grammar, stopped immediately."""
    run(f"{LEARN} --minutes 0.0001")
    return ("run/run.safetensors",)


LEARN = "train tomita --grammar 1 --units 2 --centroids 2 -o run"

LOW = "--height 1 --length 3 --saturated-height 1"

KINDS = (
    Kind(
        "state-regularized network",
        network,
        (
            "certify net.safetensors --json",
            "certify net.safetensors --certificate c.json -o out.json",
            "extract net.safetensors -o out.json --json",
            "extract net.safetensors --soft --json",
            "extract net.safetensors --probabilities --json",
            "extract net.safetensors --counts hard --length 3 --json",
        ),
        share=2,
    ),
    Kind(
        "counting network",
        counting_network,
        (f"certify net.safetensors {LOW} --certificate c.json --json",),
        share=0.5,
    ),
    Kind(
        "ordinary network",
        ordinary_network,
        (
            "certify net.safetensors --cell rnn --alphabet set,reset,keep --seconds 1 --certificate c.json"
            " -o out.json --json",
        ),
        share=0.5,
    ),
    Kind(
        "pictures of a network",
        network,
        ("figures net.safetensors -o pictures --string 0 --temperatures 1 --json",),
        share=0.1,
    ),
    Kind(
        "strings to count over",
        writer_for(network, "strings.txt"),
        ("extract net.safetensors --counts hard --data strings.txt --json",),
        share=0.5,
    ),
    Kind("training run", training_run, (f"{LEARN} --resume --minutes 0.0005 --json",), share=0.2),
)
