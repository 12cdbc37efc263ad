"""Functions that add rules to a classifier or disable some of its rules, without training.

See Jiang et al. 2020, section 6 and equation 10.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
import torch
from torch import Tensor

from automata.errors import InputError
from automata.rules.rule_set import RuleSet
from neural.fa_rnn.cells import FactoredCell
from neural.fa_rnn.classifier import SCALE, Classifier, RuleBlock
from neural.fa_rnn.factors import Factors, exact_factors, side_by_side
from neural.fa_rnn.network import FARNN

MOST_WEIGHT = 1_000_000


def add_rules(model: Classifier, rules: RuleSet, written: Sequence[str], scale: float = SCALE) -> Classifier:
    """Return a classifier with additional rules.

    The factors of the rules become a block next to the existing factors (equation 10). For every beta,
    existing scores are unchanged, and each new rule has the score of a classifier with only this rule. Scores
    may differ by rounding errors, because sums have more terms. The paper's G = pinv(E_w) E_R would preserve
    scores only approximately. Therefore the new columns of E_R are divided by beta, and the new columns of G
    are zero; training can change them. If beta is 0, this division is impossible, and G is computed as in the
    paper.

    Args:
        model: the classifier, trained or not.
        rules: rules over the model's words, with BOS.
        written: the text of each rule, in the order of the rules.
        scale: the contribution of a match to its label's logit.
    """
    if not abs(scale) <= MOST_WEIGHT:
        raise InputError(
            f"scale (--weight) must be a number from -{MOST_WEIGHT:,} to {MOST_WEIGHT:,}, got {scale}"
        )
    cell, network = model.cell, model.network
    words = list(network.words)
    if set(rules.automaton.index) != set(words):
        raise InputError("rules must be compiled over the classifier's words")
    wildcard_words = [word for word, stands in zip(words, cell.stands.tolist(), strict=True) if stands]
    factors = exact_factors(rules.automaton, wildcard_words)
    order = [list(rules.automaton.index).index(word) for word in words]
    if factors.apart.any() and factors.stands[order].tolist() != cell.stands.tolist():
        raise InputError("the rules' wildcard must stand for the same words as the classifier's")
    rows, turn = factors.words[order], None
    if cell.turn is not None:
        exact = np.linalg.pinv(cell.pretrained.double().cpu().numpy()) @ rows
        turn = torch.as_tensor(exact if cell.beta == 0 else np.zeros_like(exact))
        rows = rows if cell.beta == 0 else rows / cell.beta
    shift = cell.states
    labels = (
        *model.labels,
        *(label for label in dict.fromkeys(str(name) for name in rules.labels) if label not in model.labels),
    )
    final = set(rules.automaton.final.nonzero()[0].tolist())
    blocks = [
        RuleBlock(
            str(part.label),
            tuple(written[number] for number in part.rules),
            tuple(shift + state for state in part.states),
            tuple(shift + state for state in part.states if state in final),
        )
        for part in rules.parts
    ]
    both = side_by_side(_factors(cell), replace(factors, words=rows))
    initial = torch.cat(
        [network.initial, torch.as_tensor(rules.automaton.initial.astype(float)).to(network.initial)]
    )
    result = _rebuild(
        model,
        both,
        initial,
        labels,
        (*model.blocks, *blocks),
        None
        if turn is None or cell.turn is None
        else torch.cat([cell.turn.detach(), turn.to(cell.turn)], dim=1),
    )
    with torch.no_grad():
        result.readout.weight[: len(model.labels), :shift] = model.readout.weight
        result.readout.bias[: len(model.labels)] = model.readout.bias
        for block in blocks:
            result.readout.weight[labels.index(block.label), list(block.final)] = scale
    return result.eval()


def disable_rules(model: Classifier, numbers: Iterable[int]) -> Classifier:
    """Return a classifier without some of the blocks of rules.

    The states of the disabled blocks do not contribute to the logits. The function removes these states,
    except states from which a final state of another block is reachable. Therefore the score of every other
    block (equation 8) is unchanged for all sentences. The paper instead retains the states that are reachable
    from other rules' states, which is not the correct condition. In an untrained classifier, all states of a
    disabled block are removed. Training may connect states of different blocks.

    Args:
        model: the classifier, trained or not.
        numbers: the indices of the disabled blocks in ``model.blocks``.
    """
    chosen = set(numbers)
    if not model.blocks:
        raise InputError("the classifier must have at least one rule, got none")
    unknown = [number for number in chosen if not 0 <= number < len(model.blocks)]
    if unknown:
        raise InputError(f"rule must be a number from 1 to {len(model.blocks)}, got {unknown[0] + 1}")
    removed = {state for number in chosen for state in model.blocks[number].states}
    remaining = [block for number, block in enumerate(model.blocks) if number not in chosen]
    ends = {state for block in remaining for state in block.final}
    needed = _leading_to(model.cell, ends)
    keep = [state for state in range(model.cell.states) if state not in removed or state in needed]
    index = {state: number for number, state in enumerate(keep)}
    cell = model.cell
    own = _factors(cell)
    factors = replace(
        own, before=own.before[keep], after=own.after[keep], apart=own.apart[np.ix_(keep, keep)]
    )
    blocks = [
        replace(
            block,
            states=tuple(index[state] for state in block.states),
            final=tuple(index[state] for state in block.final),
        )
        for block in remaining
    ]
    result = _rebuild(model, factors, model.network.initial[keep], model.labels, blocks, cell.turn)
    with torch.no_grad():
        result.readout.weight.copy_(model.readout.weight[:, keep])
        result.readout.weight[:, [index[state] for state in removed if state in index]] = 0
        result.readout.bias.copy_(model.readout.bias)
    return result.eval()


def _leading_to(cell: FactoredCell, ends: set[int]) -> set[int]:
    """Return the states from which a path with nonzero weights leads to a state in ``ends``."""
    connected = (cell.tensor() != 0).any(dim=0).cpu().numpy()
    reaching = np.isin(np.arange(cell.states), list(ends))
    while True:
        more = reaching | connected[:, reaching].any(axis=1)
        if (more == reaching).all():
            return set(np.flatnonzero(reaching).tolist())
        reaching = more


def _rebuild(
    model: Classifier,
    factors: Factors,
    initial: Tensor,
    labels: Sequence[str],
    blocks: Sequence[RuleBlock],
    turn: Tensor | None,
) -> Classifier:
    """Return a classifier with these factors and blocks, in which all weights of the readout are zero.

    The words, beta and the pretrained vectors are those of ``model``.
    """
    old = model.cell
    cell = FactoredCell(factors, dtype=old.before.dtype, device=old.before.device)
    cell.beta = old.beta
    if turn is not None:
        cell.register_buffer("pretrained", old.pretrained.clone())
        cell.turn = torch.nn.Parameter(turn.detach().clone())
    final = torch.zeros(len(blocks), len(initial)).to(initial)
    for row, block in enumerate(blocks):
        final[row, list(block.final)] = 1
    return Classifier(FARNN(model.network.words, cell, initial, final), labels, blocks)


def _numpy(values: Tensor) -> np.ndarray:
    return values.detach().double().cpu().numpy()


def _factors(cell: FactoredCell) -> Factors:
    """Return the factors with the current values of the cell's parameters and buffers."""
    return Factors(*map(_numpy, (cell.rules, cell.before, cell.after, cell.apart, cell.stands)))
