"""Tests of ``ratproof certify`` and ``check-certificate`` on counters."""

import json
import subprocess
import sys

import pytest

from neural.state_regularized.acceptor import Acceptor
from neural.state_regularized.files import save
from proofs_tests.papers.counters import some_counters
from proofs_tests.papers.counters.some_counters import broken, counter
from ratproof.checkers import check_counter
from ratproof.main import run

LOW = ["--height", "2", "--length", "12", "--saturated-height", "2"]


@pytest.fixture
def here(in_tmp_path, tmp_path):
    save(counter(), "net.safetensors")
    save(counter("sr-lstm-p"), "other.safetensors")
    save(broken(some_counters.leaking_letter), "leaks.safetensors")
    return tmp_path


def call(capsys, *arguments):
    """Return the exit status and the output."""
    status = run([*arguments])
    out, err = capsys.readouterr()
    return status, out, err


def test_a_counter_is_certified_with_a_certificate_about_it(here, capsys):
    status, out, _ = call(capsys, "certify", "net.safetensors", *LOW, "--certificate", "c.json")
    assert status == 0 and out.startswith("certified: the network decides balanced parentheses\n")
    assert "correct on all strings of length at most 12 and height at most 2 (proved," in out
    assert "correct on all strings of every length and height at most 2 (proved," in out
    assert "unit 0 only: depth = 1 c" in out and out.endswith("\nwrote c.json\n")
    status, out, _ = call(capsys, "check-certificate", "c.json", "--of", "net.safetensors")
    assert status == 0
    assert out.startswith("accepted: the lstm network")
    assert "\n  the network is the one in net.safetensors\n" in out
    status, out, _ = call(capsys, "check-certificate", "c.json", "--of", "other.safetensors")
    assert status == 1 and "about a network of kind lstm, but other.safetensors is of kind sr-lstm-p" in out
    status, out, _ = call(capsys, "check-certificate", "c.json", "--of", "leaks.safetensors")
    assert status == 1 and "the certificate is about another network" in out


def test_a_temperature_is_part_of_the_subject(here, capsys):
    arguments = ["certify", "other.safetensors", *LOW, "--temperature", "0.5", "--certificate", "c.json"]
    assert call(capsys, *arguments)[0] == 0
    status, out, _ = call(capsys, "check-certificate", "c.json", "--of", "other.safetensors")
    assert status == 1 and "about temperature 0.5, but other.safetensors has temperature 1.0" in out
    asked = ["check-certificate", "c.json", "--of", "other.safetensors", "--temperature", "0.5"]
    assert call(capsys, *asked)[0] == 0


def test_a_wrong_counter_is_refuted_and_the_other_theorem_has_no_certificate(here, capsys):
    status, out, _ = call(capsys, "certify", "leaks.safetensors", *LOW, "--certificate", "c.json", "--json")
    answer = json.loads(out)
    assert status == 1 and (answer["verdict"], answer["word"]) == ("different", ["a"])
    assert answer["certificate"] is None and not (here / "c.json").exists()
    assert not answer["soft"]["proved"] and not answer["saturated"]["proved"]
    assert answer["saturated"]["word"] == ["a"]
    status, out, _ = call(capsys, "certify", "leaks.safetensors", *LOW, "--certificate", "c.json")
    assert status == 1 and out.startswith('different: the soft network is wrong on "a"\n')
    assert "c.json is not written: no boxes were proved" in out
    assert 'every length and height at most 2: wrong on "a"\n' in out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (
            "net.safetensors -o x.json",
            "-o is not supported for net.safetensors, because a network of kind lstm",
        ),
        ("net.safetensors --against x.json", "--against is not supported for net.safetensors, because"),
        ("net.safetensors --temperature 2", "has no centroids"),
        ("other.safetensors --temperature -1", "--temperature must be positive, got -1.0"),
        ("gru.safetensors --height 3", "--height requires a network with a cell state"),
        (
            "letters.safetensors",
            "letters.safetensors: the alphabet must contain '(' and ')', got an alphabet without '('",
        ),
        (
            "plain.safetensors",
            "the network must be of a kind with centroids (sr-elman, sr-gru, sr-lstm, sr-lstm-p), got gru",
        ),
        ("net.safetensors --certificate net.safetensors", "net.safetensors"),
    ],
)
def test_bad_input_gives_a_one_line_error(here, capsys, arguments, says):
    save(Acceptor("ab", "sr-gru", 2, 2), "gru.safetensors")
    save(Acceptor("ab", "sr-lstm", 2, 2), "letters.safetensors")
    save(Acceptor("ab", "gru", 2), "plain.safetensors")
    status, out, err = call(capsys, "certify", *arguments.split())
    assert status == 2 and out == "" and says in err and "Traceback" not in err


def test_the_program_stands_alone(here, capsys):
    call(capsys, "certify", "net.safetensors", *LOW, "--certificate", "c.json")
    command = [sys.executable, "-I", check_counter.__file__, "c.json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("accepted: the lstm network")
