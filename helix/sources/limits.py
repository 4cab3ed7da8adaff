"""How much of a source is taken in: what is beyond costs a sentence in its health, and nothing else."""

from __future__ import annotations

LARGEST_FILE = 1024 * 1024
"""bytes; what is larger was made by a program, or is data"""
MOST_FILES = 50_000
"""of one source"""
MOST_ENTRIES = 1_000_000
"""names that are looked at, left out ones too"""
MOST_BYTES = 1024 * 1024 * 1024
"""of text, of one source"""
MOST_SOURCES = 100
MOST_PROBLEMS = 200
"""files that are named one by one; the others are counted"""
LONGEST_LINE = 1_000
"""characters of a line that are indexed and shown"""
