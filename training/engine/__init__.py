"""The engine of all experiments: it trains a configuration and writes its result to a file."""
