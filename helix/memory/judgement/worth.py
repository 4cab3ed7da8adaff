"""What is not worth keeping: empty, boilerplate and conversation. Everything else is, however short.

A store filled by agents fills with what agents say while they work. A refusal names what to do instead, because an
agent reads it. A wrong refusal loses a fact, a wrong acceptance costs a line: in doubt a text is worth keeping.
"""

from __future__ import annotations

import re
import unicodedata

_SHORT = 200
"""characters; whoever writes more than that has said something, unless it is a log"""
_LOG_LINES = 40
"""lines of nothing but log; fewer may be the very error that is to be remembered"""

_EMPTY = "there is nothing to remember in it; write what should still be known next month"
_CHAT = (
    "it is conversation, not knowledge; write what was decided, found or learned, in a sentence of its own"
)
_PROGRESS = (
    "it says that work was done but not what is now true; write the result: what changed, where and why"
)
_PLACEHOLDER = "it is a placeholder; write the memory itself"
_LOG = "it is nothing but log lines; write in a few sentences what they show, and the line that matters"
_LINK = "it is a bare link; write in a sentence what is found there and when it is useful"

_URL = re.compile(r"<?[a-z][a-z+.-]{1,10}://[^\s<>]{1,2000}>?", re.IGNORECASE)
_MARKDOWN = re.compile(r"[#>*_`~|\[\](){}<>\"“”„]+|^\s*[-+•]\s+|^\s*\d{1,3}[.)]\s", re.MULTILINE)
_SPACES = re.compile(r"\s+")

_PARTS = re.compile(r"(?:[.!?…,:;\n]|\s-\s|—)+\s*")
"""a text is conversation if each of its parts is"""


def _whole(*patterns: str) -> re.Pattern[str]:
    return re.compile("(?:" + "|".join(patterns) + ")")


