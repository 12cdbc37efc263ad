"""Tests of language modelling: windows and interruptions preserve the state, and columns are independent."""

import gzip
import math
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from automata.errors import InputError
from proofs_tests.training.command_line import command_line
from proofs_tests.training.sentences import write, write_text
from training.campaign import plan as campaign
from training.campaign import work
from training.engine.noise import Noise
from training.engine.results import results_in
from training.engine.sampler import share_of
from training.groups import command_of
from training.language_modelling import corpus, task
from training.language_modelling.layers import WORDS, size_of
from training.language_modelling.network import LanguageModel
from training.language_modelling.settings import MODELS, PRESETS, TABLE_3, LanguageModelling, paper
from training.language_modelling.task import LanguageTask
from training.results_command import KEPT
from training.wikipedia.settings import WikipediaModelling

__all__ = ["command_line"]

PLAIN = {"input_dropout": 0.0, "output_dropout": 0.0, "vertical_dropout": 0.0, "recurrent_dropout": 0.0}
TINY = LanguageModelling(hidden=4, batch=3, window=5, epochs=2, rate=0.1, precision="64-true")


def task_of(folder: Path, how: LanguageModelling) -> LanguageTask:
    text = corpus.load(write_text(folder), any_size=True)
    return LanguageTask(LanguageModel(how, len(text.words)).double(), text)


def losses_of(some, rank=0, processes=1, begin=0, end=None):
    """Return the loss of each column of a process, summed over an epoch or some of its windows."""
    total: torch.Tensor | float = 0.0
    for step, batch in list(enumerate(some.batches(0)))[begin:end]:
        mine = share_of(batch, rank, processes)
        total = total + some.losses(some.network, mine, Noise(0, step, mine)).detach()
    assert isinstance(total, torch.Tensor)
    return total


@pytest.mark.parametrize("model", MODELS)
def test_windows_give_the_losses_of_the_complete_text(tmp_path, model):
    how = replace(TINY, model=model, **PLAIN)
    some = task_of(tmp_path, how)
    full = task_of(tmp_path, replace(how, window=10**4))
    assert len(some.batches(0)) > 10 and len(full.batches(0)) == 1
    # The sums have about a hundred values below ten, in another order.
    assert torch.allclose(losses_of(some), losses_of(full), rtol=1e5 * 2.0**-53)


def test_an_epoch_starts_without_the_state_of_the_previous_one(tmp_path):
    some = task_of(tmp_path, replace(TINY, **PLAIN))
    assert torch.equal(losses_of(some), losses_of(some))


def test_processes_that_share_the_columns_have_the_losses_of_one(tmp_path):
    one = losses_of(task_of(tmp_path, TINY))
    two = [losses_of(task_of(tmp_path, TINY), rank, 2) for rank in range(2)]
    assert torch.allclose(one[[0, 2]], two[0], rtol=1e5 * 2.0**-53) and two[1].shape == (1,)
    assert torch.allclose(one[1:2], two[1], rtol=1e5 * 2.0**-53)


def test_perplexity_does_not_depend_on_the_window_size(tmp_path, monkeypatch):
    some = task_of(tmp_path, TINY)
    before = some.loss(some.network, "dev")
    monkeypatch.setitem(task.AT_ONCE, "cpu", 7)
    assert some.loss(some.network, "dev") == pytest.approx(before, rel=1e5 * 2.0**-53)


def test_the_vectors_are_the_softmax_too(tmp_path):
    some = task_of(tmp_path, replace(TINY, model="lstm"))
    words, d = len(some.corpus.words), TINY.hidden
    gates = 4 * (d * d + d * d + 2 * d)  # torch's LSTM has two biases
    assert sum(p.numel() for p in some.network.parameters()) == words * d + words + TINY.layers * gates


