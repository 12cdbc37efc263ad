"""Reports as HTML; each report is one self-contained file."""
