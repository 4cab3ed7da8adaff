from __future__ import annotations

import os
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from helix.errors import BadValue, HistoryError, OutsideVault
from helix.vault.history import History
from tests.vault.git_sandbox import FIRST_COMMIT, Sandbox, note

ID = "mem_2026-06-18_auth-retry-policy_a1b2"
ODD_NAMES = [
    "with space.md",
    "quote\"'s.md",
    "line\nbreak.md",
    "Überblick 日本.md",
    "-rf.md",
    ":(top)[a]*?.md",
]


def history_of(sandbox: Sandbox) -> History:
    found = History.find(sandbox.vault)
    assert found is not None
    return found


def subjects(sandbox: Sandbox, memory_id: str, path: str) -> list[str]:
    return [version.subject for version in history_of(sandbox).versions(memory_id, path)]


# Where there is a history


def test_a_folder_outside_any_repository_has_no_history_and_says_why(
    isolated_git: None, tmp_path: Path
) -> None:
    assert History.find(tmp_path) is None
    assert "git init" in History.why_not(tmp_path)


def test_a_folder_that_is_not_there_has_no_history(tmp_path: Path) -> None:
    assert History.find(tmp_path / "gone") is None
    assert "no folder" in History.why_not(tmp_path / "gone")


def test_without_git_on_the_path_there_is_no_history(
    sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "empty").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    assert History.find(sandbox.vault) is None
    assert "not installed" in History.why_not(sandbox.vault)


def test_a_program_called_git_in_the_vault_is_not_run(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    sandbox.write("git", "#!/bin/sh\ntouch ran\n")
    (sandbox.vault / "git").chmod(0o755)
    monkeypatch.chdir(sandbox.vault)
    monkeypatch.setenv("PATH", ".")
    assert History.find(sandbox.vault) is None
    assert not (sandbox.vault / "ran").exists()


def test_the_inside_of_a_git_folder_is_no_vault(sandbox: Sandbox) -> None:
    assert "without a work tree" in History.why_not(sandbox.top / ".git")


def test_where_there_is_a_history_there_is_nothing_to_explain(sandbox: Sandbox) -> None:
    assert History.why_not(sandbox.vault) == ""


def test_a_repository_named_by_the_environment_does_not_replace_the_vaults(
    sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sandbox.write("a.md", note(ID))
    sandbox.save("ours")
    Sandbox.create(tmp_path / "other")
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "other" / ".git"))
    assert subjects(sandbox, ID, "a.md") == ["ours"]


# Versions


def test_versions_are_listed_newest_first_with_all_that_is_known(sandbox: Sandbox) -> None:
    sandbox.write("a.md", note(ID, "one\n"))
    sandbox.save("first")
    sandbox.write("a.md", note(ID, "two\n"))
    head = sandbox.save("second")
    newest, oldest = history_of(sandbox).versions(ID, "a.md")
    assert (newest.commit, newest.short) == (head, head[:10])
    assert (newest.author, newest.subject, newest.path) == ("Ada", "second", "a.md")
    assert newest.time == datetime.fromtimestamp(FIRST_COMMIT + 3600, tz=UTC)
    assert newest.data_id == sandbox.git("rev-parse", "HEAD:a.md")
    assert oldest.subject == "first"


def test_a_limit_keeps_the_newest(sandbox: Sandbox) -> None:
    for body in ("one", "two", "three"):
        sandbox.write("a.md", note(ID, body))
        sandbox.save(body)
    assert [version.subject for version in history_of(sandbox).versions(ID, "a.md", limit=2)] == [
        "three",
        "two",
    ]


def test_an_empty_repository_has_no_versions(sandbox: Sandbox) -> None:
    sandbox.write("a.md", note(ID))
    assert history_of(sandbox).versions(ID, "a.md") == []


def test_a_memory_never_committed_has_no_versions(sandbox: Sandbox) -> None:
    sandbox.write("other.md", note("mem_other"))
    sandbox.save()
    assert history_of(sandbox).versions(ID, "a.md") == []


def test_a_commit_that_only_renames_is_not_a_version(sandbox: Sandbox) -> None:
    sandbox.write("a.md", note(ID))
    sandbox.save("born")
    sandbox.git("mv", "a.md", "b.md")
    sandbox.save("renamed")
    assert subjects(sandbox, ID, "b.md") == ["born"]


