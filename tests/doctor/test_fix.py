"""Mending keeps what a person wrote."""

from __future__ import annotations

import pytest

from helix.doctor.sync import STIGNORE_LINE
from tests.doctor.patient import Patient, admitted

_LINE = STIGNORE_LINE.encode()


def _stignore(patient: Patient, content: bytes) -> None:
    (patient.vault / ".stfolder").mkdir()
    (patient.vault / ".stignore").write_bytes(content)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"\r\n\r\n// mine\r\n.DS_Store\r\n\r\n\r\n", b"\r\n\r\n// mine\r\n.DS_Store\r\n\r\n\r\n%s\r\n"),
        (b"\n\n.DS_Store   \n\n", b"\n\n.DS_Store   \n\n%s\n"),
        (b".DS_Store", b".DS_Store\n%s\n"),
        (b"a\r\nb", b"a\r\nb\r\n%s\r\n"),
        (b"\xef\xbb\xbfcaf\xe9\n", b"\xef\xbb\xbfcaf\xe9\n%s\n"),
        (b"", b"%s\n"),
    ],
)
def test_a_line_for_syncthing_is_added_and_every_other_byte_stays(before: bytes, after: bytes) -> None:
    with admitted() as patient:
        _stignore(patient, before)
        assert [deed.is_done for deed in patient.fix()] == [True]
        assert (patient.vault / ".stignore").read_bytes() == after.replace(b"%s", _LINE)


def test_a_stignore_that_is_a_link_is_not_followed() -> None:
    with admitted() as patient:
        _stignore(patient, b"")
        outside = patient.place / "outside.conf"
        outside.write_bytes(b"\r\n# my settings\r\n")
        (patient.vault / ".stignore").unlink()
        (patient.vault / ".stignore").symlink_to(outside)
        assert "stignore-missing" in patient.codes()
        [deed] = patient.fix()
        assert not deed.is_done
        assert "link" in deed.what
        assert outside.read_bytes() == b"\r\n# my settings\r\n"
        assert (patient.vault / ".stignore").is_symlink()


def test_a_stignore_above_the_vault_is_left_to_its_owner() -> None:
    with admitted() as patient:
        above = patient.vault.parent
        (above / ".stfolder").mkdir()
        (above / ".stignore").write_bytes(b"// of everything here\n")
        assert "stignore-missing" in patient.codes()
        [deed] = patient.fix()
        assert not deed.is_done
        assert STIGNORE_LINE in deed.what
        assert (above / ".stignore").read_bytes() == b"// of everything here\n"
