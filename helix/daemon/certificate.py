"""The certificate of a daemon that serves HTTPS itself: read again when its files change, as those who renew it expect.

Connections that are open go on with the old one. Files that do not fit each other, or are half written, are left alone
until they do: a context that took the one and not the other would serve nobody.
"""

from __future__ import annotations

import logging
import os
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio
import anyio.to_thread

log = logging.getLogger(__name__)

_LOOK_EVERY = 2.0
# Browsers ask by HTTPS alone for a year, whatever a link says.
HEADERS = [("Strict-Transport-Security", "max-age=31536000")]


class Certificate:
    def __init__(self, certificate: str, key: str) -> None:
        self._files = (certificate, key)
        self.context: ssl.SSLContext | None = None
        """that of the server, once there is one"""
        self._seen = self._signature()
        self._refused: object = None

    @asynccontextmanager
    async def run(self) -> AsyncIterator[None]:
        async with anyio.create_task_group() as group:
            group.start_soon(self._watch)
            try:
                yield
            finally:
                group.cancel_scope.cancel()

    async def _watch(self) -> None:
        while True:
            await anyio.sleep(_LOOK_EVERY)
            await anyio.to_thread.run_sync(self.look)

    def look(self) -> None:
        now = self._signature()
        if now in (self._seen, self._refused) or self.context is None:
            return
        try:
            ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(*self._files)
            self.context.load_cert_chain(*self._files)
        except (OSError, ValueError) as error:
            self._refused = now
            log.warning(
                "the new certificate in %s cannot be used (%s); the old one goes on", self._files[0], error
            )
        else:
            self._seen, self._refused = now, None
            log.warning("the certificate in %s is in use", self._files[0])

    def _signature(self) -> tuple[tuple[int, int, int] | None, ...]:
        return tuple(_signature(path) for path in self._files)


def _signature(path: str) -> tuple[int, int, int] | None:
    try:
        info = os.stat(path)
    except OSError:
        return None
    return info.st_mtime_ns, info.st_ino, info.st_size
