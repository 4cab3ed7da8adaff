"""The words of real developers' strings."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helix.index.analyze import TOKEN_COUNT, TOKEN_LENGTH, fold, query_tokens, tokens

# What stands in a note, what somebody types, and whether the note is found by all of the typed words.
_FOUND_BY = [
    ("getUserName", "getUserName"),
    ("getUserName", "getusername"),
    ("getUserName", "user name"),
    ("PascalCase", "pascal case"),
    ("HTTPServer", "http server"),
    ("HTTPServerError", "httpservererror"),
    ("max_retries_count", "max_retries_count"),
    ("max_retries_count", "retry count"),
    ("kebab-case-name", "kebab-case-name"),
    ("kebab-case-name", "case"),
    ("helix.index.catalog", "helix.index.catalog"),
    ("helix.index.catalog", "catalog"),
    ("see src/auth/token_store.py:12.", "src/auth/token_store.py"),
    ("see src/auth/token_store.py:12.", "token_store.py:12"),
    ("see src/auth/token_store.py:12.", "token_store"),
    ("see src/auth/token_store.py:12:5", "token store 12"),
    (r"C:\Users\bob\notes.md", "notes.md"),
    ("node --max-old-space-size=4096", "--max-old-space-size"),
    ("node --max-old-space-size=4096", "max-old-space-size 4096"),
    ("upgraded to v2.14.3", "2.14.3"),
    ("upgraded to 2.14.3", "v2.14.3"),
    ("upgraded to v2.14.3", "2.14"),
    ("python3.11 is needed", "python3.11 python"),
    ("react@18.2.0", "react 18.2"),
    ("1.2.3-rc1", "rc1 1.2.3"),
    ("error E1007 in the build", "e1007"),
    ("error E1007 in the build", "1007"),
    ("Error: read ECONNRESET", "econnreset"),
    ("HTTP 429 Too Many Requests", "http 429"),
    ("fixed in 9f2c41aab38e", "9f2c41a"),
    ("fixed in 9f2c41aab38e", "9f2c41aab38e"),
    ("550e8400-e29b-41d4-a716-446655440000", "550e8400-e29b-41d4-a716-446655440000"),
    ("written in C++.", "c++"),
    ("written in C#, mostly", "C#"),
    ("put it in .env", ".env"),
    ("put it in .env", "env"),
    ("npm i @scope/pkg", "@scope/pkg"),
    ("npm i @scope/pkg", "scope/pkg"),
    ("ask bob.smith@example.com", "bob.smith@example.com"),
    ("ask bob.smith@example.com", "smith"),
    ("https://docs.example.com/a/b-c?page=2#top", "docs.example.com"),
    ("https://docs.example.com/a/b-c?page=2#top", "https://docs.example.com/a/b-c"),
    ("HELIX_PORT=7878", "HELIX_PORT"),
    ("export ${HELIX_PORT}", "helix port"),
    ("std::vector<int>", "std::vector"),
    ("std::vector<int>", "vector"),
    ("call `foo_bar()` first", "foo_bar"),
    ("[[mem_2026-05-02_http-client_77af]]", "mem_2026-05-02_http-client_77af"),
    ("127.0.0.1:7878", "127.0.0.1"),
    ("localhost:7878", "localhost 7878"),
    ("#auth/jwt", "auth jwt"),
    ("**bold** _italic_ ~~gone~~", "bold italic gone"),
    ("the user’s settings", "user's setting"),
    ("don’t retry", "don't"),
    ("sha256 digest", "sha256"),
    ("retries", "retrying"),
    ("running", "run"),
    ("Café naïve Ångström", "cafe naive angstrom"),
    ("ｆｕｌｌ ｗｉｄｔｈ", "full width"),
    ("使用Redis缓存会话", "缓存"),
    ("使用Redis缓存会话", "redis"),
    ("データベース接続", "データベース"),
    ("鍵", "鍵"),
    ("데이터베이스를 연결", "데이터베이스"),
    ("การเชื่อมต่อฐานข้อมูล", "ฐานข้อมูล"),
    ("подключение к базе", "БАЗЕ"),
    ("Ёлка", "елка"),
    ("مُحَمَّد", "محمد"),
    ("हिन्दी भाषा।", "भाषा"),
    ("ΑΘΗΝΑ", "αθηνα"),
    ("Straße", "strasse"),
    ("Łódź på Ærø", "lodz aero"),
    ("«foo_bar.baz»", "foo_bar.baz"),
    ("ключ=max_retries", "max_retries ключ"),
]


@pytest.mark.parametrize(("note", "query"), _FOUND_BY)
def test_a_string_is_found_by_what_people_type_for_it(note: str, query: str) -> None:
    assert query_tokens(query)
    assert set(query_tokens(query)) <= set(tokens(note))


@pytest.mark.parametrize(
    ("note", "query"),
    [
        ("C++ templates", "c"),
        ("C# generics", "c++"),
        ("version 2.14", "2.1"),
        ("port 17878", "7878"),
        ("使用", "用使"),
    ],
)
def test_a_string_is_not_found_by_a_neighbour(note: str, query: str) -> None:
    assert not set(query_tokens(query)) & set(tokens(note))


def test_stop_words_are_dropped_unless_they_are_all_there_is() -> None:
    assert tokens("the cache of the service") == ["cach", "servic"]
    assert tokens("to be or so") == ["to", "be", "or", "so"]
    assert query_tokens("How do I clear the cache?") == ["clear", "cach"]
    assert query_tokens("why") == ["whi"]


def test_a_query_has_every_word_once_and_a_text_as_often_as_it_stands_there() -> None:
    assert query_tokens("retry retry RETRIES") == ["retri"]
    assert tokens("retry retry RETRIES") == ["retri"] * 3


def test_an_identifier_counts_its_words_once() -> None:
    assert sorted(tokens("user/user/user")) == ["user", "user/user/user"]


def test_huge_texts_and_huge_words_are_bounded() -> None:
    assert len(tokens("word " * (TOKEN_COUNT + 10))) == TOKEN_COUNT
    blob = tokens("QUJD" * 50_000)
    assert len(blob) == 1
    assert len(blob[0]) <= TOKEN_LENGTH


@pytest.mark.parametrize(
    "nasty",
    [
        *(
            "a." * 50_000,
            "aB" * 50_000,
            "-" * 200_000,
            "a-" * 50_000,
            "/" * 200_000,
            ":1" * 50_000,
            "'" * 200_000,
        ),
        *("é" * 200_000, "漢" * 200_000, "@a" * 50_000, "a::" * 50_000, "0" * 200_000, "1." * 50_000),
        *("\u0301" * 100_000, "ж:" * 50_000, "a'" * 50_000, "x=" * 50_000),
    ],
    ids=lambda text: text[:2],
)
def test_no_text_takes_long(nasty: str) -> None:
    started = time.process_time()
    tokens(nasty)
    query_tokens(nasty)
    assert time.process_time() - started < 2


def test_half_a_character_from_a_broken_client_is_no_word() -> None:
    assert tokens("before \ud800 after\udcff") == ["befor", "after"]


def test_folding_makes_texts_comparable() -> None:
    assert fold("  Größe\u00a0DES\nPuffers ") == "grosse des puffers"


@given(st.text())
def test_no_text_is_refused_and_no_word_is_empty_or_has_a_space(text: str) -> None:
    found = tokens(text)
    assert all(word and len(word) <= TOKEN_LENGTH and not word.isspace() for word in found)


@given(st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1, max_size=30))
def test_a_string_finds_itself(text: str) -> None:
    assert set(query_tokens(f"{text} anchor")) <= set(tokens(f"before {text} anchor"))
