"""Tests that the table of commands matches each command's own help, and that a command imports no more than
it needs.
"""

import re

import pytest

from proofs_tests.processes import python
from proofs_tests.ratproof.command_tree import commands, is_group
from ratproof.commands.table import ROWS
from ratproof.main import run

HEAVY = {"torch", "sympy", "numba", "scipy", "hypothesis", "pytest", "pynini"}


COMMANDS = commands()


@pytest.mark.parametrize("name", ROWS)
def test_the_table_matches_the_help_of_each_command(name):
    assert " ".join(str(COMMANDS[name].help).split()).startswith(ROWS[name].does.removesuffix("."))
    assert len(f"  {max(ROWS, key=len)}  {ROWS[name].does}") <= 80


@pytest.mark.parametrize("name", [name for name, c in COMMANDS.items() if not is_group(c)])
def test_each_command_has_an_example(name):
    assert f"  ratproof {name}" in (COMMANDS[name].epilog or "")


@pytest.mark.parametrize("name", [name for name, c in COMMANDS.items() if is_group(c)])
def test_a_group_describes_each_command_in_one_line(name, capsys):
    assert run([name, "--help"]) == 0
    lines = capsys.readouterr().out.partition("\nCommands:\n")[2].rstrip().splitlines()
    own = [part for part in COMMANDS if part.startswith(f"{name} ")]
    assert [line.split()[0] for line in lines] == [part.partition(" ")[2] for part in own]
    assert all(re.search(r"\w\.$", line) and not line.endswith("al.") for line in lines), lines


@pytest.mark.parametrize("name", [name for name, c in COMMANDS.items() if not is_group(c)])
def test_the_usage_lists_each_argument_once_and_the_help_is_filled_in(name, capsys):
    assert run([*name.split(), "--help"]) == 0
    usage, _, options = capsys.readouterr().out.partition("\n\n")
    assert not re.search(r"\[\[|\{\{|\.\.\.[\]}]", " ".join(usage.split())), usage
    assert "{" not in options, "a placeholder without its value"


@pytest.mark.parametrize(
    "arguments",
    [["--help"], ["score", "a.json", "a b"], ["rank", "a.json"], ["equivalent", "a.json", "a.json"]],
    ids=lambda a: a[0],
)
def test_a_frequent_command_does_not_import_large_libraries(arguments, tmp_path):
    (tmp_path / "a.json").write_text(
        '{"semiring": "real", "states": 1, "alphabet": ["a", "b"], "initial": [[0, "1"]],'
        ' "final": [[0, "1/2"]], "transitions": [[0, 0, "a", "1"], [0, 0, "b", "1/3"]]}'
    )
    program = (
        "import sys; from ratproof.main import run; status = run(sys.argv[1:]);"
        "print(status, *{m.partition('.')[0] for m in sys.modules}, file=sys.stderr)"
    )
    ran = python("-c", program, *arguments, cwd=tmp_path)
    status, *modules = ran.stderr.split()
    assert status == "0" and not HEAVY & set(modules)


def test_help_does_not_import_large_libraries():
    """All commands and groups run in one process, so an import by one of them would be detected."""
    names = [[*name.split(), "--help"] for name in COMMANDS]
    program = (
        "import sys; from ratproof.main import run\n"
        f"for arguments in {names!r}:\n"
        "    status = run(arguments)\n"
        f"    heavy = {HEAVY!r} & {{m.partition('.')[0] for m in sys.modules}}\n"
        "    assert not heavy and not status, (arguments, heavy, status)"
    )
    ran = python("-c", program)
    assert ran.returncode == 0, ran.stderr


def test_verify_and_jobs_of_a_campaign_start_without_torch_and_sympy():
    """The workers of verify import them in parallel, and a job only imports them if it is going to run."""
    program = (
        "import sys; import ratproof.ladder.verification, training.campaign.job, theory.registry;"
        "theory.registry.claims();"
        "print({'torch', 'sympy', 'tensorly', 'scipy'} & {m.partition('.')[0] for m in sys.modules})"
    )
    ran = python("-c", program, check=True)
    assert ran.stdout == "set()\n"


def test_a_command_whose_module_is_already_imported_has_its_limits():
    program = (
        "import ratproof.commands.automata, typer; from ratproof.commands.app import app;"
        "score = typer.main.get_command(app).get_command(None, 'score');"
        "print('limit_seconds' in [p.name for p in score.params])"
    )
    ran = python("-c", program, check=True)
    assert ran.stdout == "True\n"
