"""The loops below the layers: the elementwise recurrences, their gradients, and where two numbers are
equal.
"""

from __future__ import annotations

import pytest
import torch

from neural.example_6 import Example6
from neural.recurrence import elementwise, max_plus

D = torch.float64


@pytest.mark.parametrize("loop", [elementwise, max_plus])
def test_gradients_are_those_of_finite_differences(loop):
    f, u, c = (torch.randn(*s, dtype=D, requires_grad=True) for s in ((4, 3), (4, 3), (3,)))
    assert torch.autograd.gradcheck(loop, (f, u, c))


@pytest.mark.parametrize("start", [-torch.inf, -1.0, 0.0, 1.0])
def test_max_plus_has_the_subgradients_of_maximum(start):
    """Ties among them: many of these numbers are equal."""
    torch.manual_seed(0)
    whole = [torch.randint(-2, 2, s).to(D) for s in ((6, 4, 3), (6, 4, 3))] + [
        torch.full((4, 3), start, dtype=D)
    ]
    results = []
    for fast in (True, False):
        f, u, c = (x.clone().requires_grad_() for x in whole)
        if fast:
            states = max_plus(f, u, c)
        else:
            parts, before = [], c
            for a, b in zip(f, u, strict=True):
                before = torch.maximum(a + before, b)
                parts.append(before)
            states = torch.stack(parts)
        (states * torch.arange(1, 73, dtype=D).reshape(6, 4, 3)).sum().backward()
        results.append([states.detach(), f.grad, u.grad, c.grad])
    torch.testing.assert_close(results[0], results[1])


@pytest.mark.parametrize("loop", [elementwise, max_plus])
def test_no_steps_leave_no_states(loop):
    none = torch.zeros(0, 2, 3, dtype=D, requires_grad=True)
    states = loop(none, none, torch.zeros(2, 3, dtype=D))
    assert states.shape == (0, 2, 3)
    states.sum().backward()


def test_a_network_of_one_cell_shows_its_parts():
    layer = Example6(3, 2)
    assert layer.forget is layer.cell.forget
    with pytest.raises(AttributeError):
        _ = Example6(3, 2, num_layers=2).forget
    with pytest.raises(AttributeError):
        _ = layer.forgotten
