"""What libyaml says about broken YAML, in words that help the person who wrote it."""

from __future__ import annotations

import yaml
from yaml.reader import ReaderError

from helix.errors import BadFrontmatter

# (a part of libyaml's message, what it means, what to do)
_MEANINGS = (
    (
        "mapping values are not allowed",
        "a second colon, or a line that is indented too far",
        "Put the value in quotes if it contains a colon, and line the keys up.",
    ),
    (
        "tab character",
        "a tab stands where only spaces may indent",
        "Replace the tab by spaces.",
    ),
    (
        "cannot start any token",
        "a value cannot begin with this character",
        "Put the value in quotes, and indent with spaces instead of tabs.",
    ),
    (
        "could not find expected ':'",
        "a line is neither `key: value` nor part of the value above it",
        "Add the missing colon, or indent the line so that it belongs to the value above.",
    ),
    (
        "unexpected end of stream",
        "a quote is opened here and never closed",
        "Close the quote.",
    ),
    (
        "unexpected document indicator",
        "a quote is opened here and never closed",
        "Close the quote.",
    ),
    (
        "expected ',' or ']'",
        "a list in brackets is not closed, or a comma is missing",
        "Close the list with ], and put items with brackets or colons in quotes.",
    ),
    (
        "expected ',' or '}'",
        "a mapping in braces is not closed, or a comma is missing",
        "Close it with }, or put the text in quotes if the braces belong to it.",
    ),
    (
        "unknown escape character",
        "a backslash in double quotes begins an escape that does not exist",
        "Double the backslash, or use single quotes.",
    ),
    (
        "expected alphabetic or numeric character",
        "a value that begins with * or & needs quotes",
        "Put the value in quotes.",
    ),
    (
        "expected key",
        "text follows a value that has already ended, or the keys do not line up",
        "Put the whole value in quotes, and line the keys up.",
    ),
    (
        "control characters",
        "an invisible control character is in the frontmatter",
        "Delete the invisible character, or retype the line.",
    ),
)


def explain(error: yaml.YAMLError, text: str, first_line: int) -> BadFrontmatter:
    """The refusal to raise for an error of libyaml's reader, scanner or parser."""
    problem, index = _problem_of(error, text)
    reason, remedy = next(
        ((reason, remedy) for part, reason, remedy in _MEANINGS if part in problem),
        (problem, "Correct the YAML in this line, or put the value in quotes."),
    )
    return BadFrontmatter(
        reason, code="yaml-syntax", line=first_line + text.count("\n", 0, index), remedy=remedy
    )


def _problem_of(error: yaml.YAMLError, text: str) -> tuple[str, int]:
    if isinstance(error, ReaderError):
        # The C reader counts bytes, its marks count characters.
        return str(error.reason), len(text.encode()[: int(error.position)].decode(errors="ignore"))
    if isinstance(error, yaml.MarkedYAMLError):
        problem = str(error.problem)
        # What was opened and never closed is found at the end; the person looks for where it was opened.
        unclosed = "unexpected" in problem or "',' or" in problem
        mark = error.context_mark if unclosed and error.context_mark else error.problem_mark
        return problem, mark.index if mark else 0
    return str(error), 0
