"""Every code that is raised is known, and has one exit status."""

from __future__ import annotations

import re
from pathlib import Path

from helix import errors
from helix.codes import CODES, EXIT_STATUS, exit_status, to_error
from helix.errors import HelixError
from helix.surfaces.problems import REFUSALS

ROOT = Path(__file__).resolve().parent.parent


def test_every_code_in_the_source_is_known_and_explained() -> None:
    files = [file for file in (ROOT / "helix").rglob("*.py") if "doctor" not in file.parts]  # it has findings
    raised = {
        code for file in files for code in re.findall(r'\bcode="([a-z0-9-]+)"', file.read_text("utf-8"))
    }
    classes = {
        kind.code for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, HelixError)
    }
    known = [one.code for one in CODES]
    assert sorted((raised | classes | set(REFUSALS)) - set(known)) == []
    assert len(known) == len(set(known))
    assert all(one.exit_status in EXIT_STATUS and one.meaning and one.remedy for one in CODES)


def test_an_error_that_a_daemon_told_of_is_the_error_it_was() -> None:
    for one in CODES:
        error = to_error(one.code, "a sentence")
        assert (type(error), error.code, error.message) == (one.kind, one.code, "a sentence")
        assert exit_status(error) == one.exit_status
    assert exit_status(to_error("from-the-future", "a sentence")) == 1
