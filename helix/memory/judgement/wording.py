"""Ways of saying the same: contractions, abbreviations, fillers and the few synonyms that are certain.

A table stays short on purpose. Whatever stands here makes two texts one memory, so a pair belongs here only if no
developer would ever mean two things by it.
"""

from __future__ import annotations

import re


def _table(lines: str) -> dict[str, str]:
    """`word other other: meaning` per line."""
    pairs = (line.rsplit(":", 1) for line in lines.strip().splitlines())
    return {word: meaning.strip() for words, meaning in pairs for word in words.split()}


def listed(words: str) -> frozenset[str]:
    """A set of words from a line of them."""
    return frozenset(words.split())


SAME = _table(
    """
    environment environments envs: env
    postgresql pg: postgres
    database databases dbs: db
    configuration configurations configs: config
    repository repositories repos: repo
    authentication: auth
    kubernetes: k8s
    application applications apps: app
    directory directories folders: folder
    documentation: docs
    javascript: js
    typescript: ts
    maximum maximal: max
    minimal: minimum
    seconds second secs sec: s
    minutes minute mins: min
    hours hour hrs hr: h
    milliseconds millisecond msec: ms
    megabytes megabyte: mb
    gigabytes gigabyte: gb
    kilobytes kilobyte: kb
    begins begin starts: start
    deletes delete removes: remove
    deleted: removed
    picked chose choose: chose
    large: big
    artefact artefacts artifacts: artifact
    colour colours colors: color
    behaviour behaviours behaviors: behavior
    licence licences licenses: license
    approximately around roughly circa: about
    using via: with
    uses: use
    requires require needed needs: need
    shall: must
    →: >
    ←: <
    py: python
    golang: go
    prs: pr
    mrs: mr
    gets get: =
    front-end frontends: frontend
    back-end backends: backend
    parameters parameter params: param
    arguments argument args: arg
    percent: %
    prod: production
    stg: staging
    one: 1
    two twice: 2
    three: 3
    four: 4
    five: 5
    six: 6
    seven: 7
    eight: 8
    nine: 9
    ten: 10
    eleven: 11
    twelve: 12
    is are be: =
    were: was
    是 为 は: =
    """
)

# Of two and more words, put together before the text is cut into words. "" drops them.
_PHRASES = {
    "no longer": "not",
    "not any more": "not",
    "any more": "",
    "any longer": "",
    "anymore": "",
    "these days": "",
    "right now": "",
    "at the moment": "",
    "as of now": "",
    "for now": "",
    "from now on": "",
    "so far": "",
    "note that": "",
    "please note that": "",
    "note to self": "",
    "keep in mind that": "",
    "remember that": "",
    "a reminder that": "",
    "reminder that": "",
    "i think": "",
    "are using": "use",
    "is using": "use",
    "am using": "use",
    "command line": "cli",
    "have to": "must",
    "has to": "must",
    "need to": "must",
    "needs to": "must",
    "supposed to": "must",
    "github actions": "github-actions",
    "gitlab ci": "gitlab-ci",
    "azure devops": "azure-devops",
    "git flow": "git-flow",
    "in progress": "in-progress",
    "on hold": "on-hold",
    "pull requests": "pr",
    "pull request": "pr",
    "merge requests": "mr",
    "merge request": "mr",
    "cannot": "can not",
}
_CONTRACTIONS = {
    "can't": "can not",
    "won't": "will not",
    "n't": " not",
    "'re": " are",
    "'ll": " will",
    "'ve": " have",
    "'m": " am",
    "it's": "it is",
    "that's": "that is",
    "there's": "there is",
    "let's": "let us",
    "who's": "who is",
}

FILLERS = listed(
    "please just basically actually really simply currently presently now nowadays also still already anyway"
)
"""say nothing about the subject; `now` and `still` only say that it is so today, which every memory says"""
OPENINGS = listed("so hey fyi btw")
HEADINGS = listed("note reminder remember todo ok okay well thank important tip info nb")
"""say nothing before a colon or a comma: `Note: …`; elsewhere they are words: `the reminder job`"""
CLOSINGS = listed("thank thx cheer")

LIGHT = listed("a an the this that these those our their its we it they there us do does am")
"""are left out when two statements are compared"""

NEGATIONS = listed("not never no without neither nor")
MODALS = listed("must may can will might could would")
PRONOUNS = listed("it they this that these those he she its their")
SEQUENCE = listed("then first finally before after next lastly afterwards order priority")
PREPOSITIONS = listed(
    "on in at for after before during with from to by every within until till under over above below than into"
)

_ANY_PHRASE = rf"\b(?:{'|'.join(sorted(map(re.escape, _PHRASES), key=len, reverse=True))})\b"
_PHRASE = re.compile(_ANY_PHRASE, re.IGNORECASE)
_LOWER_PHRASE = re.compile(_ANY_PHRASE)  # several times faster
_WHOLE_CONTRACTION = re.compile(r"\b(?:can't|won't|it's|that's|there's|let's|who's)", re.IGNORECASE)
_END_CONTRACTION = re.compile(r"(?<=\w)(?:n't|'re|'ll|'ve|'m)\b", re.IGNORECASE)
_POSSESSIVE = re.compile(r"(?<=\w)'s\b|(?<=s)'(?=\s)")


def spelled_out(text: str) -> str:
    """Contractions and set phrases in the one form that is compared."""
    if "'" in text:
        text = _WHOLE_CONTRACTION.sub(lambda found: _CONTRACTIONS[found[0].lower()], text)
        text = _END_CONTRACTION.sub(lambda found: _CONTRACTIONS[found[0].lower()], text)
        text = _POSSESSIVE.sub("", text)
    if not text.isascii():  # there `ſ` is an `s` too, which lower case does not tell
        return _PHRASE.sub(lambda found: _PHRASES[found[0].lower()], text)
    parts: list[str] = []
    end = 0
    for found in _LOWER_PHRASE.finditer(text.lower()):
        parts += (text[end : found.start()], _PHRASES[found[0]])
        end = found.end()
    return "".join((*parts, text[end:])) if parts else text


# Names that end like plurals.
_SINGULAR = listed(
    "postgres jenkins nats teams aws kubernetes rails express windows pandas numbers always sometimes perhaps across"
    " whereas besides towards afterwards https less unless"
)


def singular(word: str) -> str:
    """A plural or a third person without its ending: `retries` is `retry`, `fixes` is `fix`, `status` stays."""
    if len(word) < 4 or not word.endswith("s") or word.endswith(("ss", "us", "is")) or word in _SINGULAR:
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("oes", "xes", "ches", "shes", "sses", "zes")):
        return word[:-2]
    return word[:-1]
