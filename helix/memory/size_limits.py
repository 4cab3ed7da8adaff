"""How much may be asked for at once: stated here for the verbs that check it and for the surfaces that say it."""

from __future__ import annotations

LEAST_TOKENS = 64
MOST_TOKENS = 200_000
"""of an answer"""

MOST_AT_ONCE = 50
"""entries of most listings"""
HITS_SHOWN = 8
"""of a search that names no limit, at most"""
MOST_NODES = 500
"""nodes and edges of a page of the graph"""
MOST_POINTS = 5_000
"""of a page of the map"""
MOST_EVENTS = 200
"""of a page of the timeline"""
MOST_FILED = 500
"""memories that are filed at once"""
MOST_PHASES = 20
DEEPEST = 3
"""edges from a memory to what still is its neighbour"""

LONGEST_TEXT = 100_000
"""characters of markdown that are shown as HTML"""
