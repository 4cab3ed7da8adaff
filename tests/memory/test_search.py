"""search and context when nothing fits: short, and said plainly."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.memory.world import ME, World, opened, record

_TEAM = Path(__file__).parents[2] / "bench" / "team" / "memories.jsonl"
# Nothing that the team has written down is about either; something is near to the first, and nothing to the second.
_NEAR = "what is our policy on smoking"
_LESS_FAR = "where do we order pizza"
_FAR = "What is the capital of France?"
_ANSWERED = "Which database do we use for orders?"


@pytest.fixture(scope="module")
def team(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """A vault with a hundred memories of a team, searched by words and by meaning."""
    place = tmp_path_factory.mktemp("team")
    for line in _TEAM.read_text("utf-8").splitlines()[:100]:
        one = json.loads(line)
        note = place / "vault" / f"{one['key']}.md"
        note.parent.mkdir(exist_ok=True)
        note.write_text(record(one["key"], one["text"], title=json.dumps(one["title"])), "utf-8")
    with opened(place, model="bundled") as world:
        assert world.recall.index.wait_until_embedded(120)
        yield world


def test_when_nothing_fits_well_two_are_shown_marked_as_the_nearest_and_the_cursor_leads_to_the_rest(
    team: World,
) -> None:
    said = team.service.search(_NEAR, caller=ME)
    assert "nothing in memory fits" in said["note"]
    assert [one["nearest"] for one in said["results"]] == [True, True]
    rest = team.service.search(_NEAR, caller=ME, cursor=said["next_cursor"])
    assert len(rest["results"]) > 2
    assert all(one["nearest"] for one in rest["results"])
    assert len(team.service.search(_NEAR, caller=ME, limit=1)["results"]) == 1


def test_when_little_fits_five_are_shown_marked_as_the_nearest(team: World) -> None:
    said = team.service.search(_LESS_FAR, caller=ME, max_tokens=4000)
    assert "nothing in memory fits this question well" in said["note"]
    assert [one["nearest"] for one in said["results"]] == [True] * 5


def test_when_nothing_is_even_near_the_answer_is_empty_and_says_so(team: World) -> None:
    said = team.service.search(_FAR, caller=ME)
    assert said["results"] == []
    assert said["next_cursor"] is None
    assert "nothing in memory fits" in said["note"]


def test_what_fits_comes_as_a_full_page_without_a_mark(team: World) -> None:
    said = team.service.search(_ANSWERED, caller=ME, max_tokens=4000)
    assert len(said["results"]) > 2
    assert not any("nearest" in one for one in said["results"])


def test_a_context_pack_says_plainly_that_nothing_fits_the_task(team: World) -> None:
    nothing = team.service.context(_FAR, caller=ME)
    assert nothing["context"] == "Nothing in memory fits this task."
    assert nothing["citations"] == []
    near = team.service.context(_NEAR, caller=ME, explain=True)
    assert near["context"].startswith("Nothing in memory fits this task.\n")
    assert len(near["citations"]) == 2
    assert near["context"].count('note="merely the nearest') == 2
    assert near["dropped"] > 0
    assert {"below-gate"} <= {one["reason"] for one in near["left_out"]}
    assert "Nothing in memory" not in team.service.context(_ANSWERED, caller=ME)["context"]
