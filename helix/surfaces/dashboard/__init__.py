"""The page at `/`: files of this package that a browser runs. It asks the public REST API and nothing else."""
