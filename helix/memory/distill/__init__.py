"""What was said and done in sessions, turned into proposals of memories. A person accepts them; Helix never does."""
