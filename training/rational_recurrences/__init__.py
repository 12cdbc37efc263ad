"""The experiments of Peng et al. 2018, section 6: text classification with rational recurrences."""
