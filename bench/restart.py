"""A vault that is opened again in processes of their own: how long to the first answer by words, and by meaning as
well, and how much memory."""

from __future__ import annotations

import statistics
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from bench.figures import judge

_RUNS = 5
# In processor time, which a busy machine changes least. At 10,000 notes.
_GOALS = {"words": 2.2, "meaning": 1.8}

# Each says, when it is done: seconds since it was started, seconds of processor time, megabytes now and at most.
_TELL = """
import os, resource, time
def tell():
    with open("/proc/self/statm") as statm:
        resident = int(statm.read().split()[1]) * resource.getpagesize() / 2**20
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(time.time() - STARTED, time.process_time(), resident, peak, flush=True)
    os._exit(0)
"""
_WORD_IMPORTS = """
import helix.compose, helix.index.local_engine, helix.index.search
"""
_IMPORTS = """
import helix.compose, helix.index.embed, helix.index.embed_cache, helix.index.local_engine, helix.index.search
import numpy, onnxruntime, tokenizers
"""
_LOADS = """
from pathlib import Path
helix.index.embed.find_embedder('bundled', Path('unused')).embedder.embed_query('retry policy')
"""
_OPENS = """
from pathlib import Path
from helix.compose import open_vault
from helix.memory.search_engine import open_recall
from helix.config import Config
place = Path(PLACE)
config = Config(vault=place / "vault", state_dir=place / "state", config_dir=place / "config")
with open_vault(config, must_follow=True) as helix:
    helix.catch_up()
    with open_recall(helix, words_first=True) as recall:
        from helix.index.search import Question
        assert recall.searcher.search(Question(QUESTIONS[0])).hits
        WORK
        tell()
"""
_ATTACH = """
        recall.index.attach()
        assert recall.searcher.search(Question(QUESTIONS[0])).hits
"""
_BUSY = """
        from concurrent.futures import ThreadPoolExecutor
        from helix.vault.new_memory import NewMemory
        with ThreadPoolExecutor(9) as pool:
            asking = [pool.submit(recall.searcher.search, Question(one)) for one in QUESTIONS * 4]
            for number in range(50):
                helix.store.add(NewMemory(f"written under load, {number}", f"Load {number}")).note
            assert all(one.result() for one in asking)
        recall.index.wait_until_embedded(60)
"""


def restart(place: Path, questions: Sequence[str], *, is_judged: bool) -> float:
    """In turns with processes that only import what it needs. Returns MB at rest."""
    codes = {
        "a process that only imports what words need": f"{_TELL}{_WORD_IMPORTS}tell()",
        "a restart to the first answer by words": _opening(place, questions, ""),
        "one that imports everything, and loads the model for one question": f"{_TELL}{_IMPORTS}{_LOADS}tell()",
        "a restart to the first answer by meaning": _opening(place, questions, _ATTACH),
    }
    said: dict[str, list[list[float]]] = {name: [] for name in codes}
    for _ in range(_RUNS if is_judged else 1):
        for name, code in codes.items():
            said[name].append(_run(code))
    wall, work, resident = (
        [statistics.median(run[at] for run in runs) for runs in said.values()] for at in range(3)
    )
    for name, seconds, processor, megabytes in zip(codes, wall, work, resident, strict=True):
        print(f"{name}: {seconds:.2f} s, of the processor {processor:.2f} s, {megabytes:.0f} MB")
    if is_judged:
        by_words, by_meaning = work[1] / work[0], work[3] / work[2]
        judge("restart to the first answer by words", by_words, _GOALS["words"], "× the bare imports")
        judge("by meaning", by_meaning, _GOALS["meaning"], "× the bare imports and the model")
    return resident[3]


def under_load(place: Path, questions: Sequence[str]) -> float:
    """MB at most, while eight threads ask and one writes."""
    return _run(_opening(place, questions, _ATTACH + _BUSY))[3]


def _opening(place: Path, questions: Sequence[str], work: str) -> str:
    values = f"PLACE, QUESTIONS = {str(place)!r}, {list(questions)!r}\n"
    return values + _TELL + _OPENS.replace("        WORK\n", work)


def _run(code: str) -> list[float]:
    started = "import time\nSTARTED = time.time()\n"
    done = subprocess.run(
        [sys.executable, "-c", started + code], stdout=subprocess.PIPE, text=True, check=True
    )
    return [float(figure) for figure in done.stdout.split()]
