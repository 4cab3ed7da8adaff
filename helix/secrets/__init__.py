"""Credentials that agents may use and nobody can read: kept encrypted in the config folder, given to programs alone."""