def test_versions_follow_a_rename_that_rewrote_everything_but_the_id(sandbox: Sandbox) -> None:
    sandbox.write("a.md", note(ID, "apples\n" * 50))
    sandbox.save("born")
    (sandbox.vault / "a.md").unlink()
    sandbox.write("deep/er/b.md", f"---\nkind: fact\nid: '{ID}'\n---\n" + "pears and plums\n" * 80)
    sandbox.save("moved and rewritten")
    versions = history_of(sandbox).versions(ID, "deep/er/b.md")
    assert [(version.subject, version.path) for version in versions] == [
        ("moved and rewritten", "deep/er/b.md"),
        ("born", "a.md"),
    ]


def test_versions_are_found_from_an_outdated_path(sandbox: Sandbox) -> None:
    sandbox.write("a.md", note(ID, "one\n"))
    sandbox.save("born")
    (sandbox.vault / "a.md").unlink()
    sandbox.write("folder/b.md", note(ID, "two\n"))
    sandbox.save("moved")
    assert subjects(sandbox, ID, "a.md") == ["moved", "born"]
    assert subjects(sandbox, ID, "never/was/here.md") == ["moved", "born"]


def test_versions_reach_over_a_gap_in_which_the_file_was_deleted(sandbox: Sandbox) -> None:
    sandbox.write("a.md", note(ID, "one\n"))
    sandbox.save("born")
    (sandbox.vault / "a.md").unlink()
    sandbox.save("deleted")
    sandbox.write("unrelated.md", note("mem_other"))
    sandbox.save("meanwhile")
    sandbox.write("elsewhere/b.md", note(ID, "two\n"))
    sandbox.save("back")
    assert subjects(sandbox, ID, "elsewhere/b.md") == ["back", "born"]


def test_versions_of_a_deleted_memory_are_still_found(sandbox: Sandbox) -> None:
    sandbox.write("a.md", note(ID))
    sandbox.save("born")
    (sandbox.vault / "a.md").unlink()
    sandbox.save("deleted")
    assert subjects(sandbox, ID, "a.md") == ["born"]


def test_two_memories_that_swapped_their_paths_keep_their_own_histories(sandbox: Sandbox) -> None:
    sandbox.write("a.md", note("mem_one", "1\n"))
    sandbox.write("b.md", note("mem_two", "2\n"))
    sandbox.save("born")
    sandbox.write("a.md", note("mem_two", "2 again\n"))
    sandbox.write("b.md", note("mem_one", "1 again\n"))
    sandbox.save("swapped")
    versions = history_of(sandbox).versions("mem_one", "b.md")
    assert [(version.subject, version.path) for version in versions] == [
        ("swapped", "b.md"),
        ("born", "a.md"),
    ]


def test_another_memory_that_links_to_this_one_is_not_a_version_of_it(sandbox: Sandbox) -> None:
    sandbox.write("a.md", note(ID))
    sandbox.save("born")
    sandbox.write("b.md", note("mem_other", f"See [[{ID}]].\nid: {ID}\n"))
    sandbox.save("linked")
    sandbox.write("b.md", note("mem_other", "no longer\n"))
    sandbox.save("unlinked")
    assert subjects(sandbox, ID, "a.md") == ["born"]


def test_text_from_before_the_file_got_its_id_is_part_of_the_history(sandbox: Sandbox) -> None:
    sandbox.write("a.md", "just text\n")
    sandbox.save("written by hand")
    sandbox.write("a.md", note(ID))
    sandbox.save("adopted")
    assert subjects(sandbox, ID, "a.md") == ["adopted", "written by hand"]


def test_a_note_without_an_id_has_the_history_of_its_path(sandbox: Sandbox) -> None:
    sandbox.write("a.md", "one\n")
    sandbox.save("one")
    sandbox.write("a.md", "two\n")
    sandbox.save("two")
    assert subjects(sandbox, "path-derived-id", "a.md") == ["two", "one"]


