"""The hunt: numbered rounds of random cases, the same ones on any number of processes or machines."""
