"""A command as a process: its output, its limits, its children, and its exit status."""