def test_an_unnamed_file_that_lay_at_the_path_after_the_memory_left_is_not_its_version(
    sandbox: Sandbox,
) -> None:
    sandbox.write("a.md", note(ID))
    sandbox.save("born")
    sandbox.git("mv", "a.md", "b.md")
    sandbox.write("b.md", note(ID, "moved\n"))
    sandbox.save("moved")
    sandbox.write("a.md", "someone else's text\n")
    sandbox.save("unnamed")
    assert subjects(sandbox, ID, "b.md") == ["moved", "born"]


def test_versions_include_both_sides_of_a_merge_and_the_merge_that_joined_them(sandbox: Sandbox) -> None:
    sandbox.write("a.md", note(ID, "top\n\nmiddle\n\nbottom\n"))
    sandbox.save("base")
    sandbox.git("checkout", "-q", "-b", "laptop")
    sandbox.write("a.md", note(ID, "TOP\n\nmiddle\n\nbottom\n"))
    sandbox.save("laptop")
    sandbox.git("checkout", "-q", "main")
    sandbox.write("a.md", note(ID, "top\n\nmiddle\n\nBOTTOM\n"))
    sandbox.save("desk")
    sandbox.merge("laptop")
    assert subjects(sandbox, ID, "a.md") == ["merge laptop", "desk", "laptop", "base"]


def test_versions_follow_a_rename_on_a_merged_branch(sandbox: Sandbox) -> None:
    sandbox.write("a.md", note(ID, "one\n" * 20))
    sandbox.save("base")
    sandbox.git("checkout", "-q", "-b", "laptop")
    sandbox.git("mv", "a.md", "b.md")
    sandbox.save("renamed on the laptop")
    sandbox.git("checkout", "-q", "main")
    sandbox.write("a.md", note(ID, "one\n" * 20 + "two\n"))
    sandbox.save("edited at the desk")
    sandbox.merge("laptop")
    assert subjects(sandbox, ID, "b.md")[-2:] == ["edited at the desk", "base"]


def test_settings_of_the_user_do_not_change_what_is_read(sandbox: Sandbox) -> None:
    sandbox.write("a.md", note(ID))
    sandbox.save("born")
    for setting in ("log.showRoot=false", "log.showSignature=true", "log.follow=true", "color.ui=always"):
        sandbox.git("config", *setting.split("="))
    sandbox.git("config", "diff.relative", "true")
    sandbox.git("config", "core.pager", "false")
    assert subjects(sandbox, ID, "a.md") == ["born"]
    assert history_of(sandbox).at(ID, "wrong.md")[0].path == "a.md"


@pytest.mark.parametrize("name", ODD_NAMES)
def test_a_file_name_may_be_anything(sandbox: Sandbox, name: str) -> None:
    sandbox.write(name, note(ID, "one\n"))
    sandbox.save("born")
    sandbox.write(f"sub/{name}", note(ID, "two\n"))
    (sandbox.vault / name).unlink()
    history = history_of(sandbox)
    moved = history.commit([name, f"sub/{name}"], "moved")
    assert moved is not None
    assert [version.path for version in history.versions(ID, f"sub/{name}")] == [f"sub/{name}", name]
    assert history.read(moved, f"sub/{name}") == note(ID, "two\n").encode()
    assert history.at(ID, "x.md", ref="HEAD~1")[0].path == name
    assert sandbox.git("status", "--porcelain") == ""


@pytest.mark.parametrize(
    ("memory_id", "line"),
    [
        ("it's", "id: 'it''s'"),
        ('say "so"', r'id: "say \"so\""'),
        ("-rf --all", "id: -rf --all"),
        ("$(touch x).*[", "id: $(touch x).*["),
        ("日本", "id: 日本"),
        ("é", r'id: "\u00e9"'),
        ("a#b", "id: a#b   # a comment"),
        ("windows", "id: windows\r"),
        ("key", "'id': key"),
    ],
)
def test_an_id_may_have_odd_characters(sandbox: Sandbox, memory_id: str, line: str) -> None:
    sandbox.write("a.md", f"---\n{line}\n---\none\n")
    sandbox.save("born")
    (sandbox.vault / "a.md").unlink()
    sandbox.write("b.md", f"---\n{line}\n---\ntwo\n")
    sandbox.save("moved")
    assert subjects(sandbox, memory_id, "b.md") == ["moved", "born"]


