"""Tasks that are done elsewhere: in processes of this machine, or by the workers of a Dask cluster."""
