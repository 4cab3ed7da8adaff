"""helix edit: a memory in the person's own editor.

The text is edited in a draft beside the index, and the draft stays until what is in it is safe in the vault.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from helix.cli.open_vault import session
from helix.cli.options import MemoryId
from helix.cli.output import Json, err, out, print_json, reports_errors
from helix.errors import BadValue, ConfigError, HelixError, MemoryErased
from helix.memory.writing.drafts import Draft
from helix.vault.vault_id import state_folder

if TYPE_CHECKING:
    from helix.memory.followed_vault import FollowedVault
    from helix.vault.note import Note

_EDITORS = ("editor", "nano", "vim", "vi", "notepad")


@reports_errors
def edit(
    context: typer.Context,
    memory_id: MemoryId,
    allow_secrets: Annotated[
        bool, typer.Option("--allow-secrets", help="Also what looks like a credential.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Change a memory in your editor.

    $VISUAL or $EDITOR opens its file, frontmatter and all. If the file changes meanwhile, both changes are merged. A
    text that cannot be kept stays in a draft, and the next `helix edit` goes on with it.
    """
    with session(context) as helix:
        note = helix.store.get(memory_id)
        if note.is_erased:
            raise MemoryErased(f"{note.id} was erased; nothing of it is left to change")
        draft = Draft.of(note.id, state_folder(helix.config.state_dir, helix.config.vault))
        if draft.is_there() and draft.is_changed():
            err.print(f"helix: going on with the draft in {draft.text}", style="yellow")
        else:
            from helix.vault import frontmatter

            draft.begin(frontmatter.emit(note.document))
    # The vault is not held while the person writes: that may take all day.
    while True:
        _open_editor(draft.text)
        if draft.is_there() and not draft.is_changed():
            draft.end()
            _answer(memory_id, "noop", note.path, note.hash, as_json)
            return
        try:
            with session(context) as helix:
                after, merged = _keep(helix, note.id, draft, allow_secrets)
            draft.end()
            _answer(after.id, "merged" if merged else "updated", after.path, after.hash, as_json)
            return
        except MemoryErased:
            draft.end()  # for good: also what the editor wrote after the draft was taken away
            raise
        except HelixError as error:
            if not _wants_another_try(error):
                error.message = (
                    f"{error.message}. Nothing was written; your text is in {draft.text}, and "
                    f"`helix edit {memory_id}` goes on with it"
                )
                raise


def _keep(helix: FollowedVault, memory_id: str, draft: Draft, allow_secrets: bool) -> tuple[Note, bool]:
    from helix.memory.writing.write import check_secrets
    from helix.vault import frontmatter
    from helix.vault.note import Note

    before = helix.store.get(memory_id)
    if before.is_erased:
        raise MemoryErased(f"{memory_id} was erased; nothing of it is left to change")
    if not draft.is_there():
        raise HelixError(
            "what you were shown is gone from the state folder, and nothing can be compared with it"
        )
    edited = Note.parse(draft.text.name, draft.text.read_bytes())
    shown = frontmatter.parse(draft.shown.read_bytes())
    if edited.meta.get("id") != shown.meta.get("id"):
        raise BadValue(f"the id names the memory for good; put id: {shown.meta.get('id', '(none)')} back")
    if not edited.memory.body.strip():
        raise BadValue("the text is empty; to remove a memory, `helix forget` it")
    if edited.memory.status == "erased":
        raise BadValue("`helix forget --hard` erases a memory; the status alone would not")
    # As it will stand in the file, comments and all.
    check_secrets(allow_secrets, {"the note": draft.text.read_text("utf-8", "replace")})
    after = helix.store.revise(memory_id, edited.document, based_on=shown).note
    return after, frontmatter.emit(before.document) != draft.shown.read_bytes()


def _open_editor(file: Path) -> None:
    chosen = next(
        (os.environ[name] for name in ("VISUAL", "EDITOR") if os.environ.get(name, "").strip()), None
    )
    command = shlex.split(chosen) if chosen else [next(filter(shutil.which, _EDITORS), "")]
    if not command[0] or shutil.which(command[0]) is None:
        raise ConfigError(
            f"the editor {chosen!r} is not there; set EDITOR" if chosen else "set EDITOR to your editor"
        )
    done = subprocess.run([*command, str(file)])
    if done.returncode:
        raise HelixError(f"{command[0]} ended with status {done.returncode}; your text is in {file}")


def _wants_another_try(error: HelixError) -> bool:
    if not (sys.stdin.isatty() and err.is_terminal):
        return False
    err.print(f"helix: {error.message}", style="red")
    err.stream.write("Edit it again? [Y/n] ")
    err.stream.flush()
    return sys.stdin.readline().strip().lower() in ("", "y", "yes")


def _answer(memory_id: str, status: str, path: str, content_hash: str, as_json: bool) -> None:
    if as_json:
        print_json({"id": memory_id, "status": status, "path": path, "hash": content_hash})
    else:
        out.print(f"{memory_id}  {status}  {path}")
        if status == "merged":
            err.print("The file had changed meanwhile; both changes are in it.", style="yellow")
