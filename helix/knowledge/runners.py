"""Which function of this floor does which kind of long work."""

from __future__ import annotations

from collections.abc import Mapping

INGEST = "ingest"

RUNNERS: Mapping[str, str] = {INGEST: "knowledge.documents.ingest_job:run"}
