"""What can be wrong with a vault and everything around it, why, and what to do about it."""
