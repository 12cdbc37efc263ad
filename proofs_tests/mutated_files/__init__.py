"""Every kind of file that is read, mutated: one sentence and exit status 2, or a right answer."""
