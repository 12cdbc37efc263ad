"""What is out there: recurrent layers, kernels and models of published libraries, held against the laws of
:func:`~ratproof.user_claims.kernels.believe_kernel` and :func:`~ratproof.user_claims.stateful.believe_stateful`.

A room by itself, beside ``bench``: it needs libraries that the project does not, so no test and no CI runs it,
and it is in no wheel. It imports ratproof, and nothing imports it but the page that shows its verdicts.
"""
