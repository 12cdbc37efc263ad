"""A command as a process: its output, its limits, its children, its exit status."""
