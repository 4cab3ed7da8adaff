"""The text of a memory as HTML that a page can show as it is: memory text is hostile until it has been through here.

Raw HTML is text. A link leads to a web page, a mail address or Obsidian, and nowhere else; a picture becomes a link, so
that looking at a memory asks no other host for anything. No id, no style, and no class comes from the text.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, MutableMapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from helix.vault.links import WIKILINK

if TYPE_CHECKING:  # a daemon starts faster without it, and only pages need it
    from markdown_it import MarkdownIt
    from markdown_it.renderer import RendererHTML
    from markdown_it.rules_block import StateBlock
    from markdown_it.rules_core import StateCore
    from markdown_it.rules_inline import StateInline
    from markdown_it.token import Token
    from markdown_it.utils import OptionsDict

# What may begin at a line or at a letter is looked for so often, and then a text is shown as it is written. A real text
# of the greatest length takes half of it and a tenth of a second; nested quotes, brackets that never close or ten
# thousand rows of a table would take seconds.
_MOST_STEPS = 24_000
_AS_WRITTEN = "<p><em>This text is shown as it is written: laying it out would take too long.</em></p>\n"

_SAFE_LINK = re.compile(r"(?:https?://|mailto:|obsidian://)", re.IGNORECASE)
_ELSEWHERE = {"rel": "noopener noreferrer", "target": "_blank"}
_TASK = re.compile(r"\[([ xX])\] ")
# Names that a page may know how to colour. Another word behind the fence is the text's own and goes nowhere.
_LANGUAGES = re.compile(
    "bash|c|cpp|css|diff|go|html|ini|java|javascript|json|kotlin|lua|make|markdown|python|ruby|rust|sh|sql|swift|text"
    "|toml|typescript|xml|yaml"
)
_SHORT = {
    "js": "javascript",
    "ts": "typescript",
    "py": "python",
    "rs": "rust",
    "md": "markdown",
    "yml": "yaml",
}


@dataclass(frozen=True)
class Target:
    """What a wikilink leads to."""

    memory_id: str
    title: str
    status: str


FindTarget = Callable[[str], Target | None]


def to_html(text: str, find: FindTarget) -> str:
    """`find` gives the memory that a wikilink names, by its id, its file or its title."""
    try:
        made: str = _markdown().render(text, {"find": find, "steps": _MOST_STEPS})
    except _TooCostly:
        return f"{_AS_WRITTEN}<pre><code>{_escape(text)}</code></pre>\n"
    return made


class _TooCostly(Exception):
    pass


def _count_line(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    return _count(state.env, 2 if silent else 4)


def _count_letter(state: StateInline, silent: bool) -> bool:
    return _count(state.env)


def _count(env: MutableMapping[str, Any], steps: int = 1) -> bool:
    """A rule that never applies, and is asked before the others wherever something may begin."""
    env["steps"] -= steps
    if env["steps"] < 0:
        raise _TooCostly
    return False


@functools.cache
def _markdown() -> MarkdownIt:
    from markdown_it import MarkdownIt

    class Guarded(MarkdownIt):
        def validateLink(self, url: str) -> bool:  # noqa: N802 (its name in the library)
            return _SAFE_LINK.match(url) is not None

    reader = Guarded("commonmark", {"html": False, "xhtmlOut": False}).enable(["table", "strikethrough"])
    reader.inline.ruler.before("link", "wikilink", _wikilink)
    reader.inline.ruler.before("text", "count", _count_letter)
    reader.block.ruler.before(
        "table", "count", _count_line, {"alt": ["paragraph", "reference", "blockquote", "list"]}
    )
    reader.core.ruler.push("only_ours", _only_ours)
    for name, rule in (("wikilink", _show_wikilink), ("image", _show_image), ("fence", _show_fence)):
        reader.add_render_rule(name, rule)
    return reader


def _wikilink(state: StateInline, silent: bool) -> bool:
    if state.src[state.pos] not in "![":
        return False
    found = WIKILINK.match(state.src, state.pos, state.posMax)
    if found is None:
        return False
    if not silent:
        token = state.push("wikilink", "", 0)
        token.content = found[1].strip()
        token.meta = {"shown": found[0].rstrip("]").partition("|")[2].strip()}
    state.pos = found.end()
    return True


def _only_ours(state: StateCore) -> None:
    """What markdown itself puts into attributes is replaced by a fixed few, and links say where they lead."""
    for place, token in enumerate(state.tokens):
        if token.type in ("th_open", "td_open") and (style := token.attrs.pop("style", None)):
            token.attrs["class"] = f"align-{str(style).rpartition(':')[2]}"
        if token.type == "inline" and token.children:
            if place > 1 and state.tokens[place - 2].type == "list_item_open":
                _mark_task(state.tokens[place - 2], token.children)
            for child in token.children:
                if child.type == "link_open":
                    child.attrs.update(_ELSEWHERE)


def _mark_task(item: Token, children: list[Token]) -> None:
    from markdown_it.token import Token

    box = _TASK.match(children[0].content) if children[0].type == "text" else None
    if box is None:
        return
    children[0].content = children[0].content[box.end() :]
    item.attrs["class"] = "task"
    mark = Token("task_box", "input", 0, attrs={"type": "checkbox", "disabled": ""})
    if box[1] != " ":
        mark.attrs["checked"] = ""
    children.insert(0, mark)


def _show_wikilink(
    self: RendererHTML,
    tokens: Sequence[Token],
    place: int,
    options: OptionsDict,
    env: MutableMapping[str, Any],
) -> str:
    token = tokens[place]
    target: Target | None = env["find"](token.content)
    if target is None:
        return f'<span class="dangling">{_escape(token.meta["shown"] or token.content)}</span>'
    kind = "" if target.status == "active" else ' class="hidden-memory"'
    there = _escape(quote(target.memory_id, safe=""))
    shown = _escape(token.meta["shown"] or target.title or target.memory_id)
    return f'<a href="#/memory/{there}" data-memory="{_escape(target.memory_id)}"{kind}>{shown}</a>'


def _show_image(
    self: RendererHTML,
    tokens: Sequence[Token],
    place: int,
    options: OptionsDict,
    env: MutableMapping[str, Any],
) -> str:
    token = tokens[place]
    address = str(token.attrs.get("src", ""))
    shown = self.renderInlineAsText(token.children, options, env) or address
    more = "".join(f' {name}="{value}"' for name, value in _ELSEWHERE.items())
    return f'<a class="picture" href="{_escape(address)}"{more}>{_escape(shown)}</a>'


def _show_fence(
    self: RendererHTML,
    tokens: Sequence[Token],
    place: int,
    options: OptionsDict,
    env: MutableMapping[str, Any],
) -> str:
    named = tokens[place].info.strip().partition(" ")[0].lower()
    language = _SHORT.get(named, named)
    kind = f' class="language-{language}"' if _LANGUAGES.fullmatch(language) else ""
    return f"<pre><code{kind}>{_escape(tokens[place].content)}</code></pre>\n"


def _escape(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")
