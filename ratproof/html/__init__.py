"""Reports as HTML, each one file that needs no network."""
