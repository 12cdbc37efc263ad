"""Tests that ``doctor`` lists the installed packages and the backend of each kernel."""

from __future__ import annotations

import json

import torch

from neural.scan import backends, on_gpu
from neural.scan.matrices import operators
from ratproof.main import run


def test_it_lists_the_installed_packages_and_the_backends(capsys, monkeypatch):
    assert run(["doctor", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["versions"]["torch"] == torch.__version__
    here = [row for row in answer["kernels"] if row["device"] == "cpu"]
    types = ["float32", "float64", "bfloat16", "float16"]
    kernels = {"recurrence": backends.chosen, "products with matrices": operators.chosen}
    assert [(row["kernel"], row["dtype"]) for row in here] == [(k, t) for k in kernels for t in types]
    for row in here:
        choice = kernels[row["kernel"]]("cpu", getattr(torch, row["dtype"]))
        assert (row["name"], row["why"]) == choice
    assert run(["doctor"]) == 0
    output = capsys.readouterr().out
    assert max(map(len, output.splitlines())) <= 80
    for row in here:
        line = f"{row['kernel']} on cpu in {row['dtype']}: {row['name']}, because {row['why']}"
        assert line in " ".join(output.split())


def test_on_a_gpu_it_reports_the_maximum_of_states_of_triton(monkeypatch, capsys):
    monkeypatch.setattr(on_gpu, "lacking", lambda: "")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda: "a GPU")
    assert run(["doctor"]) == 0
    output = " ".join(capsys.readouterr().out.split())
    assert "recurrence on cuda in float32: triton, because Triton is installed recurrence" in output
    why = "triton, because Triton is installed, for at most 1024 states"
    assert all(f"products with matrices on cuda in {t}: {why}" in output for t in ("float32", "bfloat16"))


def test_it_reports_what_forces_a_backend(capsys, monkeypatch):
    monkeypatch.setenv(backends.VARIABLE, "torch")
    assert run(["doctor"]) == 0
    assert "recurrence on cpu in float32: torch, because RATPROOF_SCAN says so" in capsys.readouterr().out
    monkeypatch.setenv(backends.VARIABLE, "fortran")
    assert run(["doctor"]) == 2
    assert "RATPROOF_SCAN must be one of torch, c++, triton, got 'fortran'" in capsys.readouterr().err
