"""Immutable segments of an inverted index on disk. The one place that knows Whoosh.

Whoosh keeps what is hard to get right: the table of contents that switches to a new state by a rename, the term
tables, the columns, the write lock, the clearing away of files that nobody needs. Through its codec interface Helix
keeps the postings as plain arrays, document numbers and then weights: numpy reads them in one piece, and writing takes
a sixth of the time that Whoosh needs for its own blocks of pickled tuples.
"""

from __future__ import annotations

import errno
import mmap
import os
import pickle
import struct
import zlib
from array import array
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from whoosh import fields, index
from whoosh.codec import whoosh3
from whoosh.filedb.filestore import FileStorage
from whoosh.filedb.filetables import FileFormatError
from whoosh.filedb.structfile import BufferFile
from whoosh.matching import ListMatcher
from whoosh.reading import TermNotFound
from whoosh.writing import SegmentWriter

from helix.errors import HelixError, IndexBroken, StorageError
from helix.index import analyze
from helix.index.entries import WordEntry
from helix.index.postings import NUMBER, WEIGHT, Docs, PostingsPool, Row, Weights

# The name of the index on disk: another format or another analysis is another index, and the old one is cleared away.
_NAME = f"words1a{analyze.VERSION}"
_SCHEMA = fields.Schema(words=fields.ID(), doc=fields.COLUMN())
_NOTHING: tuple[Docs, Weights] = (np.empty(0, np.intp), np.empty(0, WEIGHT))

# What reading a file raises that was cut off or filled with zeros by a power cut.
_TORN = (
    *(OSError, EOFError, ValueError, TypeError, LookupError, AttributeError, AssertionError, NameError),
    *(ImportError, MemoryError, struct.error, zlib.error, pickle.UnpicklingError),
    *(index.IndexError, FileFormatError, TermNotFound),
)


class Segment:
    """Documents that were written together. They never change; they can only die."""

    def __init__(self, storage: FileStorage, segment: Any) -> None:
        self.name: str = segment.segment_id()
        with _reading(self.name):
            codec = segment.codec()
            files = segment.open_compound_file(storage) if segment.is_compound() else storage
            self._files = files
            self._terms = codec.terms_reader(files, segment)
            column = codec.per_document_reader(files, segment).column_reader(
                "doc", _SCHEMA["doc"].column_type
            )
            rows = [bytes(row).decode(errors="surrogatepass").split("\t", 2) for row in column]
            self.ids = [memory_id for _, _, memory_id in rows]
            # Of one length, and as texts they would take twice the memory.
            self._hashes = np.array([hash_.encode() for _, hash_, _ in rows], dtype=np.bytes_)
            self.lengths = np.array([int(length) for length, _, _ in rows], dtype=np.float64)
            self.alive = np.ones(segment.doc_count_all(), dtype=np.bool_)
            self.alive[list(segment.deleted_docs())] = False
        _let_pages_go(self._files)
        if len(rows) != len(self.alive):
            raise IndexBroken(f"segment {self.name} has {len(rows)} of its {len(self.alive)} documents")
        self.has_dead = not self.alive.all()

    def hash(self, number: int) -> str:
        return bytes(self._hashes[number]).decode()

    def hashes(self) -> list[str]:
        return [hash_.decode() for hash_ in self._hashes.tolist()]

    def kill(self, number: int) -> None:
        self.alive[number] = False
        self.has_dead = True

    def postings(self, word: str) -> tuple[Docs, Weights]:
        """The documents that hold a word, dead ones too, in the order of their numbers."""
        key = ("words", word.encode(errors="surrogatepass"))
        with _reading(self.name):
            try:
                info = self._terms.term_info(*key)  # to ask first whether it is there takes as long again
            except TermNotFound:
                return _NOTHING
            found: tuple[Docs, Weights] = self._terms.postings(info)
            return found

    def words(self) -> Iterator[str]:
        """Every word that one of the documents holds, dead ones too."""
        with _reading(self.name):
            for _, word in self._terms.terms():
                yield word.decode()

    def all_postings(self) -> Iterator[tuple[str, Docs, Weights]]:
        with _reading(self.name):
            for (_, word), info in self._terms.items():
                yield word.decode(), *self._terms.postings(info)

    def close(self) -> None:
        self._terms.close()
        with suppress(AttributeError):  # a storage of loose files has nothing to close
            self._files.close()