def test_the_rate_is_the_papers(tmp_path):
    some = task_of(tmp_path, LanguageModelling(**PRESETS["paper-10m"]))
    assert [some.next_rate(epoch, 1.0) for epoch in (1, 149, 150, 300)] == [1.0, 1.0, 0.98, 0.98]
    rates = {model: LanguageModelling(model=model).rate for model in MODELS}
    assert rates == {"lstm": 1, "rrnn-b": 1, "rrnn-b-max-plus": 1, "rrnn-c": 0.5, "rrnn-f": 0.5}
    assert LanguageModelling(rate=0.25).rate == LanguageModelling(model="lstm", rate=0.25).rate == 0.25


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("preset", ["paper-10m", "paper-24m"])
def test_models_of_a_budget_have_the_largest_width_in_it(model, preset):
    how = LanguageModelling(**PRESETS[preset], model=model)
    with torch.device("meta"):
        sizes = [
            sum(p.numel() for p in LanguageModel(replace(how, hidden=width), WORDS).parameters())
            for width in (how.hidden, how.hidden + 1)
        ]
    assert sizes[0] <= how.budget * 10**6 < sizes[1] and sizes[0] == size_of(model, how.layers, how.hidden)
    assert LanguageModelling(**how.to_json()) == how


def test_a_width_that_is_given_is_kept():
    assert LanguageModelling(budget=10, hidden=200).hidden == 200
    for budget in ({}, {"budget": 0}):
        with pytest.raises(InputError, match="--hidden 0 requires a --budget"):
            LanguageModelling(hidden=0, **budget)
    with pytest.raises(InputError, match="--hidden must be an integer from 1"):
        WikipediaModelling(hidden=0)


def test_dropout_keeps_equally_many_units_in_all_models_of_a_budget(tmp_path, monkeypatch):
    full = {"rrnn-f": LanguageModelling(**PRESETS["paper-10m"])}
    full["rrnn-b"] = replace(full["rrnn-f"], model="rrnn-b", hidden=0)
    names = ("input_dropout", "output_dropout", "vertical_dropout", "recurrent_dropout")
    kept = {
        m: [how.hidden * (1 - how.dropped(getattr(how, name))) for name in names] for m, how in full.items()
    }
    assert kept["rrnn-b"] == pytest.approx(kept["rrnn-f"]) and full["rrnn-b"].hidden > full["rrnn-f"].hidden
    assert full["rrnn-f"].dropped(0.65) == pytest.approx(0.65) and TINY.dropped(0.65) == 0.65
    assert replace(full["rrnn-b"], hidden=9).dropped(0.2) == 0  # narrower than the number of units to keep

    dropped: list[float] = []
    how = replace(TINY, model="rrnn-b", budget=1)
    some = task_of(tmp_path, how)
    monkeypatch.setattr(type(how), "dropped", lambda self, share: share / 2)

    def kept_of(_: Noise, __: int, shape: tuple[int, ...], share: float, dtype: torch.dtype) -> torch.Tensor:
        dropped.append(share)
        return torch.ones(3, *shape, dtype=dtype)

    monkeypatch.setattr(Noise, "kept", kept_of)
    some.network(torch.zeros(2, 3, dtype=torch.long), None, Noise(0, 0, torch.arange(3)))
    assert dropped == [0.325, 0.1, 0.1, 0.1, 0.325]


def test_the_papers_figures_are_shown_for_networks_of_its_sizes():
    assert TABLE_3[10, 2]["rrnn-f"] == (69.5, 66.3)
    printed = paper(LanguageModelling(**PRESETS["paper-24m"]))
    assert printed is not None and printed["test_perplexity"] == 63.1 and printed["parameters"] == "24M"
    lstm = {"model": "lstm", "budget": 24, "hidden": 0}
    for layers, figures in ((2, (73.3, 71.4)), (3, (78.8, 76.2))):
        printed = paper(LanguageModelling(**lstm, layers=layers))
        assert printed is not None
        assert (printed["dev_perplexity"], printed["test_perplexity"]) == figures
    assert paper(LanguageModelling(layers=1)) is None
    assert paper(LanguageModelling(**lstm | {"budget": 10})) is None
    assert paper(LanguageModelling(**PRESETS["paper-10m"] | {"hidden": 200})) is None
    assert paper(LanguageModelling(**PRESETS["small"])) is None  # two layers, and another size


