"""The serving file: all vectors of a model as plain arrays, which a search maps and reads in place.

A header (JSON, with the place and the checksum of every section), then the sections. The rough vectors are what a
search passes over: a byte for each number, with a scale for each row. The exact ones are read for the best few.
"""

from __future__ import annotations

import json
import mmap
import os
import struct
import weakref
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from helix.errors import IndexBroken
from helix.index.column_masks import NO_TIME
from helix.index.vector_matrix import LIST_COLUMNS, TEXT_COLUMNS
from helix.index.vector_rows import VectorRows
from helix.state.permissions import FILE

FILE_NAME = "serving.vectors"

_MAGIC = b"helixvec"
_FORMAT = 1
_START = struct.Struct("<8sII")  # what it is, how long the header is, its checksum
_ALIGNED = 64
_MOST = 127  # of a signed byte
_PORTION = 4_096  # rows that are made rough at a time
_DENSE = 8  # where one in so many rows is wanted, reading all of them is faster than one by one


class UnusableFile(Exception):
    """It has to be made again from the table."""


def emit(rows: VectorRows, digest: str, *, is_resident: bool = True) -> Iterator[bytes | memoryview]:
    """A file that is not resident has no vectors: the table itself is searched."""
    sections = {name: np.ascontiguousarray(array) for name, array in _sections(rows).items()}
    places, at = {}, 0
    for name, array in sections.items():
        places[name] = [at, array.nbytes, zlib.crc32(array.data)]
        at += array.nbytes + -array.nbytes % _ALIGNED
    header = json.dumps(
        {
            "format": _FORMAT,
            "digest": digest,
            "dimensions": rows.vectors.shape[1],
            "is_resident": is_resident,
            "memories": len(rows.ids),
            "rows": len(rows.vectors),
            "sections": places,
        }
    ).encode()
    header += b" " * (-(_START.size + len(header)) % _ALIGNED)
    yield _START.pack(_MAGIC, len(header), zlib.crc32(header)) + header
    for array in sections.values():
        yield array.data.cast("B") if array.nbytes else b""
        yield bytes(-array.nbytes % _ALIGNED)


def write(folder: Path, rows: VectorRows, digest: str, *, is_resident: bool) -> None:
    """Durable, and in the place of the one before in one step: who has that one mapped keeps it."""
    target = folder / FILE_NAME
    temp = target.with_suffix(".new")
    with open(os.open(temp, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, FILE), "wb") as file:
        for part in emit(rows, digest, is_resident=is_resident):
            file.write(part)
        file.flush()
        os.fsync(file.fileno())
    os.replace(temp, target)
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


