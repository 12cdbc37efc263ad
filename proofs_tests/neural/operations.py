"""Helpers for the tests of scans: the available backends, and torch's checks of an operation."""

import pytest
import torch

from neural.scan import compiled

in_c = pytest.mark.skipif(bool(compiled.lacking()), reason="there is no C++ compiler")
each_backend = pytest.mark.parametrize("backend", ["torch", pytest.param("c++", marks=in_c)])


def require_known(operation, *arguments):
    """Assert that an operation and the operation of its gradient pass ``torch.library.opcheck``."""
    plain = [x.detach() if torch.is_tensor(x) else x for x in arguments]
    results = operation(*plain)
    results = results if isinstance(results, tuple) else (results,)
    at = operation._at
    back = (*map(torch.randn_like, results), *plain[:at], *results, *plain[at:])
    own = [x.clone().requires_grad_() if torch.is_tensor(x) and x.is_floating_point() else x for x in plain]
    for operator, values in ((operation, tuple(own)), (operation.backward, back)):
        assert set(torch.library.opcheck(operator.registered, values).values()) == {"SUCCESS"}


def require_same_compiled_and_exported(function, values):
    """Assert that a module of the function computes the same result if it is compiled or exported."""

    class Network(torch.nn.Module):
        def forward(self, *values):
            return function(*values)

    torch.compiler.reset()  # all modules share their code, and torch limits the number of compiled versions
    network, expected = Network(), function(*values)
    assert torch.equal(torch.compile(network, fullgraph=True, backend="aot_eager")(*values), expected)
    assert torch.equal(torch.export.export(network, tuple(values)).module()(*values), expected)


def require_same_in_batches(function, values, axes):
    """Assert that gradients under vmap, along these axes, equal those of each sequence on its own."""
    positions = tuple(range(len(values)))
    total = lambda *values: function(*values).sum()
    each = torch.func.vmap(torch.func.grad(total, argnums=positions), in_dims=axes)(*values)
    leaves = [x.clone().requires_grad_() for x in values]
    total(*leaves).backward()
    for gradient, leaf, axis in zip(each, leaves, axes, strict=True):
        torch.testing.assert_close(gradient.movedim(0, axis), leaf.grad)
