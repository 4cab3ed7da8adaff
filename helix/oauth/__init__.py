"""Logging in from elsewhere: grants that people give to programs, and the tokens that programs show for them."""
