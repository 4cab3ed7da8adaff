"""Reading the story: what a step asks with what earlier answers gave, and whether an answer is what it should be."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

STORY = Path(__file__).with_name("story.json")
ENDING = Path(__file__).with_name("ending.json")

Saved = dict[str, Any]


@dataclass(frozen=True)
class Step:
    verb: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    walk: bool = False
    expect: Mapping[str, Any] = field(default_factory=dict)
    error: Mapping[str, Any] | None = None
    save: Mapping[str, str] = field(default_factory=dict)
    harness: str = ""
    message: str = ""


def read_story() -> dict[str, Any]:
    return dict(json.loads(STORY.read_text("utf-8")))


def steps(story: Mapping[str, Any]) -> list[Step]:
    return [Step(**{"verb": "", **said}) for said in story["steps"]]


def fill(value: Any, saved: Saved) -> Any:
    """`$name` stands for what was saved under this name."""
    if isinstance(value, str) and value.startswith("$"):
        return saved[value[1:]]
    if isinstance(value, list):
        return [fill(one, saved) for one in value]
    if isinstance(value, dict):
        return {key: fill(one, saved) for key, one in value.items()}
    return value


def look(answer: Any, path: str) -> Any:
    """`results.0.id` is the id of the first result, `results.*.id` the list of all ids; what is absent is None."""
    if not path:
        return answer
    name, _, rest = path.partition(".")
    if name == "*":
        return [look(one, rest) for one in answer]
    if isinstance(answer, list):
        return look(answer[int(name)], rest) if int(name) < len(answer) else None
    return look(answer.get(name), rest) if isinstance(answer, dict) else None


def check(found: Any, wanted: Any) -> None:
    """A plain value must be equal; a mapping with one of these names says what else must hold."""
    if not isinstance(wanted, dict):
        assert found == wanted, f"{found!r} is not {wanted!r}"
        return
    for rule, value in wanted.items():
        assert _RULES[rule](found, value), f"{found!r} is not {rule} {value!r}"


_RULES: dict[str, Callable[[Any, Any], bool]] = {
    "present": lambda found, value: (found not in (None, "", [], {})) is value,
    "contains": lambda found, value: value in found,
    "has": lambda found, value: all(one in found for one in value),
    "without": lambda found, value: not any(one in found for one in value),
    "same": lambda found, value: sorted(found) == sorted(value),
    "count": lambda found, value: len(found) == value,
    "one_of": lambda found, value: found in value,
    "at_most": lambda found, value: found <= value,
    "equal": lambda found, value: found == value,
}
