"""The training loop: one iteration after another, the same ones for the same seed, until the network is done
or the time is up.

All that an iteration depends on is in the :class:`Trainer`'s state, which
:mod:`training.state_regularized.checkpoints` keeps: interrupted and gone on with, a run gives the same
network, bit by bit. What it decides (a longer string, a new start, the end) it decides from training and
validation strings and from whether the boxes close; the language's automaton is not here.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

import torch

from neural.state_regularized.acceptor import Acceptor
from ratproof.papers.certification.boxes import count_closed_boxes
from ratproof.papers.certification.numbers import numbers_of
from training.engine.seeds import mixed
from training.engine.threads import one_thread
from training.state_regularized.batches import Rows, mistakes, said
from training.state_regularized.clusters import alone, means, put_centroids, some_states
from training.state_regularized.curriculum import Curriculum
from training.state_regularized.recipe import Clusters, Recipe
from training.state_regularized.strings import Strings

LOOKS = 3
"""Where batches have strings to review, all are looked at every LOOKS times ``Recipe.every`` iterations at
least.
"""

Outcome = Literal["trained", "out of time", "interrupted"]


@dataclass
class Progress:
    """How far a run is.

    Attributes:
        restarts: how often it has started again.
        iterations: in all; since: since the last step up or start.
        level: of the curriculum; one more than it has: the finish.
        seconds: spent, those before an interruption too.
        done: is the network trained?
        boxes: how many close around the soft run at the end, in floats.
        history: for each start the iterations it took and the level it reached.
        wrong: places of training strings that were wrong when last looked at.
        noise: at present.
    """

    restarts: int = 0
    iterations: int = 0
    since: int = 0
    level: int = 0
    seconds: float = 0.0
    done: bool = False
    boxes: int | None = None
    history: list[list[int]] = field(default_factory=list)
    wrong: list[int] = field(default_factory=list)
    noise: float = 0.0


class Trainer:
    """A run of training.

    Args:
        alphabet: the symbols.
        units, centroids: the network's size.
        recipe: how.
        seed: of weights, batches and noise.
        training, validation: labelled strings.
    """

    def __init__(
        self,
        alphabet: tuple[str, ...],
        units: int,
        centroids: int,
        recipe: Recipe,
        seed: int,
        training: Strings,
        validation: Strings,
    ) -> None:
        self.alphabet, self.units, self.centroids = alphabet, units, centroids
        self.recipe, self.seed = recipe, seed
        self.training, self.validation = Rows(training), Rows(validation)
        self.curriculum = Curriculum(self.training.lengths.tolist(), recipe.shortest)
        self.generator = torch.Generator().manual_seed(mixed(seed, 1))
        self.progress = Progress()
        self.start()

    def start(self) -> None:
        """A new network, from the seed and the number of starts so far."""
        self.network = untrained(
            self.alphabet,
            self.units,
            self.centroids,
            self.recipe,
            mixed(self.seed, 2, self.progress.restarts),
        )
        self.optimiser = optimiser(self.network, self.recipe)
        self.progress.noise = self.recipe.noise[self.progress.restarts % len(self.recipe.noise)]

    @property
    def finishing(self) -> bool:
        """Are all training strings right, and the boxes still to close?"""
        return self.progress.level == len(self.curriculum.lengths)

    @property
    def length(self) -> int:
        """The longest strings that it trains on at present."""
        return self.curriculum.length(min(self.progress.level, len(self.curriculum.lengths) - 1))

    def run(
        self,
        seconds: float,
        tell: Callable[[str], None] = lambda line: None,
        keep: Callable[[], None] = lambda: None,
        stop: Callable[[], bool] = lambda: False,
        keep_every: float = 10.0,
    ) -> Outcome:
        """Train.

        Args:
            seconds: the most to spend, with those of before.
            tell: called now and then with the progress.
            keep: keeps a checkpoint; called between iterations.
            stop: should it stop here?
            keep_every: seconds between checkpoints.
        """
        begun, kept = time.monotonic() - self.progress.seconds, time.monotonic()
        with one_thread():
            while not self.progress.done:
                self.progress.seconds = time.monotonic() - begun
                if stop():
                    return "interrupted"
                if self.progress.seconds > seconds:
                    return "out of time"
                if time.monotonic() - kept > keep_every:
                    keep()
                    kept = time.monotonic()
                self.iterate()
                if self.progress.iterations % 10 == 0:
                    tell(str(self))
        self.progress.seconds = time.monotonic() - begun
        return "trained"

    def __str__(self) -> str:
        at = "finish" if self.finishing else f"length {self.length}"
        p = self.progress
        return f"{at}, {self.right:.0%} of the batch, iteration {p.iterations}, {p.restarts} restarts"

    right = 0.0
    """The share of the last batch that was classified right."""

    def iterate(self) -> None:
        """One iteration, and what is decided after it."""
        self.progress.iterations += 1
        self.progress.since += 1
        self._learn()
        clusters, all_right, since = self.recipe.clusters, self.right == 1, self.progress.since
        look = since % self.recipe.every == 0
        if self.finishing:
            if clusters:
                self._louder(clusters)
            if since % (clusters.every if clusters else self.recipe.every) == 0:
                self._end()
        elif (all_right and (look or since % 2 == 0)) or (
            self.recipe.review and since % (LOOKS * self.recipe.every) == 0
        ):
            level = self.curriculum.climbed(self.progress.level, self._all_right)
            if level > self.progress.level:
                self.progress.level, self.progress.since = level, 0
                if self.finishing and not self.recipe.finishes:
                    self._end()
        patience = self.recipe.finish_patience if self.finishing else self.recipe.patience
        if not self.progress.done and patience is not None and self.progress.since >= patience:
            self._start_again()

    def _louder(self, clusters: Clusters) -> None:
        """More noise on the states, if enough of the batch was right; else less."""
        p, quietest = self.progress, self.recipe.noise[self.progress.restarts % len(self.recipe.noise)]
        if self.right >= clusters.right:
            p.noise = min(clusters.loudest, p.noise * clusters.louder)
        else:
            p.noise = max(quietest, p.noise * clusters.softer)

    def _all_right(self, length: int) -> bool:
        """Are all training strings up to that length right? Those that are not are kept for review."""
        self.progress.wrong = mistakes(
            self.network, self.training, length, alone if self.recipe.clusters else said
        )
        return not self.progress.wrong

    def _batch(self) -> torch.Tensor:
        """Places of strings: random ones, and some of those that were wrong when last looked at.

        They fall: strings are sorted by length, and the longest has to come first.
        """
        chosen = torch.randint(
            self.training.up_to(self.length), (self.recipe.batch,), generator=self.generator
        )
        wrong, some = self.progress.wrong, int(self.recipe.review * self.recipe.batch)
        if wrong and some:
            chosen[:some] = torch.tensor(wrong)[torch.randint(len(wrong), (some,), generator=self.generator)]
        return chosen.sort(descending=True).values

    def _learn(self) -> None:
        recipe, rows, p = self.recipe, self.training, self.progress
        chosen = self._batch()
        right = rows.labels[chosen]
        weights = (
            _class_weights(rows.labels[: rows.up_to(self.length)])[right.long()] if recipe.weighted else None
        )
        if recipe.clusters:
            logits, lacking = alone(self.network, rows, chosen, p.noise, self.generator).logits, None
        else:
            logits, gaps = said(self.network, rows, chosen, p.noise, self.generator)
            lacking = torch.relu(recipe.margin - gaps) if self.finishing and recipe.penalty > 0 else None
        loss = torch.nn.functional.binary_cross_entropy_with_logits(logits, right.float(), weights)
        if lacking is not None:
            # the start token's gap counts as much as all others: every string starts there, and its box must
            # close too
            loss = loss + recipe.penalty * (lacking[0] + (lacking[1:].mean() if len(lacking) > 1 else 0))
        self.optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        if recipe.clip is not None:
            torch.nn.utils.clip_grad_norm_(self.network.parameters(), recipe.clip)
        self.optimiser.step()
        self.right = float(((logits.detach() > 0) == right).double().mean())

    def _end(self) -> None:
        """Is it done? Every training and validation string is right, and the boxes close (where the recipe
        wants it).
        """
        right = self._all_right(self.length) and (not self.recipe.clusters or self._centroids_keep_it_right())
        right = right and not mistakes(self.network, self.validation)
        boxes = (
            count_closed_boxes(numbers_of(self.network), self.recipe.tries)
            if right and self.recipe.finishes
            else None
        )
        if right and (boxes is not None or not self.recipe.finishes):
            self.progress.done, self.progress.boxes = True, boxes
        elif not self.recipe.finishes:
            self.progress.level = 0  # strings are wrong: go on

    def _centroids_keep_it_right(self) -> bool:
        """Is the network right on all training strings with the means of some number of clusters for
        centroids? Few are tried first.

        Else those that are wrong with the best of them are kept for review.
        """
        least: list[int] | None = None
        for centroids in means(some_states(self.network, self.training, self.generator), self.centroids):
            put_centroids(self.network, centroids, self.recipe.norm or 1.0, self.generator)
            wrong = mistakes(self.network, self.training)
            if not wrong:
                return True
            least = wrong if least is None or len(wrong) < len(least) else least
        self.progress.wrong = least or []
        return False

    def _start_again(self) -> None:
        p = self.progress
        p.history.append([p.iterations, p.level])
        p.restarts, p.since, p.level, p.wrong = p.restarts + 1, 0, 0, []
        self.start()


def untrained(alphabet: tuple[str, ...], units: int, centroids: int, recipe: Recipe, seed: int) -> Acceptor:
    """The network that the recipe begins with: an SR-GRU (equations 2 and 5) at temperature 1 with start
    and end tokens.
    """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        network = Acceptor(alphabet, "sr-gru", units, centroids)
        part = network.cells[0].part
        with torch.no_grad():
            if recipe.norm is not None:
                network.cells[0].component.centroids.normal_(0, recipe.norm / units**0.5)
            if recipe.spread is not None:
                part.input.weight.normal_(0, recipe.spread)
                for gate in torch.split(part.hidden.weight, units):
                    torch.nn.init.orthogonal_(gate)
    return network


def optimiser(network: Acceptor, recipe: Recipe) -> torch.optim.Optimizer:
    """The recipe's optimiser for the network."""
    if recipe.optimiser == "adam":
        return torch.optim.Adam(network.parameters(), lr=recipe.rate, fused=True)
    return torch.optim.RMSprop(network.parameters(), lr=recipe.rate, alpha=recipe.smoothing)


def _class_weights(labels: torch.Tensor) -> torch.Tensor:
    """Of rejected and accepted strings, so that both classes weigh as much."""
    share = labels.double().mean().clamp(1 / (2 * len(labels)), 1 - 1 / (2 * len(labels)))
    return torch.stack([0.5 / (1 - share), 0.5 / share]).float()
