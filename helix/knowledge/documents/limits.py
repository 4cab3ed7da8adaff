"""How much of a document is taken: what is beyond costs a line in the report, and nothing else."""

from __future__ import annotations

LARGEST_FILE = 64 * 1024 * 1024
MOST_PAGES = 2_000
"""pages, slides, sheets or cells"""
MOST_CHARACTERS = 10_000_000
"""of text, whatever the file weighs"""
SECONDS = 60.0
"""for one file"""
MEMORY = 1024 * 1024 * 1024
"""bytes that the process of the readers may have"""
MOST_UNPACKED = 256 * 1024 * 1024
"""bytes in all that the parts of an Office file may unpack to"""
MOST_FILES = 20_000
"""of a folder that is ingested at once"""
MOST_PROBLEMS = 500
"""that a report names one by one; it counts the others"""