def test_in_a_vault_inside_a_larger_repository_paths_are_those_of_the_vault(
    isolated_git: None, tmp_path: Path
) -> None:
    sandbox = Sandbox.create(tmp_path / "work", vault="docs/my vault")
    sandbox.write("../outside.md", note(ID, "not in the vault\n"))
    sandbox.write("a.md", note(ID, "one\n"))
    sandbox.save("born")
    (sandbox.vault / "a.md").unlink()
    sandbox.write("sub/b.md", note(ID, "two\n"))
    history = history_of(sandbox)
    sandbox.write("../outside.txt", "the person's own work")
    moved = history.commit(["a.md", "sub/b.md"], "moved")
    assert moved is not None
    assert [version.path for version in history.versions(ID, "sub/b.md")] == ["sub/b.md", "a.md"]
    assert [path for path, _ in history.list_at("HEAD")] == ["sub/b.md"]
    assert history.at(ID, "x.md", ref="HEAD~1")[0].path == "a.md"
    assert history.read("HEAD", "sub/b.md") == note(ID, "two\n").encode()
    assert sandbox.git("status", "--porcelain") == "?? docs/outside.txt"


# The past


def three_states(sandbox: Sandbox) -> list[str]:
    sandbox.write("a.md", note(ID, "one\n"))
    first = sandbox.save("first")
    sandbox.git("tag", "release/1")
    (sandbox.vault / "a.md").unlink()
    sandbox.write("b.md", note(ID, "two\n"))
    second = sandbox.save("second")
    sandbox.git("branch", "old")
    sandbox.write("b.md", note(ID, "three\n"))
    return [first, second, sandbox.save("third")]


@pytest.mark.parametrize(
    ("ref", "path", "body"),
    [
        ("release/1", "a.md", "one"),
        ("old", "b.md", "two"),
        ("HEAD", "b.md", "three"),
        ("HEAD~2", "a.md", "one"),
    ],
)
def test_a_memory_is_read_at_a_tag_a_branch_or_a_commit(
    sandbox: Sandbox, ref: str, path: str, body: str
) -> None:
    three_states(sandbox)
    version, content = history_of(sandbox).at(ID, "b.md", ref=ref)
    assert (version.path, content) == (path, note(ID, f"{body}\n").encode())
    assert version.commit == sandbox.git("rev-parse", f"{ref}^{{commit}}")


@pytest.mark.parametrize(("hours", "body"), [(0, "one"), (0.9, "one"), (1, "two"), (500, "three")])
def test_a_memory_is_read_as_of_a_time(sandbox: Sandbox, hours: float, body: str) -> None:
    three_states(sandbox)
    when = datetime.fromtimestamp(FIRST_COMMIT, tz=UTC) + timedelta(hours=hours)
    assert history_of(sandbox).at(ID, "b.md", when=when)[1] == note(ID, f"{body}\n").encode()


@pytest.mark.parametrize("when", [datetime(2020, 1, 1, tzinfo=UTC), datetime(1950, 1, 1, tzinfo=UTC)])
def test_before_the_first_commit_there_is_nothing(sandbox: Sandbox, when: datetime) -> None:
    three_states(sandbox)
    with pytest.raises(HistoryError, match="begins after") as raised:
        history_of(sandbox).at(ID, "b.md", when=when)
    assert raised.value.code == "no-history"


def test_a_time_without_a_zone_is_refused(sandbox: Sandbox) -> None:
    three_states(sandbox)
    with pytest.raises(BadValue, match="time zone"):
        history_of(sandbox).at(ID, "b.md", when=datetime(2026, 1, 1))  # noqa: DTZ001


def test_as_of_a_time_a_branch_that_was_merged_later_is_not_seen(sandbox: Sandbox) -> None:
    sandbox.write("a.md", note(ID, "base\n"))
    sandbox.save("base")
    sandbox.git("checkout", "-q", "-b", "laptop")
    sandbox.write("a.md", note(ID, "laptop\n"))
    sandbox.save("laptop")
    sandbox.git("checkout", "-q", "main")
    sandbox.merge("laptop")
    when = datetime.fromtimestamp(FIRST_COMMIT + 3600, tz=UTC)
    assert history_of(sandbox).at(ID, "a.md", when=when)[1] == note(ID, "base\n").encode()


