"""What is out there: recurrent layers, kernels and models of published libraries, held against the laws of
``believe_kernel`` and ``believe_stateful``.

A room by itself, beside ``bench``: it needs libraries that the project does not, so no CI runs it, and it is
in no wheel. It imports ratproof; of the rest of the project only tests look into it, and the page that shows
its verdicts reads its files.
"""
