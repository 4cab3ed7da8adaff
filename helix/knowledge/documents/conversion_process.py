"""The process that readers run in: a file comes in, its text goes out. What goes wrong here costs the file, not more.

A line of JSON names the format and the length, then come the bytes; the answer is a line of JSON. The process may use
so much memory and time, and write no file.
"""

from __future__ import annotations

import importlib
import json
import logging
import os
import resource
import sys
from dataclasses import asdict
from typing import Any, BinaryIO

from helix.knowledge.documents.converted import Converted, Unreadable
from helix.knowledge.documents.limits import MEMORY, MOST_CHARACTERS, SECONDS


def main() -> None:
    requests, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints is no answer
    logging.disable()
    _limit(resource.RLIMIT_AS, MEMORY)
    _limit(resource.RLIMIT_CORE, 0)
    _limit(resource.RLIMIT_FSIZE, 0)
    while header := requests.readline():
        _allow_time()
        answer = _answer(json.loads(header), requests)
        answers.write(json.dumps(answer).encode() + b"\n")
        answers.flush()


def _answer(header: dict[str, Any], requests: BinaryIO) -> dict[str, Any]:
    data = requests.read(int(header["length"]))
    try:
        reader = importlib.import_module(f"helix.knowledge.documents.readers.{header['reader']}")
        found: Converted = reader.read(data, header["format"], header["language"])
    except Unreadable as error:
        return {"error": str(error)}
    except MemoryError:
        return {"error": f"it takes more than {MEMORY // 2**20} MiB of memory to read"}
    except RecursionError:
        return {"error": "it is nested too deeply to be read"}
    # Readers meet files that no author of theirs has thought of; what they raise then is of any kind.
    except Exception as error:  # noqa: BLE001
        return {"error": f"its reader gave up on it ({type(error).__name__}); it may be damaged"}
    if sum(len(stretch.text) for stretch in found.stretches) > MOST_CHARACTERS:
        return {"error": f"it has more than {MOST_CHARACTERS:,} characters of text"}
    return asdict(found)


def _allow_time() -> None:
    """Processor time for the next file; whoever waits has a clock of its own."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    _limit(resource.RLIMIT_CPU, int(used.ru_utime + used.ru_stime + SECONDS) + 2)


def _limit(what: int, value: int) -> None:
    _, hard = resource.getrlimit(what)
    allowed = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(what, (allowed, hard))


if __name__ == "__main__":
    main()
