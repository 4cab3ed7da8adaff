"""Folders and repositories of this machine, searched where they are: listed, read, followed, and never written to."""
