"""Everything that can be wrong, as a table: how to make it so, the code to be found, and whether --fix mends it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from importlib.metadata import version
from pathlib import Path

from helix.access.workspaces import Workspaces
from helix.follow.daemon_address import Whereabouts
from helix.harnesses.harness import named
from helix.harnesses.rules import ProjectRule, spell
from helix.harnesses.sync import ProjectFiles
from helix.index.catalog import CATALOG_FILE, Catalog
from helix.vault.hashes import content_hash
from helix.vault.leftovers import complete_name, unfinished_name
from helix.vault.log.event import EventDraft
from helix.vault.log.session_logs import SessionLogs
from helix.vault.paths import Root
from helix.vault.problem import Problem
from helix.vault.text_merge import COLLISION
from tests.doctor.patient import Patient

SECRET = "ghp_" + "9fQ2mXr7LkV4sT0bNcYwZ1aHeJpDgUo3RiB6"
STARTER = "projects/example-app/mem_2026-06-18_retries-with-jitter_xzdowp.md"


@dataclass(frozen=True)
class Fault:
    name: str
    code: str
    seed: Callable[[Patient], object]
    mended: bool = False


def _env(name: str, value: str) -> Callable[[Patient], object]:
    return lambda patient: patient.env.update({name: value.format(place=patient.place)})


def _config(text: str) -> Callable[[Patient], object]:
    return lambda patient: patient.configure(text)


def _file(path: str, content: str | bytes) -> Callable[[Patient], object]:
    return lambda patient: patient.write(path, content)


def _note(more: str = "", body: str = "Something worth keeping.") -> Callable[[Patient], object]:
    return lambda patient: patient.note("mem_2026-06-01_ill_abcdef", more, body)


def changed_log(patient: Patient) -> None:
    logs = SessionLogs(Root(patient.vault), lambda: "m1")
    for text in ("one", "two"):
        logs.append("s", [EventDraft("a.b", "user", {"content": text})])
    log = patient.vault / "sessions/s/m1.jsonl"
    log.write_bytes(log.read_bytes().replace(b'"two"', b'"three"'))


def torn_workspaces(patient: Patient) -> None:
    patient.configure("")
    (patient.config.config_dir / "workspaces.json").write_text('{"workspaces": [')


def _synced(patient: Patient) -> Path:
    """A project whose rules were written into its CLAUDE.md."""
    folder = patient.place / "project"
    folder.mkdir(exist_ok=True)
    patient.note("mem_2026-06-01_rule_abcdef", "kind: rule\nscope: global\n", "Test first.")
    files = ProjectFiles.at(folder, patient.config.state_dir, patient.vault)
    content = spell([ProjectRule("mem_2026-06-01_rule_abcdef", "A note", "Test first.")], None)
    files.sync(content, None, patient.vault, named(["claude-code"]))
    assert not {"harness-drifted", "harness-block-edited", "harness-block-damaged"} & patient.codes()
    return folder / "CLAUDE.md"


def drifted_rules(patient: Patient) -> None:
    _synced(patient)
    patient.note("mem_2026-06-01_rule_abcdef", "kind: rule\nscope: global\n", "Test last.")


def edited_rules(patient: Patient) -> None:
    file = _synced(patient)
    file.write_text(file.read_text().replace("Test first", "Test never"))


def damaged_rules(patient: Patient) -> None:
    file = _synced(patient)
    file.write_text(file.read_text().replace("helix:rules:end", "helix:rules:eend"))


def workspace_without_folder(patient: Patient) -> None:
    Workspaces(patient.config.config_dir, patient.vault).add("acme", "web", patient.place / "gone")


def _git(patient: Patient, *arguments: str) -> None:
    command = [
        "git",
        "-c",
        "user.name=T",
        "-c",
        "user.email=t@localhost",
        "-C",
        str(patient.vault),
        *arguments,
    ]
    subprocess.run(command, check=True, capture_output=True, env={**os.environ, "HOME": str(patient.home)})


def _repository(patient: Patient) -> None:
    _git(patient, "init", "-q", "-b", "main")
    _git(patient, "add", "-A")
    _git(patient, "commit", "-qm", "all")


def _health(patient: Patient, **more: object) -> dict[str, object]:
    return {
        "state": "ready",
        "vault": str(patient.vault),
        "version": version("helix-memory"),
        "reasons": [],
        **more,
    }


# This machine


def two_installations(patient: Patient) -> None:
    patient.program("one", "helix", "helixd", "helix-mcp")
    patient.program("two", "helix", "helixd", "helix-mcp")


def commands_apart(patient: Patient) -> None:
    patient.program("one", "helix")
    patient.program("two", "helixd", "helix-mcp")


def _around(**facts: object) -> Callable[[Patient], object]:
    return lambda patient: patient.around.update(facts)


# Folders


def no_vault(patient: Patient) -> None:
    shutil.rmtree(patient.vault)


def vault_link_to_nothing(patient: Patient) -> None:
    shutil.rmtree(patient.vault)
    patient.vault.symlink_to(patient.place / "unmounted")


def vault_is_a_file(patient: Patient) -> None:
    shutil.rmtree(patient.vault)
    patient.vault.write_text("")


def vault_of_somebody_else(patient: Patient) -> None:
    patient.vault.chmod(0o000)
    patient.is_nobody = True
    patient.stack.callback(patient.vault.chmod, 0o755)


def read_only_folder(patient: Patient) -> None:
    (patient.vault / "global").chmod(0o555)
    patient.is_nobody = True
    patient.stack.callback((patient.vault / "global").chmod, 0o755)


def readable_token(patient: Patient) -> None:
    folder = Path(patient.env["HELIX_CONFIG_DIR"])
    folder.mkdir()
    (folder / "token").write_text("abc\n")
    (folder / "token").chmod(0o644)


def readable_state(patient: Patient) -> None:
    patient.use()
    patient.state.chmod(0o755)


def vault_inside_state(patient: Patient) -> None:
    patient.vault.rename(patient.place / "inner")
    (patient.place / "state").mkdir()
    (patient.place / "inner").rename(patient.place / "state" / "vault")
    patient.env["HELIX_VAULT"] = str(patient.place / "state" / "vault")


# Which vault


def moved(patient: Patient) -> None:
    patient.use()
    patient.vault.rename(patient.place / "moved")
    patient.env["HELIX_VAULT"] = str(patient.place / "moved")


def replaced(patient: Patient) -> None:
    patient.use()
    (patient.vault / ".helix" / "vault.toml").write_text('id = "another"\nformat = 1\n')


# The daemon


def foreign_server(patient: Patient) -> None:
    patient.serve(patient.config.port, "not ours")


def daemon_of_another_vault(patient: Patient) -> None:
    patient.serve(patient.config.port, {**_health(patient), "vault": "/somewhere/else"})


def killed_daemon(patient: Patient) -> None:
    patient.state.mkdir(parents=True, mode=0o700)
    Whereabouts("http://127.0.0.1:1", 99_999_999, "0.1.0").record(patient.state)


def silent_daemon(patient: Patient) -> None:
    patient.lock(f"process {os.getpid()}, a daemon\n")
    Whereabouts("http://127.0.0.1:1", os.getpid(), "0.1.0").record(patient.state)


def another_token(patient: Patient) -> None:
    patient.configure("require_token = true\n")
    patient.daemon_says(_health(patient), status=401)


def degraded_daemon(patient: Patient) -> None:
    reason = {"code": "watcher-restarting", "message": "No space left on device; full scans see changes"}
    patient.daemon_says(_health(patient, state="degraded", reasons=[reason]))


def stopped_daemon(patient: Patient) -> None:
    reason = {"code": "brake-pulled", "message": "40 of 50 notes disappeared at once"}
    patient.daemon_says(_health(patient, state="degraded", reasons=[reason]))


def slow_model(patient: Patient) -> None:
    under_way = {"done": 100, "total": 500, "seconds": 20.0, "message": "indexing 100 of 500, about 20 s"}
    patient.daemon_says(_health(patient, index={"indexing": under_way}))


def notes_gone(patient: Patient) -> None:
    for number in range(30):
        patient.note(f"mem_2026-06-01_n{number}_abcdef")
    patient.use()
    for number in range(30):
        (patient.vault / f"mem_2026-06-01_n{number}_abcdef.md").unlink()


# Notes


def locked_note(patient: Patient) -> None:
    patient.note("mem_2026-06-01_ill_abcdef").chmod(0o000)
    patient.is_nobody = True


def locked_folder(patient: Patient) -> None:
    patient.note("mem_2026-06-01_ill_abcdef", path="closed/n.md")
    (patient.vault / "closed").chmod(0o000)
    patient.is_nobody = True
    patient.stack.callback((patient.vault / "closed").chmod, 0o755)


def pipe(patient: Patient) -> None:
    os.mkfifo(patient.vault / "pipe.md")


def refused_by_the_mender(code: str) -> Callable[[Patient], object]:
    """What a daemon has written down when it could not mend a note."""

    def seed(patient: Patient) -> None:
        patient.use()
        catalog = Catalog(patient.state / CATALOG_FILE)
        with catalog.transaction():
            catalog.put_problem(Problem(STARTER, code, "it could not be proved harmless"))
        catalog.close()

    return seed


def old_file_of_a_forgotten_memory(patient: Patient) -> None:
    """It came back while no daemon ran, and a command has seen it."""
    patient.note("mem_2026-06-01_ill_abcdef", "status: deleted\ndeleted_at: 2026-06-02T10:00:00Z\n")
    patient.use()
    patient.note("mem_2026-06-01_ill_abcdef")
    patient.use()


def not_utf8_name(patient: Patient) -> None:
    with open(os.fsencode(patient.vault) + b"/caf\xe9.md", "wb") as file:
        file.write(b"text\n")


# Ids and links


def conflict_copy(patient: Patient) -> None:
    patient.note("mem_2026-06-01_ill_abcdef")
    patient.note("mem_2026-06-01_ill_abcdef", body="Something else.",
                 path="mem_2026-06-01_ill_abcdef (Bob's conflicted copy 2026-09-25).md")  # fmt: skip


def copied_note(patient: Patient) -> None:
    patient.note("mem_2026-06-01_ill_abcdef")
    patient.note("mem_2026-06-01_ill_abcdef", body="A copy.", path="elsewhere/my copy.md")


def ids_by_case(patient: Patient) -> None:
    patient.note("mem_2026-06-01_ill_abcdef", path="a.md")
    patient.note("mem_2026-06-01_ILL_abcdef", path="b.md")


def old_and_new_active(patient: Patient) -> None:
    patient.note("mem_2026-06-01_old_abcdef")
    patient.note("mem_2026-06-02_new_abcdef", 'supersedes: ["[[mem_2026-06-01_old_abcdef]]"]\n')


def circle(patient: Patient) -> None:
    patient.note("mem_2026-06-01_a_abcdef", 'supersedes: ["[[mem_2026-06-01_b_abcdef]]"]\n')
    patient.note("mem_2026-06-01_b_abcdef", 'supersedes: ["[[mem_2026-06-01_a_abcdef]]"]\n')


# Names


def names_by_case(patient: Patient) -> None:
    patient.note("mem_2026-06-01_a_abcdef", path="Notes/plan.md")
    patient.note("mem_2026-06-01_b_abcdef", path="notes/plan.md")


def link_out(patient: Patient) -> None:
    (patient.place / "other").mkdir()
    (patient.vault / "other").symlink_to(patient.place / "other")


def folder_of_templates(patient: Patient) -> None:
    patient.write("Forms/meeting.md", "---\ndate: {{date}}\n---\nWho was there?\n")
    patient.write(".obsidian/templates.json", '{"folder": "Forms"}')


def link_within(patient: Patient) -> None:
    (patient.vault / "again.md").symlink_to(patient.vault / STARTER)


# Sync


def syncthing_without_line(patient: Patient) -> None:
    (patient.vault / ".stfolder").mkdir()
    (patient.vault / ".stignore").write_text("// mine\n.DS_Store\n")


def linked_rules(patient: Patient) -> None:
    (patient.vault / ".helixignore").unlink(missing_ok=True)
    (patient.place / "rules").write_text("/README.md\n")
    (patient.vault / ".helixignore").symlink_to(patient.place / "rules")


def huge_temp_file(patient: Patient) -> None:
    with (patient.vault / "global" / ".~helix-aaaaaaaaaaaa-bbbbbbbbbbbb-cccccccccccccccc.tmp").open(
        "wb"
    ) as file:
        file.truncate(2 * 1024**3)


def git_in_dropbox(patient: Patient) -> None:
    _repository(patient)
    (patient.vault / ".dropbox.cache").mkdir()


def forgotten_temp_file(patient: Patient) -> None:
    """What a write swapped out two days ago, and no command has come by since."""
    note = patient.note("mem_2026-06-01_ill_abcdef").read_bytes()
    old = note.replace(b"Something", b"Anything")
    patient.write(complete_name(content_hash(note), content_hash(old)), old)
    patient.configure("[follow]\nlinger = 0\n")
    patient.around["now"] = datetime.now(UTC) + timedelta(days=2)


def cut_write(patient: Patient) -> None:
    patient.write(unfinished_name(), "half a no")
    patient.around["now"] = datetime.now(UTC) + timedelta(hours=1)


def late_save(patient: Patient) -> None:
    note = patient.note("mem_2026-06-01_ill_abcdef").read_bytes()
    old = note.replace(b"Something", b"Anything")
    patient.write(complete_name(content_hash(note), content_hash(old)), note.replace(b"worth", b"well worth"))
    patient.configure("[follow]\nlinger = 0\n")


# Derived data


def torn_catalog(patient: Patient) -> None:
    patient.use()
    _tear(patient.state / "catalog.db")


def torn_ancestry(patient: Patient) -> None:
    patient.use()
    _tear(patient.state / "ancestry.db")


def _tear(path: Path) -> None:
    for end in ("-wal", "-shm"):
        path.with_name(path.name + end).unlink(missing_ok=True)
    path.write_bytes(b"SQLite format 3\0" + b"\xff" * 5000)


def torn_index(patient: Patient) -> None:
    patient.configure('model = "none"\n')
    from helix.compose import open_vault
    from helix.memory.search_engine import open_recall

    with open_vault(patient.config) as helix:
        helix.catch_up()
        with open_recall(helix) as recall:
            recall.index.tend(tidy=False)
    for file in (patient.state / "keywords").rglob("*"):
        if file.is_file():
            file.write_bytes(b"torn")


def changed_since(patient: Patient) -> None:
    patient.use()
    patient.note("mem_2026-06-01_ill_abcdef")
    os.utime(patient.vault / "mem_2026-06-01_ill_abcdef.md")


def set_aside(patient: Patient) -> None:
    patient.use()
    (patient.state / "catalog.db.damaged").write_bytes(b"x")


def empty_model(patient: Patient) -> None:
    (patient.place / "model").mkdir()
    patient.env["HELIX_MODEL"] = str(patient.place / "model")


# Git


def unfinished_merge(patient: Patient) -> None:
    _repository(patient)
    (patient.vault / ".git" / "MERGE_HEAD").write_text("0" * 40 + "\n")


def old_lock(patient: Patient) -> None:
    _repository(patient)
    lock = patient.vault / ".git" / "index.lock"
    lock.write_text("")
    os.utime(lock, (time.time() - 7200, time.time() - 7200))


def nobody_commits(patient: Patient) -> None:
    _repository(patient)
    patient.configure("[git]\nautocommit = true\n")


def programs_to_run(patient: Patient) -> None:
    _repository(patient)
    patient.configure("[git]\nautocommit = true\n")
    _git(patient, "config", "filter.x.clean", "cat")


def no_branch(patient: Patient) -> None:
    _repository(patient)
    _git(patient, "checkout", "-q", "--detach")


def union_merge(patient: Patient) -> None:
    _repository(patient)
    (patient.vault / ".gitattributes").write_text("*.md merge=union\n")


def line_ends(patient: Patient) -> None:
    _repository(patient)
    (patient.vault / ".gitattributes").write_text("")
    _git(patient, "config", "core.autocrlf", "true")


def panes_for_git(patient: Patient) -> None:
    _repository(patient)
    (patient.vault / ".gitignore").write_text("")
    patient.write(".obsidian/workspace.json", "{}")


def panes_in_git(patient: Patient) -> None:
    patient.write(".obsidian/workspace.json", "{}")
    _repository(patient)
    _git(patient, "add", "-f", ".obsidian/workspace.json")


def ignored_notes(patient: Patient) -> None:
    _repository(patient)
    (patient.vault / ".git" / "info" / "exclude").write_text("*.md\n")
    patient.note("mem_2026-06-01_ill_abcdef", path="a.md")


def broken_repository(patient: Patient) -> None:
    (patient.vault / ".git").mkdir()


# Hosts


def _host(patient: Patient, entry: object) -> None:
    said = {"mcpServers": {"other": {"command": "/gone/too"}, "helix": entry}}
    (patient.home / ".claude.json").write_text(json.dumps(said))


def vanished_program(patient: Patient) -> None:
    _host(patient, {"type": "stdio", "command": f"{patient.place}/gone/helix-mcp", "args": []})


def vanished_program_of_codex(patient: Patient) -> None:
    file = patient.home / ".codex" / "config.toml"
    file.parent.mkdir()
    file.write_text(f'[mcp_servers.helix]\ncommand = "{patient.place}/gone/helix-mcp"\n')


def vanished_program_of_the_project(patient: Patient) -> None:
    file = patient.place / "project" / ".vscode" / "mcp.json"
    file.parent.mkdir()
    file.write_text('{\n  // ours\n  "servers": {"helix": {"command": "/gone/helix-mcp"}},\n}\n')


def vanished_vault(patient: Patient) -> None:
    patient.program("bin", "helix-mcp")
    _host(patient, {"command": "helix-mcp", "env": {"HELIX_VAULT": str(patient.place / "gone")}})


def vanished_hook(patient: Patient) -> None:
    file = patient.home / ".claude" / "settings.json"
    file.parent.mkdir()
    hook = {"type": "command", "command": f"HELIX_PORT=7879 '{patient.place}/gone/helix-mcp' hook"}
    file.write_text(json.dumps({"hooks": {"SessionStart": [{"hooks": [hook]}]}}))


MERGE_MARKS = "<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> branch"

FAULTS = (
    Fault("an old Python", "python-too-old", _around(python=(3, 10, 14))),
    Fault("two installations", "several-installations", two_installations),
    Fault("commands of two installations", "mixed-installation", commands_apart),
    Fault("a full disk", "disk-nearly-full", _around(free_bytes=lambda path: 300 * 1024 * 1024)),
    Fault("a clock of last year", "clock-behind", _around(now=datetime(2025, 1, 1, tzinfo=UTC))),
    Fault("a note of 2131", "note-from-the-future", _note("updated_at: 2131-01-01T00:00:00Z\n")),
    Fault("few watches", "watch-limit-low", _around(watch_limit=3)),
    Fault("config.toml that is not TOML", "config-unreadable", _config("port = = 1\n")),
    Fault("a misspelt setting", "unknown-setting", _config("prot = 7878\n")),
    Fault("a misspelt setting in a table", "unknown-setting", _config("[git]\nautocomit = true\n")),
    Fault("a port in words", "bad-setting", _config('port = "high"\n')),
    Fault("a port in words in the environment", "bad-setting", _env("HELIX_PORT", "high")),
    Fault("a misspelt variable", "unknown-variable", _env("HELIX_VALUT", "/x")),
    Fault("a state folder on a missing drive", "variable-points-nowhere", _env("HELIX_STATE_DIR", "/gone/drive/s")),
    Fault("a URL of no daemon", "url-unreachable", _env("HELIX_URL", "http://127.0.0.1:1")),
    Fault("a host for everybody", "not-loopback", _config('host = "0.0.0.0"\n')),
    Fault("a token in a readable config.toml", "config-readable-by-others",
          lambda patient: patient.configure('token = "abc"\n').chmod(0o644), mended=True),
    Fault("a project file that came with a clone", "project-file-not-trusted",
          lambda patient: (patient.place / "project" / ".helix-project").write_text("acme\n")),
    Fault("no vault", "vault-missing", no_vault),
    Fault("a link to no vault", "vault-missing", vault_link_to_nothing),
    Fault("a vault that is a file", "vault-not-a-folder", vault_is_a_file),
    Fault("a vault of somebody else", "vault-not-readable", vault_of_somebody_else),
    Fault("a read-only folder", "vault-not-writable", read_only_folder),
    Fault("a state folder that is a file", "state-unusable",
          lambda patient: (patient.place / "state").write_text("")),
    Fault("a config folder below a file", "config-unusable",
          lambda patient: (patient.place / "config").write_text("")),
    Fault("a readable token", "token-readable-by-others", readable_token, mended=True),
    Fault("a readable state folder", "state-readable-by-others", readable_state, mended=True),
    Fault("state inside the vault", "state-inside-vault", _env("HELIX_STATE_DIR", "{place}/vault/.state")),
    Fault("the vault inside the state", "vault-inside-state", vault_inside_state),
    Fault("configuration inside the vault", "config-inside-vault", _env("HELIX_CONFIG_DIR", "{place}/vault/.config")),
    Fault("a vault without a name", "vault-unnamed", lambda patient: shutil.rmtree(patient.vault / ".helix")),
    Fault("a name that cannot be read", "bad-identity", _file(".helix/vault.toml", "id = \n")),
    Fault("a vault of a later format", "unknown-format", _file(".helix/vault.toml", 'id = "a"\nformat = 9\n')),
    Fault("a moved vault", "vault-moved", moved),
    Fault("a list of workspaces that was torn", "workspaces-unreadable", torn_workspaces),
    Fault("a workspace without its folder", "workspace-folder-gone", workspace_without_folder),
    Fault("rules that changed", "harness-drifted", drifted_rules),
    Fault("rules changed by hand in a file", "harness-block-edited", edited_rules),
    Fault("a block without its end", "harness-block-damaged", damaged_rules),
    Fault("a workspace that nobody made", "workspace-not-there", _env("HELIX_WORKSPACE", "nothing")),
    Fault("another vault in its place", "vault-replaced", replaced),
    Fault("a foreign server on the port", "port-taken", foreign_server),
    Fault("the daemon of another vault", "port-of-another-vault", daemon_of_another_vault),
    Fault("what a killed daemon left", "stale-daemon-file", killed_daemon, mended=True),
    Fault("the lock of a dead process", "lock-of-a-dead-process",
          lambda patient: patient.lock("process 99999999, a daemon\n")),
    Fault("a command at work", "vault-busy", lambda patient: patient.lock(f"process {os.getpid()}\n")),
    Fault("a daemon that has just started", "daemon-starting",
          lambda patient: patient.lock(f"process {os.getpid()}, a daemon\n")),
    Fault("a daemon that does not answer", "daemon-unreachable", silent_daemon),
    Fault("a daemon that takes no token", "token-refused",
          another_token),
    Fault("a daemon at another port", "daemon-elsewhere",
          lambda patient: patient.daemon_says(_health(patient), elsewhere=True)),
    Fault("an old daemon", "daemon-other-version",
          lambda patient: patient.daemon_says(_health(patient, version="0.0.1"))),
    Fault("a degraded daemon", "daemon-degraded", degraded_daemon),
    Fault("a daemon that stopped", "many-notes-gone", stopped_daemon),
    Fault("a daemon whose model is behind", "index-behind", slow_model),
    Fault("thirty notes gone", "many-notes-gone", notes_gone),
    Fault("properties that are none", "properties-unread", _file("form.md", "---\ndate: {{date}}\n---\nWho?\n")),
    Fault("YAML that is none", "yaml-syntax", _file("ill [Conflict].md", "---\ntitle: [a, b\n---\ntext\n")),
    Fault("a key twice", "duplicate-key", _file("ill [Conflict].md", "---\nid: a\nid: b\n---\ntext\n")),
    Fault("a list as frontmatter", "not-a-mapping", _file("ill [Conflict].md", "---\n- a\n- b\n---\ntext\n")),
    Fault("a list as key", "bad-key", _file("ill [Conflict].md", "---\n? [a]\n: b\n---\ntext\n")),
    Fault("a YAML tag", "unsupported-tag", _file("ill [Conflict].md", "---\na: !python/name:os.system x\n---\ntext\n")),
    Fault("a deep nest", "too-deep", _file("ill.md", f"---\na: {'[' * 50}{']' * 50}\n---\ntext\n")),
    Fault("very many values", "too-many-nodes", _file("ill.md", f"---\na: [{'1, ' * 6000}1]\n---\ntext\n")),
    Fault("a large frontmatter", "frontmatter-too-large", _file("ill.md", f"---\na: {'x' * 70_000}\n---\ntext\n")),
    Fault("an open frontmatter", "unclosed-frontmatter", _file("ill.md", "---\nid: a\ntitle: b\n")),
    Fault("a mark inside", "bom-inside", _file("ill.md", "---\nid: a\n\ufefftitle: b\n---\n")),
    Fault("markers in the frontmatter", "conflict-markers", _file("ill.md", f"---\nid: a\n{MERGE_MARKS}\n---\n")),
    Fault("Latin-1", "not-utf8", _file("ill.md", b"---\ntitle: caf\xe9\n---\n")),
    Fault("NUL bytes", "nul-bytes", _file("ill.md", b"---\nid: a\n---\n\0\0\0\0")),
    Fault("a huge note", "note-too-large", _file("ill.md", "x" * (5 * 1024 * 1024))),
    Fault("a note that may not be read", "not-permitted", locked_note),
    Fault("a pipe", "bad-note", pipe),
    Fault("markers in the text", "git-conflict", _note(body=f"before\n{MERGE_MARKS}\nafter")),
    Fault("an id with a slash", "bad-id", _file("ill.md", "---\nid: a/b\n---\ntext\n")),
    Fault("both texts", "both-texts-kept", _note(body=f"{COLLISION}\n\nours\ntheirs")),
    Fault("a merge that was refused", "edit-refused", refused_by_the_mender("edit-refused")),
    Fault("a copy that could not be erased", "erased", refused_by_the_mender("erased")),
    Fault("an old file that could not be replaced", "old-file", refused_by_the_mender("old-file")),
    Fault("an old file of a forgotten memory", "old-files", old_file_of_a_forgotten_memory),
    Fault("a folder that may not be listed", "unreadable-folder", locked_folder),
    Fault("a name in Latin-1", "odd-file-name", not_utf8_name),
    Fault("a note without an id", "no-id", _file("plain.md", "Just text.\n")),
    Fault("a status of another tool", "unknown-status", _note("status: done\n")),
    Fault("a scope of another tool", "unknown-scope", _note("scope: team\n")),
    Fault("a project without a name", "scope-without-project", _note("scope: project\n")),
    Fault("importance in words", "wrong-type", _note("importance: high\n")),
    Fault("tags as a mapping", "wrong-type", _note("tags: {a: b}\n")),
    Fault("the 31st of February", "bad-date", _note("created_at: 2026-02-31\n")),
    Fault("an end before the beginning", "dates-out-of-order",
          _note("valid_from: 2026-05-01\nvalid_until: 2026-04-01\n")),
    Fault("erased by typing", "erased-with-text", _note("status: erased\n")),
    Fault("a credential", "secret-in-note", _note(body=f"The deploy key is {SECRET}")),
    Fault("a conflict copy", "conflict-copy", conflict_copy, mended=True),
    Fault("a copied note", "duplicate-id", copied_note, mended=True),
    Fault("ids by case", "ids-differ-by-case", ids_by_case),
    Fault("an edge to nothing", "dangling-edge", _note('depends_on: ["[[mem_2020-01-01_gone_abcdef]]"]\n')),
    Fault("a link to nothing", "dangling-link", _note(body="See [[mem_2020-01-01_gone_abcdef]].")),
    Fault("superseded by nothing", "superseded-by-nothing", _note("status: superseded\n")),
    Fault("old and new at once", "superseded-still-active", old_and_new_active),
    Fault("a circle", "supersedes-circle", circle),
    Fault("names by case", "names-collide", names_by_case),
    Fault("a question mark in a name", "name-windows-cannot-hold",
          lambda patient: patient.note("mem_2026-06-01_ill_abcdef", path="why?.md")),
    Fault("a very long name", "name-too-long",
          lambda patient: patient.note("mem_2026-06-01_ill_abcdef", path=f"{'x' * 245}.md")),
    Fault("a link that leaves", "link-leaves-vault", link_out),
    Fault("a link that stays", "link-not-followed", link_within),
    Fault("a rule that hides all", "ignores-everything", _file(".helixignore", "*\n")),
    Fault("rules of folders", "folder-rules-unread", _file(".helix/visibility.yaml", "handbook: teem\n")),
    Fault("a rule that is none", "bad-ignore-rule", _file(".helixignore", "/README.md\n/templates/\n!\n")),
    Fault("rules behind a link", "ignore-file-unread", linked_rules),
    Fault("more rules than are read", "ignore-file-unread", _file(".helixignore", "/README.md\n" * 1001)),
    Fault("a folder of templates", "templates-left-out", folder_of_templates),
    Fault("a note in iCloud only", "not-downloaded", _file("global/.plan.md.icloud", b"bplist00")),
    Fault("a note in Nextcloud only", "not-downloaded", _file("global/plan.md.nextcloud", b" ")),
    Fault("an empty note", "empty-note", _file("global/plan.md", b"")),
    Fault("Syncthing without the line", "stignore-missing", syncthing_without_line, mended=True),
    Fault("git in Dropbox", "git-in-sync-folder", git_in_dropbox),
    Fault("a write that was cut short", "leftover-temp-file", cut_write),
    Fault("a forgotten temp file", "leftover-temp-file", forgotten_temp_file, mended=True),
    Fault("a late save", "late-save", late_save, mended=True),
    Fault("a huge file with the name of a temp", "large-temp-file", huge_temp_file),
    Fault("a torn catalog", "catalog-damaged", torn_catalog, mended=True),
    Fault("a torn history", "state-file-damaged", torn_ancestry, mended=True),
    Fault("a torn index", "index-broken", torn_index, mended=True),
    Fault("a note changed since", "catalog-behind", changed_since, mended=True),
    Fault("something set aside", "set-aside-data", set_aside, mended=True),
    Fault("a model that is not here", "model-missing", _env("HELIX_MODEL", "no-such-model")),
    Fault("a model without files", "model-broken", empty_model),
    Fault("no model", "words-only", _env("HELIX_MODEL", "none")),
    Fault("autocommit without git", "autocommit-without-repository", _config("[git]\nautocommit = true\n")),
    Fault("a broken repository", "git-unusable", broken_repository),
    Fault("a merge under way", "git-unfinished", unfinished_merge),
    Fault("an old lock of git", "git-index-lock", old_lock),
    Fault("autocommit of nobody", "git-without-identity", nobody_commits),
    Fault("programs of the repository", "autocommit-runs-programs", programs_to_run),
    Fault("no branch", "git-detached-head", no_branch),
    Fault("union merges", "git-union-merge", union_merge),
    Fault("changed line ends", "git-changes-line-ends", line_ends),
    Fault("panes in git", "obsidian-workspace-in-git", panes_in_git),
    Fault("panes that git would take in", "obsidian-workspace-in-git", panes_for_git),
    Fault("ignored notes", "notes-ignored-by-git", ignored_notes),
    Fault("a changed line of a log", "log-broken", changed_log),
    Fault("a cut line of a log", "log-torn-aside", _file("sessions/s/m1.jsonl.90.torn", b'{"seq": 3')),
    Fault("a vanished program", "host-program-gone", vanished_program),
    Fault("a vanished program in TOML", "host-program-gone", vanished_program_of_codex),
    Fault("a vanished program of a project", "host-program-gone", vanished_program_of_the_project),
    Fault("a vanished vault", "host-vault-gone", vanished_vault),
    Fault("a host's file that is no JSON", "host-file-unreadable",
          lambda patient: (patient.home / ".claude.json").write_text('{"mcpServers": ')),
    Fault("a vanished hook", "hook-program-gone", vanished_hook),
)  # fmt: skip
