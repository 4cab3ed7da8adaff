"""MCP as a client sees it, through the official client, in both eras of the protocol."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable, Coroutine, Mapping
from typing import Any, cast

import pytest
from jsonschema import validate
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult, TextContent, TextResourceContents

from helix.dialects.dialect import Arguments, Dialect, Resource, Tool
from helix.dialects.registry import DIALECTS
from helix.memory.request import Request
from helix.memory.tokens import serialize, token_counter
from helix.memory.workspace import Workspace
from helix.surfaces.mcp.surface import McpSurface
from tests.surfaces.mcp.serving import ERAS, VERSION, NoWorkspace, Served, Vaulted, served

count = token_counter()
both_eras = pytest.mark.parametrize("era", ERAS)

Story = Callable[[Client], Coroutine[Any, Any, None]]


def told(at: Served, era: str, story: Story, path: str = "/mcp", **options: Any) -> None:
    async def run() -> None:
        failure: AssertionError | None = None
        async with at.client(era, path, **options) as client:
            try:
                await story(client)
            except AssertionError as error:
                failure = error  # the client would wrap it in groups of groups
        if failure is not None:
            raise failure

    asyncio.run(run())


def text_of(answer: CallToolResult) -> str:
    [content] = answer.content
    assert isinstance(content, TextContent)
    return content.text


async def ask(client: Client, name: str, **arguments: Any) -> dict[str, Any]:
    answer = await client.call_tool(name, arguments)
    assert not answer.is_error, text_of(answer)
    return dict(answer.structured_content or {})


async def refused(client: Client, name: str, **arguments: Any) -> str:
    answer = await client.call_tool(name, arguments)
    assert answer.is_error
    assert answer.structured_content is None
    return text_of(answer)


@both_eras
def test_a_client_learns_what_there_is_and_how_to_use_it(at: Served, era: str) -> None:
    async def story(client: Client) -> None:
        assert client.server_info is not None
        assert (client.server_info.name, client.server_info.version) == ("helix", VERSION)
        assert "memory_context" in (client.instructions or "")
        has = client.server_capabilities
        assert has.tools is not None
        assert has.tools.list_changed
        assert has.resources is not None
        assert has.resources.subscribe
        assert has.prompts is None
        assert has.logging is None
        assert has.completions is None
        tools = (await client.list_tools()).tools
        assert [tool.name for tool in tools] == [tool.name for tool in DIALECTS["helix"].tools]
        assert [tool.title for tool in tools] == [tool.title for tool in DIALECTS["helix"].tools]

    told(at, era, story)


@both_eras
def test_listing_the_tools_costs_at_most_two_thousand_tokens(at: Served, era: str) -> None:
    async def story(client: Client) -> None:
        listed = await client.list_tools()
        said = serialize(listed.model_dump(by_alias=True, mode="json", exclude_none=True))
        assert count(said) <= 2000

    told(at, era, story)


@both_eras
def test_dotted_names_are_listed_for_those_who_ask(at: Served, era: str) -> None:
    async def story(client: Client) -> None:
        names = [tool.name for tool in (await client.list_tools()).tools]
        assert names[0] == "memory.search"
        assert (await ask(client, "memory.search", query="anything"))["results"] == []

    told(at, era, story, "/mcp?names=dotted")


@both_eras
def test_every_tool_answers_to_its_dotted_and_its_plain_name(at: Served, era: str) -> None:
    async def story(client: Client) -> None:
        ids = set()
        for name in ("memory.write", "memory_write", "memory.add", "memory_add"):
            said = f"The {era} lighthouse keeps its spare lamp in the cellar"
            ids.add((await ask(client, name, text=said))["id"])
        assert len(ids) == 1
        [memory_id] = ids
        for name in ("memory.get", "memory_get"):
            assert (await ask(client, name, id=memory_id))["id"] == memory_id
        for name in ("memory.context", "memory_context"):
            pack = await ask(client, name, task="replace the lamp of the lighthouse")
            assert memory_id in pack["citations"]
        for name in ("memory.forget", "memory_forget"):
            assert (await ask(client, name, id=memory_id))["status"] in ("forgotten", "noop")

    told(at, era, story)


@both_eras
def test_every_answer_fits_its_output_schema_and_says_the_same_as_text(at: Served, era: str) -> None:
    async def story(client: Client) -> None:
        schemas = {tool.name: tool.output_schema for tool in (await client.list_tools()).tools}

        async def call(name: str, **arguments: Any) -> dict[str, Any]:
            answer = await client.call_tool(name, arguments)
            assert answer.structured_content is not None
            validate(answer.structured_content, schemas[name])
            assert json.loads(text_of(answer)) == answer.structured_content
            assert text_of(answer) == serialize(answer.structured_content)
            return dict(answer.structured_content)

        one = await call("memory_write", text=f"The {era} mill grinds rye", kind="decision", tags=["mill"])
        two = await call("memory_write", text=f"The {era} baker starts at four", importance=0.9)
        edge = await call("memory_relate", **{"from": one["id"], "to": two["id"], "rel": "depends_on"})
        assert edge["status"] == "created"
        for shape in ("concise", "detailed"):
            found = await call("memory_search", query=f"{era} mill rye", response_format=shape)
            assert found["results"][0]["id"] == one["id"]
            await call("memory_context", task="grind rye in the mill", response_format=shape)
            await call("memory_get", id=one["id"], response_format=shape)
        await call("memory_forget", id=two["id"])

    told(at, era, story)


@both_eras
def test_an_answer_is_no_longer_than_its_budget(at: Served, era: str) -> None:
    async def story(client: Client) -> None:
        for number in range(6):
            await ask(client, "memory_write", text=f"Canal lock {number} {era}: " + "keeper's log. " * 30)
        for budget in (64, 200, 1000):
            answer = await client.call_tool(
                "memory_search", {"query": "canal lock log", "max_tokens": budget}
            )
            assert count(text_of(answer)) <= budget
        answer = await client.call_tool("memory_context", {"task": "open the canal lock", "max_tokens": 128})
        assert count(text_of(answer)) <= 128

    told(at, era, story)


@both_eras
def test_a_bad_argument_is_an_error_that_says_what_to_do(at: Served, era: str) -> None:
    async def story(client: Client) -> None:
        assert await refused(client, "memory_search") == (
            "query is missing; memory_search needs it. (bad-value)"
        )
        said = await refused(client, "memory_search", query="x", limit=500)
        assert "limit: 500 will not do; give a number from 1 to 50" in said
        said = await refused(client, "memory_search", query="x", scope="team")
        assert "give one of project, global, session" in said
        said = await refused(client, "memory_write", text=["a", "list"])
        assert "text:" in said
        assert "give a string" in said
        said = await refused(client, "memory.write", text="x", tag="y")
        assert "tag is not an argument of memory_write; did you mean tags" in said
        said = await refused(client, "memory_search", query="x", as_of="yesterday-ish")
        assert "as_of" in said
        assert "2026-06-18" in said

    told(at, era, story)


@both_eras
def test_null_means_not_given_and_a_whole_float_is_a_number(at: Served, era: str) -> None:
    async def story(client: Client) -> None:
        found = await ask(client, "memory_search", query="gazebo", cursor=None, filters=None, limit=3.0)
        assert found["results"] == []

    told(at, era, story)


@both_eras
def test_a_miss_is_an_answer_and_an_unknown_tool_is_not(at: Served, era: str) -> None:
    async def story(client: Client) -> None:
        said = await refused(client, "memory_get", id="mem_2020-01-01_nothing_aaaa")
        assert "there is no memory" in said
        assert said.endswith("(not-found)")
        with pytest.raises(MCPError) as error:
            await client.call_tool("memory_invent", {})
        assert error.value.code == -32602
        assert "memory_search" in error.value.message

    told(at, era, story)


@both_eras
def test_the_headers_say_who_asks_and_a_call_may_say_otherwise(at: Served, vault: Vaulted, era: str) -> None:
    async def story(client: Client) -> None:
        kept = await ask(client, "memory_write", text=f"The {era} aviary opens in spring")
        other = await ask(client, "memory_write", text=f"The {era} aviary has ten owls", project="zoo")
        here, there = (vault.service.request().view().get(one["id"]).memory for one in (kept, other))
        assert (here.project, there.project) == ("bird park", "zoo")
        assert here.source == {"agent": "tester", "session": "s-81"}
        for project, mine, theirs in ((None, kept, other), ("zoo", other, kept)):
            found = await ask(client, "memory_search", query=f"{era} aviary", project=project)
            ids = [hit["id"] for hit in found["results"]]
            assert mine["id"] in ids
            assert theirs["id"] not in ids

    headers = {"helix-project": "bird%20park", "helix-session": "s-81", "helix-client": "tester"}
    told(at, era, story, headers=headers)


@both_eras
def test_a_client_that_sends_no_headers_is_known_by_its_own_name(
    at: Served, vault: Vaulted, era: str
) -> None:
    async def story(client: Client) -> None:
        kept = await ask(client, "memory_write", text=f"The {era} orchard has nine pear trees")
        source = vault.service.request().view().get(kept["id"]).memory.source or {}
        assert source["agent"] == "mcp"
        assert source.get("session", "mcp-").startswith("mcp-")
        assert ("session" in source) is (era == "legacy")

    told(at, era, story)


@both_eras
def test_the_graph_is_read_page_by_page(at: Served, vault: Vaulted, era: str) -> None:
    async def story(client: Client) -> None:
        for number in range(12):
            await ask(
                client, "memory_write", text=f"Windmill {number} of the {era} row stands in field {number}"
            )
        resources = (await client.list_resources()).resources
        assert [one.uri for one in resources] == ["helix://graph", "helix://strand/manifest"]
        assert {one.mime_type for one in resources} == {"application/json"}
        templates = (await client.list_resource_templates()).resource_templates
        assert templates[0].uri_template == "helix://graph{?cursor,max_tokens,scope}"
        seen: list[str] = []
        uri = "helix://graph?max_tokens=300"
        while uri:
            [page] = (await client.read_resource(uri)).contents
            assert isinstance(page, TextResourceContents)
            assert count(page.text) <= 300
            said = json.loads(page.text)
            seen += [node["id"] for node in said["nodes"]]
            cursor = said["next_cursor"]
            uri = f"helix://graph?max_tokens=300&cursor={cursor}" if cursor else ""
        assert len(seen) == len(set(seen))
        assert set(seen) == {row.id for row in vault.helix.catalog.memories()}

    told(at, era, story)


@both_eras
def test_the_manifest_of_an_export_is_a_resource(at: Served, vault: Vaulted, era: str) -> None:
    async def story(client: Client) -> None:
        await ask(client, "memory_write", text=f"The {era} lighthouse blinks twice")
        [page] = (await client.read_resource("helix://strand/manifest")).contents
        assert isinstance(page, TextResourceContents)
        said = json.loads(page.text)
        assert (said["format"], said["version"]) == ("helix-strand", 1)
        assert count(page.text) <= 4000

    told(at, era, story)


@both_eras
def test_what_is_no_resource_is_said_as_the_revision_has_it(at: Served, era: str) -> None:
    async def story(client: Client) -> None:
        with pytest.raises(MCPError) as error:
            await client.read_resource("helix://nothing")
        assert error.value.code == (-32002 if era == "legacy" else -32602)
        with pytest.raises(MCPError) as error:
            await client.read_resource("helix://graph?cursor=made.up")
        assert "bad-cursor" in error.value.message

    told(at, era, story)


@both_eras
def test_fifty_calls_at_once_are_all_answered(at: Served, era: str) -> None:
    async def story(client: Client) -> None:
        made = await asyncio.gather(
            *(ask(client, "memory_write", text=f"Berth {number} {era} takes barges") for number in range(10)),
            *(ask(client, "memory_search", query=f"berth {number} barges") for number in range(40)),
        )
        assert len(made) == 50
        assert len({one["id"] for one in made[:10]}) == 10

    told(at, era, story)


@both_eras
def test_what_breaks_inside_is_told_in_general_and_logged_without_memory_text(
    era: str, caplog: pytest.LogCaptureFixture
) -> None:
    def burst(request: Request, said: Arguments) -> str:
        raise RuntimeError("the text of a memory")

    def burst_too(request: Request, said: Mapping[str, str]) -> dict[str, Any]:
        raise RuntimeError("the text of a memory")

    tool = Tool("memory_burst", "memory.burst", "Bursts", {"type": "object"}, burst)
    resource = Resource("test://burst", "burst", "Bursts", "Bursts", burst_too)
    dialect = Dialect("test", "", (tool,), (resource,))
    surface = McpSurface(cast(Workspace, NoWorkspace()), VERSION, dialects={"test": dialect}, default="test")

    async def story(client: Client) -> None:
        said = await refused(client, "memory_burst")
        assert "something went wrong inside Helix" in said
        with pytest.raises(MCPError) as error:
            await client.read_resource("test://burst")
        assert error.value.message == said

    with caplog.at_level(logging.INFO), served(surface) as at:
        told(at, era, story)
    logged = "\n".join(record.getMessage() for record in caplog.records if record.name.startswith("helix"))
    assert "memory_burst failed with RuntimeError" in logged
    assert "in burst" in logged
    assert "test://burst failed with RuntimeError" in logged
    assert "the text of a memory" not in caplog.text.replace('raise RuntimeError("the text of a memory")', "")


def test_a_service_that_describes_its_export_offers_the_manifest(vault: Vaulted) -> None:
    async def story(client: Client) -> None:
        uris = [one.uri for one in (await client.list_resources()).resources]
        assert uris == ["helix://graph", "helix://strand/manifest"]
        [page] = (await client.read_resource("helix://strand/manifest?max_tokens=3000")).contents
        assert isinstance(page, TextResourceContents)
        assert json.loads(page.text) == vault.service.strand_manifest(max_tokens=3000)
        with pytest.raises(MCPError, match="cursor 'abc' is not known"):
            await client.read_resource("helix://strand/manifest?cursor=abc")

    with served(McpSurface(vault.workspace, VERSION)) as at:
        told(at, "2026-07-28", story)


@both_eras
def test_the_vault_dialect_speaks_for_those_with_a_token(at: Served, era: str) -> None:
    async def story(client: Client) -> None:
        assert client.server_capabilities.resources is None
        made = await ask(client, "memory_append", title=f"Ferry {era}", body="The ferry leaves at nine.")
        found = await ask(client, "memory_search", query=f"ferry {era}")
        assert made["id"] in [entry["id"] for entry in found["results"]]
        bundle = await client.call_tool("memory_recall", {"phases": ["work"], "budget_tokens": 300})
        assert bundle.structured_content is None
        assert count(text_of(bundle)) <= 300
        assert (await ask(client, "memory.forget", id=made["id"]))["status"] == "deleted"
        assert (await refused(client, "memory_forget", id="mem_none")).startswith("404: ")

    told(at, era, story, "/mcp/vault", owner="somebody")
