"""How the daemon speaks on standard error: sentences to a person on a terminal, JSON lines to a program."""

from __future__ import annotations

import json
import logging
import sys
from datetime import UTC, datetime

_KNOWN = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "color_message"}
LEVELS = ("debug", "info", "warning", "error")


class JsonLines(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        moment = datetime.fromtimestamp(record.created, UTC)
        fields: dict[str, object] = {
            "time": moment.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **{key: value for key, value in vars(record).items() if key not in _KNOWN},
        }
        if record.exc_info:
            fields["stack"] = self.formatException(record.exc_info)
        return json.dumps(fields, ensure_ascii=False, default=str)


class Sentences(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        ms = getattr(record, "ms", None)
        more = "" if ms is None else f" in {ms} ms, {getattr(record, 'client', '')}"
        line = f"{record.levelname.lower()}: {record.getMessage()}{more}"
        return f"{line}\n{self.formatException(record.exc_info)}" if record.exc_info else line


def start_logging(level: str) -> None:
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(Sentences() if sys.stderr.isatty() else JsonLines())
    logging.basicConfig(level=level.upper(), handlers=[handler], force=True)
    logging.getLogger("watchfiles").setLevel("WARNING")  # at info it tells of every event


def announce(message: str, **fields: object) -> None:
    """What is said whatever the level is: where the daemon answers, and that it stops."""
    record = logging.makeLogRecord(
        {"name": "helix.daemon", "levelname": "INFO", "levelno": logging.INFO, "msg": message, **fields}
    )
    for handler in logging.getLogger().handlers:
        handler.handle(record)
