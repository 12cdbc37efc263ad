"""Tests that a command that cannot write its output ends with exit status 4.

Characters that the output's encoding does not support are escaped.
"""

import io
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from automata.text.printable_text import printable, read_string, write_string
from proofs_tests.ratproof.answers import refused
from ratproof import main
from ratproof.main import run

EXAMPLES = Path(__file__).parents[2] / "ratproof" / "examples"
EVEN, EVEN_TOO, TOMITA = (
    str(EXAMPLES / name) for name in ("even.json", "even-too.json", "tomita-2.safetensors")
)
COMMANDS = [
    ["claims"],
    ["score", EVEN, "a a"],
    ["equivalent", EVEN, EVEN_TOO],
    ["minimise", EVEN],
    ["rank", str(EXAMPLES / "fading.json")],
    ["sample", str(EXAMPLES / "fading.json"), "--seed", "0"],
    ["extract", TOMITA],
    ["not-rational", "elman", "--size", "3"],
    ["verify", "proposition-7", "--kind", "proved"],
    ["train", "--help"],
    ["rules", "--help"],
    ["--version"],
    ["equivalent", "--help"],
]


def automaton(symbol, weight="1"):
    return json.dumps(
        {
            "semiring": "real",
            "states": 1,
            "alphabet": [symbol],
            "initial": [[0, "1"]],
            "final": [[0, "1"]],
            "transitions": [[0, 0, symbol, weight]],
        }
    )


@pytest.mark.parametrize("as_json", [[], ["--json"]], ids=["text", "json"])
@pytest.mark.parametrize(
    "command", COMMANDS, ids=lambda c: " ".join(part for part in c[:2] if "/" not in part)
)
def test_every_command_on_a_full_device_exits_with_4(command, as_json, monkeypatch, capsys, tmp_path):
    if as_json and (command[0].startswith("--") or "--help" in command):
        return
    monkeypatch.chdir(tmp_path)
    with open("/dev/full", "w") as full:
        monkeypatch.setattr(sys, "stdout", full)
        status = run([*command, *as_json])
        monkeypatch.undo()
        assert status == 4
        assert capsys.readouterr().err == "ratproof: cannot write the output: No space left on device\n"


@pytest.mark.parametrize("redirection", [">&-", ">&- 2>&-", "| true"])
def test_a_closed_pipe_does_not_change_the_status(redirection):
    call = f"{sys.executable} -m ratproof equivalent {EVEN} {EVEN_TOO} {redirection}; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", call], capture_output=True, text=True, check=False)
    assert done.returncode == 4 and "Traceback" not in done.stderr and done.stdout == ""


def test_a_reader_that_stops_early_causes_no_message():
    call = f"{sys.executable} -m ratproof claims | head -1; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", call], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.count("\n"), done.stderr) == (4, 1, "")


def test_an_unwritable_note_changes_no_answer(monkeypatch):
    class Gone(io.StringIO):
        def write(self, text):
            raise BrokenPipeError

    monkeypatch.setattr(sys, "stderr", Gone())
    assert run(["score", EVEN, "a"]) == 0
    assert run(["score", EVEN, "2"]) == 2


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
@pytest.mark.parametrize(("weight", "status"), [("1", 0), ("2", 1)])
def test_a_symbol_that_the_terminal_cannot_encode_is_escaped(
    encoding, weight, status, in_tmp_path, tmp_path, monkeypatch
):
    (tmp_path / "a.json").write_text(automaton("Ω"), encoding="utf-8")
    (tmp_path / "b.json").write_text(automaton("Ω", weight), encoding="utf-8")
    printed = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(printed, encoding=encoding))
    assert run(["equivalent", "a.json", "b.json"]) == status
    assert status == 0 or b'on "\\u03a9"' in printed.getvalue()


