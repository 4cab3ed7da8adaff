"""What happened in sessions, and what it taught: the verbs over the event log."""