class SegmentStore:
    """The segments of one folder. One writer at a time; what is committed survives a kill."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.segments: list[Segment] = []
        self._storage = FileStorage(os.fspath(folder)).create()
        try:
            self._index = self._storage.open_index(_NAME, schema=_SCHEMA)
        except index.EmptyIndexError:
            self._clear()
            self._index = self._storage.create_index(_SCHEMA, _NAME)
        except _TORN as error:
            raise _damage("the table of contents", error) from error
        for leftover in folder.glob("*.toc.*"):  # of a commit that was killed
            leftover.unlink()
        self._open_new_segments()

    def write(self, entries: Iterable[WordEntry]) -> Segment | None:
        """Adds a segment of them, if there are any, and makes every death so far durable."""

        def fill(writer: SegmentWriter, pool: PostingsPool) -> None:
            for entry in entries:
                pool.add_words(writer.docnum, entry.weights)
                writer.add_document(doc=_row(entry.length, entry.hash, entry.id))

        return self._commit(fill, frozenset())

    def merge(self, names: Collection[str]) -> Segment | None:
        """Makes one segment of several. The dead are left behind."""
        sources = [segment for segment in self.segments if segment.name in names]

        def fill(writer: SegmentWriter, pool: PostingsPool) -> None:
            for source in sources:
                alive = source.alive.copy()
                if not alive.any():
                    continue  # nothing to take over, and nothing to read: it may be damaged
                numbers = np.full(len(alive), -1, dtype=np.int64)
                numbers[alive] = np.arange(writer.docnum, writer.docnum + alive.sum())
                for number in np.flatnonzero(alive).tolist():
                    length = int(source.lengths[number])
                    writer.add_document(doc=_row(length, source.hash(number), source.ids[number]))
                for word, docs, weights in source.all_postings():
                    pool.add_postings(word, numbers[docs], weights)

        return self._commit(fill, names)

    def close(self) -> None:
        for segment in self.segments:
            segment.close()
        self.segments = []

    def _commit(
        self, fill: Callable[[SegmentWriter, PostingsPool], None], left_out: Collection[str]
    ) -> Segment | None:
        known = {segment.name: segment for segment in self.segments}
        try:
            writer = SegmentWriter(self._index, codec=_Codec())
        except index.LockError as error:
            raise StorageError("another process is writing this index; stop it and try again") from error
        try:
            # What is not known was left by a commit that failed at its very end.
            writer.segments = [segment for segment in writer.segments if segment.segment_id() in known]
            for segment in writer.segments:
                for number in np.flatnonzero(~known[segment.segment_id()].alive).tolist():
                    segment.delete_document(number)
            writer.pool = pool = PostingsPool()
            fill(writer, pool)
            writer.commit(
                mergetype=lambda _, segments: [kept for kept in segments if kept.segment_id() not in left_out]
            )
        except BaseException as error:
            if not writer.is_closed:
                try:
                    writer.cancel()
                except _TORN:  # a full disk fails the tidying up as well; the lock has to go in any case
                    writer.writelock.release()
            if isinstance(error, OSError):
                raise StorageError.from_os(error, "writing the keyword index") from error
            raise
        self._sync(f"{writer.newsegment.segment_id()}.seg", f"_{_NAME}_{writer.generation}.toc")
        return self._open_new_segments()

    def _open_new_segments(self) -> Segment | None:
        """Follows the table of contents, and gives the newest segment. Who still reads one that left it closes it."""
        known = {segment.name: segment for segment in self.segments}
        with _reading("the table of contents"):
            listed = index.TOC.read(self._storage, _NAME, schema=_SCHEMA).segments
        self.segments = [known.get(item.segment_id()) or Segment(self._storage, item) for item in listed]
        return next((segment for segment in reversed(self.segments) if segment.name not in known), None)

    def _clear(self) -> None:
        """Without a table of contents, whatever lies here is from another version."""
        for path in self.folder.iterdir():
            if path.is_file():
                path.unlink()

    def _sync(self, *names: str) -> None:
        """Whoosh does not. A few milliseconds here can save the minute of a rebuild after a power cut."""
        for path in (*(self.folder / name for name in names), self.folder):
            with suppress(OSError):  # Windows opens no folders; and what is lost here shows when it is read
                handle = os.open(path, os.O_RDONLY)
                try:
                    os.fsync(handle)
                finally:
                    os.close(handle)


class _Codec(whoosh3.W3Codec):  # type: ignore[misc]
    """Whoosh's own format, but for the postings: two plain arrays."""

    def terms_reader(self, storage: Any, segment: Any) -> _TermsReader:
        name = segment.make_filename(self.TERMS_EXT)
        postings = segment.open_file(storage, self.POSTS_EXT)
        if isinstance(postings, BufferFile):
            # Whoosh copies every file into memory beside its map. Here only `get` is used, and that reads the map.
            postings.file = BytesIO()
        return _TermsReader(self, storage.open_file(name), storage.file_length(name), postings)

    def field_writer(self, storage: Any, segment: Any) -> _FieldWriter:
        return _FieldWriter(self, storage, segment)

    def postings_writer(self, dbfile: Any, byteids: bool = False) -> _PostingsWriter:
        return _PostingsWriter(dbfile)

    def postings_reader(
        self, dbfile: Any, terminfo: Any, format_: Any, term: Any = None, scorer: Any = None
    ) -> Any:
        """For Whoosh's own searcher, which stays able to read the index."""
        docs, weights = _read(dbfile, terminfo)
        values = [b""] * len(docs)
        return ListMatcher(
            docs.tolist(), weights.tolist(), values, format_, scorer=scorer, term=term, terminfo=terminfo
        )