def test_a_symbol_cannot_control_the_terminal(tmp_path, capsys):
    clear = "\x1b[2J\x9b1m\u202e"
    (tmp_path / "a.json").write_text(automaton(clear, "1"), encoding="utf-8")
    (tmp_path / "b.json").write_text(automaton(clear, "2"), encoding="utf-8")
    a, b = str(tmp_path / "a.json"), str(tmp_path / "b.json")
    assert run(["equivalent", a, b]) == 1
    assert run(["score", a, "\x1b[31m"]) == 2
    assert run(["score", str(tmp_path / "\x1b[2J.json"), "a"]) == 2
    out, err = capsys.readouterr()
    assert printable(out + err, keep="\n") == out + err
    assert run(["equivalent", a, b, "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["word"] == [clear]


@given(
    st.lists(
        st.text(min_size=1)
        | st.sampled_from(["a", "ab", "$", "[", '["a"]', "\x7f", "New York", "\\", "'", '"'])
    )
)
def test_a_string_is_read_back_as_it_is_shown(symbols):
    import shlex

    text = write_string(symbols)
    assert text.isprintable()
    if not symbols:
        assert text == "the empty string"
        return
    (argument,) = shlex.split(text)
    assert read_string(argument, as_list=argument.startswith("[")) == tuple(symbols)


def test_one_symbol_and_two_are_distinguished():
    assert write_string(["ab"]) != write_string(["a", "b"])


@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_help_is_text_in_any_encoding(encoding, monkeypatch):
    printed = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(printed, encoding=encoding))
    assert run(["score", "--help"]) == 0
    sys.stdout.flush()
    assert printed.getvalue().startswith(b"Usage: ratproof score") and b"b'" not in printed.getvalue()


# Output paths.


@pytest.fixture
def two(in_tmp_path, tmp_path):
    for name in ("A.json", "B.json"):
        shutil.copy(EVEN, name)
    return tmp_path


@pytest.fixture(params=["A.json", "./A.json", "sub/../A.json", "link.json", "hard.json", "link/../A.json"])
def another_name(request, two):
    (two / "sub").mkdir()
    (two / "link.json").symlink_to("A.json")
    (two / "hard.json").hardlink_to(two / "A.json")
    (two / "link").symlink_to("sub")
    return request.param


@pytest.mark.parametrize(
    "command",
    [
        ["equivalent", "A.json", "B.json", "--certificate"],
        ["equivalent", "B.json", "A.json", "--certificate"],
        ["minimise", "A.json", "-o"],
        ["minimise", "A.json", "--certificate"],
        ["convert", "A.json"],
        ["compile", "A.json", "-o"],
        ["compile", "a", "--vocabulary", "A.json", "-o"],
        ["certify", TOMITA, "--against", "A.json", "-o"],
        ["certify", TOMITA, "--against", "A.json", "--certificate"],
        ["extract", TOMITA, "--counts", "hard", "--data", "A.json", "-o"],
        ["not-rational", "elman", "--weights", "A.json", "--certificate"],
        ["verify", "--text", "A.json", "--junit"],
        ["verify", "--text", "A.json", "--html"],
        ["equivalent", "A.json", "B.json", "--html"],
        ["certify", TOMITA, "--against", "A.json", "--html"],
    ],
    ids=lambda c: f"{c[0]} {c[-1]}",
)
def test_an_output_never_overwrites_an_input_under_any_name(command, another_name, two, capsys):
    before = {path.name: path.read_bytes() for path in two.glob("*.json")}
    assert "would overwrite" in refused(capsys, *command, another_name)
    assert {path.name: path.read_bytes() for path in two.glob("*.json")} == before


def test_a_symbol_table_is_an_input_and_an_output_too(two, capsys):
    assert run(["convert", "A.json", "C.att"]) == 0
    capsys.readouterr()
    assert "would overwrite" in refused(capsys, "minimise C.att --semiring boolean --certificate C.syms")
    assert "would overwrite" in refused(capsys, "convert C.att sub/../C.att --semiring boolean")


def test_two_outputs_of_one_command_are_different_files(two, capsys):
    shutil.copy(EXAMPLES / "fading.json", "fading.json")
    Path("link.json").symlink_to("out.json")
    assert "must be different files" in refused(
        capsys, "minimise fading.json -o out.json --certificate link.json"
    )
    assert not Path("out.json").exists()


@pytest.mark.parametrize("path", [".", "/", "//", "A.json/x.json", "loop.json"])
def test_an_unwritable_path_is_refused_before_work_starts(path, two, capsys, monkeypatch):
    Path("loop.json").symlink_to("loop.json")
    monkeypatch.setattr("ratproof.commands.deciding.decide", None)  # no work is done
    assert "cannot be written" in refused(capsys, "equivalent A.json B.json --certificate", path)


def test_an_input_that_is_a_loop_of_links_is_refused(two, capsys):
    Path("loop.json").symlink_to("loop.json")
    assert "loop.json: cannot be read" in refused(capsys, "convert loop.json out.json")


def test_an_automaton_of_three_classes_is_refused_before_the_proof(two, capsys, monkeypatch):
    tensors = torch.nn.RNN(2, 3).state_dict(prefix="rnn.") | torch.nn.Linear(3, 3).state_dict(prefix="out.")
    torch.save(tensors, "three.pt")
    monkeypatch.setattr("ratproof.commands.state_regularized.ordinary.certify_ordinary", None)
    command = "certify three.pt --cell rnn --alphabet a,b -o"
    assert "-o requires a network with two decisions, got 3" in refused(capsys, command, "out.json")


def test_a_certificate_that_fails_to_be_written_exits_with_4(two, capsys):
    assert run(["equivalent", "A.json", "B.json", "--certificate", "/dev/full"]) == 4
    assert capsys.readouterr() == ("", "ratproof: /dev/full: cannot be written: No space left on device\n")


def test_links_and_devices_are_not_replaced(two, capsys):
    Path("link.json").symlink_to("target.json")
    assert run(["equivalent", "A.json", "B.json", "--certificate", "link.json"]) == 0
    assert Path("link.json").is_symlink() and Path("target.json").exists()
    assert run(["equivalent", "A.json", "B.json", "--certificate", "/dev/null"]) == 0
    assert Path("/dev/null").is_char_device()


def test_no_output_may_be_the_folder_of_another(two, capsys):
    shutil.copy(EXAMPLES / "fading.json", "fading.json")
    assert "must not be the folder" in refused(capsys, "minimise fading.json -o d/x.json --certificate d")
    assert "must not be the folder" in refused(
        capsys, "minimise fading.json -o d/x.json/y.json --certificate d/x.json"
    )
    assert not Path("d").exists()


def test_an_overwritten_file_keeps_its_permissions(two):
    Path("p.json").touch(0o600)
    assert run(["convert", "A.json", "p.json"]) == 0
    assert Path("p.json").stat().st_mode & 0o777 == 0o600 and Path("p.json").stat().st_size


def test_a_string_that_looks_like_an_option_is_shown_as_a_list():
    assert write_string(["-1", "b"]) == """'["-1", "b"]'"""


def test_an_internal_error_is_not_an_answer(monkeypatch, capsys):
    """Python's own exit status for an exception is 1, which here means that something differs."""

    def broken(**options):
        raise ZeroDivisionError("by zero")

    monkeypatch.setattr(main, "_command", lambda: broken)
    assert run(["claims"]) == 3
    err = capsys.readouterr().err
    assert "Traceback" in err
    assert err.endswith("ratproof: internal error: ZeroDivisionError: by zero; please report this bug\n")


def test_files_that_a_command_reads_besides_its_arguments_are_not_overwritten(two, capsys):
    """They are an alphabet, a symbol table next to a file with another suffix, and the project's settings."""
    Path("symbols").write_text("0\n1\n")
    command = ["certify", TOMITA, "--cell", "gru", "--alphabet", "symbols", "--certificate"]
    assert "would overwrite" in refused(capsys, *command, "symbols")
    assert run(["convert", "A.json", "C.att"]) == 0
    Path("C.att").rename("C.dat")
    command = ["equivalent", "C.dat", "C.dat", "--format", "att", "--semiring", "boolean", "--certificate"]
    assert "would overwrite" in refused(capsys, *command, "C.syms")
    Path("pyproject.toml").write_text("[tool.ratproof]\nexamples = 5\n")
    shutil.copy(EXAMPLES / "my_claim.py", "my_claim.py")
    for option in ("--html", "--junit"):
        assert "would overwrite" in refused(capsys, "check my_claim.py", option, "pyproject.toml")


def test_stored_results_are_not_overwritten_by_their_page(two, capsys):
    Path("runs").mkdir()
    Path("runs/result.json").write_text("{}")
    assert "would overwrite" in refused(capsys, "results runs --html runs/result.json")


@pytest.mark.parametrize(
    "command",
    [
        "trim A.json -o /proc/x.json",
        "equivalent A.json B.json --certificate /proc/x.json",
        "check claims.py --html /proc/x.html",
        "examples /proc/x",
        "examples A.json/x",
    ],
)
@pytest.mark.skipif(sys.platform != "linux", reason="needs the folder /proc of Linux")
def test_a_path_in_which_no_file_can_be_created_is_bad_input(command, two, capsys):
    shutil.copy(EXAMPLES / "my_claim.py", "claims.py")
    assert ": cannot be written: " in refused(capsys, command)


def test_the_message_on_a_folder_that_cannot_be_created_shows_the_option_and_this_folder(two, capsys):
    message = refused(capsys, "examples", "A.json/x")
    assert "DIR A.json/x: cannot be written: " in message and "A.json is not a folder" in message


@pytest.mark.parametrize("pipe", [False, True])
def test_the_standard_output_is_no_output_file(pipe, two):
    command = [sys.executable, "-m", "ratproof", "equivalent", "A.json", "B.json"]
    command += ["--certificate", "/dev/stdout"]
    with open("out.txt", "w") as file:
        out = subprocess.PIPE if pipe else file
        ended = subprocess.run(command, stdout=out, stderr=subprocess.PIPE, text=True, check=False)
    assert ended.returncode == 2 and "it is the standard output" in ended.stderr
    assert not ended.stdout and not Path("out.txt").read_text()
