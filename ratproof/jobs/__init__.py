"""Tasks in local processes or on the workers of a Dask cluster."""
