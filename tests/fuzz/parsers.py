# ruff: noqa: E501 (one parser to a line)
"""Everything that reads what a vault, a request or an import may hold. A new parser is one line here."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from typing import Any

from helix_mcp import message
from helix_mcp.inert import inert

from helix.hosts import json_text, splice_toml, splice_yaml
from helix.index import analyze, chunk, query, spelling, time_words
from helix.memory import budget, tokens
from helix.memory.judgement import resemble, statements, wording, worth
from helix.memory.portability import export_manifest, imported, relink
from helix.memory.portability.importers import basic_memory, instructions
from helix.memory.reading import markdown_html, pack_text, phase_recall
from helix.vault import (
    conflict_names,
    edit,
    frontmatter,
    git_conflict_markers,
    git_folder,
    identity,
    ids,
    ignore,
    links,
    markdown_blocks,
    new_memory,
    paths,
    secrets,
    text_merge,
    times,
    unified_diff,
    yaml_load,
    yaml_text,
)
from helix.vault.note import Memory, Note


@dataclass(frozen=True)
class Parser:
    name: str
    read: Callable[[str], object]
    marks: tuple[str, ...] = ()
    """what means something to it; others are tried too"""
    longest: int = 16_000
    """letters of a text that it is tried with: enough to tell a square from a line"""


def _note(text: str) -> Memory:
    return Note.parse("a.md", b"---\nid: x\ntitle: t\n---\n" + text.encode("utf-8", "replace")).memory


def _document(text: str) -> frontmatter.Document:
    return frontmatter.parse(b"---\nid: x\n" + text.encode("utf-8", "replace") + b"\n---\nbody\n")


def _edited(text: str) -> object:
    return edit.edit(_document(text), {"status": "deleted", "tags": ["a"]})


def _alike(text: str) -> object:
    return resemble.resemble(
        resemble.ComparedMemory("t", text, "fact"), resemble.ComparedMemory("t", text + " x", "fact")
    )


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "replace")


def _turned(text: str) -> str:
    """Its second half before the first: hardly a line is where it was."""
    return text[len(text) // 2 :] + text[: len(text) // 2]


_YAML = (
    "a: ",
    "- ",
    "[",
    "{",
    "&a ",
    "*a",
    "!!str ",
    '"',
    "'",
    "|\n",
    ">\n",
    "? ",
    "#",
    "\n",
    "  ",
    ",",
    "\\",
)
_PROSE = (
    "#",
    "# ",
    "[[",
    "]]",
    "`",
    "```\n",
    "> ",
    "|",
    "^",
    "- ",
    ". ",
    "\n\n",
    "=======",
    "<<<<<<< ",
    "~~~\n",
)
_SECRETS = (
    "password=",
    "bearer ",
    "basic ",
    "ghp_",
    "AKIA",
    "eyJ",
    "://",
    ":",
    "@",
    "-----BEGIN ",
    "key: ",
    "a" * 16,
)
_JSON = ("{", "[", '"', "\\", ":", ",", "/*", "*/", "//", "1", "true", "\n")
_count = tokens.token_counter()

PARSERS = (
    Parser("note", _note, _PROSE),
    Parser("frontmatter", lambda text: _document(text).meta, _YAML),
    Parser("fences of the frontmatter", lambda text: frontmatter.parse(text.encode("utf-8", "replace")), ("---", "\n", " ", "a:")),
    Parser("edit of a key", _edited, _YAML, 4_000),
    Parser("load", yaml_load.load, _YAML),
    Parser("id in a commit", lambda text: identity.id_in_frontmatter(b"---\nid: " + text.encode("utf-8", "replace")), ("'", '"', "\\", " #")),
    Parser("marks of a conflict", git_conflict_markers.find_conflict, ("<<<<<<< a\n", "=======\n", ">>>>>>> b\n", "||||||| c\n", "```\n")),
    Parser("sides of a conflict", git_conflict_markers.take_sides, ("<<<<<<< a\n", "=======\n", ">>>>>>> b\n", "||||||| c\n", "```\n")),
    Parser("merge of two texts", lambda text: text_merge.merge_text(text, f"x\n{text}y\n", f"{text}\nz\n"), _PROSE),
    Parser("merge of two texts that share little", lambda text: text_merge.merge_text(text, _turned(text), f"x\n{text[::2]}"), _PROSE),
    Parser("merge without a base", lambda text: text_merge.merge_text(None, text, _turned(text)), _PROSE),
    Parser("text without collisions", text_merge.without_collisions, (*_PROSE, "> [!warning] Two versions of the next lines met here.")),
    Parser("difference of two versions", lambda text: unified_diff.unified_diff(_bytes(text), _bytes(_turned(text)), "a", "b"), _PROSE),
    Parser("blocks of markdown", markdown_blocks.blocks, (*_PROSE, "|-|\n", "| a |\n")),
    Parser("name of a branch", lambda text: git_folder.is_ref(f"refs/{text}"), ("/", ".", "..", "@{", ".lock", "a"), 1_100),
    Parser("markdown links", lambda text: links.markdown_links(text, "a/b.md"), ("](", ")", "(", "<", ">", "a.md", "../", "%20", "#")),
    Parser("links in properties", lambda text: links.property_links([text]), ("[[", "]]", "|", "#")),
    Parser("wikilinks", links.wikilinks, _PROSE),
    Parser("tags", links.inline_tags, ("#", "/", "a", "1", "-", "(", "`")),
    Parser("link", links.from_link, ("[[", "]]", "|", "#", "^")),
    Parser("time", times.parse_time, ("2026-01-01", "T", "12:00", ".", "1", "Z", "+01:00")),
    Parser("slug", paths.slug),
    Parser("folder name", paths.folder_name),
    Parser("id", ids.is_usable),
    Parser("title from a body", new_memory.title_from, _PROSE),
    Parser("spelled text", yaml_text.spell_text, _YAML),
    Parser("name of a copy", conflict_names.original_name, (" (", ")", "conflict", "-", ".sync-conflict-20260101-101010-ABCDEFG", "1", ".md"), 255),
    Parser("ignore rules", lambda text: ignore.Ignore(text).skips("a" * 100 + "/" + "ab" * 50 + ".md"), ("*", "**/", "?", "[a-b]", "[!", "/", "a", "\\", "\n", "!"), 2_000),
    Parser("chunks", lambda text: chunk.chunks(_note("x" * 1_300 + "\n" + text)), _PROSE),
    Parser("words", analyze.tokens, ("a", "A", "1", "_", "-", ".", "/", "::", "@", "世")),
    Parser("words of a question", analyze.query_tokens, ("what ", "?", "a", "世")),
    Parser("folded text", analyze.fold),
    Parser("question", query.parse, ('"', "-", "kind:", "tag:", "after:", "2026", "(", " "), 4_000),
    Parser("time in a question", lambda text: time_words.time_span(text, date(2026, 1, 1)), ("last ", "5 days ago ", "in ", "may ", "2026-", "1", "st ")),
    Parser("word as it is written", lambda text: spelling.as_written("deploy", [text]), ("'", "-", "a")),
    Parser("secrets", secrets.find_secret, _SECRETS),
    Parser("line of a secret", lambda text: secrets.line_of_secret(text + "\npassword=hunter2Xy9!aB"), (*_SECRETS, "\n")),
    Parser("secrets in a record", lambda text: secrets.find_leak({"a": [text, {"b": text}]}), _SECRETS),
    Parser("worth", lambda text: worth.why_not_worth(text, "fact"), ("ok", "thanks", "! ", "lorem ipsum dolor ", "http://", "- ", "[info] ")),
    Parser("wording", wording.spelled_out, ("n't", "'s", "can't ", "'", "a", " ")),
    Parser("statements", statements.parse_text, (*_PROSE, "5 may ", "is ", "v1.2", "not ")),
    Parser("resemblance", _alike, (*_PROSE, "is ", "not ", "a, ")),
    Parser("cut", lambda text: budget.cut(text, len(text) * 3 // 4), (". ", "\n", " ")),
    Parser("fence of a pack", inert, ("<", "/", " ", "memory", ">", "#include", "=", "\u200b", "[", "Human:")),
    Parser("words of a pack", pack_text.words_of),
    Parser("html", lambda text: markdown_html.to_html(text, lambda name: None), (*_PROSE, "*", "_", "![", "](", "<", "&#", "1. ", "|-"), 8_000),
    Parser("tokens", _count, ("a", " ", "\n", "世", "!", "\U0001f600"), 200_000),
    Parser("phases", phase_recall.phases_in, _YAML),
    Parser("contents of a strand", lambda text: export_manifest.parse_manifest(_bytes(f'{{"entries": [{text}]}}')), ('{"name": "a"},', "[", "{", '"', ",")),
    Parser("relinked text", lambda text: relink.relink(text, {"a": "b"}), _PROSE),
    Parser("imported tags", imported.tags_of, (",", " ", "#", "a")),
    Parser("imported time", imported.time_of, ("2026-01-01", "T", "1", ".")),
    Parser("instructions", lambda text: list(instructions._split("CLAUDE.md", text, None, None)), (*_PROSE, "---\n", "1. ", "#\t", "never ")),
    Parser("observations", basic_memory._OBSERVATION.search, ("- [", "] ", "\n", " ", "* ")),
    Parser("relations", lambda text: [basic_memory._RELATION.match(line) for line in text.splitlines()], ("- ", "[[", "]]", "(", "a")),
    Parser("JSON of a host", lambda text: json_text.scan(text, lenient=True), _JSON),
    Parser("TOML of a host", lambda text: splice_toml.TomlText().put(text, ["a", "b"], {"c": 1}), ("[a]\n", "a=", "'", '"', "#", "\n", "{", "["), 2_000),
    # Short: it is a file of the user himself, and PyYAML in Python takes seconds to refuse a thousand brackets.
    Parser("YAML of a host", lambda text: splice_yaml.YamlText().put(text, ["a", "b"], {"c": 1}), _YAML, 500),
    Parser("message of MCP", lambda text: message.parse(text.encode("utf-8", "replace")), _JSON),
)  # fmt: skip


def run(parser: Parser, text: str) -> Any:
    """A refusal is an answer too; only what it costs is looked at."""
    with contextlib.suppress(Exception):
        return parser.read(text)
