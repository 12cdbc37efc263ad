"""The process of a command, with its output, limits, children and exit status."""