def test_a_memory_that_did_not_exist_then_is_said_to_be_absent(sandbox: Sandbox) -> None:
    sandbox.write("other.md", note("mem_other", f"[[{ID}]]\n"))
    sandbox.save("before")
    sandbox.write("a.md", note(ID))
    sandbox.save("born")
    with pytest.raises(HistoryError, match="was not in the vault") as raised:
        history_of(sandbox).at(ID, "a.md", ref="HEAD~1")
    assert raised.value.code == "no-history"


def test_another_memory_at_the_path_then_is_not_taken_for_this_one(sandbox: Sandbox) -> None:
    sandbox.write("a.md", note("mem_other"))
    sandbox.save("other")
    with pytest.raises(HistoryError, match="was not in the vault"):
        history_of(sandbox).at(ID, "a.md")


def test_of_two_files_with_one_id_the_one_with_its_birth_name_is_the_memory(sandbox: Sandbox) -> None:
    sandbox.write("a (conflicted copy).md", note(ID, "copy\n"))
    sandbox.write(f"z/{ID}.md", note(ID, "original\n"))
    sandbox.save()
    assert history_of(sandbox).at(ID, "gone.md")[0].path == f"z/{ID}.md"


def test_before_the_first_commit_of_a_repository_the_past_says_so(sandbox: Sandbox) -> None:
    with pytest.raises(HistoryError, match="nothing has been committed"):
        history_of(sandbox).at(ID, "a.md")


@pytest.mark.parametrize(
    "revision",
    [
        "nowhere",
        "",
        "-h",
        "--all",
        "--output=x",
        "HEAD..HEAD",
        "HEAD\n",
        "a\0b",
        "HEAD:a.md",
        "\ud800",
        "HEAD~99",
    ],
)
def test_what_names_no_commit_is_a_bad_revision(sandbox: Sandbox, revision: str) -> None:
    sandbox.write("a.md", note(ID))
    sandbox.save()
    history = history_of(sandbox)
    for attempt in (
        lambda: history.at(ID, "a.md", ref=revision),
        lambda: history.read(revision, "a.md"),
        lambda: list(history.list_at(revision)),
        lambda: history.diff(ID, "a.md", revision),
    ):
        with pytest.raises(HistoryError) as raised:
            attempt()
        assert raised.value.code == "bad-revision"
    assert sorted(os.listdir(sandbox.vault)) == [
        ".git",
        "a.md",
    ]


@pytest.mark.parametrize("path", ["", "/etc/passwd", "../x.md", "a/../../x.md", "a\0b", "\ud800.md"])
def test_a_path_that_leaves_the_vault_is_refused(sandbox: Sandbox, path: str) -> None:
    sandbox.write("a.md", note(ID))
    sandbox.save()
    history = history_of(sandbox)
    for attempt in (
        lambda: history.read("HEAD", path),
        lambda: history.commit([path], "x"),
        lambda: history.at(ID, path),
    ):
        with pytest.raises(OutsideVault):
            attempt()


@pytest.mark.parametrize("memory_id", ["--open-files-in-pager=touch ran", "-h", "a\nb", "a\0b", "", "\ud800"])
def test_an_id_cannot_become_an_option(sandbox: Sandbox, memory_id: str) -> None:
    sandbox.write("a.md", note(ID))
    sandbox.save()
    history = history_of(sandbox)
    assert history.versions(memory_id, "b.md") == []
    with pytest.raises(HistoryError, match="was not in the vault"):
        history.at(memory_id, "b.md")
    assert sorted(os.listdir(sandbox.vault)) == [".git", "a.md"]


def test_a_version_and_a_commit_are_read_alike(sandbox: Sandbox) -> None:
    first, _, _ = three_states(sandbox)
    history = history_of(sandbox)
    oldest = history.versions(ID, "b.md")[-1]
    assert history.read(oldest) == history.read(first, "a.md") == note(ID, "one\n").encode()
    with pytest.raises(HistoryError, match="did not exist") as raised:
        history.read(oldest, "b.md")
    assert raised.value.code == "no-history"
    with pytest.raises(BadValue):
        history.read(first)


