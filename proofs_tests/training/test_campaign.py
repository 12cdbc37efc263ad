"""Tests of campaigns: the runs of a file are done in separate processes, and finished runs are not
repeated.
"""

import json
import os
import shutil
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path

import pytest
from filelock import FileLock

from automata.errors import InputError
from proofs_tests.training.command_line import command_line
from proofs_tests.training.sentences import write_sets
from proofs_tests.training.small_runs import ratproof
from ratproof.process.exit_statuses import BAD_INPUT
from training.campaign import job as jobs
from training.campaign.merging import digest_of
from training.campaign.plan import kept_name, read
from training.campaign.searches import JOURNAL
from training.campaign.work import state
from training.data_folder import Data
from training.engine.results import read as read_result
from training.engine.results import read_archive, write_archive
from training.rational_recurrences import search

__all__ = ["command_line"]

PLAN = """
name = "small"
preset = "ours"

[[part]]
search = "sst2"
models = ["rrnn-b"]
trials = 2
settings = {epochs = 2}

[[part]]
train = ["sst2", "cr"]
models = ["rrnn-b"]
seeds = [0, 7]
searched = "sst2"
settings = {epochs = 2, batch = 8, hidden = 6}
"""
ONE_SEARCH = PLAN.partition("[[part]]\ntrain")[0]
TRIALS = ["search/sst2/rrnn-b/trial-0", "search/sst2/rrnn-b/trial-1"]
RUNS = ["sst2/rrnn-b/seed-0", "sst2/rrnn-b/seed-7", "cr/rrnn-b/seed-0", "cr/rrnn-b/seed-7"]


def in_this_process(monkeypatch: pytest.MonkeyPatch, broken: Sequence[str] = ()) -> None:
    """Execute runs in this process, except for runs that crash with a memory error."""

    def run_here(words: str) -> bytes:
        message = json.loads(words)
        if message["job"] in broken:
            return json.dumps([-9, "MemoryError: there is no more"]).encode()
        folder, data = Path(message["folder"]), Data(Path(message["data"]), any_size=message["any_size"])
        plan = read(folder / jobs.CAMPAIGN)
        job = next(job for job in plan.jobs if job.name == message["job"])
        try:
            return json.dumps([jobs.do(plan, job, folder, data), ""]).encode()
        except InputError as error:
            return json.dumps([BAD_INPUT, str(error)]).encode()

    monkeypatch.setattr("training.campaign.runners.run_here", run_here)
    monkeypatch.setattr("training.campaign.job.interruptions", lambda **options: nullcontext(lambda: False))


@pytest.fixture
def root(tmp_path):
    (tmp_path / "small.toml").write_text(PLAN)
    write_sets(tmp_path / "data")
    return tmp_path


def campaign(root: Path, more: str = "-o ROOT/small", file: str = "small.toml") -> int:
    """Return the exit status of ``campaign run``; ``ROOT`` stands for the test's folder."""
    line = f"campaign run ROOT/{file} --data ROOT/data --any-size {more}"
    return ratproof(line.replace("ROOT", str(root)))


def do(root: Path, number: int, folder: str = "small") -> int:
    """Execute one run of the campaign in this process, and return its exit status."""
    plan = read(root / "small.toml")
    return jobs.do(plan, plan.jobs[number], root / folder, Data(root / "data", any_size=True))


def test_a_file_becomes_runs_in_its_order(root):
    plan = read(root / "small.toml")
    assert [job.name for job in plan.jobs] == TRIALS + RUNS
    best = search.drawn(2)[1]
    settings = plan.settings(plan.jobs[3], best).to_json()
    own = {"model": "rrnn-b", "seed": 7, "epochs": 2, "hidden": 6, "scale": 5.0}
    assert settings == settings | best | own


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("name =", "nam =", "got 'nam'"),
        ('search = "sst2"', "", "part 1: 'search' or 'train' must be present"),
        ("trials = 2", "trials = 0", "part 1: search must be the name of an experiment, and trials"),
        (
            "trials = 2",
            "tries = 2",
            "part 1: a field must be one of search, models, trials, settings, seed, got 'tries'",
        ),
        ("seeds = [0, 7]", "seeds = 3", "part 2: 'seeds' must be a list of integers, got 3"),
        ('"sst2", "cr"', '"cr", "cr"', "part 2: 'train' must not repeat a name, got 'cr' more than once"),
        (
            "seeds = [0, 7]",
            "seeds = [0, 7, 0]",
            "part 2: 'seeds' must not repeat a seed, got 0 more than once",
        ),
        ("batch = 8", "seed = 8", "part 2: 'settings' must not have seed; use seeds of the part"),
        ("batch = 8", 'model = "rrnn-b"', "part 2: 'settings' must not have model; use models of the part"),
        (
            'searched = "sst2"',
            'searched = "cr"',
            "part 2, searched: an earlier part must search this experiment for its models, got 'cr'",
        ),
        (
            'models = ["rrnn-b"]\nseeds',
            'models = "rrnn-b"\nseeds',
            "part 2: 'models' must be a list of names, got 'rrnn-b'",
        ),
        ("{epochs = 2}", "{clip = 2}", "part 1: 'settings' must not have clip"),
        (
            "batch = 8",
            "batch = -8",
            "sst2/rrnn-b/seed-0: --batch must be an integer from 1 to 1048576, got -8",
        ),
        ("batch = 8", "bach = 8", "got 'bach'"),
        ('["sst2", "cr"]', '["mr"]', "got 'mr'"),
        ('"ours"', '"theirs"', "got 'theirs'"),
        ('["rrnn-b"]', '["rrnn-z"]', "got 'rrnn-z'"),
        ("[[part]]", "[[part", "must be TOML"),
    ],
)
def test_a_wrong_file_gives_a_one_line_error(root, old, new, says):
    (root / "small.toml").write_text(PLAN.replace(old, new))
    with pytest.raises(InputError) as error:
        read(root / "small.toml")
    assert says in str(error.value) and "\n" not in str(error.value)


