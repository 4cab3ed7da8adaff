"""What is put before others to be followed or used: skills."""
