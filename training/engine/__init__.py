"""The engine of all experiments, which trains a configuration and writes its result to a file."""
