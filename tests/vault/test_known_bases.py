from __future__ import annotations

from pathlib import Path

from helix.vault import frontmatter
from helix.vault.ancestry import STATES_PER_MEMORY, Ancestry
from helix.vault.edit import edit
from helix.vault.merge import state_of, with_ancestors


def test_hundreds_of_automatic_saves_do_not_push_out_the_state_that_helix_wrote(tmp_path: Path) -> None:
    ancestry = Ancestry(tmp_path / "ancestry.db")
    meta = {"id": "mem_x", "title": "Note"}
    written = frontmatter.parse(
        frontmatter.create({**meta, "rev": with_ancestors(meta, "text\n", ())}, "text\n")
    )
    ancestry.remember("mem_x", written)
    for number in range(STATES_PER_MEMORY * 2):
        ancestry.remember("mem_x", edit(written, {}, f"text\nand the word {number}\n"))

    assert ancestry.find("mem_x", state_of(written)) == written
    first_save = edit(written, {}, "text\nand the word 0\n")
    assert ancestry.find("mem_x", state_of(first_save)) is None
