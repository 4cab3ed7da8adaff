"""Text that closes nothing: what a memory says cannot end the fence around it, nor what a host puts around that.

A mark is recognised as a reader would read it, without the characters that nobody sees or that only adorn another,
and with the letters of every width as the plain ones. Then its first sign is changed for one that looks alike; all
other text stays as it is, to the byte. Shared by the daemon, which packs memories, and the hook, which has no more than
the standard library.
"""

from __future__ import annotations

import re
import unicodedata

# What no font shows: control characters, soft hyphen, joiners and spaces without width, marks of direction, of format
# and of annotation, invisible operators, fillers, selectors of variants, and a whole alphabet of tags.
_UNSEEN = (
    "\x80-\x84\x86-\x9f\u00ad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U000110bd\U000110cd"
    "\U00013430-\U0001343f\U00016fe4\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
# What stands on, under or through the letter before it: `</m̵e̵m̵o̵r̵y̵>` is read without its strokes.
_STACKED = "\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f"
# Patterns are compiled when they are needed, which takes longer than all the rest of a hook's start.
_UNREAD = f"[{_UNSEEN}{_STACKED}]"
_CONTROL = r"[\x00-\x08\x0e-\x1b\x1f\x7f]"
# Names that fences, hosts and models give to what is not text. Those that are also words of programs follow below.
_NAMES = (
    r"system[-_ ]?(?:reminder|prompt|message|instruction)s?\b|antml:"
    r"|function[-_](?:call|result)s?\b|tool[-_](?:call|use|result|response|output)s?\b"
    r"|(?:user[-_]prompt[-_]submit|session[-_](?:start|end)|(?:pre|post)[-_]tool[-_]use)[-_]hook\b"
    r"|(?:local[-_])?command[-_](?:name|message|args|stdout|stderr|contents|caveat)\b|bash[-_](?:input|stdout|stderr)\b"
    r"|additional[-_]?context\b|environment[-_]context\b|task[-_]notification\b|user[-_](?:query|instructions)\b"
    r"|(?:start|end)[-_]of[-_](?:turn|text|message)\b|<\s*+/?+\s*+sys\b"
)
_TAG = rf"<\s*+[/!?]?+\s*+(?:{_NAMES})"
# A header of C++, `Box<Memory>` and `used < memory` are code: these open nothing without an attribute, or a `>` where
# no letter stands before.
_WORD = r"(?:memor(?:y|ies)|invoke)\b"
_CODE = r"#[^\S\n]*+include[^\S\n]*+<memory>"
_WORD_TAG = rf"<\s*+[/!?]\s*+{_WORD}|<\s*+{_WORD}(?=[\s/]++[\w-]++\s*+=)|(?<!\w)<\s*+{_WORD}(?=[\s/]*+>)"
# Behind a letter it is a generic type: `Box<System>`.
_ROLE_TAG = r"(?<!\w)<\s*+/?+\s*+(?:system|assistant|human)\s*+/?+>"
_ROLE_END = r"<\s*+/\s*+(?:system|assistant|human)\s*+>"
# `regs[inst]` is code too.
_SIGN = r"<\|[\w▁.:-]{1,60}+\|>|\[\s?/\s?inst\s?\]|(?<!\w)\[\s?inst\s?\]|\[\s?(?-i:INST)\s?\]"
# With a capital, at the beginning of a line, be it a quote, a heading or an item: `user: root` is a setting.
_ROLE = r"(?-i:H(?:uman|UMAN)|A(?:ssistant|SSISTANT)|S(?:ystem|YSTEM)|U(?:ser|SER))"
_LABEL = rf"(?m:^)[^\S\n]*+(?:[>*_#-][^\S\n]?)*+{_ROLE}[*_ ]{{0,4}}:"
_MARK = f"(?P<code>{_CODE})|{_TAG}|{_WORD_TAG}|{_ROLE_TAG}|{_ROLE_END}|{_SIGN}|(?P<label>{_LABEL})"
_BLANKS = {9: " ", 10: " "}
# One of these is in every mark of a text in plain letters.
_HINTS = ("<", "[", "Human", "HUMAN", "Assistant", "ASSISTANT", "System", "SYSTEM", "User", "USER")
_LINE_ENDS = str.maketrans(dict.fromkeys("\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029", "\n"))
_INSTEAD = {"<": "‹", "[": "⁅", ":": "∶"}
# A text in tags or in selectors of variants: people see nothing of it, models read it. A flag has tags behind its
# pole, an emoji or an ideograph one selector.
_HIDDEN_TEXT = (
    "(?P<flag>\U0001f3f4[\U000e0020-\U000e007e]{1,8}\U000e007f)|[\U000e0000-\U000e007f]+"
    "|(?<=[\ufe00-\ufe0f\U000e0100-\U000e01ef])[\ufe00-\ufe0f\U000e0100-\U000e01ef]+"
)


def inert(text: str) -> str:
    """The text with every mark in it spelled so that it is one no more."""
    if text.isascii() and not any(hint in text for hint in _HINTS) and text.translate(_BLANKS).isprintable():
        return text
    if not text.isascii():
        text = re.sub(_HIDDEN_TEXT, lambda match: match["flag"] or "", text)
    read, positions = _as_read(text)
    changed: list[str] = []
    done = 0
    for match in re.compile(_MARK, re.IGNORECASE).finditer(read):
        if match["code"]:
            continue
        # A label is read up to its colon, a tag from its first sign on.
        at = match.end() - 1 if match["label"] else match.start()
        position = at if positions is None else positions[at]
        if position >= done:
            changed += [text[done:position], _INSTEAD[read[at]]]
            done = position + 1
    return "".join([*changed, text[done:]]) if changed else text


def _as_read(text: str) -> tuple[str, list[int] | None]:
    """The text as it is read, and for each character of it the place where it stands; None when that is the same."""
    control = re.compile(_CONTROL)
    if text.isascii() and not control.search(text):
        return text.translate(_LINE_ENDS), None
    unread = re.compile(_UNREAD)
    if unicodedata.is_normalized("NFKC", text) and not unread.search(text) and not control.search(text):
        return text.translate(_LINE_ENDS), None
    read: list[str] = []
    positions: list[int] = []
    for position, letter in enumerate(text):
        if letter.isascii():
            if not control.match(letter):
                read.append(letter)
                positions.append(position)
        elif not unread.match(letter):
            for plain in unicodedata.normalize("NFKC", letter):
                read.append(plain)
                positions.append(position)
    return "".join(read).translate(_LINE_ENDS), positions
