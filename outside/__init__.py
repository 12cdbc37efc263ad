"""Published recurrent layers, kernels and models, tested with ``believe_kernel`` and ``believe_stateful``.

This package is separate, like ``bench``: it needs libraries that the project does not, so CI does not run it,
and no wheel contains it. It imports ratproof. In the rest of the project, only tests import it, and the page
of its verdicts reads its files.
"""
