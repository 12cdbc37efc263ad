"""The process of a command: its output, limits, child processes and exit status."""