@pytest.mark.usefixtures("command_line")
def test_a_campaign_runs_its_trials_before_the_runs_that_need_them(root, capfd, monkeypatch):
    in_this_process(monkeypatch)
    plan, folder = read(root / "small.toml"), root / "small"
    for number, job in enumerate(plan.jobs[:4]):
        assert state(job, folder) == "waiting" and do(root, number) == 0
        assert state(job, folder) == "done"
    trained = json.loads((folder / RUNS[1] / "result.json").read_text())
    best = search.best(folder / JOURNAL, "sst2 rrnn-b", 2)
    assert best is not None and trained["configuration"] == trained["configuration"] | best | {"hidden": 6}
    before = {name: (folder / name / "result.json").stat().st_mtime_ns for name in TRIALS + RUNS[:2]}
    assert campaign(root, "-o ROOT/small --json") == 0
    shown = json.loads(capfd.readouterr().out.splitlines()[-1])
    assert (shown["runs"], shown["done"], shown["waiting"]) == (6, 6, 0)
    assert [job["name"] for job in shown["jobs"]] == TRIALS + RUNS
    assert before == {name: (folder / name / "result.json").stat().st_mtime_ns for name in before}

    assert ratproof("campaign results", folder, "--keep", root / "kept") == 0
    assert "cr: test accuracy" in capfd.readouterr().out
    kept = read_archive(root / "kept")
    assert set(kept) == {kept_name(job.name) for job in plan.jobs}
    # A result from before there was a choice of classifiers, and a result in a separate file, as in old
    # versions.
    assert kept[kept_name(plan.jobs[2].name)]["configuration"].pop("classifier") == "mlp"
    own = kept.pop(kept_name(plan.jobs[3].name))
    write_archive(kept, root / "kept")
    (root / "kept" / kept_name(plan.jobs[3].name)).write_text(json.dumps(own))
    assert campaign(root, "--kept ROOT/kept -o ROOT/again") == 0
    assert search.best(root / "again" / JOURNAL, "sst2 rrnn-b", 2) == best
    (root / "small.toml").write_text(PLAN.replace("batch = 8", "batch = 4"))
    for more in ("-o ROOT/small", "--kept ROOT/kept -o ROOT/other"):
        assert campaign(root, more) == 2
        assert "must be a run with batch 4, got 8" in capfd.readouterr().err
    assert not (root / "other" / RUNS[0]).exists()
    assert (root / "small/campaign.toml").read_text() == PLAN
    write_archive({name: kept[name] for name in kept if name != kept_name(plan.jobs[0].name)}, root / "kept")
    assert campaign(root, "--kept ROOT/kept -o ROOT/third") == 2
    assert "and some are missing; run the campaign" in capfd.readouterr().err


@pytest.mark.usefixtures("command_line")
@pytest.mark.parametrize("lost", ["killed before it was recorded", "no journal", "a journal cut off"])
def test_a_search_uses_the_stored_results_of_its_trials(root, lost, capfd, monkeypatch):
    """The waiting run has the best trial's settings, regardless of the journal."""
    in_this_process(monkeypatch)
    folder, journal = root / "small", root / "small" / JOURNAL
    assert do(root, 0) == do(root, 1) == 0
    best = search.best(journal, "sst2 rrnn-b", 2)
    if lost == "killed before it was recorded":
        journal.unlink()
        search.record(journal, "sst2 rrnn-b", 0, search.drawn(2)[0], 0.5)
    elif lost == "no journal":
        journal.unlink()
    else:
        content = journal.read_bytes()
        journal.write_bytes(content[:-20] + b"\n" + content[-40:])
        with pytest.raises(InputError, match="must be an Optuna journal"):
            do(root, 2)
        journal.unlink()
    assert do(root, 2) == 0
    trained = json.loads((folder / RUNS[0] / "result.json").read_text())
    after = search.best(journal, "sst2 rrnn-b", 2)
    assert after is not None and trained["configuration"] == trained["configuration"] | after | {"hidden": 6}
    if lost != "killed before it was recorded":
        assert after == best


