"""No answer is larger than its `max_tokens`: any vault, any query, any budget from 64 on."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from helix.errors import BadValue
from helix.memory.reading import versions
from helix.memory.tokens import Payload, serialize, token_counter
from helix.vault.history import Version
from helix.vault.note import Note
from tests.memory.world import ME, World, opened, record
from tests.scale import scaled

COUNT = token_counter()
BUDGETS = st.one_of(st.integers(64, 400), st.integers(64, 25_000))
NASTY = [
    "Ein kurzer Satz. Noch einer! Und ein dritter?",
    "日本語のメモ。これは長い文章です。" * 40,
    "👩‍👩‍👧‍👦🏳️‍🌈" * 60,
    "a" * 5_000,
    "word " * 3_000,
    "\u202e\u0000".replace("\u0000", "") + "مرحبا بالعالم " * 80,
    '<|endoftext|> </memory> \\u0000 "quotes" \\ back\\slashes \t tabs ' * 30,
    "# Heading\n\n"
    + "\n\n".join(f"Paragraph {n} about the retry policy of service {n}." for n in range(200)),
    "𝔘𝔫𝔦𝔠𝔬𝔡𝔢 retry " * 50,
]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with opened(tmp_path_factory.mktemp("budget")) as world:
        for n, text in enumerate(NASTY):
            world.put(f"n{n}.md", record(f"mem_n{n}", f"retry policy {n}: {text}"))
        odd = "é漢" * 90
        world.put(
            "odd.md",
            record(odd, "retry policy of an odd id", title=f'"{"標題 " * 40}"', mood=f'"{"x" * 3_000}"'),
        )
        tags = ", ".join(f"tag-{n}-{'z' * 60}" for n in range(60))
        world.put(
            "tags.md",
            record("mem_tags", "retry policy with tags", tags=f"[{tags}]", project='"' + "p" * 150 + '"'),
        )
        for n in range(60):
            world.put(
                f"many/m{n}.md",
                record(f"mem_many-{n}", f"retry policy number {n} [[mem_many-{n - 1}]] [[gone {n}]]"),
            )
        yield world


def verbs(world: World) -> dict[str, Callable[[str, int, str], Payload]]:
    service = world.service
    ids = [row.id for row in world.helix.catalog.memories()]

    def pick(query: str) -> str:
        return ids[len(query) % len(ids)]

    return {
        "search": lambda q, n, f: service.search(
            q, caller=ME, scope="all", max_tokens=n, response_format=f, limit=50
        ),
        "context": lambda q, n, f: service.context(
            q, caller=ME, scope="all", max_tokens=n, response_format=f
        ),
        "get": lambda q, n, f: service.get(pick(q), max_tokens=n, response_format=f),
        "recent": lambda q, n, f: service.recent(caller=ME, scope="all", max_tokens=n, response_format=f),
        "graph": lambda q, n, f: service.graph(caller=ME, scope="all", max_tokens=n),
        "neighbors": lambda q, n, f: service.neighbors(pick(q), depth=3, max_tokens=n),
        "stats": lambda q, n, f: service.stats(caller=ME, max_tokens=n),
        "phases": lambda q, n, f: service.recall_phases(
            [q.strip() or "plan"], caller=ME, scope="all", budget_tokens=n
        ),
        "conflicts": lambda q, n, f: service.conflicts(max_tokens=n),
        "manifest": lambda q, n, f: service.strand_manifest(max_tokens=n),
    }


@settings(max_examples=scaled(150), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    verb=st.sampled_from(
        [
            "search",
            "context",
            "get",
            "recent",
            "graph",
            "neighbors",
            "stats",
            "phases",
            "conflicts",
            "manifest",
        ]
    ),
    query=st.one_of(st.just("retry policy"), st.sampled_from(NASTY), st.text(max_size=60)),
    budget=BUDGETS,
    form=st.sampled_from(["concise", "detailed"]),
)
def test_no_answer_is_larger_than_its_budget(
    world: World, verb: str, query: str, budget: int, form: str
) -> None:
    try:
        answer = verbs(world)[verb](query, budget, form)
    except BadValue as error:  # an id or a title so long that nothing could be shown of the memory
        answer = {"error": error.message, "code": error.code, "tokens_used": budget}
    assert COUNT(serialize(answer)) <= budget
    assert COUNT(serialize(answer)) <= answer["tokens_used"] <= budget


TEXT = st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=300)


@settings(max_examples=scaled(8), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(TEXT, min_size=1, max_size=6), TEXT, st.lists(BUDGETS, min_size=4, max_size=4))
def test_no_answer_about_any_vault_is_larger_than_its_budget(
    texts: list[str], query: str, budgets: list[int]
) -> None:
    with tempfile.TemporaryDirectory() as place, opened(Path(place)) as world:
        for n, text in enumerate(texts):
            world.put(f"{n}.md", record(f"mem_{n}", text))
        for verb, run in verbs(world).items():
            for budget in budgets:
                assert COUNT(serialize(run(query, budget, "detailed"))) <= budget, verb


@pytest.mark.parametrize("verb", ["search", "recent", "graph", "neighbors", "stats"])
@pytest.mark.parametrize("budget", [64, 90, 200])
def test_following_the_cursors_of_small_pages_comes_to_an_end_and_shows_everything(
    world: World, verb: str, budget: int
) -> None:
    service = world.service
    pages: dict[str, Callable[[str | None, int], Payload]] = {
        "search": lambda cursor, n: service.search(
            "retry policy", caller=ME, scope="all", max_tokens=n, cursor=cursor
        ),
        "recent": lambda cursor, n: service.recent(caller=ME, scope="all", max_tokens=n, cursor=cursor),
        "graph": lambda cursor, n: service.graph(caller=ME, scope="all", max_tokens=n, cursor=cursor),
        "neighbors": lambda cursor, n: service.neighbors("mem_many-7", depth=3, max_tokens=n, cursor=cursor),
        "stats": lambda cursor, n: service.stats(caller=ME, max_tokens=n, cursor=cursor),
    }
    seen: list[str] = []
    cursor: str | None = None
    for _ in range(1_000):
        page = pages[verb](cursor, budget)
        shown = [one["id"] for name in ("results", "nodes", "neighbors") for one in page.get(name, ())]
        seen += shown
        assert page["next_cursor"] is None or page["next_cursor"] != cursor
        if not shown and "note" in page:
            # Said plainly: this one entry needs more room.
            there = pages[verb](cursor, 5_000)
            seen += [one["id"] for name in ("results", "nodes", "neighbors") for one in there.get(name, ())][
                :1
            ]
        cursor = page["next_cursor"]
        if cursor is None:
            break
    else:
        pytest.fail("the pages do not end")
    assert len(seen) == len(set(seen))
    everything = {row.id for row in world.helix.catalog.memories()}
    if verb in ("recent", "graph"):
        assert set(seen) == everything


def test_a_long_text_is_read_on_with_the_cursor_until_nothing_is_missing(world: World) -> None:
    whole = world.service.get("mem_n7", max_tokens=25_000)["text"]
    pieces, cursor = [], None
    while True:
        page = world.service.get("mem_n7", response_format="concise", max_tokens=300, cursor=cursor)
        pieces.append(page["text"])
        cursor = page["next_cursor"]
        if cursor is None:
            break
        assert page["truncated"]
        assert page["text"].endswith((".", "…")), "cut at a sentence"
    assert len(pieces) > 3
    assert " ".join(" ".join(pieces).split()) == " ".join(whole.split())


def test_a_memory_that_does_not_fit_is_cut_at_a_sentence_and_says_so(world: World) -> None:
    answer = world.service.search(
        "paragraph about the retry policy of service 17", caller=ME, scope="all", max_tokens=110
    )
    [first] = answer["results"]
    assert first["truncated"]
    assert answer["truncated"]
    assert first["text"].rstrip().endswith(".") or first["text"] == ""


def test_a_budget_that_makes_no_sense_is_refused_with_the_range(world: World) -> None:
    for budget in (0, 63, -5, 10**9):
        with pytest.raises(BadValue, match="64"):
            world.service.search("x", caller=ME, max_tokens=budget)


def test_a_stricter_scale_leaves_more_room(tmp_path: Path) -> None:
    assert token_counter(1.5)("some words to count here") > COUNT("some words to count here")


def _cut(world: World, verb: str, memory_id: str, budget: int) -> list[Payload]:
    """Every page of a listing, until there are no more."""
    service = world.service
    run: dict[str, Callable[[str | None], Payload]] = {
        "graph": lambda at: service.graph(caller=ME, scope="all", max_tokens=budget, cursor=at),
        "neighbors": lambda at: service.neighbors(memory_id, max_tokens=budget, cursor=at),
        "stats": lambda at: service.stats(caller=ME, max_tokens=budget, cursor=at),
    }
    pages: list[Payload] = []
    cursor: str | None = None
    for _ in range(300):
        pages.append(run[verb](cursor))
        assert COUNT(serialize(pages[-1])) <= budget
        cursor = pages[-1]["next_cursor"]
        if cursor is None:
            return pages
    pytest.fail("the pages do not end")


@pytest.mark.parametrize("verb", ["graph", "neighbors", "stats"])
@pytest.mark.parametrize("budget", [64, 300, 20_000])
def test_pages_end_whatever_one_entry_is_called(tmp_path: Path, verb: str, budget: int) -> None:
    with opened(tmp_path) as world:
        world.put("a.md", record("mem_a", "First. [[mem_b]] [[mem_c]]"))
        world.put("b.md", record("mem_b", "Second.", title=f'"{"t" * 45_000}"', tags=f'["{"g" * 9_000}"]'))
        world.put("c.md", record("mem_c", f"Third. [[{'w ' * 40_000}]]"))
        pages = _cut(world, verb, "mem_a", budget)
        if verb == "graph" and budget > 64:
            shown = {one["id"]: one for page in pages for one in page["nodes"]}
            assert set(shown) == {"mem_a", "mem_b", "mem_c"}
            # What fits is shown as it is; what does not is shown shortened, and marked.
            assert shown["mem_b"]["title"] == "t" * 45_000 or shown["mem_b"]["truncated"] is True


class NoVersions:
    def check(self, memory_id: str) -> None:
        return

    def list(self, memory_id: str, limit: int | None = None) -> Sequence[Version]:
        return []

    def at(
        self, memory_id: str, *, when: datetime | None = None, ref: str | None = None
    ) -> tuple[Version, Note]:
        raise AssertionError

    def diff(self, memory_id: str, old: str, new: str | None = None) -> str:
        raise AssertionError


def test_an_answer_that_cannot_even_name_its_memory_is_refused(tmp_path: Path) -> None:
    memory_id = "\U0001f9ec" * 200
    with opened(tmp_path) as world:
        world.put("a.md", record(memory_id, "Something."))
        request = replace(world.service.request(), versions=NoVersions())
        with pytest.raises(BadValue, match="raise max_tokens"):
            versions.history(request, memory_id, max_tokens=64)
