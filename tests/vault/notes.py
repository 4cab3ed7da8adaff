"""Hypothesis strategies for notes: hostile text, values, and frontmatters as people write them."""

from __future__ import annotations

from hypothesis import strategies as st

from helix.vault.yaml_load import Value

_SPACE = ["\n", "\r\n", "\r", "\ufeff", "\u2028", "\u2029", "\x85", "\xa0", " ", "  ", "\t"]
_YAML = [
    "a: 1",
    "title: x",
    "key:",
    "- item",
    "# c",
    "'",
    '"',
    "[",
    "]",
    "{",
    "}",
    "|",
    ">",
    "&a",
    "*a",
    "!!str ",
]
_FENCES = ["---", "--- ", "---\t", "...", "```", "<<<<<<< HEAD", "=======", ">>>>>>> b"]
_TEXT = ["é", "日本", "😀", "\x01", "\x7f", "NO", "017"]
_PIECES = [*_SPACE, *_YAML, *_FENCES, *_TEXT]

nasty_text = st.one_of(
    st.lists(st.sampled_from(_PIECES), max_size=24).map("".join),
    st.lists(st.one_of(st.sampled_from(_PIECES), st.text(max_size=6)), max_size=16).map("".join),
)

_TRICKY_WORDS = """
NO yes y n ~ null 017 0o17 0x1f 1_000 1e5 12e4 .5 1.10 12:30 12:30:45 2026-13-45 2026-06-18 9f2c
2026-06-18T09:12:44Z #x [[link]] x: = << {{title}} it's C:\\x @x - ... !tag %x `x` &x *x | >
"""
_TRICKY_PHRASES = ["", "a: b", "a #b", "- x", "? x", "--- ", "a, b", 'say "hi"', " lead", "trail "]
_TRICKY_PHRASES += ["two\nlines", "tab\there"]

words = st.one_of(
    st.text(st.characters(codec="utf-8"), max_size=16),
    st.sampled_from([*_TRICKY_WORDS.split(), *_TRICKY_PHRASES]),
)
scalars: st.SearchStrategy[Value] = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**18) + 1, 10**18 - 1),
    st.floats(allow_nan=False, allow_infinity=False),
    words,
)
values: st.SearchStrategy[Value] = st.recursive(
    scalars,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(words, inner, max_size=4)),
    max_leaves=8,
)
metas = st.dictionaries(words, values, max_size=6)

_SPELLED = st.sampled_from(
    [
        " plain text",
        " plain   # with a comment",
        " 'single ''quoted'' text' # c",
        ' "double \\"quoted\\" text"',
        "",
        "   # nothing here",
        " 42",
        " 2026-06-18T09:12:44Z",
        " [a, 'b', \"c, d\"]   # list",
        " [ a,b , c ]",
        " [\n    a,  # first\n    b\n  ]",
        " []",
        " {a: 1, b: [x, y]}",
        "\n  - a\n  # between\n  - b   # beside\n  - 'c'",
        "\n- a\n- b",
        "\n  -  wide\n  -  gap",
        "\n  - k: v\n    l: w\n  - [x]\n  -\n  - last",
        "\n  nested: 1\n  # inside\n  more:\n    - x",
        " |\n  literal\n  # text, not a comment\n\n  more",
        " >-  # folded\n  one\n  two",
        " |+\n  keeps\n\n",
        " runs on\n  over lines",
        "\n  below its key",
        " !!str 12",
        " &anchor text",
        " tab\tinside",
    ]
)
_GAPS = st.sampled_from(["", "", "", "\n", "# comment\n", "  # indented comment\n", "\n# two\n\n# three\n"])


@st.composite
def written_notes(draw: st.DrawFn) -> bytes:
    """A note with the frontmatter of a person: every style, comments, gaps, CRLF, BOM."""
    keys = draw(st.lists(st.sampled_from(["id", "title", "tags", "status", "标题", "a b", "x"]), unique=True))
    lines = [draw(_GAPS)]
    for number, key in enumerate(keys):
        spelled = draw(_SPELLED).replace("&anchor", f"&n{number}")
        lines += [key, ":", spelled, "\n", draw(_GAPS)]
    body = draw(st.sampled_from(["", "Text\n", "no end", "\n\n---\n\nrule\n", "```\nstatus: x\n```\n"]))
    text = "---\n" + "".join(lines) + "---\n" + body
    if draw(st.booleans()):
        text = text.replace("\n", "\r\n")
    return (draw(st.sampled_from(["", "\ufeff"])) + text).encode()
