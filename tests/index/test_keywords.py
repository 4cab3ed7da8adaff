"""The Whoosh engine: the suite, and what only concerns an index made of segments."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from unittest import mock

import pytest
from whoosh import index as whoosh_index
from whoosh.filedb.filestore import FileStorage
from whoosh.query import Term

from helix.errors import IndexBroken, StorageError
from helix.index import keywords as keywords_module
from helix.index.entries import WordEntry
from helix.index.keywords import KeywordDoc, Keywords, WhooshKeywords
from helix.index.segments import Segment, SegmentStore
from tests.index.keywords_suite import KeywordsSuite, doc
from tests.scale import scaled

_CRASHING = """
import sys
from pathlib import Path
from unittest import mock
from helix.index.keywords import KeywordDoc, WhooshKeywords
keywords = WhooshKeywords(Path(sys.argv[1]))
for number in range(10_000):
    keywords.put([KeywordDoc(f"m{number % 50}", body=f"word{number} common", hash=str(number))])
    keywords.flush()
    keywords.maintain()
    print(number, flush=True)
"""


class TestWhooshKeywords(KeywordsSuite):
    def open(self, folder: Path) -> Keywords:
        return WhooshKeywords(folder)

    def test_the_same_few_names_find_what_is_there_whatever_happens_between(self, tmp_path: Path) -> None:
        keywords = WhooshKeywords(tmp_path)
        keywords.put([doc(f"m{number}", "common") for number in range(60)])
        few = frozenset({"m1", "m2", "new"})

        def found() -> set[str]:
            return {memory_id for memory_id, _ in keywords.search(["common"], 50, within=few)}

        assert found() == {"m1", "m2"}
        keywords.flush()
        assert found() == {"m1", "m2"}
        keywords.put([doc("new", "common")])
        assert found() == {"m1", "m2", "new"}
        keywords.drop(["m1"])
        assert found() == {"m2", "new"}
        keywords.put([doc("m2", "rare")])
        assert found() == {"new"}
        keywords.purge()
        assert found() == {"new"}
        keywords.drop(f"m{number}" for number in range(60))
        keywords.maintain()
        assert found() == {"new"}

    def test_many_small_segments_are_merged_and_nothing_changes(self, tmp_path: Path) -> None:
        keywords = WhooshKeywords(tmp_path)
        for number in range(45):
            keywords.put([doc(f"m{number % 40}", f"common word{number}", content=str(number))])
            keywords.flush()
        before = keywords.search(["common"], 50), keywords.hashes()
        assert keywords.maintain()
        assert len(list(tmp_path.glob("*.seg"))) <= 11
        assert (keywords.search(["common"], 50), keywords.hashes()) == before
        assert not keywords.maintain()
        keywords.close()
        again = WhooshKeywords(tmp_path)
        assert (again.search(["common"], 50), again.hashes()) == before

    def test_a_segment_that_is_mostly_dead_is_written_anew(self, tmp_path: Path) -> None:
        keywords = WhooshKeywords(tmp_path)
        keywords.build(doc(f"m{number}", f"only{number} common") for number in range(100))
        keywords.drop([f"m{number}" for number in range(60)])
        assert keywords.maintain()
        assert keywords.document_frequency("common") == 40
        assert keywords.terms_like("only77x")[0] == "only77"
        keywords.drop([f"m{number}" for number in range(100)])
        assert keywords.maintain()
        assert keywords.count() == 0
        assert keywords.search(["common"], 5) == []

    def test_a_crowded_delta_flushes_itself(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(keywords_module, "_FLUSH_AT", 10)
        WhooshKeywords(tmp_path).put([doc(f"m{number}", "text") for number in range(12)])
        assert WhooshKeywords(tmp_path).count() == 12

    def test_a_large_build_is_cut_into_segments(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(keywords_module, "_SEGMENT_SIZE", 10)
        keywords = WhooshKeywords(tmp_path)
        keywords.build(doc(f"m{number}", "text") for number in range(35))
        assert len(list(tmp_path.glob("*.seg"))) == 4
        assert keywords.count() == 35

    def test_processes_that_help_with_a_build_change_nothing(self, tmp_path: Path) -> None:
        docs = [doc(f"m{number}", f"common word{number % 7} text{number}") for number in range(600)]
        alone, helped = WhooshKeywords(tmp_path / "alone"), WhooshKeywords(tmp_path / "helped")
        alone.build(docs)
        helped.build(docs, processes=2)
        assert helped.hashes() == alone.hashes()
        assert helped.search(["common", "word3"], 30) == alone.search(["common", "word3"], 30)

    def test_searching_goes_on_while_others_put_flush_and_merge(self, tmp_path: Path) -> None:
        keywords = WhooshKeywords(tmp_path)
        keywords.put([doc("fixed", "lighthouse")])
        failures: list[BaseException] = []
        done = threading.Event()

        def search() -> None:
            try:
                while not done.is_set():
                    assert keywords.search(["lighthous"], 3)[0][0] == "fixed"
                    assert len(keywords.search(["common"], 100)) <= 30
            except BaseException as error:
                failures.append(error)
                raise

        threads = [threading.Thread(target=search) for _ in range(2)]
        for thread in threads:
            thread.start()
        for number in range(120):
            keywords.put([doc(f"m{number % 30}", f"common {number}"), doc("fixed", f"lighthouse {number}")])
            keywords.flush()
            keywords.maintain()
        done.set()
        for thread in threads:
            thread.join()
        assert not failures

    def test_what_is_put_or_dropped_during_a_build_is_newer(self, tmp_path: Path) -> None:
        keywords = WhooshKeywords(tmp_path)
        keywords.put([doc("dropped", "old")])

        def docs() -> Iterator[KeywordDoc]:
            yield doc("changed", "old")
            yield doc("dropped", "old")
            keywords.put([doc("changed", "new")])
            keywords.drop(["dropped"])
            yield doc("other", "old")

        keywords.build(docs())
        keywords.close()
        again = WhooshKeywords(tmp_path)
        assert self.found(again, "old") == ["other"]
        assert self.found(again, "new") == ["changed"]

    def test_what_is_put_while_a_flush_is_under_way_is_newer(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        keywords = WhooshKeywords(tmp_path)
        write = SegmentStore.write

        def slow_write(store: SegmentStore, entries: Iterable[WordEntry]) -> Segment | None:
            keywords.put([doc("changed", "new")])
            keywords.drop(["dropped"])
            return write(store, entries)

        keywords.put([doc("changed", "old"), doc("dropped", "old"), doc("other", "old")])
        with monkeypatch.context() as patch:
            patch.setattr(SegmentStore, "write", slow_write)
            keywords.flush()
        keywords.close()
        again = WhooshKeywords(tmp_path)
        assert self.found(again, "old") == ["other"]
        assert self.found(again, "new") == ["changed"]

    def test_whoosh_itself_can_read_the_index(self, tmp_path: Path) -> None:
        keywords = WhooshKeywords(tmp_path)
        keywords.put([doc("a", "common one"), doc("b", "common two"), doc("c", "three")])
        keywords.flush()
        keywords.drop(["b"])
        keywords.flush()
        name = next(tmp_path.glob("*.toc")).name.split("_")[1]
        with whoosh_index.open_dir(str(tmp_path), indexname=name).searcher() as searcher:
            assert [hit.docnum for hit in searcher.search(Term("words", "common"))] == [0]

    # Crashes and damage

    @pytest.mark.parametrize(
        "where", ["helix.index.segments._FieldWriter.add_postings", "whoosh.index.clean_files"]
    )
    def test_a_full_disk_loses_nothing_and_the_next_flush_succeeds(self, tmp_path: Path, where: str) -> None:
        keywords = WhooshKeywords(tmp_path)
        keywords.put([doc("a", "common"), doc("b", "common")])
        keywords.flush()
        keywords.put([doc("b", "common changed"), doc("c", "common")])
        keywords.drop(["a"])
        with (
            mock.patch(where, side_effect=OSError(errno.ENOSPC, "No space left on device")),
            pytest.raises(StorageError) as caught,
        ):
            keywords.flush()
        assert caught.value.code == "disk-full"
        assert self.found(keywords, "common") == ["c", "b"]
        keywords.drop(["c"])
        keywords.close()
        again = WhooshKeywords(tmp_path)
        assert self.found(again, "common") == ["b"]
        assert again.document_frequency("chang") == 1

    def test_a_passing_trouble_with_files_is_not_taken_for_damage(self, tmp_path: Path) -> None:
        self._files(tmp_path)
        trouble = OSError(errno.EMFILE, "Too many open files")
        with (
            mock.patch.object(FileStorage, "open_file", side_effect=trouble),
            pytest.raises(StorageError, match="Too many open files"),
        ):
            WhooshKeywords(tmp_path)

    def test_a_kill_between_commits_leaves_an_index_that_opens(self, tmp_path: Path) -> None:
        done = 0
        for attempt in range(scaled(5)):
            with subprocess.Popen(
                [sys.executable, "-c", _CRASHING, str(tmp_path)], stdout=subprocess.PIPE, text=True
            ) as process:
                assert process.stdout
                for line in process.stdout:
                    done = int(line)
                    if done >= 4 + 7 * attempt:  # it is somewhere in the next commit by now
                        os.kill(process.pid, signal.SIGKILL)
                        break
            keywords = WhooshKeywords(tmp_path)
            assert len(keywords.search(["common"], 100)) == keywords.count() >= min(done, 50)
            keywords.put([doc("after", "common and still writable")])
            keywords.close()
            assert WhooshKeywords(tmp_path).document_frequency("writabl") == 1

    def _files(self, folder: Path) -> list[Path]:
        keywords = WhooshKeywords(folder)
        for start in (0, 20):
            keywords.put([doc(f"m{start + number}", f"common word{number}") for number in range(20)])
            keywords.flush()
        keywords.close()
        return sorted(path for path in folder.iterdir() if path.suffix in (".toc", ".seg"))

    def _use(self, folder: Path) -> None:
        keywords = WhooshKeywords(folder)
        keywords.search(["common"], 5)
        list(keywords.terms_like("commom"))
        keywords.close()

    @pytest.mark.parametrize("kept", [0.0, 0.1, 0.5, 0.9, 0.99])
    def test_a_file_that_was_cut_off_is_a_broken_index(self, tmp_path: Path, kept: float) -> None:
        for path in self._files(tmp_path):
            data = path.read_bytes()
            path.write_bytes(data[: int(len(data) * kept)])
            with pytest.raises(IndexBroken) as caught:
                self._use(tmp_path)
            assert caught.value.code == "index-broken"
            path.write_bytes(data)
        self._use(tmp_path)

    def test_a_missing_segment_is_a_broken_index(self, tmp_path: Path) -> None:
        next(path for path in self._files(tmp_path) if path.suffix == ".seg").unlink()
        with pytest.raises(IndexBroken):
            WhooshKeywords(tmp_path)

    @pytest.mark.parametrize("start", [0.0, 0.2, 0.4, 0.6, 0.8])
    def test_zeros_where_data_was_never_raise_anything_else(self, tmp_path: Path, start: float) -> None:
        for path in self._files(tmp_path):
            data = path.read_bytes()
            begin, end = int(len(data) * start), int(len(data) * (start + 0.2))
            path.write_bytes(data[:begin] + bytes(end - begin) + data[end:])
            with suppress(IndexBroken):
                self._use(tmp_path)
            path.write_bytes(data)

    def test_an_index_of_another_version_gives_way_to_an_empty_one(self, tmp_path: Path) -> None:
        for path in self._files(tmp_path):
            path.rename(path.with_name(path.name.replace("words", "older")))
        assert WhooshKeywords(tmp_path).count() == 0
        assert not list(tmp_path.glob("*older*"))
