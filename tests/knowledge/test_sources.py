"""Sources in a real vault: found by what they say, cited by lines at a commit, followed, never written to, purged."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from helix.errors import BadValue, SourceNotFound
from helix.knowledge.sources import source_connect, source_health, source_index, source_purge, sources
from helix.memory.reading.view import When
from helix.memory.request import Request
from helix.sources import listing
from helix.sources.source_index import SourceIndex
from helix.sources.take_in import Look
from tests.memory.world import ME, World
from tests.sources.repositories import all_bytes, commit, git, repository, write

RETRY = """# Payments


def retry_gateway(order):
    '''Ask the payment gateway three times.'''
    return order
"""
KEY = "AKIA" + "Q7LMW2RT5VZX3KPD"


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    return repository(
        tmp_path / "shop",
        {
            "src/pay.py": RETRY,
            "README.md": "# Shop\n\nThe harbour shop sells wombat plushies.\n",
            ".gitignore": "made/\n",
            "made/out.py": "zanzibar = 1\n",
        },
    )


def _request(world: World) -> Request:
    return world.service.request(ME)


def _connect(world: World, folder: Path, **more: Any) -> Any:
    answer = source_connect(_request(world), path=str(folder), **more)
    return source_health(_request(world), source_id=answer["id"])


def _search(world: World, question: str, **more: Any) -> Any:
    return world.service.search(question, caller=ME, **more)


def _citations(world: World, question: str) -> list[str]:
    return [hit["citation"] for hit in _search(world, f"lane:source {question}")["results"]]


def test_a_passage_is_cited_by_its_lines_at_the_commit(world: World, shop: Path) -> None:
    before = all_bytes(shop)
    head = git(shop, "rev-parse", "HEAD").strip()
    found = _connect(world, shop)
    assert (found["state"], found["files"], found["commit"], found["ignored"]) == ("ready", 2, head, 3)
    [hit] = _search(world, "lane:source who asks the payment gateway?")["results"]
    assert hit["citation"] == f"{shop}/src/pay.py@{head[:12]}#L1-L6"
    assert (hit["kind"], "three times" in hit["text"]) == ("source", True)
    assert all_bytes(shop) == before


def test_the_lane_is_its_own(world: World, shop: Path) -> None:
    world.add("The payment gateway is asked by a robot.")
    _connect(world, shop)
    assert "citation" not in str(_search(world, "payment gateway"))
    assert "robot" not in str(_search(world, "lane:source payment gateway"))
    assert "robot" in str(_search(world, "lane:memory payment gateway"))
    by_filter = _search(world, "payment gateway", filters={"lane": "source"})
    assert by_filter["results"][0]["kind"] == "source"
    with pytest.raises(BadValue, match="write lane: with one of memory, source"):
        _search(world, "lane:moon payment")
    with pytest.raises(BadValue, match="in one lane"):
        _search(world, "lane:source lane:memory payment")
    with pytest.raises(BadValue, match="for a search"):
        world.service.recent(caller=ME, filters={"lane": "source"})
    with pytest.raises(BadValue, match="as they are now"):
        _search(world, "lane:source payment", when=When(as_of="2026-01-01"))


def test_nothing_is_returned_to_fill_a_limit(world: World, shop: Path) -> None:
    assert "is connected here" in _search(world, "lane:source wombats")["note"]
    _connect(world, shop)
    answer = _search(world, "lane:source quantum flux capacitors of venus")
    assert (answer["results"], "nothing in the sources" in answer["note"]) == ([], True)
    assert _citations(world, "zanzibar") == []
    assert _citations(world, '"wombat plushies"') != []
    assert _citations(world, '"plushies wombat"') == []
    assert _citations(world, "wombat -plushies") == []


def test_what_changes_is_followed_file_by_file(world: World, shop: Path) -> None:
    name = _connect(world, shop)["name"]
    write(
        shop,
        {"src/pay.py": RETRY + "\n\ndef refund_narwhal():\n    return 2\n", "new.md": "Otters juggle.\n"},
    )
    again = source_index(_request(world), source_id=name)
    assert (again["total"], again["files"]) == (2, 3)
    [cited] = _citations(world, "refund narwhal")
    assert "@" not in cited  # it differs from the commit
    head = commit(shop)
    assert source_index(_request(world), source_id=name)["total"] == 0
    assert _citations(world, "refund narwhal") == [f"{shop}/src/pay.py@{head[:12]}#L1-L10"]
    (shop / "new.md").unlink()
    assert _citations(world, "otters juggle") == []
    assert source_index(_request(world), source_id=name, anew=True)["total"] == 2


def test_a_folder_that_is_away_for_a_while_keeps_what_was_known(world: World, shop: Path) -> None:
    found = _connect(world, shop)
    shop.rename(shop.with_name("away"))
    gone = source_index(_request(world), source_id=found["id"])
    assert (gone["state"], gone["files"]) == ("unreachable", 2)
    assert "cannot be listed" in str(gone["trouble"])
    assert _citations(world, "payment gateway") == []
    shop.with_name("away").rename(shop)
    assert len(_citations(world, "payment gateway")) == 1


def test_purge_leaves_nothing_behind(world: World, shop: Path, tmp_path: Path) -> None:
    found = _connect(world, shop, name="narwhalshop")
    _search(world, "lane:source plushies", limit=1)
    state = tmp_path / "state"
    words = [b"plushi", b"wombat", b"retry_gateway", b"narwhalshop", os.fsencode(shop)]

    def left() -> list[bytes]:
        data = b"".join(file.read_bytes() for file in state.rglob("*") if file.is_file())
        return [word for word in words if word in data]

    assert left() == words
    before = all_bytes(shop)
    assert source_purge(_request(world), source_id=found["id"])["files"] == 2
    assert left() == []
    assert all_bytes(shop) == before
    assert list(state.rglob("*src_*")) == []
    with pytest.raises(SourceNotFound):
        source_health(_request(world), source_id=found["id"])
    assert sources(_request(world))["sources"] == []


def test_the_same_folder_again_is_known_and_names_do_not_collide(
    world: World, shop: Path, tmp_path: Path
) -> None:
    first = source_connect(_request(world), path=str(shop))
    (tmp_path / "link").symlink_to(shop)
    again = source_connect(_request(world), path=str(tmp_path / "link"))
    assert (again["id"], again["status"]) == (first["id"], "known")
    other = write(tmp_path / "other" / "shop", {"a.txt": "x"})
    assert _connect(world, other)["name"] == "other shop"
    with pytest.raises(BadValue, match="called shop already"):
        source_connect(_request(world), path=str(write(tmp_path / "third", {"a": ""})), name="shop")
    for name in ("", "a/b", "src_1", "x" * 101):
        with pytest.raises(BadValue, match="name is"):
            source_connect(_request(world), path=str(tmp_path / "third"), name=name)
    for nested in (shop / "src", tmp_path / "other"):
        with pytest.raises(BadValue, match="lie in one another"):
            source_connect(_request(world), path=str(nested))


def test_folders_that_cannot_be_meant_are_refused_with_a_sentence(world: World, tmp_path: Path) -> None:
    (tmp_path / "file.md").write_text("x")
    for path, why in {
        "shop": "from the root", "/nowhere/at/all": "there is no", "/": "whole disk",
        str(tmp_path / "file.md"): "no folder",
        str(world.folder): "Helix's own", str(tmp_path): "Helix's own", str(tmp_path / "state"): "Helix's own",
        str(tmp_path / "config"): "Helix's own|there is no",
    }.items():  # fmt: skip
        with pytest.raises(BadValue, match=why):
            source_connect(_request(world), path=path)


def test_bad_files_are_named_and_the_others_found(world: World, tmp_path: Path) -> None:
    outside = write(tmp_path / "outside", {"secret.txt": "flamingo\n"})
    place = write(tmp_path / "mixed", {"good.txt": "Pelicans dive at dawn.\n", "latin.txt": "x"})
    (place / "big.txt").write_text("x" * (2 << 20))
    (place / "picture.png").write_bytes(b"\x89PNG")
    (place / "binary").write_bytes(b"\0" * 100)
    (place / "latin.txt").write_bytes("Überfahrt zur Hallig".encode("latin-1"))
    (place / "link.txt").symlink_to(outside / "secret.txt")
    (place / "linked").symlink_to(outside)
    (place / os.fsdecode(b"bad\xff.txt")).write_text("x")
    (place / "long.txt").write_text("y" * 300_000 + " albatross\n")
    os.mkfifo(place / "pipe")
    found = _connect(world, place)
    why = {problem["path"]: problem["reason"] for problem in found["problems"]}
    assert "at most 1 MiB" in why["big.txt"]
    assert "symbolic link" in why["link.txt"]
    assert "symbolic link" in why["linked"]
    assert "a pipe" in why["pipe"]
    assert "no text" in why["bad?.txt"]
    assert found["left_out"] == {".png": 1}
    assert found["files"] == 3
    assert _citations(world, "pelicans dive") == [f"{place}/good.txt#L1"]
    assert _citations(world, "flamingo") == []
    assert _citations(world, "Hallig") == [f"{place}/latin.txt#L1"]


def test_a_credential_is_neither_indexed_nor_shown(world: World, tmp_path: Path) -> None:
    pem = (
        "-----BEGIN RSA PRIVATE KEY-----\n"
        + "MIIEowIBAAKCAQEAx7Fq2m9zLkWv\n" * 5
        + "-----END RSA PRIVATE KEY-----\n"
    )
    place = write(
        tmp_path / "mixed",
        {"deploy.sh": f"# Deploys the heron.\nexport KEY={KEY}\nheron up\n", "id.txt": pem},
    )
    _connect(world, place)
    [hit] = _search(world, "lane:source deploys the heron")["results"]
    assert "a credential was left out" in hit["text"]
    assert KEY not in hit["text"]
    assert _citations(world, KEY) == []
    data = b"".join(file.read_bytes() for file in (tmp_path / "state").rglob("*") if file.is_file())
    assert KEY.lower().encode() not in data.lower()
    assert b"miieowibaakcaqeax7fq2m9zlkwv" not in data.lower()


def test_a_folder_with_more_files_than_are_searched_says_so(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = write(tmp_path / "many", {f"f{number:03}.txt": f"pelican {number}\n" for number in range(30)})
    monkeypatch.setattr(listing, "MOST_FILES", 10)
    found = _connect(world, place)
    assert (found["files"], "more than 10 files" in found["cut"]) == (10, True)
    monkeypatch.setattr(listing, "MOST_FILES", 100)
    monkeypatch.setattr(listing, "MOST_ENTRIES", 20)
    assert "more than 20 names" in str(source_index(_request(world), source_id=found["id"])["cut"])


def test_what_was_interrupted_is_gone_on_with(shop: Path, tmp_path: Path) -> None:
    write(shop, {f"many/{number}.md": f"Heron {number}.\n" for number in range(250)})
    index, totals = SourceIndex(tmp_path / "words.db"), []
    stops = iter([False, True])
    Look(shop, index, None, lambda: next(stops), lambda done, total: None).at_everything()
    assert index.counts().files == 100
    Look(shop, index, None, lambda: False, lambda done, total: totals.append(total)).at_everything()
    assert (index.counts().files, totals[0]) == (252, 152)
    index.close()


def test_an_index_that_somebody_deletes_is_made_again(world: World, shop: Path, tmp_path: Path) -> None:
    found = _connect(world, shop)
    [folder] = (tmp_path / "state").rglob(found["id"])
    shutil.rmtree(folder)
    assert [source.id for source in world.workspace.sources().reopen_deleted()] == [found["id"]]
    assert source_index(_request(world), source_id=found["id"])["total"] == 2
    assert len(_citations(world, "payment gateway")) == 1


def test_projects_and_scopes_narrow_sources_as_they_do_memories(
    world: World, shop: Path, tmp_path: Path
) -> None:
    _connect(world, shop, project="billing")
    _connect(world, write(tmp_path / "zoo", {"a.md": "The zoo feeds a payment gateway.\n"}), project="zoo")
    assert len(_citations(world, "payment gateway")) == 1
    assert len(_search(world, "lane:source payment gateway", scope="all")["results"]) == 2
    [hit] = _search(world, "lane:source project:zoo payment gateway", scope="all")["results"]
    assert hit["citation"].endswith("zoo/a.md#L1")
    assert _search(world, "lane:source payment", scope="global")["results"] == []
