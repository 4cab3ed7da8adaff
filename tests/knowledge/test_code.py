"""The verbs about code in a real vault."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from helix.errors import BadValue, SymbolNotFound
from helix.knowledge.code import code_find, code_impact, code_neighborhood, code_tour
from helix.knowledge.sources import source_connect, source_index, source_purge
from tests.code_graph.test_languages import program
from tests.memory.world import ME, World
from tests.sources.repositories import repository, write


@pytest.fixture
def shop(world: World, tmp_path: Path) -> Path:
    folder = repository(tmp_path / "shop", program("python"))
    source_connect(world.service.request(ME), path=str(folder))
    return folder


def _ask(world: World, verb: Any, **fields: Any) -> Any:
    return verb(world.service.request(ME), **fields)


def test_impact_tells_callers_tests_and_memories_by_distance(world: World, shop: Path) -> None:
    memory = world.add(
        "Never change `code:shop/pay.py::retry` on a Friday.", kind="decision", title="Fridays"
    )
    world.add("Retry is fine, says shop.")
    answer = _ask(world, code_impact, symbol="shop/pay.py::retry", depth=2)
    assert {node["symbol"] for node in answer["affected"] if node["distance"] == 2} == {
        "Gateway.refund",
        "sell",
    }
    assert (answer["total"], answer["tests"]) == (6, 1)
    assert answer["memories"] == [{"id": memory["id"], "title": "Fridays"}]
    assert answer["symbols"][0]["line"] == 4
    assert _ask(world, code_impact, symbol="code:shop/pay.py::retry")["total"] == answer["total"]


def test_an_answer_keeps_its_budget_and_says_that_there_is_more(world: World, shop: Path) -> None:
    callers = "".join(f"\n\ndef f{number}():\n    return retry({number})\n" for number in range(80))
    write(shop, {"shop/many.py": f"from shop.pay import retry\n{callers}"})
    answer = _ask(world, code_impact, symbol="shop/pay.py::retry", max_tokens=400)
    assert answer["truncated"]
    assert 0 < len(answer["affected"]) < 40
    assert answer["tokens_used"] <= 400
    assert answer["total"] > 80
    assert _ask(world, code_tour, max_tokens=100)["truncated"]


def test_what_changes_is_seen_and_purge_takes_the_graph_too(world: World, shop: Path, tmp_path: Path) -> None:
    write(shop, {"shop/new.py": "def zanzibar():\n    return 1\n"})
    [found] = _ask(world, code_find, symbol="zanzibar")["symbols"]
    assert (found["path"], found["line"], found["source"]) == ("shop/new.py", 1, "shop")
    (shop / "shop" / "new.py").unlink()
    assert _ask(world, code_find, symbol="zanzibar")["symbols"] == []
    _ask(world, source_purge, source_id="shop")
    data = b"".join(file.read_bytes() for file in (tmp_path / "state").rglob("*") if file.is_file())
    assert b"Gateway" not in data
    with pytest.raises(BadValue, match="no source is connected"):
        _ask(world, code_find, symbol="retry")


def test_a_graph_that_was_deleted_is_made_again(world: World, shop: Path) -> None:
    request = world.service.request(ME)
    sources = world.workspace.sources()
    [folder] = request.sources().seen()
    sources.graph(folder).clear()
    assert source_index(request, source_id="shop")["total"] == len(program("python"))
    assert len(_ask(world, code_find, symbol="Gateway")["symbols"]) == 1


def test_neighborhood_takes_a_file_and_tour_one_source(world: World, shop: Path, tmp_path: Path) -> None:
    answer = _ask(world, code_neighborhood, symbol="shop/desk.py")
    assert {symbol["name"] for symbol in answer["symbols"]} == {"sell", "twice"}
    assert {"retry", "Gateway.charge"} <= {found["other"] for found in answer["neighbors"]}
    told = _ask(world, code_tour)
    assert (told["source"], told["stops"][0]["path"], told["files"]) == ("shop", "shop/pay.py", 4)
    _ask(world, source_connect, path=str(repository(tmp_path / "gone", program("go"))))
    with pytest.raises(BadValue, match="say with source which"):
        _ask(world, code_tour)
    assert _ask(world, code_tour, source="gone")["stops"][0]["path"].endswith(".go")
    assert {found["source"] for found in _ask(world, code_find, symbol="gateway")["symbols"]} == {
        "shop",
        "gone",
    }


def test_what_is_not_there_is_said_with_a_sentence(world: World, shop: Path) -> None:
    with pytest.raises(SymbolNotFound, match="there is no symbol"):
        _ask(world, code_impact, symbol="zanzibar")
    with pytest.raises(BadValue, match="name a symbol"):
        _ask(world, code_find, symbol=" ")
    with pytest.raises(BadValue, match="depth is 9"):
        _ask(world, code_impact, symbol="retry", depth=9)


def test_a_memory_whose_code_has_gone_is_named_in_the_inbox(world: World, shop: Path) -> None:
    there = world.add("Sell with `code:shop/desk.py::sell` only.", title="There")
    gone = world.add("Sell twice with `code:shop/desk.py::twice`, never thrice.", title="Gone")
    file = world.add("Alone is `code:shop/other.py::alone` in its room.", title="File")
    world.add("Another repository has code:web/app.ts::render in it.", title="Elsewhere")

    def stale() -> Any:
        items = world.service.inbox(caller=ME)["items"]
        return {item["id"]: item for item in items if item["what"] == "stale-code"}

    assert stale() == {}
    write(shop, {"shop/desk.py": "def sell():\n    return 1\n"})
    (shop / "shop" / "other.py").unlink()
    source_index(world.service.request(ME), source_id="shop")
    found = stale()
    assert set(found) == {gone["id"], file["id"]}
    assert there["id"] not in found
    assert "shop/desk.py has no twice any more" in found[gone["id"]]["reason"]
    assert "there is no shop/other.py any more" in found[file["id"]]["reason"]
    assert found[gone["id"]]["actions"][0]["route"] == "/forget"
