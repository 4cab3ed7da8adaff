"""Which languages are parsed, by the ends of names, and what is looked for in each: patterns of tree-sitter.

A definition is captured as `def.KIND` with its `name` and perhaps its `container`; a call as `call`, with `on` for what
stands before the dot; `use` for other mentions, `extends` for what a class is made of; `var` with `type` for what a
variable holds, and `field` for that of a class.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

_PATTERNS = Path(__file__).parent / "patterns"


class Language(NamedTuple):
    name: str
    package: str
    function: str
    pattern_files: tuple[str, ...]

    def patterns(self) -> str:
        return "\n".join((_PATTERNS / f"{name}.scm").read_text("utf-8") for name in self.pattern_files)


LANGUAGES: dict[str, Language] = {}
for _ends, _language in (
    ("py pyi", Language("python", "tree_sitter_python", "language", ("python",))),
    (
        "js mjs cjs jsx",
        Language("javascript", "tree_sitter_javascript", "language", ("script", "javascript")),
    ),
    (
        "ts mts cts",
        Language("typescript", "tree_sitter_typescript", "language_typescript", ("script", "typescript")),
    ),
    ("tsx", Language("tsx", "tree_sitter_typescript", "language_tsx", ("script", "typescript", "tsx"))),
    ("go", Language("go", "tree_sitter_go", "language", ("go",))),
    ("rs", Language("rust", "tree_sitter_rust", "language", ("rust",))),
    ("java", Language("java", "tree_sitter_java", "language", ("java",))),
    ("c", Language("c", "tree_sitter_c", "language", ("c",))),
    ("h cc cpp cxx hpp hh hxx", Language("cpp", "tree_sitter_cpp", "language", ("c", "cpp"))),
):
    LANGUAGES.update(dict.fromkeys(_ends.split(), _language))


def find_language(path: str) -> Language | None:
    return LANGUAGES.get(path.rpartition(".")[2].lower()) if "." in path else None
