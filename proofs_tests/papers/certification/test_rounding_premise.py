"""Tests that the errors of torch's tanh and sigmoid are measured, reported, and within the premise."""

import json
import math

import numpy as np
import pytest
import torch

from ratproof.certification.ordinary_networks import rounding
from ratproof.certification.ordinary_networks.arithmetic import FUNCTION_UNITS, UNIT
from ratproof.certification.ordinary_networks.rounding import FUNCTIONS, Function, measure, sample, settings
from ratproof.checkers import check_regions
from ratproof.main import run


@pytest.mark.parametrize("name", FUNCTIONS)
def test_torch_satisfies_the_premise(name):
    result = measure(name, "cpu", sample())
    assert result.within
    assert 0.25 < result.units < 8, "no float32 result is exact everywhere"
    assert (result.inputs, result.nans) == (1044482, 4094)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_infinite_inputs_and_incomplete_batches_give_the_limits(name):
    x = np.array([np.inf, -np.inf, np.nan, 0, 50, -50], np.float32)
    result = measure(name, "cpu", [x])
    assert (result.inputs, result.nans) == (5, 1)
    assert result.units < 1e-3


def test_the_premise_is_that_of_the_checker():
    assert f"tanh and sigmoid within {FUNCTION_UNITS} * 2^-24" in check_regions.PREMISE
    assert UNIT == 2**-24


def _plant(monkeypatch, compute):
    monkeypatch.setattr(rounding, "FUNCTIONS", {"planted": Function("tanh", lambda device: compute)})


def test_an_error_of_nine_units_is_reported(monkeypatch):
    _plant(monkeypatch, lambda x: torch.tanh(x) + 9 * UNIT)
    result = measure("planted", "cpu", sample())
    assert not result.within
    assert 8.5 < result.units < 11  # the planted sum is also rounded


@pytest.mark.parametrize("wrong", [0.5, math.nan])
def test_an_error_at_a_single_input_is_reported(wrong, monkeypatch, capsys):
    bad = float(np.concatenate(list(sample()))[600_000])
    _plant(monkeypatch, lambda x: torch.where(x == bad, wrong, torch.tanh(x)))
    result = measure("planted", "cpu", sample())
    assert not result.within
    assert result.worst == bad
    assert run(["doctor", "--rounding"]) == 1
    output = " ".join(capsys.readouterr().out.split())
    assert f"planted on cpu: {result.units:.3f} at x = {bad!r} ({bad.hex()}), which exceeds 8" in output
    assert output.endswith("The rounding premise does not hold.")
    assert run(["doctor", "--rounding", "--json"]) == 1
    row = json.loads(capsys.readouterr().out)["rounding"][0]
    assert row["worst_input"] == bad.hex()
    assert row["error_units"] == (result.units if math.isfinite(wrong) else None)
    assert row["within"] is False


def test_the_sample_has_both_ends_of_each_binade():
    bits = set(np.concatenate(list(sample())).view(np.uint32).tolist())
    assert bits.issuperset((head << 23) + end for head in range(512) for end in (0, 1, 0x7FFFFF))
    assert len(bits) > 1_000_000


def test_every_input_yields_each_bit_pattern_once(monkeypatch):
    chunks = rounding.every_input()
    first = next(chunks).view(np.uint32)
    second = next(chunks).view(np.uint32)
    assert np.array_equal(np.concatenate([first, second]), np.arange(2 * rounding.CHUNK))
    thinned = list(rounding.every_input((1 << 16) + 1))
    assert sum(map(len, thinned)) == 1 << 16
    assert thinned[-1].view(np.uint32)[-1] == ((1 << 16) - 1) * ((1 << 16) + 1)


def test_it_reports_progress():
    stages: list[str] = []
    measure("torch.tanh", "cpu", list(sample())[:2], stages.append)
    assert stages == ["torch.tanh on cpu, 65,536 inputs", "torch.tanh on cpu, 131,072 inputs"]


def _breaking(device):
    return {setting.name for setting in settings([device]) if setting.breaks}


def test_reduced_precision_breaks_the_premise(monkeypatch):
    assert _breaking("cpu") == set()
    with monkeypatch.context() as patched:
        patched.setattr(torch, "get_float32_matmul_precision", lambda: "medium")
        assert _breaking("cpu") == {"torch.get_float32_matmul_precision()"}
    with monkeypatch.context() as patched:
        patched.setenv("ONEDNN_DEFAULT_FPMATH_MODE", "BF16")
        assert _breaking("cpu") == {"ONEDNN_DEFAULT_FPMATH_MODE"}
    with torch.autocast("cpu"):
        assert _breaking("cpu") == {'torch.is_autocast_enabled("cpu")'}
    before = torch.backends.mkldnn.rnn.fp32_precision
    try:
        torch.backends.mkldnn.rnn.fp32_precision = "bf16"
        assert _breaking("cpu") == {"torch.backends.mkldnn.rnn.fp32_precision"}
    finally:
        torch.backends.mkldnn.rnn.fp32_precision = before


def test_tf32_in_cudnn_breaks_the_premise_on_cuda_only(monkeypatch):
    with torch.backends.cudnn.flags(allow_tf32=True):
        assert _breaking("cpu") == set()
        names = {"torch.backends.cudnn.allow_tf32", "torch.backends.cudnn.rnn.fp32_precision"}
        assert _breaking("cuda") == names
        monkeypatch.setenv("NVIDIA_TF32_OVERRIDE", "0")
        assert _breaking("cuda") == set()


def test_flushed_denormals_are_noted_and_do_not_break_the_premise():
    if not torch.set_flush_denormal(True):
        pytest.skip("this processor cannot flush denormals")
    try:
        (row,) = (one for one in settings(["cpu"]) if one.name == "torch.set_flush_denormal")
        assert (row.value, row.breaks) == ("True", False)
        assert "2^-44" in row.note
        assert measure("torch.tanh", "cpu", sample()).within
    finally:
        torch.set_flush_denormal(False)