_THE_THING = (
    r"(?:(?:the|this|that|these|those|it|them|your|my|our|some|all|next|other|existing|current|relevant|"
    r"necessary|requested|"
    r"file|files|code|test|tests|log|logs|change|changes|bug|issue|problem|error|task|codebase|repo|"
    r"repository|project|"
    r"function|implementation|output|result|results|build|request|question|work|update|updates|fix|fixes|"
    r"everything|into|"
    r"at|on|of|for|with|and|see|what's|what|there|is|first|now|quickly|again|more|closer|a|look|you|as|"
    r"asked|to|do|by|"
    r"have|been|made|done|so|then|well|reading|running|checking|looking|updating)\b ?)*"
)
_DO = (
    r"(?:look|check|read|run|update|fix|start|take|search|do|work|continue|investigate|review|analy[sz]e|"
    r"examine|explore|"
    r"inspect|open|think|write|edit|execute|process|load|implement|see|get|help|verify|generate|proceed|"
    r"begin|go|make)"
)
_DOING = (
    r"(?:looking|checking|reading|running|updating|fixing|starting|searching|working|continuing|"
    r"investigating|reviewing|"
    r"analy[sz]ing|examining|exploring|inspecting|opening|thinking|writing|editing|executing|processing|"
    r"loading|"
    r"implementing|helping|verifying|generating|proceeding)"
)
_COURTESY = _whole(
    r"(?:ok|okay|k|yes|yep|yeah|yup|no|nope|sure|sure thing|of course|certainly|absolutely|definitely|"
    r"right|alright|all right|cool|nice|"
    r"great|perfect|awesome|excellent|wonderful|fantastic|amazing|good|understood|got it|noted|i see|"
    r"makes sense|agreed|"
    r"sounds good|looks good|lgtm|sounds great|will do|no problem|no worries|np|please|so|well|hmm|ah|oh|"
    r"wow|oops|there|thing)"
    r"(?: (?:to me|then|work|job|idea|question|point|catch|please|thanks|thank you|there|so))*",
    r"(?:many )?(?:thanks|thank you|thx|ty|cheers)(?: (?:so|very|a) (?:much|lot))?(?: (?:for (?:your|"
    r"the) help|again|everyone|all))*",
    r"(?:hi|hello|hey|hiya|greetings|good (?:morning|afternoon|evening|night)|welcome|bye|goodbye|"
    r"see (?:you|ya)(?: \w+)?|"
    r"take care|have a (?:nice|good|great) \w+)(?: (?:there|all|everyone|team|again|back|good morning))*",
    r"(?:you're|you are|your) (?:very |most )?welcome",
    r"you(?:'re| are) (?:absolutely |completely |totally )?(?:right|correct)",
    r"(?:i'm |i am )?(?:happy|glad|here) to help(?: (?:you|with that))?",
    r"(?:i )?hope (?:this|that|it) helps",
    r"(?:i'm |i am )?(?:so |very )?sorry(?: (?:about|for) (?:that|this|the (?:confusion|mistake|"
    r"inconvenience|error)))?",
    r"(?:i |my )?apolog(?:ies|ize|ise)(?: for (?:that|this|the (?:confusion|mistake|inconvenience|error)))?",
    r"(?:please )?let me know (?:if|when|what|whether|how) you .{0,60}",
    r"let me know",
    r"(?:is there )?anything else(?: .{0,40})?",
    r"(?:how|what) (?:can|may|could|should|would) (?:i|you) .{0,50}(?:help|do|like|assist|next|today).{0,30}",
    r"(?:should|shall|can|may|would you like me to|do you want me to)(?: i)? (?:continue|proceed|go on|"
    r"go ahead|start|help)(?: \w+)?",
    r"i (?:understand|see|agree|think so|don't know|do not know|can help(?: you)?(?: with that)?|can do that)",
    r"i(?:'m| am) not sure",
    r"as an ai(?: language)?(?: model| assistant)?",
    r"i (?:cannot|can't|can not) (?:do|help with) (?:that|this)",
    r"(?:please )?(?:wait|hold on|one moment|just a (?:moment|second|sec)|go on|go ahead|carry on|"
    r"continue|continuing|next)(?: please)?",
    r"let(?:'s| us) (?:go|get started|start|begin|continue|do (?:it|this|that)|see)",
    r"(?:yes|no|sure) (?:please|thanks)",
    r"for you",
)
_WORKING = _whole(
    rf"(?:(?:so|first|next|then|now|okay|ok) )*(?:let me|i'll|i will|i'm going to|i am going to|i need to|"
    rf"i should|i can|let's)"
    rf"(?: (?:now|first|also|just|quickly|then|next))* {_DO}\b ?{_THE_THING}",
    rf"(?:i'm |i am )?(?:now |currently )?{_DOING}\b ?{_THE_THING}",
    rf"(?:i have|i've|i|we have|we've|we) (?:now |just |successfully |already )*(?:updated|made|fixed|"
    rf"completed|finished|done|implemented|"
    rf"added|changed|applied|run|ran|written|created|edited|checked|read|reviewed|modified|saved|"
    rf"resolved) {_THE_THING}"
    r"(?:(?:to|in) (?:memory|my memory|the memory))?",
    r"(?:all |it's |it is |everything is |task |the task is |work )*(?:done|complete|completed|finished|"
    r"ready)(?: now)?",
    r"(?:all |the |all the |unit )*(?:tests?|build|checks?|lint|ci)(?: (?:are|is|have|has|all|"
    r"now))* (?:pass|passes|passed|passing|green|"
    r"succeeded|successful|complete|completed|done|finished)(?: now)?",
    r"(?:the )?(?:user|human|customer) (?:asked|wants|wanted|said|requested|told|confirmed|agreed|replied|"
    r"responded|thanked)(?: me)?"
    r"(?: to)?(?: (?:a question|something|do something|do it|help|continue|hi|hello|thanks|thank you|yes|"
    r"no|ok|okay|fix it|fix this|"
    r"that|it|for help|me|proceed|stop))*",
    r"(?:the )?assistant (?:responded|replied|answered|helped|said)(?: .{0,30}user)?",
    r"(?:the|this|a) (?:conversation|chat|session|discussion)(?: (?:is|was))?(?: (?:about|over|"
    r"with))?(?: (?:code|the user|coding|programming))?",
    r"we had a (?:conversation|chat|discussion)",
    r"(?:memory|note|this) (?:is )?(?:saved|stored|updated|created)(?: to memory)?",
    r"(?:no|nothing)(?: new)? (?:information|info|to (?:remember|add|save|report|note)|updates?|changes?)",
    r"here(?:'s| is| are) (?:the|what|a|your|my) (?:(?:updated|new|final|full|complete|revised|i found|"
    r"changes?|code|result|results|"
    r"summary|answer|file|version|output) ?)*",
)
_FILLER = _whole(
    r"(?:todo|tbd|tba|fixme|xxx+|n/?a|none|null|nil|undefined|nan|placeholder|test|tests|testing|asdf\w*|"
    r"qwerty|foo|bar|baz|blah|"
    r"lorem|ipsum|untitled|title|summary|description|notes?|content|text|body|tags?|name|heading|section|"
    r"details|123|abc|"
    r"fill in|fill this in|fill me in|to be (?:done|defined|determined|written|filled in)|coming soon|empty)"
    r"(?: (?:foo|bar|baz|blah|123|1|2|3|later|here|test|testing|todo))*",
    r"(?:please )?(?:insert|add|enter|write|put|type|your)(?: (?:your|the|a|some|text|note|notes|"
    r"description|title|content|summary|"
    r"details|memory|here|goes))*",
)
_LOREM = re.compile(r"lorem ipsum dolor\b.{0,2000}", re.DOTALL)

