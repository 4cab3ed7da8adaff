"""Notes that nobody wrote, for the benches: English in front, made-up words behind, in Zipf's proportions."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from itertools import accumulate
from pathlib import Path

from helix.vault import frontmatter
from helix.vault.yaml_load import Value

_TEAM = Path(__file__).parent / "team" / "memories.jsonl"
_VOCABULARY = 50_000
_WORDS = 120
_PER_FOLDER = 100
_PER_SESSION = 8
_SYLLABLES = ("ka", "ro", "mi", "ten", "sol", "var", "de", "lu", "pax", "qui", "net", "or", "ba", "zy", "fen")


class Notes:
    """The same ones every time. The common words are those of the team's memories."""

    def __init__(self) -> None:
        texts = (json.loads(line)["text"] for line in _TEAM.read_text("utf-8").splitlines())
        said = Counter(word for text in texts for word in re.findall(r"[a-z]+", text.lower()))
        real = [word for word, _ in said.most_common()]
        self._words = [*real, *(_spell(number) for number in range(_VOCABULARY - len(real)))]
        self._weights = list(accumulate(1 / rank for rank in range(1, _VOCABULARY + 1)))

    def path(self, number: int) -> str:
        return f"projects/p{number // _PER_FOLDER:03}/{_name(number)}.md"

    def data(self, number: int) -> bytes:
        """The file: frontmatter with an id, and about 120 words."""
        rng = random.Random(number)
        when = f"2026-{rng.randint(1, 10):02}-{rng.randint(1, 28):02}T{rng.randint(0, 23):02}:12:44Z"
        tags: list[Value] = []
        tags += [word for word in self._some(rng, 6) if len(word) > 4][:3]
        meta: dict[str, Value] = {
            "id": _name(number),
            "title": self.title(number),
            "kind": rng.choice(("fact", "decision", "event", "preference")),
            "scope": "project",
            "project": f"p{number // _PER_FOLDER:03}",
            "status": "active",
            "tags": tags,
            "created_at": when,
            "updated_at": when,
            "source": {"agent": "bench", "session": f"s-{number // _PER_SESSION}"},
        }
        return frontmatter.create(meta, self.body(number))

    def title(self, number: int) -> str:
        return " ".join(self._some(random.Random(-number - 1), 5)).capitalize()

    def body(self, number: int) -> str:
        words = self._some(random.Random(f"body {number}"), _WORDS)
        lines = [" ".join(words[first : first + 12]).capitalize() + "." for first in range(0, len(words), 12)]
        return "\n".join(lines) + "\n"

    def questions(self, count: int, among: int) -> list[str]:
        """Each of a few words that stand in one of the first `among` notes."""
        rng = random.Random("questions")
        found = []
        for _ in range(count):
            words = re.findall(r"[a-z]{3,}", self.body(rng.randrange(among)).lower())
            found.append(" ".join(rng.sample(words, rng.randint(3, 7))))
        return found

    def _some(self, rng: random.Random, count: int) -> list[str]:
        return rng.choices(self._words, cum_weights=self._weights, k=count)


def _name(number: int) -> str:
    return f"mem_2026-06-18_note_{number:06}"


def _spell(number: int) -> str:
    letters = ""
    while number or not letters:
        number, rest = divmod(number, len(_SYLLABLES))
        letters += _SYLLABLES[rest]
    return letters
