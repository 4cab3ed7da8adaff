from __future__ import annotations

import stat
from pathlib import Path

import pytest

from helix.errors import AlreadyExists, BadValue, HelixError, HostFileError, NotConnected
from helix.hosts import file, splice
from helix.hosts.connect import connect_host, disconnect_host, find_connection, host_statuses
from helix.hosts.fragment import Program, ServerUrl
from helix.hosts.host import Host, Scope
from helix.hosts.registry import HOSTS, get_host
from tests.hosts.machines import EXECUTABLE, PROGRAM, fixtures, machine_in, put_fixture, records_in

OTHER = Program("/elsewhere/helix-mcp")
every_fixture = pytest.mark.parametrize(("name", "scope", "fixture"), fixtures())
every_host = pytest.mark.parametrize("host", HOSTS, ids=lambda host: host.name)


def names_in(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


@every_fixture
def test_a_real_file_gets_our_server_and_keeps_everything_else(
    name: str, scope: Scope, fixture: Path, tmp_path: Path
) -> None:
    host, machine = get_host(name), machine_in(tmp_path)
    path = put_fixture(host, scope, machine, fixture)
    done = connect_host(host, scope, machine, PROGRAM, records_in(tmp_path))
    assert done.changed
    assert path.read_bytes() == fixture.with_suffix(f".connected{fixture.suffix}").read_bytes()
    assert done.backup == path.with_name(path.name + ".helix-backup")
    assert done.backup.read_bytes() == fixture.read_bytes()


@every_fixture
def test_disconnecting_gives_the_original_bytes_back_and_leaves_nothing(
    name: str, scope: Scope, fixture: Path, tmp_path: Path
) -> None:
    host, machine, records = get_host(name), machine_in(tmp_path), records_in(tmp_path)
    path = put_fixture(host, scope, machine, fixture)
    before = names_in(path.parent)
    connect_host(host, scope, machine, PROGRAM, records)
    connect_host(host, scope, machine, OTHER, records, force=True)
    disconnect_host(host, scope, machine, records)
    assert path.read_bytes() == fixture.read_bytes()
    assert names_in(path.parent) == before


@every_fixture
def test_disconnecting_on_a_machine_that_did_not_connect_keeps_every_other_value(
    name: str, scope: Scope, fixture: Path, tmp_path: Path
) -> None:
    host, machine, elsewhere = get_host(name), machine_in(tmp_path), records_in(tmp_path / "elsewhere")
    path = put_fixture(host, scope, machine, fixture)
    before = splice.parse(host.language, path.read_text("utf-8-sig"))
    connect_host(host, scope, machine, PROGRAM, records_in(tmp_path))
    disconnect_host(host, scope, machine, elsewhere)
    after = splice.parse(host.language, path.read_text("utf-8-sig"))
    emptied = splice.with_value(before, host.servers, before.get(host.servers[0], {}))
    assert after in (before, emptied)
    assert find_connection(host, scope, machine) is None


@pytest.mark.parametrize(("host", "scope"), [(host, scope) for host in HOSTS for scope in host.scopes()])
def test_a_file_that_was_not_there_is_gone_again_with_its_folders(
    host: Host, scope: Scope, tmp_path: Path
) -> None:
    machine, records = machine_in(tmp_path), records_in(tmp_path)
    done = connect_host(host, scope, machine, PROGRAM, records)
    assert done.path == host.file(scope, machine)
    assert done.backup is None
    assert disconnect_host(host, scope, machine, records).removed
    assert not names_in(machine.home)
    assert not names_in(machine.folder)


@every_host
def test_a_server_that_was_added_to_our_file_stays(host: Host, tmp_path: Path) -> None:
    machine, records, scope = machine_in(tmp_path), records_in(tmp_path), host.scopes()[0]
    path = connect_host(host, scope, machine, PROGRAM, records).path
    keys, theirs = (*host.servers, "theirs"), {"command": "npx"}
    path.write_text(splice.put(host.language, path.read_text("utf-8"), keys, theirs), "utf-8")
    assert not disconnect_host(host, scope, machine, records).removed
    document = splice.parse(host.language, path.read_text("utf-8"))
    assert splice.find(document, host.servers) == {"theirs": theirs}


@every_host
def test_connecting_twice_changes_nothing_the_second_time(host: Host, tmp_path: Path) -> None:
    machine, records, scope = machine_in(tmp_path), records_in(tmp_path), host.scopes()[0]
    path = connect_host(host, scope, machine, PROGRAM, records).path
    before = path.stat()
    assert not connect_host(host, scope, machine, PROGRAM, records).changed
    after = path.stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_another_server_of_our_name_is_replaced_only_by_force_and_comes_back(tmp_path: Path) -> None:
    host, machine, records = get_host("claude-code"), machine_in(tmp_path), records_in(tmp_path)
    path = machine.folder / ".mcp.json"
    text = '{"mcpServers": {"helix": {"command": "editor", "args": ["--helix"]}, "b": {"command": "b"}}}'
    path.write_text(text)
    with pytest.raises(AlreadyExists, match="--force"):
        connect_host(host, "project", machine, PROGRAM, records)
    assert path.read_text() == text
    with pytest.raises(HelixError, match="not written by `helix connect`"):
        disconnect_host(host, "project", machine, records)
    connect_host(host, "project", machine, PROGRAM, records, force=True)
    assert EXECUTABLE in path.read_text()
    disconnect_host(host, "project", machine, records)
    assert path.read_text() == text
    disconnect_host(host, "project", machine, records, force=True)
    assert path.read_text() == '{"mcpServers": {"b": {"command": "b"}}}'


@every_fixture
def test_a_server_of_another_name_stands_beside_ours_and_each_goes_by_itself(
    name: str, scope: Scope, fixture: Path, tmp_path: Path
) -> None:
    host, machine, records = get_host(name), machine_in(tmp_path), records_in(tmp_path)
    path = put_fixture(host, scope, machine, fixture)
    other = Program(EXECUTABLE, arguments=("--dialect", "zaxy"))
    connect_host(host, scope, machine, PROGRAM, records)
    with_ours = path.read_bytes()
    connect_host(host, scope, machine, other, records, name="zaxy")
    found = find_connection(host, scope, machine, "zaxy")
    assert found is not None
    assert found.executable == EXECUTABLE
    assert "zaxy" in str(found.entry)
    disconnect_host(host, scope, machine, records, name="zaxy")
    assert path.read_bytes() == with_ours
    connect_host(host, scope, machine, other, records, name="zaxy")
    disconnect_host(host, scope, machine, records)
    assert find_connection(host, scope, machine) is None
    disconnect_host(host, scope, machine, records, name="zaxy")
    assert path.read_bytes() == fixture.read_bytes()


def test_an_entry_that_somebody_else_wrote_under_that_name_comes_back(tmp_path: Path) -> None:
    host, machine, records = get_host("claude-code"), machine_in(tmp_path), records_in(tmp_path)
    path = machine.folder / ".mcp.json"
    text = '{"mcpServers": {"zaxy": {"command": "zaxy", "args": ["serve"]}}}'
    path.write_text(text)
    with pytest.raises(AlreadyExists, match="--force"):
        connect_host(host, "project", machine, PROGRAM, records, name="zaxy")
    with pytest.raises(NotConnected, match="has no server 'helix'"):
        disconnect_host(host, "project", machine, records)
    connect_host(host, "project", machine, PROGRAM, records, force=True, name="zaxy")
    disconnect_host(host, "project", machine, records, name="zaxy")
    assert path.read_text() == text


@pytest.mark.parametrize(
    ("name", "text", "line"),
    [
        ("claude-code", '{\n  "mcpServers": {\n    // no\n  }\n}', 3),
        ("claude-code", '{\n  "mcpServers": {},\n}', 2),
        ("claude-code", '{\n  "a": 1\n  "b": 2\n}', 3),
        ("claude-code", '{\n  "mcpServers": []\n}', 2),
        ("claude-code", '{"mcpServers": {}}\n{}', 2),
        ("claude-code", "[]", 1),
        ("vscode", '{\n  "servers": {}\n  /* never ends', 3),
        ("vscode", '{"servers": {},\n "servers": {}}', 2),
        ("zed", '{\n  "a": "text\n"}', 2),
        ("codex", 'a = 1\n[mcp_servers\nb = 2\n', 2),
        ("codex", "mcp_servers = 3\n", None),
        ("hermes", "a: 1\nmcp_servers: [\n", 3),
        ("hermes", "a: 1\nmcp_servers:\n- x\n", 3),
    ],
)  # fmt: skip
def test_a_file_that_cannot_be_read_is_refused_with_its_line_and_stays(
    name: str, text: str, line: int | None, tmp_path: Path
) -> None:
    host, machine = get_host(name), machine_in(tmp_path)
    path = host.file(host.scopes()[0], machine)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    with pytest.raises(HostFileError) as refused:
        connect_host(host, host.scopes()[0], machine, PROGRAM, records_in(tmp_path))
    assert "nothing was changed" in refused.value.message
    assert f"{path}:{line}: " in refused.value.message or line is None
    assert path.read_text() == text
    assert names_in(path.parent) == {path.name}


def test_a_file_in_another_encoding_is_refused(tmp_path: Path) -> None:
    machine = machine_in(tmp_path)
    path = machine.folder / ".mcp.json"
    path.write_bytes('{"mcpServers": {}}'.encode("utf-16"))
    with pytest.raises(HostFileError, match="UTF-8"):
        connect_host(get_host("claude-code"), "project", machine, PROGRAM, records_in(tmp_path))


def test_a_linked_dotfile_stays_a_link_and_its_target_keeps_its_mode(tmp_path: Path) -> None:
    host, machine, records = get_host("claude-code"), machine_in(tmp_path), records_in(tmp_path)
    target = tmp_path / "dotfiles" / "claude.json"
    target.parent.mkdir()
    target.write_text('{"theme": "dark"}')
    target.chmod(0o600)
    link = machine.home / ".claude.json"
    link.symlink_to(target)
    done = connect_host(host, "user", machine, PROGRAM, records)
    assert link.is_symlink()
    assert EXECUTABLE in target.read_text()
    assert done.backup == target.with_name("claude.json.helix-backup")
    for path in (target, done.backup):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    disconnect_host(host, "user", machine, records)
    assert link.is_symlink()
    assert target.read_text() == '{"theme": "dark"}'


def test_an_earlier_backup_is_never_overwritten(tmp_path: Path) -> None:
    host, machine, records = get_host("cursor"), machine_in(tmp_path), records_in(tmp_path)
    path = host.file("user", machine)
    path.parent.mkdir()
    earlier = path.with_name("mcp.json.helix-backup")
    earlier.write_text("precious")
    path.write_text("{}")
    done = connect_host(host, "user", machine, PROGRAM, records)
    assert done.backup == path.with_name("mcp.json.helix-backup-2")
    assert earlier.read_text() == "precious"


def test_a_host_that_writes_at_the_same_moment_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Claude Code saves ~/.claude.json while it runs. The save comes between our reading and our replacing."""
    host, machine, records = get_host("claude-code"), machine_in(tmp_path), records_in(tmp_path)
    path = machine.home / ".claude.json"
    path.write_text('{"numStartups": 1}')
    real, saves = file._write_draft, iter(['{"numStartups": 2}'])

    def write_draft(draft: Path, data: bytes, like: file.FileSnapshot) -> None:
        real(draft, data, like)
        if draft.suffix == ".tmp" and (said := next(saves, None)):
            path.write_text(said)

    monkeypatch.setattr(file, "_write_draft", write_draft)
    connect_host(host, "user", machine, PROGRAM, records)
    assert splice.parse("json", path.read_text())["numStartups"] == 2
    disconnect_host(host, "user", machine, records)
    assert path.read_text() == '{"numStartups": 2}'


def test_a_file_that_cannot_be_written_is_said_and_nothing_changes(tmp_path: Path) -> None:
    machine = machine_in(tmp_path)
    (machine.folder / ".cursor").write_text("a file where a folder should be")
    with pytest.raises(HostFileError, match="cannot be written"):
        connect_host(get_host("cursor"), "project", machine, PROGRAM, records_in(tmp_path))
    assert names_in(machine.folder) == {".cursor"}


def test_disconnecting_says_where_the_connection_is_instead(tmp_path: Path) -> None:
    host, machine, records = get_host("cursor"), machine_in(tmp_path), records_in(tmp_path)
    with pytest.raises(NotConnected, match=r"no server 'helix' in \.cursor/mcp\.json$"):
        disconnect_host(host, "project", machine, records)
    connect_host(host, "user", machine, PROGRAM, records)
    with pytest.raises(NotConnected, match=r"it is in ~/\.cursor/mcp\.json \(--user\)"):
        disconnect_host(host, "project", machine, records)


@every_host
def test_no_secret_is_written_where_the_daemon_asks_for_one(host: Host, tmp_path: Path) -> None:
    machine, records, scope = machine_in(tmp_path), records_in(tmp_path), host.scopes()[0]
    server = ServerUrl("http://127.0.0.1:7878/mcp", needs_token=True)
    if host.name in ("claude-desktop", "zed"):
        with pytest.raises(BadValue, match="leave --http out"):
            connect_host(host, scope, machine, server, records)
        return
    path = connect_host(host, scope, machine, server, records).path
    assert "HELIX_TOKEN" in path.read_text()
    assert "http://127.0.0.1:7878/mcp" in path.read_text()


def test_the_list_says_what_is_here_and_what_is_connected(tmp_path: Path) -> None:
    machine, records = machine_in(tmp_path), records_in(tmp_path)
    (machine.home / ".codex").mkdir()
    connect_host(get_host("cursor"), "project", machine, PROGRAM, records)
    (machine.folder / ".mcp.json").write_text("{oops")
    found = {one.host.name: one for one in host_statuses(machine)}
    assert [name for name, one in found.items() if one.detected] == ["codex"]
    assert [name for name, one in found.items() if one.connections] == ["cursor"]
    assert found["cursor"].connections[0].executable == EXECUTABLE
    assert "line" not in found["claude-code"].problems[0]
    assert ".mcp.json:1:" in found["claude-code"].problems[0]


@pytest.mark.parametrize(
    ("name", "platform", "env", "expected"),
    [
        ("claude-desktop", "darwin", {}, "Library/Application Support/Claude/claude_desktop_config.json"),
        ("claude-desktop", "win32", {}, "AppData/Roaming/Claude/claude_desktop_config.json"),
        ("claude-desktop", "linux", {}, ".config/Claude/claude_desktop_config.json"),
        ("claude-desktop", "linux", {"XDG_CONFIG_HOME": "/xdg"}, "/xdg/Claude/claude_desktop_config.json"),
        ("vscode", "darwin", {}, "Library/Application Support/Code/User/mcp.json"),
        ("vscode", "linux", {}, ".config/Code/User/mcp.json"),
        ("zed", "darwin", {}, ".config/zed/settings.json"),
        ("zed", "win32", {"APPDATA": "/roaming"}, "/roaming/Zed/settings.json"),
        ("codex", "linux", {"CODEX_HOME": "/codex"}, "/codex/config.toml"),
        ("claude-code", "linux", {"CLAUDE_CONFIG_DIR": "/claude"}, "/claude/.claude.json"),
        ("hermes", "win32", {}, "AppData/Local/hermes/config.yaml"),
        ("hermes", "linux", {"HERMES_HOME": "not absolute"}, ".hermes/config.yaml"),
    ],
)
def test_the_users_file_is_where_the_host_looks_on_that_system(
    name: str, platform: str, env: dict[str, str], expected: str, tmp_path: Path
) -> None:
    machine = machine_in(tmp_path, platform, env)
    assert get_host(name).file("user", machine) == machine.home / expected


def test_a_host_is_found_by_its_name_however_it_is_typed() -> None:
    assert get_host("Claude Code") is get_host("claude-code") is get_host("claudecode")
    with pytest.raises(BadValue, match="did you mean cursor"):
        get_host("cursr")
