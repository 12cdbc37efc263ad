"""Tests of progress messages in logs, of their options, and of shell completion."""

import logging
import os

import pytest

from proofs_tests.automata.commands import command
from proofs_tests.processes import python
from ratproof.commands import terminal
from ratproof.commands.terminal import VERBOSITY, StageLog, progress_lines


@pytest.fixture
def verbosity():
    """Return the verbosity of commands, and restore it after the test."""
    token = VERBOSITY.set(0)
    yield VERBOSITY
    VERBOSITY.reset(token)


def waiting(times):
    """Return a wait function that reports "not done" this many times without waiting, and then "done"."""
    left = iter([False] * times)
    return lambda done: next(left, True)


def lines(times, capsys, monkeypatch):
    """Return the lines that the progress log prints if the work is done after ``times`` waits."""
    threads = []

    class Now(terminal.Thread):
        def start(self):
            threads.append(self)

    monkeypatch.setattr(terminal, "Thread", Now)
    with progress_lines("verify", waiting(times)) as log:
        log.begun -= 90.2
        log("12 of 62 claims done, running proposition-7 sampled")
        for thread in threads:
            thread.run()
    return capsys.readouterr().err.splitlines()


def test_a_log_has_a_line_at_each_turn(verbosity, capsys, monkeypatch):
    printed = lines(2, capsys, monkeypatch)
    assert printed == ["verify: 12 of 62 claims done, running proposition-7 sampled, 90 s"] * 2


@pytest.mark.parametrize("value", [None, -1])
def test_a_quiet_command_and_one_without_the_option_print_no_progress(value, verbosity, capsys, monkeypatch):
    VERBOSITY.set(value)
    assert lines(2, capsys, monkeypatch) == []


def test_a_line_comes_every_30_seconds():
    assert terminal.LINE_EVERY == 30


def test_stages_are_logged_at_most_once_a_second(caplog):
    now = [0.0]
    log = StageLog("certify", clock=lambda: now[0])
    with caplog.at_level(logging.INFO, "ratproof"):
        for seconds in (0.0, 0.5, 0.9, 1.0, 1.5, 2.1):
            now[0] = seconds
            log(f"node {seconds}")
    expected = ["certify: node 0.0, 0 s", "certify: node 1.0, 1 s", "certify: node 2.1, 2 s"]
    assert [r.getMessage() for r in caplog.records] == expected


@pytest.mark.parametrize(("option", "steps"), [((), False), (("-v",), True), (("-q",), False)])
def test_v_shows_each_step(option, steps, in_tmp_path):
    status, out, err = command("verify", "fa-rnn-viterbi", "--kind", "decided", *option)
    assert status == 0 and "as expected" in out
    assert ("0 of 1 claims done, running fa-rnn-viterbi decided" in err) is steps
    assert not logging.getLogger("ratproof").isEnabledFor(logging.INFO)
    assert VERBOSITY.get() is None


@pytest.mark.parametrize("name", ["verify", "check", "hunt", "certify", "train tomita"])
def test_long_commands_have_both_options(name):
    status, out, _ = command(*name.split(), "--help")
    assert status == 0 and "-v, --verbose" in out and "-q, --quiet" in out


def test_v_and_q_exclude_each_other():
    assert command("verify", "-v", "-q") == (2, "", "ratproof: -v and -q cannot be used together\n")


def asked(environment: dict[str, str], *arguments: str) -> str:
    """Return the output of a new process, and the large libraries that it imported."""
    heavy = {"torch", "sympy", "hypothesis", "ratproof.commands.claims", "training.commands"}
    program = (
        "import sys\nfrom ratproof.main import run\ntry:\n    run()\nfinally:\n"
        f"    print(sorted({heavy} & set(sys.modules)))"
    )
    process = python("-c", program, *arguments, env=os.environ | environment)
    return process.stdout


def test_the_completion_script_of_a_shell_imports_nothing_heavy():
    printed = asked({}, "--show-completion", "bash")
    assert "_RATPROOF_COMPLETE=complete_bash" in printed and printed.endswith("[]\n")


def test_commands_are_completed_without_being_imported():
    words = {"_RATPROOF_COMPLETE": "complete_bash", "COMP_WORDS": "ratproof c", "COMP_CWORD": "1"}
    printed = asked(words).split("\n")
    assert {"check", "certify", "campaign", "compile"} <= set(printed) and printed[-2] == "[]"


def test_options_are_completed():
    words = {"_RATPROOF_COMPLETE": "complete_bash", "COMP_WORDS": "ratproof verify --ht", "COMP_CWORD": "2"}
    assert asked(words).startswith("--html\n")


def test_a_shell_without_completion_is_reported():
    status, _, err = command("--show-completion", "csh")
    assert status == 2 and err.startswith("ratproof: the shell must be one of bash,")