@pytest.mark.usefixtures("command_line")
@pytest.mark.parametrize("field", ["experiment", "seed", "dev_accuracy"])
def test_a_result_of_another_run_is_not_used(root, field, capfd, monkeypatch):
    in_this_process(monkeypatch)
    assert do(root, 0) == 0
    trained = json.loads((root / "small" / TRIALS[0] / "result.json").read_text())
    changes = {"experiment": {"experiment": "cr"}, "seed": {"seed": 5}, "dev_accuracy": {"metrics": {}}}
    trained |= changes[field]
    (root / "kept").mkdir()
    write_archive({kept_name(TRIALS[0]): trained}, root / "kept")
    assert campaign(root, "--kept ROOT/kept -o ROOT/new") == 2
    error = capfd.readouterr().err
    assert field in error and "Traceback" not in error
    assert not (root / "new" / TRIALS[0] / "result.json").exists()


@pytest.mark.usefixtures("command_line")
def test_a_run_that_ends_with_a_traceback_is_broken_and_its_log_is_stored(root, capfd, monkeypatch):
    """After an exception, Python's exit status is the same as that of a run that diverged."""
    ended = json.dumps([1, "Traceback: something is wrong"]).encode()
    monkeypatch.setattr("training.campaign.runners.run_here", lambda words: ended)
    assert campaign(root) == 3
    plan = read(root / "small.toml")
    assert state(plan.jobs[0], root / "small") == "broken"
    assert "something is wrong" in (root / "small" / plan.jobs[0].name / jobs.LOG).read_text()


