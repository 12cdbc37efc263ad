"""Published recurrent layers, kernels and models, tested with ``believe_kernel`` and ``believe_stateful``.

Like ``bench``, this package is not part of the installed project. It requires additional libraries, so CI
does not run it. It imports ratproof, and only tests and the documentation use its files.
"""
