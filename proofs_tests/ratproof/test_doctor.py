"""doctor says what is installed, and which backend runs each kernel."""

from __future__ import annotations

import json

import torch

from neural.scan import backends
from ratproof.main import run


def test_it_says_what_is_installed_and_what_runs_the_recurrences(capsys, monkeypatch):
    assert run(["doctor", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["versions"]["torch"] == torch.__version__
    here = [row for row in answer["kernels"] if row["device"] == "cpu"]
    assert [row["dtype"] for row in here] == ["float32", "float64", "bfloat16", "float16"]
    for row in here:
        assert (row["name"], row["why"]) == backends.chosen("cpu", getattr(torch, row["dtype"]))
    assert run(["doctor"]) == 0
    said = capsys.readouterr().out
    assert max(map(len, said.splitlines())) <= 80
    for row in here:
        assert f"recurrence on cpu in {row['dtype']}: {row['name']}, as {row['why']}" in " ".join(
            said.split()
        )


def test_it_says_what_forces_a_backend(capsys, monkeypatch):
    monkeypatch.setenv(backends.VARIABLE, "torch")
    assert run(["doctor"]) == 0
    assert "recurrence on cpu in float32: torch, as RATPROOF_SCAN says so" in capsys.readouterr().out
    monkeypatch.setenv(backends.VARIABLE, "fortran")
    assert run(["doctor"]) == 2
    assert "RATPROOF_SCAN is 'fortran', where torch, c++, triton is right" in capsys.readouterr().err
