"""A concise hit is the passage that answers: whole sentences, and what it leaves out is said and one `get` away."""

from __future__ import annotations

from pathlib import Path

import pytest

from helix.index.analyze import query_tokens
from helix.memory.reading.passages import Passage, find_passage
from helix.vault.note import Memory
from tests.memory.world import ME, World, record

_FILLER = " ".join(f"The {name} team met on Monday and wrote down what it had seen." for name in "abcdefghij")
_ANSWER = "The gateway drops a request after 4200 milliseconds."
_CODE = "\n".join(f"step_{number} = run(stage={number})" for number in range(60))


def _find(body: str, question: str, room: int = 300) -> Passage:
    memory = Memory(
        id="m",
        kind="fact",
        scope="global",
        project=None,
        title="Notes",
        status="active",
        tags=(),
        edges={},
        body=body,
    )
    return find_passage(memory, frozenset(query_tokens(question)), None, room)


def test_the_sentence_that_has_the_words_of_the_question_is_shown_whole_from_wherever_it_stands() -> None:
    found = _find(f"{_FILLER} {_ANSWER} {_FILLER}", "when does the gateway drop a request?")
    assert _ANSWER in found.text
    assert not found.is_whole
    assert len(found.text) <= 300
    assert found.text.endswith(".")


def test_a_short_text_is_shown_whole() -> None:
    found = _find("It is short. It says little.", "what about the gateway?")
    assert found == Passage("It is short. It says little.", True, 0.0)


def test_sentences_that_stand_apart_are_joined_by_a_mark() -> None:
    found = _find(
        f"The gateway is old. {_FILLER} Nobody restarts the mill. {_FILLER}", "gateway mill", room=250
    )
    assert "The gateway is old." in found.text
    assert "Nobody restarts the mill." in found.text
    assert "…" in found.text


def test_code_and_lists_are_cut_between_lines() -> None:
    items = "\n".join(f"- item {number} of the list is about subject {number}" for number in range(40))
    for body in (f"# Build\n\n```python\n{_CODE}\n```\n", f"# List\n\n{items}\n"):
        found = _find(body, "step_31 item 31 subject 31")
        lines = {line.strip() for line in body.splitlines()}
        assert "31" in found.text
        assert all(line.strip() in lines for line in found.text.splitlines() if line != "…")


def test_a_sentence_without_an_end_is_cut_between_words() -> None:
    found = _find("word " * 20_000, "word")
    assert 0 < len(found.text) <= 1_200
    assert set(found.text.split()) == {"word"}


def test_a_text_without_the_words_of_the_question_is_shown_from_its_beginning() -> None:
    assert _find(_FILLER, "gateway").text.startswith("The a team met")


def _filler(number: int) -> str:
    names = (f"{letter}{number}" for letter in "abcdefghijklmn")
    return " ".join(f"The {name} crew saw {name}x and {name}y on {name}z day." for name in names)


@pytest.fixture
def lines(world: World) -> World:
    """Long notes on kilns, on bowls, and on nothing of the kind."""
    for number in range(12):
        kiln = f"Kiln {number} is fired at {900 + number} degrees by the potter."
        bowl = f"Bowl {number} has a cobalt rim and no glaze."
        for name, text in (("kiln", kiln), ("bowl", bowl), ("ship", f"Ship {number} sails.")):
            body = f"{_filler(number)} {text} {_filler(100 + number)}"
            world.put(
                f"{name}-{number}.md", record(f"{name}-{number}", body, title=f"{name} number {number}")
            )
    return world


def test_a_hit_that_shows_a_part_says_how_long_its_memory_is_and_get_reads_it_whole(lines: World) -> None:
    found = lines.service.search("at how many degrees is kiln 7 fired by the potter?", caller=ME)
    hit = next(one for one in found["results"] if one["id"] == "kiln-7")
    assert "Kiln 7 is fired at 907 degrees by the potter." in hit["text"]
    assert hit["title"] == "kiln number 7"
    whole = lines.service.get("kiln-7", caller=ME)["text"]
    assert hit["text"] in whole
    assert len(hit["text"]) < len(whole)
    assert hit["more"] == pytest.approx(len(whole) / 4, rel=0.1)
    assert found["tokens_used"] < 1500


def test_what_is_shown_whole_has_no_more(world: World) -> None:
    world.add("The potter prefers blue glaze.")
    (hit,) = world.service.search("which glaze does the potter prefer?", caller=ME)["results"]
    assert "more" not in hit


def test_few_hits_are_shown_when_the_best_one_answers_and_the_cursor_leads_to_the_rest(lines: World) -> None:
    lines.put("glaze.md", record("glaze", "The cobalt glaze melts early.", title="Cobalt glaze"))
    sure = lines.service.search("cobalt glaze", caller=ME)
    assert [one["id"] for one in sure["results"]] == ["glaze"]
    assert sure["truncated"]
    rest = lines.service.search("cobalt glaze", caller=ME, cursor=sure["next_cursor"])
    assert "glaze" not in {one["id"] for one in rest["results"]}
    assert len(rest["results"]) > 1


def test_many_hits_are_shown_when_the_ranking_is_flat(lines: World) -> None:
    flat = lines.service.search("which kiln is fired by the apprentice?", caller=ME, max_tokens=8000)
    assert len(flat["results"]) == 8


def test_a_limit_is_honoured_as_a_maximum_however_sure_the_ranking_is(lines: World) -> None:
    lines.put("glaze.md", record("glaze", "The cobalt glaze melts early.", title="Cobalt glaze"))
    many = lines.service.search("cobalt glaze", caller=ME, limit=5, max_tokens=8000)
    assert len(many["results"]) == 5


def test_detailed_hits_show_the_text_as_before(lines: World) -> None:
    hit = lines.service.search("kiln 7", caller=ME, response_format="detailed", max_tokens=8000)["results"][0]
    assert "more" not in hit
    assert len(hit["text"]) > 1_000


def test_a_pack_holds_the_passages_of_many_memories_before_the_whole_text_of_one(lines: World) -> None:
    task = "at how many degrees is each kiln fired by the potter?"
    small = lines.service.context(task, caller=ME, max_tokens=1500)
    assert small["tokens_used"] <= 1500
    assert len(small["citations"]) >= 5
    assert all(f"fired at {900 + int(one[5:])} degrees" in small["context"] for one in small["citations"])
    large = lines.service.context(task, caller=ME, max_tokens=20_000)
    assert all(_filler(100 + int(one[5:])) in large["context"] for one in large["citations"])


def test_a_passage_is_the_same_on_every_page(lines: World, tmp_path: Path) -> None:
    question = "which kiln is fired at 905 degrees?"
    whole = lines.service.search(question, caller=ME, limit=12, max_tokens=20_000)["results"]
    first = lines.service.search(question, caller=ME, limit=4, max_tokens=20_000)
    rest = lines.service.search(question, caller=ME, limit=12, max_tokens=20_000, cursor=first["next_cursor"])
    assert [*first["results"], *rest["results"]] == whole
