"""The dialect `vault`: what its clients were promised, over the one service."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import validate

from helix.access import bearer
from helix.dialects.registry import access_to
from helix.dialects.vault.dialect import VAULT
from helix.errors import KeyReused, MemoryNotFound
from helix.memory.place import Place
from helix.memory.tokens import token_counter
from tests.surfaces.mcp.serving import Vaulted, vaulted

Call = Callable[..., Any]
NOBODY = Place()


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Vaulted]:
    with vaulted(tmp_path_factory.mktemp("vault")) as opened:
        yield opened


@pytest.fixture
def call(vault: Vaulted) -> Call:
    tools = {tool.name: tool for tool in VAULT.tools}

    def run(name: str, caller: Place = NOBODY, **arguments: Any) -> Any:
        tool = tools[f"memory_{name}"]
        validate(arguments, tool.input_schema)
        answer = tool.run(vault.service.request(caller), arguments)
        if tool.output_schema is not None:
            validate(answer, tool.output_schema)
        return answer

    return run


def test_an_entry_is_found_as_it_was_appended(call: Call) -> None:
    made = call("append", title="Export window", body="The warehouse export runs at 02:40.", tags=["etl"])
    assert made["title"] == "Export window"
    assert made["status"] == "active"
    [found] = call("search", query="warehouse export")["results"]
    assert found["id"] == made["id"]
    assert found["body"] == "The warehouse export runs at 02:40."
    assert found["tags"] == ["etl"]
    assert found["created_at"] == made["created_at"]


def test_the_body_of_a_long_entry_comes_whole(call: Call) -> None:
    body = "\n\n".join(f"## Part {number}\n\nThe zeppelin manual, page {number}." for number in range(80))
    call("append", title="Zeppelin manual", body=body)
    assert call("search", query="zeppelin manual")["results"][0]["body"] == body


def test_results_are_paged_to_the_end_without_repeating(call: Call) -> None:
    for number in range(5):
        call("append", title=f"Quokka {number}", body=f"The quokka census of ward {number} is done.")
    seen: list[str] = []
    cursor: dict[str, str] = {}
    while True:
        page = call("search", query="quokka census", top_k=2, **cursor)
        seen += [entry["id"] for entry in page["results"]]
        if "next_cursor" not in page:
            break
        cursor = {"cursor": page["next_cursor"]}
    assert len(seen) == len(set(seen)) == 5


def test_a_text_that_is_there_already_becomes_an_entry_of_its_own(call: Call) -> None:
    first = call("append", title="Rota", body="The rota changes on Mondays.")
    second = call("append", title="Rota again", body="The rota changes on Mondays.")
    assert first["id"] != second["id"]
    assert second["title"] == "Rota again"


def test_a_retry_with_the_same_key_gets_the_entry_that_is_there(call: Call) -> None:
    wish = {"title": "Beacon", "body": "The beacon blinks twice.", "idempotency_key": "beacon-1"}
    made = call("append", **wish)
    assert call("append", **wish) == made


def test_the_same_key_for_another_text_is_a_conflict(call: Call) -> None:
    call("append", title="Tide", body="The tide turns at noon.", idempotency_key="tide-1")
    with pytest.raises(KeyReused) as refused:
        call("append", title="Tide", body="The tide turns at six.", idempotency_key="tide-1")
    assert VAULT.say_error(refused.value).startswith("409: ")


def test_a_forgotten_entry_is_in_no_answer_unless_asked_for(call: Call, vault: Vaulted) -> None:
    made = call("append", title="Gasket", body="The gasket supplier is Ardent.")
    gone = call("forget", id=made["id"])
    assert gone["status"] == "deleted"
    assert gone["deleted_at"]
    assert call("search", query="gasket supplier")["results"] == []
    [found] = call("search", query="gasket supplier", include_deleted=True)["results"]
    assert found["status"] == "deleted"
    assert len(list(vault.folder.rglob(f"{made['id']}*"))) == 1
    assert call("forget", id=made["id"]) == gone


def test_an_unknown_id_is_a_404(call: Call) -> None:
    with pytest.raises(MemoryNotFound) as refused:
        call("forget", id="mem_2020-01-01_nothing_aaaa")
    assert VAULT.say_error(refused.value).startswith("404: ")


def test_a_bundle_is_one_text_within_its_budget(call: Call) -> None:
    count = token_counter()
    for number in range(10):
        call("append", title=f"Review rule {number}", body="Tests first. " * 20, tags=["review"])
    bundle = call("recall", phases=["work", "review"], budget_tokens=400)
    assert isinstance(bundle, str)
    assert "Review rule" in bundle
    assert count(bundle) <= 400


def test_a_bundle_is_kept_for_its_key_and_session(call: Call) -> None:
    here, there = Place(session="one"), Place(session="two")
    wanted: dict[str, Any] = {"phases": ["beekeeping"], "idempotency_key": "k"}
    before = call("recall", caller=here, **wanted)
    call("append", title="Beekeeping", body="Hive three swarmed.", tags=["beekeeping"])
    assert call("recall", caller=here, **wanted) == before
    assert "Hive three" in call("recall", caller=there, **wanted)


def test_an_entry_belongs_to_the_project_of_its_connection_or_to_all(call: Call, vault: Vaulted) -> None:
    ours = call("append", caller=Place(project="kiln"), title="Kiln", body="The kiln fires at 1240 degrees.")
    all_ = call("append", title="Glaze", body="Glaze is mixed on Fridays.")
    kiln, glaze = (vault.service.request().view().get(one["id"]).memory for one in (ours, all_))
    assert (kiln.scope, kiln.project) == ("project", "kiln")
    assert glaze.scope == "global"


def test_every_local_program_has_to_show_a_token() -> None:
    assert access_to("vault") == bearer()


def test_the_folder_is_a_vault_that_a_person_can_read(call: Call, vault: Vaulted) -> None:
    made = call("append", title="A readable name", body="Plain text.")
    [file] = vault.folder.rglob(f"{made['id']}.md")
    assert "Plain text." in Path(file).read_text()
    assert "a-readable-name" in file.name
