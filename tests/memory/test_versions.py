from __future__ import annotations

from pathlib import Path

import pytest

from helix.errors import HistoryError, MemoryErased
from tests.memory.world import World, opened, record
from tests.vault.git_sandbox import Sandbox


def test_a_diff_says_what_changed_between_commits_and_since_one(tmp_path: Path) -> None:
    sandbox = Sandbox.create(tmp_path / "vault")
    commits = []
    for port in (8080, 9090):
        sandbox.write("a.md", record("mem_a", f"The API listens on {port}"))
        commits.append(sandbox.save())
    sandbox.write("a.md", record("mem_a", "The API listens on 7070"))
    with opened(tmp_path) as world:
        between = world.service.diff("mem_a", commits[0], commits[1])
        assert (between["id"], between["from"], between["to"]) == ("mem_a", commits[0], commits[1])
        assert "-The API listens on 8080\n+The API listens on 9090\n" in between["diff"]
        since = world.service.diff("mem_a", commits[1])
        assert since["to"] is None
        assert "-The API listens on 9090\n+The API listens on 7070\n" in since["diff"]
        with pytest.raises(HistoryError):
            world.service.diff("mem_a", "no-such-branch")


def test_a_long_diff_is_read_in_pieces_that_make_the_whole(tmp_path: Path) -> None:
    sandbox = Sandbox.create(tmp_path / "vault")
    sandbox.write("a.md", record("mem_a", "one"))
    first = sandbox.save()
    sandbox.write(
        "a.md",
        record("mem_a", "\n".join(f"line  {n}. And  so on \t" for n in range(300)) + "\n" + "x" * 3000),
    )
    with opened(tmp_path) as world:
        whole = world.service.diff("mem_a", first, max_tokens=100_000)
        assert not whole["truncated"]
        pieces, cursor = [], None
        while True:
            page = world.service.diff("mem_a", first, max_tokens=300, cursor=cursor)
            assert page["tokens_used"] <= 300
            pieces.append(page["diff"])
            if (cursor := page["next_cursor"]) is None:
                break
        assert len(pieces) > 5
        assert "".join(pieces) == whole["diff"]


def test_nothing_of_an_erased_memory_comes_back_through_a_diff(tmp_path: Path) -> None:
    sandbox = Sandbox.create(tmp_path / "vault")
    sandbox.write("a.md", record("mem_a", "The secret harbour"))
    first = sandbox.save()
    with opened(tmp_path) as world:
        world.service.forget("mem_a", mode="hard")
        with pytest.raises(MemoryErased):
            world.service.diff("mem_a", first)


def test_a_vault_without_git_says_so(world: World) -> None:
    world.put("a.md", record("mem_a", "Text"))
    with pytest.raises(HistoryError, match="git init"):
        world.service.diff("mem_a", "HEAD")
