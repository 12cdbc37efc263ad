"""Reports as HTML, each one self-contained file."""
