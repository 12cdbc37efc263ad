"""How a command behaves as a process: what it writes, its limits, its children, its exit status."""
