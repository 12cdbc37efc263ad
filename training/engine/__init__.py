"""The engine of all experiments: a run is a function of a configuration whose result is a file."""
