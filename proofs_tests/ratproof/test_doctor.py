"""Tests that ``doctor`` lists the installed packages and the backend of each kernel."""

import json

import torch

from neural.scan import backends, on_gpu
from neural.scan.matrices import operators
from ratproof.certification.ordinary_networks import rounding
from ratproof.commands.diagnosis import _program
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
    assert "recurrence on cpu in float32: torch, because RATPROOF_SCAN selects it" in capsys.readouterr().out
    monkeypatch.setenv(backends.VARIABLE, "fortran")
    assert run(["doctor"]) == 2
    assert "RATPROOF_SCAN must be one of torch, c++, triton, got 'fortran'" in capsys.readouterr().err


def test_a_program_that_prints_no_version_is_installed(tmp_path, monkeypatch):
    program = tmp_path / "silent"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert _program("silent") == "installed, but it prints no version"
    assert _program("missing") is None


def test_it_tests_the_rounding_premise(capsys, monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    measure, measured = rounding.measure, {}

    def measure_once(name, device, *arguments):
        if (name, device) not in measured:
            measured[name, device] = measure(name, device, *arguments)
        return measured[name, device]

    monkeypatch.setattr(rounding, "measure", measure_once)
    assert run(["doctor", "--rounding", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert [row["function"] for row in answer["rounding"]] == list(rounding.FUNCTIONS)
    for row in answer["rounding"]:
        assert row.keys() == {"function", "device", "inputs", "nans", "error_units", "worst_input", "within"}
        assert (row["device"], row["within"]) == ("cpu", True)
    for row in answer["rounding_settings"]:
        assert row.keys() == {"setting", "device", "value", "breaks_premise", "note"}
        assert not row["breaks_premise"]
    assert run(["doctor", "--rounding"]) == 0
    output = capsys.readouterr().out
    assert max(map(len, output.splitlines())) <= 80
    for row in answer["rounding"]:
        assert f"  {row['function']} on cpu: {row['error_units']:.3f}\n" in output
    assert output.endswith("The rounding premise holds on these inputs.\n")


def test_it_measures_rounding_on_a_gpu_and_all_inputs(capsys, monkeypatch):
    calls = []

    def measure(name, device, inputs, progress):
        calls.append((name, device, inputs))
        return rounding.Measurement(name, device, 1, 0, 1.0, 0.0)

    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda: "a GPU")
    monkeypatch.setattr(on_gpu, "lacking", lambda: "")
    monkeypatch.setattr(rounding, "measure", measure)
    monkeypatch.setattr(rounding, "every_input", lambda: "every input")
    with torch.backends.cudnn.flags(allow_tf32=True):
        assert run(["doctor", "--rounding", "--all-inputs"]) == 1
    assert calls == [
        (name, device, "every input") for device in ("cpu", "cuda") for name in rounding.FUNCTIONS
    ]
    output = " ".join(capsys.readouterr().out.split())
    assert "torch.backends.cudnn.allow_tf32 is True on cuda: breaks the premise" in output


def test_all_inputs_without_rounding_is_an_error(capsys):
    assert run(["doctor", "--all-inputs"]) == 2
    assert "--all-inputs must be used together with --rounding" in capsys.readouterr().err
