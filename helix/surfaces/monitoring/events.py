"""What happens, as it happens, for whoever listens: server-sent events. One task per listener, and no thread.

A listener has a short queue. One that does not read fast enough is let go; it comes back with the number of the last
event that it heard, and the journal tells it the rest.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from weakref import WeakSet

import anyio
import anyio.to_thread

from helix.errors import BadValue, HelixError
from helix.memory.activity.event import Activity, Event
from helix.memory.activity.journal import Journal
from helix.memory.tokens import Payload, serialize

_QUEUE = 256
_MOST_LISTENERS = 64
_REPLAYED_AT_ONCE = 200
_KEEP_ALIVE = 15.0
_LOOK_EVERY = 3.0
_COME_BACK = "retry: 2000\n\n"
_STILL_HERE = ": still here\n\n"


class TooMany(Exception):
    """Nobody has so many pages open: something connects again and again."""


class _Listener:
    def __init__(self, activity: Activity) -> None:
        self.activity = activity
        """what happened, as far as this one sees it"""
        self.queue: asyncio.Queue[str | Event | None] = asyncio.Queue(_QUEUE)
        self.is_lost = False
        self.knows: str | None = None
        """the state of the daemon that it was told last"""

    def tell(self, item: str | Event) -> None:
        if self.is_lost:
            return
        try:
            self.queue.put_nowait(item)
        except asyncio.QueueFull:
            self.end()

    def end(self) -> None:
        """What was not heard yet is dropped: the journal has it."""
        self.is_lost = True
        while not self.queue.empty():
            self.queue.get_nowait()
        self.queue.put_nowait(None)


class Events:
    def __init__(
        self,
        journal: Journal,
        health: Callable[[], Awaitable[Payload]],
        *,
        keep_alive: float = _KEEP_ALIVE,
        look_every: float = _LOOK_EVERY,
    ) -> None:
        self._journal = journal
        self._health = health
        self._keep_alive = keep_alive
        self._look_every = look_every
        # Weakly: one whose stream is given up before it began is nobody's any more.
        self._listeners: WeakSet[_Listener] = WeakSet()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._has_ended = False
        self._replays = anyio.CapacityLimiter(2)

    def count(self) -> int:
        """Who listens now."""
        return len(self._listeners)

    @asynccontextmanager
    async def run(self) -> AsyncIterator[None]:
        """As long as the app serves."""
        self._loop = asyncio.get_running_loop()
        self._journal.on_events.append(self._heard)
        watching = asyncio.create_task(self._watch_health())
        try:
            yield
        finally:
            watching.cancel()
            self._journal.on_events.remove(self._heard)
            self._end_all()
            self._loop = None

    def end(self) -> None:
        """From any thread: the daemon is about to stop, and would wait for those who listen."""
        if (loop := self._loop) is not None:
            loop.call_soon_threadsafe(self._end_all)

    def listen(self, activity: Activity, last_heard: str | None) -> AsyncIterator[str]:
        """From now on, as far as `activity` shows it; `last_heard` is the number of the last event that is known."""
        if last_heard is not None and not (last_heard.isdecimal() and len(last_heard) <= 16):
            raise BadValue("Last-Event-ID is not the number of an event; leave it out to hear what is new")
        if len(self._listeners) >= _MOST_LISTENERS:
            raise TooMany
        # Counted here and not when its first event is asked for: any number could come in until then.
        listener = _Listener(activity)
        self._listeners.add(listener)
        return self._tell(listener, None if last_heard is None else int(last_heard))

    async def _tell(self, listener: _Listener, heard: int | None) -> AsyncIterator[str]:
        try:
            health = await self._health()
            listener.knows = _state(health)
            yield _COME_BACK + _health_event(health)
            # Those that happen from here on are in the queue already, and come again in the replay.
            last = heard or 0
            while heard is not None and not self._has_ended:
                missed, until = await anyio.to_thread.run_sync(
                    listener.activity.after, last, _REPLAYED_AT_ONCE, limiter=self._replays
                )
                for event in missed:
                    yield _change_event(event)
                    last = event.seq
                if until is None:
                    break
                last = until
            while not self._has_ended:
                item: str | Event | None = _STILL_HERE
                with anyio.move_on_after(self._keep_alive):
                    item = await listener.queue.get()
                if item is None:
                    return
                if isinstance(item, str):
                    yield item
                elif item.seq > last:
                    last = item.seq
                    for event in listener.activity.seen([item]):
                        yield _change_event(event)
        finally:
            self._listeners.discard(listener)

    def _heard(self, events: Sequence[Event]) -> None:
        if (loop := self._loop) is not None and self._listeners:
            loop.call_soon_threadsafe(self._tell_all, events)

    def _tell_all(self, events: Sequence[Event]) -> None:
        for listener in self._listeners:
            for event in events:
                listener.tell(event)

    def _end_all(self) -> None:
        self._has_ended = True
        for listener in self._listeners:
            listener.end()

    async def _watch_health(self) -> None:
        while True:
            await anyio.sleep(self._look_every)
            # Otherwise whoever comes is told how it is.
            if self._listeners:
                try:
                    health = await self._health()
                except (HelixError, OSError, sqlite3.Error):
                    continue  # the state folder is being made anew: the next look tells
                for listener in self._listeners:
                    # Each by itself: two that come at the same moment may have been told different things.
                    if listener.knows not in (None, _state(health)):
                        listener.knows = _state(health)
                        listener.tell(_health_event(health))


def _change_event(event: Event) -> str:
    return f"event: change\nid: {event.seq}\ndata: {serialize(event.to_dict())}\n\n"


def _state(health: Payload) -> str:
    return " ".join([health["state"], *(reason["code"] for reason in health["reasons"])])


def _health_event(health: Payload) -> str:
    return f"event: health\ndata: {serialize(health)}\n\n"
