"""What a turn of a conversation states for good, found by rules: decisions, preferences, facts to be remembered.

Rules look at one sentence at a time, in English. A wrong proposal costs a person a look, a missed one nothing that was
there before: in doubt a sentence is left alone. `python -m bench.distill` says how often that is right.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_SHORTEST, _LONGEST = 12, 400
"""characters of a sentence that is worth a memory of its own"""
_LONGEST_TURN = 6_000
"""characters; what is longer was pasted"""


@dataclass(frozen=True)
class StatedPlace:
    kind: str
    """of the memory that it would be"""
    start: int
    end: int
    """where it stands in the turn"""


_FENCE = re.compile(r"^[ \t]*(```|~~~).*?(?:^[ \t]*\1[ \t]*$|\Z)", re.DOTALL | re.MULTILINE)
# Quotations, code, tables and pictures of the terminal: what somebody else wrote.
_QUOTED = re.compile(r"^(?:[ \t]*>|    |\t|[ \t]*\||[ \t]*[$#%] ).*$", re.MULTILINE)
_SENTENCE = re.compile(r"[^\s].*?(?:[.!?…]+(?=[\s\"”')]|$)[\"”')]?|$)", re.MULTILINE)
_BULLET = re.compile(r"(?:[-*•+]|\d{1,2}[.)])\s+")
_LEAD_IN = re.compile(
    r"(?:(?:ok(?:ay)?|alright|so|and|also|but|well|no(?:pe)?(?=\s*[,.;:!–—-]| no\b)|yes|right|hm+|please|pls|oh|btw|"
    r"by the way|great|good|fine|sure|actually|one more thing|just so you know|again|then|note|important|"
    r"rule|convention|"
    r"house rule)\b[\s,:;.!–—-]*)+",
    re.IGNORECASE,
)

# What makes a sentence no statement at all, or one that is over soon.
_NO_STATEMENT = re.compile(
    r"\?\s*[\"”')]*\s*$|\[REDACTED|\b(?:for now|this time|right now|for the moment|at the moment|just this once|"
    r"today|whatever|since (?:this|yesterday)|this (?:morning|afternoon|evening)|tonight|in this (?:file|"
    r"commit|pr|function|test|"
    r"case|branch)|(?:this|that) one|until (?:then|we|i|the)|not (?:yet )?(?:decided|sure)|haven'?t decided)\b",
    re.IGNORECASE,
)
_HYPOTHETICAL = re.compile(
    r"(?:if|unless|whether|why|how|what|when|who|which|where|should|shall|could|would|can|do|does|did|is|are|was|"
    r"were|maybe|perhaps|suppose|imagine)\b",
    re.IGNORECASE,
)
_WHEN_THEN = re.compile(r"(?:when|if|where|before|after)\b[^,]{3,120},\s*", re.IGNORECASE)

# `never mind`, `never seen that`, `always nice`: the word without a rule behind it.
_NO_RULE = (
    r"(?!mind\b|again\b|been\b|seen\b|had\b|was\b|were\b|got\b|said\b|knew\b|thought\b|did\b|saw\b|heard\b|"
    r"forget\b|forgot\b|wonder\w*\b|liked?\b|felt\b|found\b|went\b|came\b|worked\b|happen\w*\b|fails?\b|"
    r"do (?:this|that|it)\b|the\b|a\b|an\b|in\b|on\b|at\b|have been\b|is\b|are\b|nice\b|good\b|great\b|"
    r"fun\b|(?!(?:\w*[fnshp]eed|embed|shed|exceed)\b)\w{2,}ed\b)"
)
_RULED = rf"(?:always|never(?: ever)?|(?:do not|don'?t) ever|must(?: not|n'?t| never| always)?) {_NO_RULE}\w"
_THING = r"[\w`'’./-]+(?: [\w`'’./-]+){0,5}"
_SOMETHING = r"[^\s,.;:!?]+"

_PREFERENCES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?:[^:?]{{2,80}}: )?(?:always|never(?: ever)?|(?:do not|don'?t) ever) {_NO_RULE}\w",
        rf"(?:we|you|one|everybody|everyone) (?:should |must |have to |need to |shall |can )?{_RULED}",
        rf"(?:make|be) sure (?:to|that you|you|that we|we) {_RULED}",
        rf"(?:i|we) (?:want|need|expect|like|ask|'d like|would like)(?: for)? you to {_RULED}",
        rf"(?!.{{0,60}}\bsays?\b){_THING} must (?:always|never|not ever|only) (?:be |end |go |run |use |have |"
        rf"come |live )",
        rf"(?!(?:it|this|that|there|he|she|they|which)\b){_THING} (?:is|are) (?:always|never) "
        r"(?:in|on|an?|the|to be|written|kept|stored|named|called|spelled|done|json|utc|lower|upper|plural|"
        r"singular)\b",
        r"(?:(?:from now on|going forward)\b[\s,:]*|in (?:the )?future,\s*)\w",
        r"as a (?:general )?rule\b[\s,:]*\w",
        r"(?:in|for) this (?:repo|repository|project|codebase|code base|monorepo|service|team)\b[\s,:]+"
        r"(?!(?:we )?(?:have|had|there)\b|i\b|is\b|it\b|find\b|look\b|read\b|show\b|search\b|please\b|can\b|add\b|"
        r"fix\b|run\b|what\b|where\b|how\b)(?:\w+ ){1,12}\w+",
        rf"{_THING} in this (?:repo|repository|project|codebase|code base|monorepo|service) "
        r"(?:are|is|start|end|begin|use|have|must|go|live|need|get)\b",
        r"(?:i|we) (?:strongly |really |generally |usually |much )?prefer (?!to (?:wait|see|read|look|"
        r"check)\b|(?:the|this|that|your)\b)\w",
        r"prefer (?!the\b)[^,.;:!?]{2,80}? (?:over|to|instead of|rather than) \w",
        r"i(?:'d| would) rather (?:you |we |they )?(?:have |had |use |used |see |saw |keep |kept |write |wrote )"
        r".{2,}? (?:than|over|instead of) \w",
        r"i (?:don'?t like|do not like|hate|dislike|can'?t stand) "
        r"(?!this\b|that\b|it\b|the\b|how\b|when you\b|your\b|these\b|those\b|being\b|waiting\b)\w+",
        r"stop (?:using|adding|writing|putting|committing|creating|making|leaving|inventing|mocking|calling) "
        r"(?!it\b|this\b|that\b|the\b)\w",
        rf"(?:we )?(?:only |always )?use {_SOMETHING}(?: [^,.;:!?]{{1,40}})? (?:instead of|rather than|over) \w",
        rf"we (?:only |always )?use {_SOMETHING}(?: [^,.;:!?]{{1,30}})?(?:,| and| here,?) not \w",
        rf"we use {_SOMETHING} (?:here|in this (?:repo|project|codebase)),? ?not \w",
        rf"(?:do not|don'?t) use (?!it\b|this\b|that\b|the\b|them\b|these\b|those\b|an?\b){_SOMETHING}"
        r"(?:[,;:] \w|$|\.| (?:here|anywhere|in this|for|in)\b)",
        r"no (?!(?:[\w-]+ ){0,2}(?:problems?|worries|changes|errors|failures|issues|results|matches|conflicts|"
        r"doubts)\b)"
        r"(?:[\w-]+ ){0,2}\w+s(?: (?:for|in|on|at|from|between|unless|without)\b|,|\.|$)",
        r"(?:don'?t forget to \w.{3,}? |(?!.{0,40}\bfails?\b))?(?:whenever|every time) you \w.{3,}? \w",
        r"whenever (?!i\b)[^,?]{5,80}, \w",
        r"(?:before|after) (?:every|each) [^,?]{2,40}?,? (?:we|you|run|check|ask|update|write|rebase|add)\b",
        r"(?:do not|don'?t) use .{2,60}? (?:anywhere|ever)\b",
        r"(?!.{0,60}\b(?:fail|crash|break|hang)).{8,}, (?:always|never|without exception)[.!]?$",
        r"don'?t forget to \w.{3,}? (?:whenever|every time) \w",
        r"keep [\w ]{2,30} (?:under|below|shorter than|at most) \d",
        r"i (?:don'?t|do not|never) want you to (?!wait\b|worry\b|think\b)\w",
    )
)
_WE = r"(?:we|the team|everybody|everyone|they and we|all of us)"
_DECISIONS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"(?:decision(?: (?:of|from|in|by|at|about|on)[\w ]{2,40})?:|(?:decided|agreed|as (?:agreed|"
        r"decided))\s*[:,])\s*(?!go\b|do\b|let\b|yes\b)\w",
        r"(?:the|our|my) decision (?:is|was)(?: to| that)? \w",
        rf"(?:(?:(?!\b(?:if|whether|once|until|never)\b).){{0,60}}?[ ,;:])?{_WE}(?:'ve| have)? (?:now |finally "
        rf"|already )?"
        r"(?:decided|agreed|settled|chose|have chosen)(?: with [\w ]{2,30}?)? (?:to|that|against|for|on "
        r"(?!the\b|an?\b)) ?(?!it\b|that\b|this\b)\w",
        rf"{_WE}(?:'re| are) going (?:with|to use) (?!that\b|it\b|this\b|the flow\b)\w",
        rf"(?:.{{0,60}}\band )?{_WE}(?:'ll| will) (?:go with|stick with|stay with|stay on|use|keep|store|"
        rf"switch to|move to|drop|support) "
        r".{2,}?\b(?:instead of|rather than|and not|, not|from now on|everywhere|for (?:this|the next|all))\b",
        r"let(?:'|’)?s (?:go with|stick with|stay with|settle on|standardi[sz]e on|adopt) "
        r"(?!that\b|it\b|this\b|the (?:first|second|third|flow|other)\b)\w+ \w",
        r"let(?:'|’)?s (?:switch|move|migrate) (?:over )?to "
        r"(?!the (?:other|next|main)\b|that\b|it\b|this\b|another\b|(?:my|your)\b)\w+(?: for|,| everywhere| instead)",
        r"let(?:'|’)?s keep (?!it\b|going\b|that\b|this\b|looking\b|trying\b|at\b|an eye\b)"
        r"[^,;]{4,80}?(?: separate| apart| together| as (?:they are|is)| in \w+)?,\s*\w",
        r"let(?:'|’)?s use [\w`.+-]+(?: \w+)? (?:for|instead of|over|rather than|everywhere)\b",
    )
)
_FACTS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"remember\s*(?:,|:|that\b)\s*(?!to\b)\w",
        r"(?:for (?:the record|future reference)|keep in mind(?: that)?|fyi|for your information|bear in "
        r"mind(?: that)?)"
        r"\s*[:,]?\s*(?:that )?(?!to\b|i\b|i'm\b|i’m\b|we'?re\b|my\b|you\b|it\b)\w",
    )
)
# An agent speaks of rules all the time, its own and those of a library. What was decided it tells in these words.
_BY_AGENT = _DECISIONS[:4]
_BY_ROLE = {
    "user": (("decision", _DECISIONS), ("preference", _PREFERENCES), ("fact", _FACTS)),
    "assistant": (("decision", _BY_AGENT),),
}


def statements(role: str, text: str) -> Iterator[StatedPlace]:
    """What is stated for good in a turn, in its order."""
    families = _BY_ROLE.get(role, ())
    if not families or len(text) > _LONGEST_TURN:
        return
    for start, end in sentences(text):
        if (kind := _kind(families, text[start:end])) is not None:
            yield StatedPlace(kind, start, end)


def sentences(text: str) -> Iterator[tuple[int, int]]:
    """Where sentences stand that whoever speaks wrote themselves, without what leads in to them."""
    own = _QUOTED.sub(_blank, _FENCE.sub(_blank, text))
    for found in _SENTENCE.finditer(own):
        start, end = found.span()
        for lead_in in (_BULLET, _LEAD_IN):
            if (skipped := lead_in.match(own, start, end)) is not None and skipped.end() < end:
                start = skipped.end()
        if _SHORTEST <= end - start <= _LONGEST:
            yield start, end


def normalized(text: str) -> str:
    """What is the same statement, however it is written: for telling whether it was made before."""
    return " ".join(re.findall(r"\w+", text.casefold()))


def _kind(families: tuple[tuple[str, tuple[re.Pattern[str], ...]], ...], sentence: str) -> str | None:
    if _NO_STATEMENT.search(sentence):
        return None
    condition = _WHEN_THEN.match(sentence)
    if condition is not None:
        sentence = sentence[condition.end() :]
    elif _HYPOTHETICAL.match(sentence) and not sentence[:9].casefold().startswith("do not"):
        return None
    for kind, patterns in families:
        if any(pattern.match(sentence) for pattern in patterns):
            return kind
    return None


def _blank(found: re.Match[str]) -> str:
    """As long as it was, so that places stay what they are."""
    return re.sub(r"[^\n]", " ", found[0])
