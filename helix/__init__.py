"""Helix: a memory layer for coding agents that its owner can read."""
