"""Theorems about what recurrent networks can and cannot compute."""
