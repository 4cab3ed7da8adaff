"""A team's vault that tells on itself: every word in it is a mark of the memory that it stands in.

Who may see what is worked out here once more, from the files alone and in few words, so that what the verbs answer can
be held against it. A mark that stands in no file which somebody sees must be in no answer that they get, unless they
typed it themselves.
"""

from __future__ import annotations

import functools
import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, get_args, get_origin

import yaml

from helix.memory.place import Place
from helix.memory.principal import UNKNOWN, Principal
from helix.memory.verbs.verb import Field, Permission, Verb, without_none
from tests.memory.world import record

MARK = re.compile(r"zq[a-z]\d+")
WORDS = ["crane", "tide", "gull", "mast", "quay", "rope"]
USERS = ("ana", "ben", "cleo", "dan")
# Whoever is an admin could freeze the vault, and then nothing would be written any more.
ALL = frozenset(get_args(Permission)) - {"admin"}
TIGHT = Principal("ana-tight", user="ana", projects=frozenset({"zqp2"}), permissions=ALL)
PRINCIPALS = (*(Principal(user, user=user, permissions=ALL) for user in USERS), TIGHT, UNKNOWN)
MEMBERS = {"zqp1": ("ana", ("ben",)), "zqp2": ("ben", ("ana", "cleo")), "zqp3": ("dan", ())}
PROJECTS = (*MEMBERS, "zqp4")
"""the last one is a mere name in notes"""

Files = Mapping[str, bytes]


# Who sees what


def seen_files(principal: Principal, files: Files) -> dict[str, str]:
    notes = {path: (_meta(text := data.decode()), text) for path, data in files.items()}
    members: dict[str, tuple[tuple[str, str], set[str]]] = {}
    for meta, _ in notes.values():
        if meta.get("kind") == "project" and meta.get("name") and meta.get("status", "active") == "active":
            born = (str(meta.get("created_at") or ""), str(meta.get("id")))
            names = {meta.get("owner"), *(meta.get("members") or [])} - {None}
            if meta["name"] not in members or born < members[meta["name"]][0]:
                members[meta["name"]] = born, names
    mine = {name for name, (_, names) in members.items() if principal.user in names}
    return {path: text for path, (meta, text) in notes.items() if _sees(principal, meta, mine)}


def _sees(principal: Principal, meta: Mapping[str, Any], mine: set[str]) -> bool:
    owner, project = meta.get("owner"), meta.get("project")
    if principal.user is None or (principal.projects is not None and project not in principal.projects):
        return False
    by_default = "project" if owner and project and meta.get("scope", "project") == "project" else "private"
    visibility = meta.get("visibility") or by_default
    return owner == principal.user or visibility == "team" or (visibility == "project" and project in mine)


@functools.cache
def _meta(text: str) -> dict[str, Any]:
    try:
        meta = yaml.load(text.split("---\n")[1], yaml.CSafeLoader)
    except (yaml.YAMLError, IndexError):
        return {}
    return meta if isinstance(meta, dict) else {}


def marks_of(principal: Principal, files: Files) -> set[str]:
    texts = (f"{path} {text}" for path, text in seen_files(principal, files).items())
    return set().union(*map(_marks_in, texts))


@functools.cache
def _marks_in(text: str) -> frozenset[str]:
    return frozenset(MARK.findall(text))


# What is there


def some_team(dice: random.Random, notes: int = 36) -> dict[str, str]:
    files = {
        f"projects/{name}/zqf{90 + number}.md": record(
            f"mem_zqi{90 + number}", f"Who is in {name}, zqb{90 + number}",
            kind="project", scope="project", project=name,
            name=name, owner=owner, members=f"[{', '.join(members)}]", created_at="2026-01-01T00:00:00Z",
        )
        for number, (name, (owner, members)) in enumerate(MEMBERS.items())
    }  # fmt: skip
    for number in range(notes):
        about: dict[str, Any] = {
            "title": f"Zq{number} zqt{number}",
            "tags": f"[zqg{number}, {dice.choice(WORDS)}]",
        }
        about["kind"] = dice.choice(["fact", "preference", "task", f"zqk{number}"])
        about["scope"] = dice.choice(["global", "project", "project", "session"])
        if about["scope"] != "global" and dice.random() < 0.8:
            about["project"] = dice.choice(PROJECTS)
        if dice.random() < 0.9:
            about["owner"] = dice.choice(USERS)
        if dice.random() < 0.5:
            about["visibility"] = dice.choice(["private", "project", "team"])
        about["status"] = dice.choice(["active"] * 5 + ["superseded", "deleted"])
        about["created_at"] = about["updated_at"] = f"2026-01-{number % 27 + 1:02}T0{number % 7}:00:00Z"
        if dice.random() < 0.3:
            about[dice.choice(["supersedes", "relates_to"])] = f'["[[mem_zqi{dice.randrange(notes)}]]"]'
        if dice.random() < 0.2:
            about["valid_until"] = "2026-03-01T00:00:00Z"
        body = f"{' '.join(dice.choices(WORDS, k=5))} zqb{number}"
        if dice.random() < 0.3:
            body += f" [[mem_zqi{dice.randrange(notes)}]] [[zqt{dice.randrange(notes)}]]"
        text = record(f"mem_zqi{number}", body, **about)
        files[f"zqd{number}/zqf{number}.md"] = text
        if dice.random() < 0.1:
            files[f"zqd{number}/zqf{number} (conflicted copy).md"] = text
    files["zqd80/zqf80.md"] = "---\nid: mem_zqi80\ntags: [open\n---\nzqb80 cannot be read\n"
    return files


