"""What the claims about state-regularized networks share: no claims themselves."""
