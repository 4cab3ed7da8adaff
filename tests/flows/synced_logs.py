"""Machines that write to the same sessions over a sync service, at random.

The logs, their index and the lane of the follower are the real ones, on real folders; the sync service is simulated. A
machine goes offline, crashes in the middle of a line, loses its state folder, and erases events wherever they stand.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from helix.follow.lane import FollowReport
from helix.follow.log_lane import LogLane
from helix.memory.event_log import EventLog
from helix.vault.log.event import EventDraft
from helix.vault.log.log_paths import session_of
from helix.vault.paths import Root
from helix.vault.walk import Signature
from tests.flows.cloud import Client, Cloud, Style

SESSIONS = ("billing", "auth")
_ROUNDS_TO_REST = 60
_ERASED = "event.erased"


@dataclass(frozen=True)
class Acknowledged:
    session: str
    hash: str
    prev: str | None
    token: str
    """words that stand in its content and nowhere else"""


class LogMachine:
    def __init__(self, name: str, place: Path, cloud: Cloud) -> None:
        self.name = name
        self.folder = place / name / "vault"
        self.folder.mkdir(parents=True)
        self.client = Client(cloud, name, self.folder)
        self._state = place / name / "state"
        self._start()

    def _start(self) -> None:
        self._state.mkdir(exist_ok=True)
        self._root = Root(self.folder)
        self.log = EventLog(self._root, self._state, "vault", [])
        self._lane = LogLane(
            self.log.find_index, self.log.index, self.log.settle_erasures, self.log.is_archived
        )

    def stop(self) -> None:
        self.log.close()
        self._root.close()

    def restart(self, *, lose_state: bool = False) -> None:
        self.stop()
        if lose_state:
            shutil.rmtree(self._state)
        self._start()

    def follow(self) -> None:
        """One look of the daemon at the folder."""
        there: dict[str, Signature] = {}
        for path in self.client.files():
            if session_of(path) is not None:
                there[path] = Signature.of(os.stat(self.folder / path))
        known = self._lane.known()
        changed = {path: signature for path, signature in there.items() if known.get(path) != signature}
        if changed:
            self._lane.take_in(changed, FollowReport(), settled=True, progress=None)
        self._lane.drop([path for path in known if path not in there], FollowReport())

    def tear(self, session: str, line: bytes, kept: int) -> None:
        """The process is gone in the middle of writing a line, which nobody was told is safe."""
        writer = (self._state / "writer").read_text().strip() if (self._state / "writer").exists() else ""
        files = sorted((self.folder / "sessions" / session).glob(f"{writer}*.jsonl")) if writer else []
        if files:
            with files[-1].open("ab") as file:
                file.write(line[:kept])
        self.restart()


@dataclass
class LogOutcome:
    seed: int
    events: int
    erased: int
    conflicts: int
    forks: int
    torn: int
    archived: int
    wrong: list[str] = field(default_factory=list)


def simulate_logs(seed: int, machines: int, operations: int) -> LogOutcome:
    parent = Path("/dev/shm") if os.path.isdir("/dev/shm") else None
    place = Path(tempfile.mkdtemp(prefix="helix-logs-", dir=parent))
    simulation = LogSimulation(seed, machines, place)
    try:
        simulation.run(operations)
        return simulation.finish()
    finally:
        for machine in simulation.machines:
            machine.stop()
        shutil.rmtree(place)


class LogSimulation:
    def __init__(self, seed: int, machines: int, place: Path) -> None:
        self.rng = Random(seed)
        self.seed = seed
        self.cloud = Cloud(self.rng.choice(list(Style)), self.rng)
        self.machines = [LogMachine(f"M{number + 1}", place, self.cloud) for number in range(machines)]
        self.events: dict[str, Acknowledged] = {}
        self.erased: set[str] = set()
        self.torn = self.archived = 0

    def run(self, operations: int) -> None:
        for number in range(operations):
            machine = self.rng.choice(self.machines)
            if self.rng.random() < 0.15:
                machine.client.online = not machine.client.online
            machine.client.finish_writing()
            chance = self.rng.random()
            if chance < 0.7:
                self.append(machine, f"token{number}x")
            elif chance < 0.8:
                self.erase(machine)
            elif chance < 0.86:
                line = b'{"seq": 99, "type": "a.b", "payload": {"content": "never acknowledged"}}'
                machine.tear(self.rng.choice(SESSIONS), line, self.rng.randrange(1, len(line)))
                self.torn += 1
            elif chance < 0.9:
                self.archive(machine)
            elif chance < 0.93:
                machine.restart(lose_state=self.rng.random() < 0.3)
            for other in self.machines:
                if self.rng.random() < 0.5:
                    other.client.sync(self.rng.choice((0.2, 0.5, 0.9)))
                if self.rng.random() < 0.5:
                    other.follow()

    def append(self, machine: LogMachine, token: str, session: str | None = None) -> None:
        session = session or self.rng.choice(SESSIONS)
        drafts = [
            EventDraft("transcript.turn", machine.name, {"content": f"{token}n{number} was said"})
            for number in range(self.rng.choice((1, 1, 1, 3)))
        ]
        events, degraded = machine.log.append(session, drafts)
        assert degraded is None, degraded
        for number, event in enumerate(events):
            assert event.hash not in self.events
            self.events[event.hash] = Acknowledged(
                session, event.hash, event.prev_hash, f"{token}n{number} was"
            )

    def erase(self, machine: LogMachine) -> None:
        index = machine.log.find_index()
        session = self.rng.choice(SESSIONS)
        places = [] if index is None else index.span(session, 1, None, 1000, ["transcript.turn"])
        places = [place for place in places if not place.is_erased]
        if places:
            place = self.rng.choice(places)
            machine.log.erase(session, [place])
            self.erased.add(place.hash)

    def archive(self, machine: LogMachine) -> None:
        index = machine.log.find_index()
        session = self.rng.choice(SESSIONS)
        if index is not None and index.heads(session):
            machine.log.archive(session, "asked")
            self.archived += 1

    def finish(self) -> LogOutcome:
        for machine in self.machines:
            machine.client.online = True
        wrong = self._rest()
        for _ in range(3):  # a machine that moved them at the same time may have left some behind
            for session in SESSIONS:
                if self.machines[0].log.is_archived(session):
                    self.machines[0].log.restore(session)
            wrong += self._rest()
        wrong += [
            f"{machine.name}: {machine.log.archived()} archived"
            for machine in self.machines
            if machine.log.archived()
        ]
        for number, machine in enumerate(self.machines):
            for session in SESSIONS:  # what was torn is set aside when the next event comes
                self.append(machine, f"last{number}{session}x", session)
        wrong += self._rest()
        heads: list[object] = []
        for machine in self.machines:
            wrong += [f"{machine.name}: {what}" for what in self._check(machine)]
            index = machine.log.index()
            heads.append({session: {place.hash for place in index.heads(session)} for session in SESSIONS})
        wrong += [] if all(one == heads[0] for one in heads) else ["the ends differ"]
        forks = sum(len(machine_heads) > 1 for machine_heads in self._ends().values())
        return LogOutcome(
            self.seed,
            len(self.events),
            len(self.erased),
            self.cloud.conflicts,
            forks,
            self.torn,
            self.archived,
            wrong,
        )

    def _rest(self) -> list[str]:
        """Everybody syncs and looks until nothing changes any more."""
        before: object = None
        quiet = rounds = 0
        while quiet < 3 and rounds < _ROUNDS_TO_REST:
            rounds += 1
            for machine in self.machines:
                machine.client.sync(1.0)
            for machine in self.machines:
                machine.client.finish_writing()
                machine.follow()
            after = [machine.client.files() for machine in self.machines]
            quiet = quiet + 1 if after == before and all(files == after[0] for files in after) else 0
            before = after
        return [] if quiet >= 3 else ["the machines do not come to rest"]

    def _ends(self) -> dict[str, set[str]]:
        """Of what was acknowledged, by session, what nothing that is there follows; read from the files alone."""
        machine = self.machines[0]
        return {
            session: {head.hash for head in machine.log.logs().verify(session).heads} for session in SESSIONS
        }

    def _written(self) -> set[str]:
        return {f"{machine.log._writer()}.jsonl" for machine in self.machines}

    def _check(self, machine: LogMachine) -> list[str]:
        wrong: list[str] = []
        index = machine.log.index()
        for session in SESSIONS:
            found = machine.log.logs().verify(session)
            wrong += [
                f"{problem.path}:{problem.line}: {problem.reason}"
                for problem in found.problems
                # In a file that nobody writes to any more an unfinished write stays: a copy that the sync service
                # made, and the file of a machine that lost its state folder.
                if "torn" not in problem.reason or Path(problem.path).name in self._written()
            ]
            places = index.span(session, 1, None, 10_000)
            if len(places) != len({place.hash for place in places}) or len(places) != found.total_events:
                wrong.append(f"{session}: {len(places)} in the index, {found.total_events} in the files")
            if index.sessions(session)[0].events != len(places):
                wrong.append(f"{session}: the listing counts {index.sessions(session)[0].events} events")
            if {place.hash for place in index.heads(session)} != {head.hash for head in found.heads}:
                wrong.append(f"{session}: the ends of the index are not those of the files")
            here = {place.hash: place for place in places}
            for event in self.events.values():
                if event.session != session:
                    continue
                place = here.get(event.hash)
                if place is None:
                    wrong.append(f"{event.token} is lost")
                elif place.is_erased != (event.hash in self.erased):
                    wrong.append(f"{event.token} is {'' if place.is_erased else 'not '}erased")
                elif not place.is_erased and not index.search(event.token, [session], 5):
                    wrong.append(f"{event.token} is not found")
        content = b"\n".join(file.read_bytes() for file in machine.folder.rglob("*.jsonl*") if file.is_file())
        wrong += [
            f"{self.events[name].token} was erased and stands in a file"
            for name in self.erased
            if self.events[name].token.encode() in content
        ]
        if b"never acknowledged" in b"".join(
            event.to_line()
            for session in SESSIONS
            for _, event in index.read(index.span(session, 1, None, 10_000))
            if event is not None
        ):
            wrong.append("a torn line is read")
        return wrong
