"""The runner of evidence, which ``verify``, ``check`` and ``hunt`` use."""
