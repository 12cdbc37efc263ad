"""Language modelling with rational recurrences (Peng et al. 2018, section 6.2)."""
