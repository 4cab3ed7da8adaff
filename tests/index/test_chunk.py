from __future__ import annotations

import time
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from helix.index.chunk import MAX_CHUNKS, MAX_PASSAGE, MAX_TEXT, chunks
from tests.index.memories import memory

_BODIES = st.lists(
    st.one_of(
        st.text(max_size=400),
        st.text(alphabet="ab .\n#`", max_size=900),
        st.sampled_from(
            ("\n\n", "# One\n", "## Two\n", "```\n", "word " * 300, "x" * 3000, "Ein Satz. " * 90)
        ),
    ),
    max_size=12,
).map("".join)


def test_a_heading_alone_in_its_passage_is_not_repeated_whole_by_the_next_one() -> None:
    body = "x" * 3000 + "\r# 0\n" + "word " * 216
    starts = [chunk.start for chunk in chunks(memory(body))]
    assert starts == sorted(set(starts))


@given(_BODIES)
def test_the_spans_cover_the_body_in_order(body: str) -> None:
    made = chunks(memory(body))
    assert [chunk.ordinal for chunk in made] == list(range(len(made)))
    assert made[0].start == 0
    assert made[-1].end == len(body)
    for before, after in pairwise(made):
        assert before.start < after.start <= before.end < after.end


@given(_BODIES, st.text(max_size=500), st.lists(st.text(max_size=80), max_size=30))
def test_no_chunk_is_over_the_cap(body: str, title: str, tags: list[str]) -> None:
    made = chunks(memory(body, title=title, tags=tuple(tags)))
    assert 1 <= len(made) <= MAX_CHUNKS
    assert all(len(chunk.text) <= MAX_TEXT for chunk in made)
    if len(body) <= MAX_PASSAGE:
        assert len(made) == 1


@given(_BODIES)
def test_the_same_memory_gives_the_same_chunks(body: str) -> None:
    assert chunks(memory(body)) == chunks(memory(body))


def test_an_ordinary_memory_is_one_chunk_with_title_date_and_tags() -> None:
    (chunk,) = chunks(
        memory(
            "Retries 3x with jitter.\n",
            title="Auth retries",
            tags=("auth", "retries"),
            created_at="2026-06-18T09:12:44Z",
        )
    )
    assert chunk.text == "Auth retries\n18 June 2026\nauth, retries\nRetries 3x with jitter."
    assert (chunk.start, chunk.end) == (0, 24)


def test_a_long_note_is_cut_at_its_headings_and_each_chunk_knows_where_it_stands() -> None:
    body = "".join(
        f"# Part {part}\n\n## Detail {part}\n\n{'A sentence of the part. ' * 40}\n\n" for part in range(3)
    )
    made = chunks(memory(body, title="Long"))
    assert [body[chunk.start :].split("\n")[0] for chunk in made] == ["# Part 0", "# Part 1", "# Part 2"]
    deep = chunks(memory(f"# Top\n\n{'word ' * 150}\n\n## Below\n\n{'word ' * 400}", title="Long"))
    assert "Top > Below" in deep[-1].text


def test_a_hash_sign_in_fenced_code_is_no_heading() -> None:
    body = f"# Real\n\n```\n# not a heading\n```\n\n{'word ' * 400}"
    assert all("not a heading >" not in chunk.text for chunk in chunks(memory(body)))
    assert "Real" in chunks(memory(body))[-1].text.splitlines()[1]


def test_a_chunk_in_the_middle_of_a_section_repeats_the_last_words_before_it() -> None:
    body = "A sentence that goes on for a while. " * 100
    made = chunks(memory(body))
    assert all(0 < before.end - after.start <= 120 for before, after in pairwise(made))


def test_a_changed_title_changes_the_hash() -> None:
    assert chunks(memory("x", title="a"))[0].hash != chunks(memory("x", title="b"))[0].hash


def test_an_empty_body_still_has_its_title() -> None:
    assert [chunk.text for chunk in chunks(memory("", title="Only a title"))] == ["Only a title"]


def test_a_heading_of_nothing_but_marks_takes_no_time() -> None:
    body = "# " + "#" * 200_000 + "x\n" + "# " * 100_000 + "x\n"
    before = time.thread_time()
    chunks(memory(body))
    assert time.thread_time() - before < 1.0


def test_a_heading_is_named_without_its_closing_marks() -> None:
    body = f"## Retry policy ##  \n\n{'word ' * 400}"
    assert chunks(memory(body, title="Billing"))[-1].text.splitlines()[1] == "Retry policy"
