"""The story that every SDK tells, told by this one, with threads and with an event loop."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from helix import AsyncHelix, Helix, HelixError
from tests.client.conftest import Running, daemon_at
from tests.story.telling import ENDING, Saved, Step, check, fill, look, read_story, steps
from tests.story.vault import read_vault

Answer = dict[str, Any]
STORY = read_story()


@pytest.fixture
def harbour(tmp_path: Path) -> Iterator[Running]:
    with daemon_at(tmp_path, STORY["files"], "[consolidate]\nenabled = false\n") as running:
        yield running


def test_told_with_threads_the_story_ends_in_the_vault_it_must(harbour: Running) -> None:
    with Helix(harbour.url, **STORY["caller"]) as mem:

        async def perform(step: Step, arguments: Mapping[str, Any]) -> Answer:
            method, positional, named = _spelled(mem, step, arguments)
            said = method(*positional, **named)
            if step.walk and step.verb != "graph":
                return {"items": [one.to_dict() for one in said]}
            return dict(said.to_dict())

        asyncio.run(_tell(perform, harbour))
    assert read_vault(harbour.vault) == json.loads(ENDING.read_text("utf-8"))


def test_told_with_an_event_loop_the_story_ends_in_the_same_vault(harbour: Running) -> None:
    async def tell() -> None:
        async with AsyncHelix(harbour.url, **STORY["caller"]) as mem:

            async def perform(step: Step, arguments: Mapping[str, Any]) -> Answer:
                method, positional, named = _spelled(mem, step, arguments)
                said = method(*positional, **named)
                if step.walk and step.verb != "graph":
                    return {"items": [one.to_dict() async for one in said]}
                return dict((await said).to_dict())

            await _tell(perform, harbour)

    asyncio.run(tell())
    assert read_vault(harbour.vault) == json.loads(ENDING.read_text("utf-8"))


async def _tell(perform: Callable[[Step, Mapping[str, Any]], Awaitable[Answer]], running: Running) -> None:
    saved: Saved = {}
    for number, step in enumerate(steps(STORY)):
        place = f"step {number}: {step.verb or step.harness} {dict(step.arguments)}"
        if step.harness:
            running.commit(step.message)
        elif step.error is not None:
            with pytest.raises(HelixError) as caught:
                await perform(step, fill(step.arguments, saved))
            found = {
                "name": type(caught.value).__name__,
                "code": caught.value.code,
                "status": caught.value.status,
            }
            assert {name: found[name] for name in step.error} == step.error, place
        else:
            answer = await perform(step, fill(step.arguments, saved))
            for path, wanted in step.expect.items():
                try:
                    check(look(answer, path), fill(wanted, saved))
                except AssertionError as error:
                    raise AssertionError(f"{place}, {path}: {error}\n{answer}") from error
            saved |= {name: look(answer, path) for name, path in step.save.items()}


_FIRST = {"write": "text", "search": "query", "context": "task", "phases": "phases", "file": "ids"}


def _spelled(mem: object, step: Step, arguments: Mapping[str, Any]) -> tuple[Any, list[Any], dict[str, Any]]:
    """A step as this SDK says it: the method, what stands first, and the rest by name."""
    name = step.verb
    if name == "graph":
        name = "graph" if step.walk else "graph_page"
    elif step.walk:
        name = f"{name}_all"
    first = ("from", "to") if step.verb == "relate" else (_FIRST.get(step.verb, "id"),)
    named = {key: value for key, value in arguments.items() if key not in first}
    return getattr(mem, name), [arguments[key] for key in first if key in arguments], named