def test_a_folder_is_not_a_file_to_read(sandbox: Sandbox) -> None:
    sandbox.write("folder/a.md", note(ID))
    sandbox.save()
    with pytest.raises(HistoryError, match="did not exist"):
        history_of(sandbox).read("HEAD", "folder")


def test_the_vault_at_a_commit_lists_its_markdown_files_and_no_links(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("helix.vault.repository.BATCH_BLOBS", 2)
    expected = {f"n/{number}.md": note(f"mem_{number}").encode() for number in range(5)} | {"empty.md": b""}
    for path, content in expected.items():
        sandbox.write(path, content.decode())
    sandbox.write("image.png", "not a note")
    (sandbox.vault / "link.md").symlink_to("/etc/passwd")
    sandbox.save()
    sandbox.write("later.md", "later")
    sandbox.save()
    assert dict(history_of(sandbox).list_at("HEAD~1")) == expected


# Differences


def test_a_diff_follows_the_memory_through_its_move(sandbox: Sandbox) -> None:
    first, _, third = three_states(sandbox)
    diff = history_of(sandbox).diff(ID, "b.md", first, third)
    assert diff.splitlines() == [
        f"--- a.md at {first[:10]}",
        f"+++ b.md at {third[:10]}",
        "@@ -2,4 +2,4 @@",
        f" id: {ID}",
        " title: A note",
        " ---",
        "-one",
        "+three",
    ]


def test_a_diff_without_a_second_revision_is_against_the_disk(sandbox: Sandbox) -> None:
    three_states(sandbox)
    sandbox.write("b.md", note(ID, "four"))
    diff = history_of(sandbox).diff(ID, "b.md", "HEAD")
    assert diff.endswith("-three\n+four\n\\ No newline at end of file\n")


def test_a_diff_of_equal_texts_is_empty_even_when_git_checked_out_crlf(sandbox: Sandbox) -> None:
    three_states(sandbox)
    assert history_of(sandbox).diff(ID, "b.md", "HEAD") == ""
    sandbox.write("b.md", note(ID, "three\n").replace("\n", "\r\n"))
    assert history_of(sandbox).diff(ID, "b.md", "HEAD") == ""


def test_a_diff_against_a_pipe_or_links_in_a_circle_is_refused_at_once(sandbox: Sandbox) -> None:
    three_states(sandbox)
    file = sandbox.vault / "b.md"
    file.unlink()
    os.mkfifo(file)
    with pytest.raises(HistoryError, match="cannot be read from disk"):
        history_of(sandbox).diff(ID, "b.md", "HEAD")
    file.unlink()
    file.symlink_to("b.md")
    with pytest.raises(HistoryError):
        history_of(sandbox).diff(ID, "b.md", "HEAD")


def test_a_diff_against_a_missing_file_or_a_link_out_of_the_vault_is_refused(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    three_states(sandbox)
    (sandbox.vault / "b.md").unlink()
    with pytest.raises(HistoryError, match="second revision"):
        history_of(sandbox).diff(ID, "b.md", "HEAD")
    (tmp_path / "secret").write_text("secret")
    (sandbox.vault / "b.md").symlink_to(tmp_path / "secret")
    with pytest.raises(OutsideVault):
        history_of(sandbox).diff(ID, "b.md", "HEAD")


# Every kind of repository


def two_versions(sandbox: Sandbox) -> None:
    sandbox.write("a.md", note(ID, "one\n"))
    sandbox.save("first")
    sandbox.write("a.md", note(ID, "two\n"))
    sandbox.save("second")


def test_a_repository_of_sha256_is_read_alike(isolated_git: None, tmp_path: Path) -> None:
    sandbox = Sandbox(tmp_path / "vault")
    sandbox.vault.mkdir()
    sandbox.git("init", "-q", "-b", "main", "--object-format=sha256")
    sandbox.git("config", "user.name", "Ada")
    sandbox.git("config", "user.email", "ada@example.com")
    two_versions(sandbox)
    assert subjects(sandbox, ID, "a.md") == ["second", "first"]
    assert history_of(sandbox).at(ID, "a.md", ref="HEAD~1")[1] == note(ID, "one\n").encode()


def test_packed_refs_and_annotated_tags_name_commits(sandbox: Sandbox) -> None:
    two_versions(sandbox)
    sandbox.git("tag", "-a", "-m", "a release", "v1", "HEAD~1")
    sandbox.git("pack-refs", "--all")
    sandbox.git("gc", "-q")
    assert history_of(sandbox).at(ID, "a.md", ref="v1")[1] == note(ID, "one\n").encode()
    assert history_of(sandbox).at(ID, "a.md", ref="main")[1] == note(ID, "two\n").encode()


def test_a_linked_worktree_has_the_history_of_its_own_branch(sandbox: Sandbox, tmp_path: Path) -> None:
    two_versions(sandbox)
    sandbox.git("worktree", "add", "-q", "-b", "old", str(tmp_path / "linked"), "HEAD~1")
    linked = History.get(tmp_path / "linked")
    assert [version.subject for version in linked.versions(ID, "a.md")] == ["first"]
    assert linked.at(ID, "a.md", ref="main")[1] == note(ID, "two\n").encode()


def test_a_shallow_clone_has_the_history_that_it_has(sandbox: Sandbox, tmp_path: Path) -> None:
    two_versions(sandbox)
    sandbox.git("clone", "-q", "--depth=1", f"file://{sandbox.top}", str(tmp_path / "shallow"))
    versions = History.get(tmp_path / "shallow").versions(ID, "a.md")
    assert [version.subject for version in versions] == ["second"]


@pytest.mark.parametrize("revision", ["main@{1}", "HEAD@{1}", "@{-1}", "main@{upstream}", "stash@{0}~1"])
def test_revisions_that_ask_what_a_name_meant_before_are_understood(sandbox: Sandbox, revision: str) -> None:
    two_versions(sandbox)
    sandbox.git("checkout", "-q", "-b", "other", "HEAD~1")
    sandbox.git("checkout", "-q", "main")
    sandbox.git("update-ref", "refs/remotes/origin/main", "HEAD~1")
    sandbox.git("config", "remote.origin.url", "nowhere")
    sandbox.git("config", "remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*")
    sandbox.git("config", "branch.main.remote", "origin")
    sandbox.git("config", "branch.main.merge", "refs/heads/main")
    sandbox.write("a.md", note(ID, "on the way\n"))
    sandbox.git("stash", "-q")
    expected = sandbox.git("rev-parse", f"{revision}^{{commit}}")
    assert history_of(sandbox).at(ID, "a.md", ref=revision)[0].commit == expected


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give files away")
def test_a_repository_of_another_user_is_read_only_when_git_is_told_to_trust_it(
    sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    two_versions(sandbox)
    os.chown(sandbox.top / ".git", 1234, 1234)
    monkeypatch.delenv("SUDO_UID", raising=False)
    assert "safe.directory" in History.why_not(sandbox.vault)
    (tmp_path / "gitconfig").write_text(f'[safe]\n\tdirectory = "{sandbox.top}"\n')
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))
    assert subjects(sandbox, ID, "a.md") == ["second", "first"]


def test_object_folders_that_name_each_other_over_and_over_are_looked_at_once(tmp_path: Path) -> None:
    sandbox = Sandbox.create(tmp_path / "vault")
    sandbox.write("a.md", note(ID))
    sandbox.save()
    objects = sandbox.top / ".git" / "objects"
    for step in range(4):
        following = sandbox.top / ".git" / f"objects{step}"
        following.mkdir()
        (objects / "info").mkdir(exist_ok=True)
        # each name in many spellings: ten thousand ways through four folders, or ten to the eighth
        names = (f"..{'/' * (1 + spelling)}objects{step}\n" for spelling in range(100))
        (objects / "info" / "alternates").write_text("".join(names))
        objects = following
    started = time.process_time()
    assert history_of(sandbox).versions(ID, "a.md")
    assert time.process_time() - started < 10


def test_more_names_of_commits_than_anybody_has_are_an_error_and_not_a_wait(tmp_path: Path) -> None:
    sandbox = Sandbox.create(tmp_path / "vault")
    sandbox.write("a.md", note(ID))
    commit = sandbox.save()
    lines = (f"{commit} refs/t/{number}\n" for number in range(150_000))
    (sandbox.top / ".git" / "packed-refs").write_text("".join(lines))
    assert "more than 50,000 names" in History.why_not(sandbox.vault)
