"""No text of a length that is allowed holds the interpreter: what any parser takes grows with the text, not with its
square.

Texts are made of a few marks that are repeated very often, which is what every slow text for a pattern looks like. Time
is the processor's time of this thread, so that busy neighbours change nothing; a text is slow when four times as much
of it takes far more than four times as long. HELIX_TEST_SCALE=100 pytest tests/fuzz tries for about an hour.
"""

from __future__ import annotations

import gc
import time
import tracemalloc

import pytest
from hypothesis import HealthCheck, given, settings, target
from hypothesis import strategies as st

from tests.fuzz.parsers import PARSERS, Parser, run
from tests.scale import scaled

# Below this nothing can be told apart from noise, and nobody waits.
_NOTICED = 0.05
# A line grows fourfold, n log n a little more, a square sixteenfold.
_GROWTH = 9.0
_MOST_BYTES = 50 * 1024 * 1024

_MARKS = (
    *"aA1#-*>`[]()<>!|^/\\.,:;'\"_+=~@&%${}? \t\n",
    *("\r\n", "\n\n", "- ", "> ", "# ", "[[", "]]", "**", "```", "\x85", "\u2028"),
    *("e\u0301", "\u0300\u0316", "\u200b", "世", "😀"),
    *("http://", "2026-01-01", "a b ", "ß", "\ufb01", "\u1100\u1161", "\x00", "ﷺ"),
)  # fmt: skip


@st.composite
def _pumped(draw: st.DrawFn, parser: Parser) -> tuple[str, str, str]:
    marks = st.one_of(st.sampled_from(parser.marks or _MARKS), st.sampled_from(_MARKS))
    few = st.lists(marks, max_size=2).map("".join)
    return draw(few), draw(st.lists(marks, min_size=1, max_size=4).map("".join)), draw(few)


def _text(pumped: tuple[str, str, str], length: int) -> str:
    before, again, after = pumped
    return before + again * max(1, length // len(again)) + after


def _cost(parser: Parser, text: str, tries: int = 1) -> float:
    costs = []
    for _ in range(tries):
        started = time.thread_time()
        run(parser, text)
        costs.append(time.thread_time() - started)
    return min(costs)


@pytest.mark.parametrize("parser", PARSERS, ids=lambda parser: parser.name)
def test_what_a_parser_takes_grows_with_the_text_and_not_with_its_square(parser: Parser) -> None:
    run(parser, "what is loaded when it is first used")

    @settings(
        max_examples=scaled(6), deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow]
    )
    @given(_pumped(parser))
    def grows_no_faster(pumped: tuple[str, str, str]) -> None:
        cost = _cost(parser, _text(pumped, parser.longest))
        target(cost)
        if cost > _NOTICED:
            quarter = _cost(parser, _text(pumped, parser.longest // 4), tries=3)
            whole = _cost(parser, _text(pumped, parser.longest), tries=2)
            assert whole <= _NOTICED or whole < _GROWTH * quarter, (pumped, quarter, whole)

    grows_no_faster()


@pytest.mark.parametrize("parser", PARSERS, ids=lambda parser: parser.name)
def test_what_a_parser_takes_of_memory_is_bounded(parser: Parser) -> None:
    run(parser, "what is loaded when it is first used")
    gc.collect()
    for mark in (parser.marks or _MARKS)[:4]:
        text = _text(("", mark, "x"), parser.longest)
        tracemalloc.start()
        try:
            run(parser, text)
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        assert peak < _MOST_BYTES, (mark, peak)
