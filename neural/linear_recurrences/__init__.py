"""Torch layers of linear recurrences such as Mamba, GLA and DeltaNet, one file for each layer."""