_LOG_LINE = re.compile(
    r"\s*(?:"
    r"[\[(]?\d{4}[-/]\d{2}[-/]\d{2}[T ]\d{2}:\d{2}"
    r"|[\[(]?\d{2}:\d{2}:\d{2}"
    r"|[\[(]\s?\d{1,12}(?:\.\d{1,9})?[\])]"
    r"|[A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2}"
    r"|[\[(]?(?:TRACE|DEBUG|INFO|WARN|WARNING|ERROR|FATAL)\b"
    r"|at [\w$.<>\[\] ]{1,200}\(.{0,300}\)"
    r"|File \".{1,300}\", line \d"
    r"|Traceback \(most recent|\.{3} \d+ more|Caused by:|[\w.]{0,200}(?:Error|Exception)\b"
    r"|\d{1,3}(?:\.\d{1,3}){3} - "
    r")"
)


def why_not_worth(text: str, kind: str) -> str | None:
    """Why a text should not be kept and what to write instead, in plain words; None if it is worth keeping."""
    bare = text.strip()
    if not any(unicodedata.category(letter)[0] in "LN" for letter in bare[:10_000]):
        return _EMPTY
    if _is_log(bare):
        return _LOG
    if _URL.fullmatch(bare):
        return _LINK if kind != "document" else None
    if kind in ("snippet", "skill") or "`" in bare or len(bare) > _SHORT:
        return _PLACEHOLDER if _LOREM.fullmatch(bare.lower()) else None
    return _why_not_prose(bare)


def _why_not_prose(text: str) -> str | None:
    plain = _MARKDOWN.sub(" ", text.lower().replace("’", "'"))
    if _LOREM.fullmatch(plain.strip()):
        return _PLACEHOLDER
    parts = [_SPACES.sub(" ", part).strip(" .-'") for part in _PARTS.split(plain)]
    reasons = [_why_not_part(part) for part in parts if _has_letters(part)]
    if not reasons or not all(reasons):
        return None
    return max((reason for reason in reasons if reason), key=(_CHAT, _PLACEHOLDER, _PROGRESS).index)


def _has_letters(part: str) -> bool:
    return any(letter.isalnum() for letter in part)


def _why_not_part(part: str) -> str | None:
    if _FILLER.fullmatch(part):
        return _PLACEHOLDER
    if _COURTESY.fullmatch(part):
        return _CHAT
    return _PROGRESS if _WORKING.fullmatch(part) else None


def _is_log(text: str) -> bool:
    """Nothing but log: many lines, and hardly one that a person wrote."""
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("```")]
    if len(lines) < _LOG_LINES:
        return False
    logged = [bool(_LOG_LINE.match(line)) for line in lines]
    # Under each `File "…", line 3` of Python stands a line of source.
    followed = sum(is_log or (place > 0 and logged[place - 1]) for place, is_log in enumerate(logged))
    return sum(logged) >= len(lines) * 0.45 and followed >= len(lines) * 0.98