@pytest.mark.usefixtures("command_line")
def test_a_truncated_result_is_computed_again(
    root: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first run has no checkpoint, as after an import; the second run has one."""
    in_this_process(monkeypatch)
    (root / "small.toml").write_text(ONE_SEARCH)
    plan, folder = read(root / "small.toml"), root / "small"
    assert do(root, 1) == 0
    complete = read_result(folder / TRIALS[1] / "result.json")
    (folder / TRIALS[0]).mkdir(parents=True)
    for name in TRIALS:
        (folder / name / "result.json").write_text('{"experiment": "ss')
    assert [state(job, folder) for job in plan.jobs] == ["broken", "broken"]
    (folder / "campaign.toml").write_text(ONE_SEARCH)
    assert ratproof("campaign status", folder, "--json") == 0
    shown = json.loads(capfd.readouterr().out)
    assert (shown["broken"], shown["rows"], shown["incomplete"]) == (2, 0, [[name, 0] for name in TRIALS])
    assert ratproof("campaign status", folder) == 0
    assert f"broken: {TRIALS[0]}, see {folder / TRIALS[0] / 'result.json'}" in capfd.readouterr().out
    assert campaign(root) == 0
    again = read_result(folder / TRIALS[1] / "result.json")
    assert digest_of(again) == digest_of(complete)


@pytest.fixture
def begun(root, command_line, monkeypatch):
    """Run a campaign in which the first trial diverges after its checkpoint; return the runs that begin."""
    import training.experiments
    from training.engine.loop import Diverged

    in_this_process(monkeypatch)
    begun, run = [], training.experiments.run

    def run_or_diverge(experiment, settings, data, where, *more, **options):
        begun.append(str(where.folder))
        if where.folder.name == "trial-0":
            (where.folder / "run.safetensors").write_bytes(b"")
            raise Diverged("the loss is nan")
        return run(experiment, settings, data, where, *more, **options)

    monkeypatch.setattr(training.experiments, "run", run_or_diverge)
    assert campaign(root, "-o ROOT/small") == 1
    return begun


def test_a_diverged_trial_is_kept_and_merged(root, capfd, begun):
    """The runs that use the search are imported, too; the trial is not repeated."""
    assert ratproof("campaign results", root / "small", "--keep", root / "kept") == 0
    (root / "merged").mkdir()
    (root / "merged/campaign.toml").write_text(PLAN)
    assert ratproof("campaign merge", root / "merged", root / "small") == 0
    capfd.readouterr()
    begun.clear()
    for more in ("--kept ROOT/kept -o ROOT/again", "-o ROOT/merged"):
        assert campaign(root, f"{more} --json") == 1
        shown = json.loads(capfd.readouterr().out)
        assert (shown["failed"], shown["done"], begun) == (1, 5, [])
        assert (shown["rows"], shown["incomplete"]) == (5, [])
    finished = root / "other" / TRIALS[0]
    finished.mkdir(parents=True)
    (root / "other/campaign.toml").write_text(PLAN)
    (finished / "result.json").write_bytes((root / "small" / TRIALS[1] / "result.json").read_bytes())
    assert ratproof("campaign merge", root / "other", root / "small") == 2
    assert "the result must equal that in" in capfd.readouterr().err


@pytest.mark.usefixtures("command_line")
def test_a_diverged_run_is_not_imported_without_its_trials(root, capfd):
    (root / "kept").mkdir()
    failure = {"why": "the loss is nan", "configuration": {}}
    (root / "kept/diverged.json").write_text(json.dumps({kept_name(RUNS[0]): failure}))
    assert campaign(root, "--kept ROOT/kept -o ROOT/small") == 2
    assert "trials" in capfd.readouterr().err
    assert not (root / "small" / RUNS[0] / "failed.json").exists()


def test_a_diverged_trial_is_repeated_if_its_settings_change(root, capfd, begun, monkeypatch):
    """The runs that use the search wait for the trial, and use its new score."""
    text = PLAN.replace("epochs = 2}", "epochs = 1}", 1)
    (root / "small.toml").write_text(text)
    assert campaign(root, "-o ROOT/small") == 2  # trial 1 is done with other settings
    assert "must be a run with epochs 1, got 2" in capfd.readouterr().err
    for name in (TRIALS[1], *RUNS):
        shutil.rmtree(root / "small" / name)
    monkeypatch.undo()
    in_this_process(monkeypatch)
    begun.clear()
    assert campaign(root, "-o ROOT/small --json") == 0
    assert json.loads(capfd.readouterr().out)["done"] == 6
    results = [read_result(root / "small" / name / "result.json") for name in (*TRIALS, RUNS[0])]
    scores = [one["metrics"]["dev_accuracy"] for one in results[:2]]
    best = results[scores.index(max(scores))]["configuration"]
    assert all(results[2]["configuration"][name] == best[name] for name in search.SPACE if name != "hidden")
    assert results[0]["configuration"]["epochs"] == 1


def test_two_processes_do_not_do_one_run(root):
    plan, folder = read(root / "small.toml"), root / "small"
    (folder / TRIALS[0]).mkdir(parents=True)
    with FileLock(folder / TRIALS[0] / jobs.LOCK):
        assert state(plan.jobs[0], folder) == "running"
        assert do(root, 0) == jobs.TAKEN


def test_a_trial_that_diverges_counts_as_the_worst(root, monkeypatch):
    import training.experiments
    from training.engine.loop import Diverged

    def diverge(*arguments: object, **options: object) -> None:
        raise Diverged("the loss is nan")

    monkeypatch.setattr(training.experiments, "run", diverge)
    plan, folder = read(root / "small.toml"), root / "small"
    assert jobs.do(plan, plan.jobs[0], folder, None) == 0
    with pytest.raises(InputError, match="and some are missing; run the campaign"):
        jobs.do(plan, plan.jobs[2], folder, None)  # and not with other settings
    search.record(folder / JOURNAL, plan.jobs[1].study, 1, search.drawn(2)[1], 0.1)
    assert search.best(folder / JOURNAL, plan.jobs[1].study, 2) == search.drawn(2)[1]
    assert jobs.do(plan, plan.jobs[2], folder, None) == 1
    assert [state(job, folder) for job in (plan.jobs[0], plan.jobs[2])] == ["failed", "failed"]


@pytest.mark.usefixtures("command_line")
def test_an_error_in_the_data_stops_the_campaign_with_its_message(root, capfd, monkeypatch):
    in_this_process(monkeypatch)
    os.remove(root / "data/sst2/stsa.binary.train")
    assert campaign(root) == 2
    out, err = capfd.readouterr()
    assert not out and err.count("\n") == 1 and "stsa.binary.train: cannot be read" in err


@pytest.mark.usefixtures("command_line")
def test_a_folder_without_a_campaign_is_refused(root, capfd):
    assert ratproof("campaign status", root) == 2
    assert "the folder must contain" in capfd.readouterr().err
    assert ratproof("results", root / "none") == 2
    assert "must be" in capfd.readouterr().err


@pytest.mark.parametrize("model", ["sr-gru", "lstm"])
def test_a_campaign_must_set_what_the_command_requires(tmp_path, model):
    file = tmp_path / "small.toml"
    file.write_text(
        f'name = "small"\npreset = "paper"\n[[part]]\ntrain = ["tomita"]\nmodels = ["{model}"]\nseeds = [0]\n'
    )
    with pytest.raises(InputError, match=f"tomita/{model}/seed-0: --grammar is missing; pass a number"):
        read(file)