class VectorFile:
    """One that is open. It stays as it is, whatever takes its place in the folder."""

    def __init__(self, path: Path, digest: str, dimensions: int) -> None:
        """Raises UnusableFile for one that is missing or damaged, IndexBroken for that of another model."""
        try:
            self._handle = os.open(path, os.O_RDONLY)
        except OSError as error:
            raise UnusableFile(str(error)) from error
        weakref.finalize(self, os.close, self._handle)
        try:
            self._map = mmap.mmap(self._handle, 0, access=mmap.ACCESS_READ)
            self._header, self._first = _header(os.pread(self._handle, _START.size, 0), self._pread)
            self._check()
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise UnusableFile(f"{path}: {error}") from error
        if (self._header["digest"], self._header["dimensions"]) != (digest, dimensions):
            raise IndexBroken(f"{path.parent} was made by another model or another version of Helix")
        self.dimensions = dimensions
        self.memories: int = self._header["memories"]
        self.rows: int = self._header["rows"]
        self.is_resident: bool = self._header["is_resident"]

    def mapped(self, name: str, kind: type) -> np.ndarray:
        """In place: what is never looked at takes no memory."""
        at, size, _ = self._header["sections"][name]
        return np.frombuffer(self._map, kind, size // np.dtype(kind).itemsize, self._first + at)

    def read(self, name: str) -> bytes:
        """A copy, for what is needed once."""
        at, size, _ = self._header["sections"][name]
        return self._pread(size, self._first + at)

    def exact(self, rows: Sequence[int]) -> np.ndarray:
        """Some vectors, as float32; the rows are in order. Not through the map: it would make their surroundings
        resident as well."""
        found = np.empty((len(rows), self.dimensions), np.float16)
        size = found.itemsize * self.dimensions
        start = self._first + self._header["sections"]["vectors"][0]
        if rows and (span := rows[-1] - rows[0] + 1) <= _DENSE * len(rows):
            whole = np.frombuffer(self._pread(span * size, start + rows[0] * size), np.float16)
            return whole.reshape(-1, self.dimensions)[np.subtract(rows, rows[0])].astype(np.float32)
        for at, row in enumerate(rows):
            os.preadv(self._handle, [found[at]], start + row * size)
        return found.astype(np.float32)

    def texts(self, name: str) -> Iterator[str]:
        blob, first = self.read(name), 0
        for last in map(int, self.mapped(f"{name}_ends", np.int64)):
            yield blob[first:last].decode()
            first = last

    def words(self) -> dict[str, list[str]]:
        """By the name of a column the values that its numbers stand for."""
        words: dict[str, list[str]] = json.loads(self.read("words"))
        return words

    def contents(self) -> VectorRows:
        words = self.words()
        filed: dict[str, Sequence[Any]] = {}
        for name in TEXT_COLUMNS:
            known = words[name]
            filed[name] = [known[code] for code in self.mapped(name, np.int32).tolist()]
        for name in LIST_COLUMNS:
            flat = [words[name][code] for code in self.mapped(name, np.int32).tolist()]
            ends = self.mapped(f"{name}_ends", np.int64).tolist()
            filed[name] = [flat[first:last] for first, last in zip([0, *ends], ends, strict=False)]
        starts = self.mapped("starts", np.int64)
        created = [
            None if moment == NO_TIME else moment for moment in self.mapped("created", np.int64).tolist()
        ]
        vectors = np.frombuffer(self.read("vectors"), np.float16).reshape(-1, self.dimensions)
        return VectorRows(
            list(self.texts("ids")), list(self.texts("hashes")), created, filed, np.diff(starts), vectors
        )

    def _check(self) -> None:
        for name, (at, size, checksum) in self._header["sections"].items():
            found = 0
            for first in range(0, size, 1 << 20):
                portion = self._pread(min(1 << 20, size - first), self._first + at + first)
                found = zlib.crc32(portion, found)
            if found != checksum:
                raise ValueError(f"{name} is damaged")

    def _pread(self, size: int, at: int) -> bytes:
        """All of it: the system gives at most 2 GB at once."""
        parts = []
        while size > 0 and (part := os.pread(self._handle, size, at)):
            parts.append(part)
            at, size = at + len(part), size - len(part)
        if size:
            raise ValueError("it ends too early")
        return b"".join(parts)


def _header(start: bytes, pread: Any) -> tuple[dict[str, Any], int]:
    if len(start) < _START.size:
        raise ValueError("it ends too early")
    magic, length, checksum = _START.unpack(start)
    text = pread(length, _START.size)
    if magic != _MAGIC or zlib.crc32(text) != checksum:
        raise ValueError("the header is damaged")
    header: dict[str, Any] = json.loads(text)
    if header["format"] != _FORMAT:
        raise ValueError("it is of another version")
    return header, _START.size + length


def _sections(rows: VectorRows) -> dict[str, np.ndarray]:
    sections = {**_texts("ids", rows.ids), **_texts("hashes", rows.hashes)}
    words: dict[str, dict[str, int]] = {}
    for name in TEXT_COLUMNS:
        codes = words.setdefault(name, {})
        numbers = [codes.setdefault(value, len(codes)) for value in rows.filed[name]]
        sections[name] = np.array(numbers, np.int32)
    for name in LIST_COLUMNS:
        codes = words.setdefault(name, {})
        numbers = [codes.setdefault(value, len(codes)) for values in rows.filed[name] for value in values]
        sections[name] = np.array(numbers, np.int32)
        sections[f"{name}_ends"] = np.cumsum([len(values) for values in rows.filed[name]], dtype=np.int64)
    known = json.dumps({name: list(codes) for name, codes in words.items()}).encode()
    sections["words"] = np.frombuffer(known, np.uint8)
    created = [NO_TIME if moment is None else moment for moment in rows.created]
    sections["created"] = np.array(created, np.int64)
    sections["starts"] = np.concatenate([[0], np.cumsum(rows.counts)]).astype(np.int64)
    sections["scales"], sections["rough"] = roughly(rows.vectors)
    sections["vectors"] = rows.vectors
    return sections


def _texts(name: str, texts: Sequence[str]) -> dict[str, np.ndarray]:
    parts = [text.encode() for text in texts]
    ends = np.cumsum([len(part) for part in parts], dtype=np.int64)
    return {name: np.frombuffer(b"".join(parts), np.uint8), f"{name}_ends": ends}


def roughly(vectors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Each row as signed bytes, and what one of them counts for."""
    scales = np.empty(len(vectors), np.float32)
    rough = np.empty(vectors.shape, np.int8)
    for first in range(0, len(vectors), _PORTION):
        some = vectors[first : first + _PORTION].astype(np.float32)
        scale = np.maximum(np.abs(some).max(axis=1), np.float32(1e-12)) / _MOST
        scales[first : first + _PORTION] = scale
        rough[first : first + _PORTION] = np.rint(some / scale[:, None])
    return scales, rough
