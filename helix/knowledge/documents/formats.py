"""Which files are documents: by the ends of their names, and by how they begin."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePath

from helix.errors import ExtraMissing
from helix.knowledge.documents.converted import Unreadable

_ZIP, _OLE, _PDF = b"PK\x03\x04", b"\xd0\xcf\x11\xe0", b"%PDF-"
_LANGUAGES = {
    ".py": "python", ".pyi": "python", ".js": "javascript", ".mjs": "javascript", ".jsx": "jsx",
    ".ts": "typescript", ".tsx": "tsx", ".go": "go", ".rs": "rust", ".java": "java", ".kt": "kotlin",
    ".c": "c", ".h": "c", ".cc": "cpp", ".cpp": "cpp", ".hpp": "cpp", ".cs": "csharp", ".rb": "ruby",
    ".php": "php", ".swift": "swift", ".scala": "scala", ".sh": "sh", ".sql": "sql", ".css": "css",
    ".json": "json", ".jsonl": "json", ".yaml": "yaml", ".yml": "yaml", ".toml": "toml", ".xml": "xml",
    ".ini": "ini", ".cfg": "ini", ".tex": "tex", ".csv": "csv", ".tsv": "csv",
}  # fmt: skip


@dataclass(frozen=True)
class Format:
    name: str
    reader: str
    """its module in `readers`"""
    begins: bytes = b""
    needs: tuple[str, ...] = ()
    """packages of the extra `documents`"""
    language: str = ""

    @property
    def is_plain(self) -> bool:
        """Read as it stands, by nothing that a hostile file could lead astray."""
        return self.reader == "text"


_TEXT = Format("text", "text")
_HTML = Format("html", "html", needs=("bs4", "markdownify"))
FORMATS: Mapping[str, Format] = {
    **{end: Format("source", "text", language=language) for end, language in _LANGUAGES.items()},
    **dict.fromkeys((".txt", ".text", ".rst", ".adoc", ".org", ".log"), _TEXT),
    **dict.fromkeys((".md", ".markdown", ".mdx"), Format("markdown", "text")),
    **dict.fromkeys((".html", ".htm", ".xhtml"), _HTML),
    ".ipynb": Format("notebook", "notebook"),
    ".pdf": Format("pdf", "pdf", _PDF, ("pypdfium2",)),
    ".docx": Format("docx", "docx", _ZIP, ("mammoth", "bs4", "markdownify")),
    ".pptx": Format("pptx", "pptx", _ZIP, ("pptx",)),
    ".xlsx": Format("xlsx", "xlsx", _ZIP, ("openpyxl",)),
}


def find_format(name: str) -> Format | None:
    """By the end of a file's name."""
    return FORMATS.get(PurePath(name).suffix.lower())


def check_beginning(form: Format, data: bytes) -> None:
    """Raises Unreadable for what is not what its name says."""
    if not form.begins or form.begins in data[: 1024 if form.begins == _PDF else len(form.begins)]:
        return
    if form.begins == _ZIP and data.startswith(_OLE):
        raise Unreadable("it is protected by a password, or of an Office before 2007; save it anew without")
    raise Unreadable(f"its name says {form.name}, and it does not begin like one")


def check_installed(form: Format) -> None:
    """Raises ExtraMissing."""
    if any(importlib.util.find_spec(package) is None for package in form.needs):
        raise ExtraMissing(
            f"to read {form.name} files, install the extra `documents`: pip install 'helix-memory[documents]'"
        )
