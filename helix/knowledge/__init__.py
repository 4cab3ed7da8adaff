"""What is known around the memories: documents, turned into notes that a person can read."""
