"""Published recurrent layers, kernels and models, tested with ``believe_kernel`` and ``believe_stateful``.

Like ``bench``, this package is separate: it requires additional libraries, so CI does not run it, and no
wheel contains it. It imports ratproof. In the rest of the project, only tests import it, and the page of its
verdicts reads its files.
"""
