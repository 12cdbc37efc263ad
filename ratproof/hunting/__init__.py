"""The hunt for counterexamples, which runs numbered, reproducible rounds of random cases."""