def test_stored_results_have_the_preset_of_their_scale():
    for result in results_in(KEPT / "language"):
        command = command_of(result)
        assert command is not None and "--preset small" in command and "--budget" not in command
        assert paper(LanguageModelling(**result["configuration"])) is None


@pytest.mark.parametrize("d", [50, 200, 610])
def test_the_outputs_of_a_new_rrnn_c_have_the_size_of_the_gain(d):
    """Without the gain, the second layer's outputs are too small for the words' vectors to be learned."""
    ids = torch.randint(1000, (35, 8), generator=torch.Generator().manual_seed(3))
    sizes = {}
    for gain in (0.0, 0.5):
        network = LanguageModel(LanguageModelling(model="rrnn-c", hidden=d, gain=gain), 1000)
        with torch.no_grad():
            first, second = network.inputs(ids)
            sizes[gain] = [float(values.std()) for values in (first, second, network.layers[1](second)[0])]
    vectors, first, second = sizes[0.5]
    assert 0.25 < first / vectors < 1 and second / vectors > 0.02
    assert sizes[0.0][2] / sizes[0.0][0] < 1e-6
    assert LanguageModelling(model="rrnn-b", gain=0.5).gain == 0 == LanguageModelling().gain
    assert LanguageModelling(**PRESETS["small"] | {"model": "rrnn-c"}).gain == 0.5


def test_the_campaign_takes_its_stored_results(tmp_path):
    campaigns = KEPT.parent / "campaigns"
    for name in ("language", "sequences"):
        plan = campaign.read(campaigns / f"{name}.toml")
        work.take(plan, tmp_path / name, KEPT / name)
        taken = [job for job in plan.jobs if (tmp_path / name / job.name / "result.json").exists()]
        assert len(taken) == len(results_in(KEPT / name)) >= len(plan.jobs) - 1


# Text.


def test_gzipped_text_is_the_text(tmp_path):
    plain = corpus.load(write_text(tmp_path), any_size=True)
    path = tmp_path / "ptb/ptb.train.txt"
    write(tmp_path / "ptb/ptb.train.txt.gz", gzip.compress(path.read_bytes()))
    path.unlink()
    zipped = corpus.load(tmp_path, any_size=True)
    assert zipped.words == plain.words and torch.equal(zipped.parts["train"], plain.parts["train"])
    assert zipped.files[0] == "ptb.train.txt.gz" and plain.words[0] == corpus.END


# Runs.


def test_a_score_reads_as_a_perplexity(tmp_path):
    assert task_of(tmp_path, TINY).in_words(-math.log(120)) == "perplexity 120.0"


def test_a_run_saved_by_one_process_resumes_in_several(tmp_path):
    """Each process loads the state of its columns."""
    full, kept = task_of(tmp_path, TINY), task_of(tmp_path, TINY)
    losses_of(kept, end=3)
    losses_of(full, end=3)
    right = losses_of(full, begin=3)
    for rank in range(2):
        some = task_of(tmp_path, TINY)
        some.network.load_state_dict(kept.network.state_dict())
        some.carry(kept.carried())
        torch.testing.assert_close(losses_of(some, rank, 2, begin=3), right[rank::2])


def test_a_run_saved_at_an_epochs_end_has_no_state(tmp_path):
    """At the end of an epoch, no recurrent state is saved, because the next epoch begins without one."""
    some = task_of(tmp_path, TINY)
    losses_of(some, 1, 2)
    assert some.carried() == {}


def test_the_state_of_another_network_is_refused(tmp_path):
    some = task_of(tmp_path, TINY)
    losses_of(some, end=3)
    kept = some.carried()
    assert set(kept) == {"0.0", "0.1", "1.0", "1.1"}
    for wrong in (
        {"0.0": kept["0.0"]},
        {**kept, "1.1": kept["1.1"][:, :1]},
        {**kept, "1.1": kept["1.1"].float()},
    ):
        with pytest.raises(InputError, match="the recurrent state of the checkpoint must fit this network"):
            some.carry(wrong)
