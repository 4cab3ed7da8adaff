"""The hosts of agents: where each keeps its configuration, and changing it with care."""
