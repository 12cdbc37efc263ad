"""What the claims about rational recurrences share: no claims themselves."""
