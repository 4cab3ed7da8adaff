"""What was said and done in sessions, turned into proposals of memories. A person accepts them; Helix never does."""

FOLDER = "distill"
"""in the state folder: where a program runs that is asked about sessions"""