class _TermsReader(whoosh3.W3TermsReader):  # type: ignore[misc]
    def postings(self, info: Any) -> tuple[Docs, Weights]:
        docs, weights = _read(self._postfile, info)
        if len(weights) != info.doc_frequency() or docs[-1] != info.max_id() or not weights[0]:
            raise ValueError("postings are not what the term table says")
        return docs, weights


class _FieldWriter(whoosh3.W3FieldWriter):  # type: ignore[misc]
    def add_postings(self, schema: Any, lengths: Any, items: Iterable[Row]) -> None:
        self.start_field("words", schema["words"])
        for word, docs, weights in items:
            self.start_term(word.encode())
            self._postwriter.add_all(docs, weights)
            self.finish_term()
        self.finish_field()


class _PostingsWriter:
    def __init__(self, dbfile: Any) -> None:
        self._file = dbfile

    def start_postings(self, format_: Any, terminfo: Any) -> None:
        self._info = terminfo

    def add_all(self, docs: array[int], weights: array[float]) -> None:
        info = self._info
        info.set_extent(self._file.tell(), 2 * len(docs) * docs.itemsize)
        info._df, info._weight, info._maxweight = len(docs), sum(weights), max(weights)
        info._minid, info._maxid = docs[0], docs[-1]
        self._file.write(docs.tobytes() + weights.tobytes())

    def finish_postings(self) -> Any:
        return self._info


def _let_pages_go(files: Any) -> None:
    """Whoosh reads every file from end to end when it opens it. What a search looks at comes back by itself."""
    mapped = getattr(files, "_source", None)
    if mapped is not None and hasattr(mmap, "MADV_DONTNEED"):  # not on Windows
        mapped.madvise(mmap.MADV_DONTNEED)


def _read(file: Any, info: Any) -> tuple[Docs, Weights]:
    offset, _ = info.extent()
    size = info.doc_frequency() * NUMBER.itemsize
    data = file.get(offset, 2 * size)
    return np.frombuffer(data[:size], NUMBER).astype(np.intp), np.frombuffer(data[size:], WEIGHT)


def _row(length: int, hash_: str, memory_id: str) -> bytes:
    # An id may come from a file name, and file names may hold anything.
    return f"{length}\t{hash_}\t{memory_id}".encode(errors="surrogatepass")


@contextmanager
def _reading(what: str) -> Iterator[None]:
    try:
        yield
    except _TORN as error:
        raise _damage(what, error) from error


def _damage(what: str, error: BaseException) -> HelixError:
    """Too many open files, or a folder that may not be read, are no reason to build the index anew."""
    if isinstance(error, OSError) and error.errno not in (errno.ENOENT, errno.EIO, errno.EINVAL):
        return StorageError.from_os(error, f"reading {what} of the keyword index")
    return IndexBroken(f"{what} of the keyword index is damaged: {error!r}")
