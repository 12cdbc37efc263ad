"""The training engine of all experiments, which trains a network and writes its result to a file."""
