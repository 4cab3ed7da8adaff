"""The web side of logging in from elsewhere."""