# What is asked


@dataclass
class Asking:
    """Arguments for any verb there is, by what its fields are called and what they take: also of one that is made
    tomorrow."""

    dice: random.Random
    bodies: Sequence[str]
    ids: list[str] = field(default_factory=list)
    cursors: list[str] = field(default_factory=lambda: ["nothing"])
    keys: list[str] = field(default_factory=lambda: ["unreadable-0123456789ab"])
    proposals: list[str] = field(default_factory=lambda: ["duplicate-01234567"])

    def place(self) -> Place:
        project = self.dice.choice([None, None, *PROJECTS])
        return Place(project, self.dice.choice([None, "s-1", "s-2"]), "tester")

    def fields(self, verb: Verb) -> dict[str, Any]:
        given = {}
        for name, one in verb.fields.items():
            if one.is_required or self.dice.random() < 0.5:
                value = self.value(verb, one)
                if value is not None:
                    given[name] = value
        if "max_tokens" in verb.fields and self.dice.random() < 0.9:
            given["max_tokens"] = 20_000
        return given

    def value(self, verb: Verb, one: Field) -> Any:
        dice, name = self.dice, one.wire
        kind, _ = without_none(one.type)
        named: dict[str, Callable[[], Any]] = {
            "id": self.an_id, "supersede_hint": self.an_id, "project": lambda: dice.choice(PROJECTS),
            "user": lambda: dice.choice(USERS), "members": lambda: dice.sample(USERS, 2),
            "q": self.words, "query": self.words, "text": self.text, "task": self.words, "content": self.words,
            "cursor": lambda: dice.choice(self.cursors), "key": lambda: dice.choice(self.keys),
            "idempotency_key": lambda: dice.choice(["k1", "k2", "k3", None]),
            "If-Match": lambda: None, "edges": lambda: {dice.choice(["supersedes", "relates_to"]): [self.an_id()]},
            "filters": lambda: {dice.choice(["project", "tag", "kind", "owner", "visibility"]): dice.choice(
                [*PROJECTS, *USERS, "team", "private", "zqg3", "fact"])},
            "as_of": lambda: None, "ref": lambda: None, "at": lambda: None, "to": lambda: self.an_id(),
            "from": lambda: self.an_id(), "source": lambda: None if verb.name == "write" else self.an_id(),
            "what": lambda: None, "who": lambda: None, "based_on": lambda: None,
            "since": lambda: "2026-01-05", "limit": lambda: dice.choice([1, 3, 20]),
            "tag": lambda: f"zqg{dice.randrange(36)}", "kind": lambda: dice.choice(["fact", "task", "preference"]),
            "title": lambda: f"Zqx zqt{dice.randrange(100, 999)}", "tags": lambda: [dice.choice(WORDS)],
            "until": lambda: None, "after": lambda: None, "before": lambda: None, "importance": lambda: 0.5,
            "valid_from": lambda: "2026-01-05", "valid_until": lambda: "2027-01-05",
            "extra": lambda: {"namespace": dice.choice(WORDS)},
            "ids": lambda: self.ids_or_proposals(verb), "phases": lambda: ["plan", "work"],
        }  # fmt: skip
        if name in named:
            return named[name]()
        if get_origin(kind) is not None and all(isinstance(choice, str) for choice in get_args(kind)):
            return dice.choice(get_args(kind))
        if kind is bool:
            return dice.random() < 0.5
        if kind is int:
            return int(one.about.least or 1) + dice.randrange(3)
        if kind is str:
            return dice.choice(["s-1", "2026-01-05", "agent", *WORDS])
        return one.default if not one.is_required else {} if "Mapping" in str(kind) else []

    def an_id(self) -> str:
        if self.dice.random() < 0.1:
            return self.dice.choice(["mem_none", "MEM_ZQI3", "zqt5"])
        return self.dice.choice(self.ids)

    def ids_or_proposals(self, verb: Verb) -> list[str]:
        return [self.dice.choice(self.proposals)] if verb.name == "consolidate" else [self.an_id()]

    def words(self) -> str:
        dice = self.dice
        return " ".join(
            dice.choice(
                [dice.choice(WORDS), f"zqb{dice.randrange(36)}", f"tag:zqg{dice.randrange(36)}", "kind:task",
                 f"owner:{dice.choice(USERS)}", "visibility:team", f"project:{dice.choice(PROJECTS)}",
                 f"id:{self.an_id()}", "crnae", "-tide", '"gull mast"']
            ) for _ in range(dice.randrange(1, 4))
        )  # fmt: skip

    def text(self) -> str:
        """New, or what somebody has written already."""
        if self.dice.random() < 0.5:
            return self.dice.choice(self.bodies)
        return f"{' '.join(self.dice.choices(WORDS, k=4))} zqb{self.dice.randrange(100, 999)}"

    def learn(self, answer: Mapping[str, Any]) -> None:
        """Whoever attacks uses what somebody else was told."""
        for name, value in answer.items():
            if name == "next_cursor" and value:
                self.cursors.append(value)
            elif name == "key" and isinstance(value, str):
                self.keys.append(value)
            elif name == "id" and isinstance(value, str):
                (self.proposals if re.fullmatch(r"[a-z-]+-[0-9a-f]{8}", value) else self.ids).append(value)
            for inner in value if isinstance(value, list) else [value]:
                if isinstance(inner, dict):
                    self.learn(inner)
