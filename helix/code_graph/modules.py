"""By which key a file is imported, and what a line that imports names: one spelling for all languages, with slashes.

`src/shop/pay.py` has the key `src/shop/pay`; `from shop.pay import retry` names `shop/pay`, the end of that key.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from helix.code_graph.parsed import Import

_INDEX = re.compile(r"(?:^|/)(?:__init__|index|mod|lib|main)$")
_PY_FROM = re.compile(r"from\s+(\.*)([\w.]*)\s+import\s+(.*)", re.DOTALL)
_JS_FROM = re.compile(r"""(?:from\s*|import\s*|require\(\s*)["']([^"']+)["']""")
_JS_NAMES = re.compile(r"\{([^}]*)\}", re.DOTALL)
_ENDS = re.compile(r"\.(?:m|c)?[jt]sx?$")
_TEST_FILE = re.compile(
    r"(?:^|/)(?:tests?|__tests__|spec|testing|testdata)/|(?:^|/)(?:test_[^/]*|[^/]*_test|conftest|[^/]*[._-](?:test|spec)|[^/]*Tests?|[^/]*IT)"
    r"\.\w+$"
)


def is_test_file(path: str) -> bool:
    return _TEST_FILE.search(path) is not None


def key_of(path: str, language: str, package: str = "") -> str:
    stem = path.rpartition(".")[0]
    if language == "go":
        return posixpath.dirname(path)
    if language == "java":
        return package.replace(".", "/")
    if language in ("c", "cpp"):
        return path
    if language == "rust":
        stem = stem.replace("/src/", "/").removeprefix("src/").replace("-", "_")
    key = _INDEX.sub("", stem)
    return key if key or language == "rust" else stem


def imports_of(text: str, line: int, path: str, language: str) -> Iterator[Import]:
    match language:
        case "python":
            return _python(text, line, path)
        case "javascript" | "typescript" | "tsx":
            return _script(text, line, path)
        case "go":
            return _go(text, line)
        case "java":
            return _java(text, line)
        case "rust":
            return _rust(text, line, path)
    return iter([Import(text.strip('"<>'), "", "", line)])


def _python(text: str, line: int, path: str) -> Iterator[Import]:
    if found := _PY_FROM.match(text):
        dots, module, names = found.groups()
        base = posixpath.dirname(path)
        for _ in dots[1:]:
            base = posixpath.dirname(base)
        inside = module.replace(".", "/")
        named = posixpath.normpath(f"{base}/{inside}").lstrip("/") if dots else inside
        named = "" if named == "." else named
        is_package = path.rpartition("/")[2] == "__init__.py"
        for part in re.sub(r"#[^\n]*|[()\\]", " ", names).split(","):
            name, _, alias = (word.strip() for word in part.partition(" as "))
            if name:
                yield Import(
                    named, name, alias or name, line, is_passed_on=is_package or (alias or "") == name
                )
        return
    for part in text.removeprefix("import").split(","):
        name, _, alias = (word.strip() for word in part.partition(" as "))
        if name:
            yield Import(name.replace(".", "/"), "", alias or name, line)


def _script(text: str, line: int, path: str) -> Iterator[Import]:
    found = _JS_FROM.search(text)
    if found is None:
        return
    module = _ENDS.sub("", found[1])
    if module.startswith("."):
        module = posixpath.normpath(posixpath.join(posixpath.dirname(path), module)).lstrip("/")
        module = re.sub(r"(?:^|/)index$", "", "" if module == "." else module)
    elif module.startswith(("@/", "~/")):
        module = module[2:]
    passes_on = text.startswith("export")
    if picked := re.match(r"\s*\)\s*\.\s*([\w$]+)", text[found.end() :]):
        yield Import(module, picked[1], re.split(r"[\s=]", text.strip(), maxsplit=1)[0], line)
        return
    head = text[: found.start()]
    names = _JS_NAMES.search(head)
    for part in names[1].split(",") if names else ():
        cleaned = re.sub(r"//[^\n]*", "", part).strip().removeprefix("type ")
        name, _, alias = (
            word.strip() for word in re.sub(r"\s+as\s+|\s*:\s*", " as ", cleaned).partition(" as ")
        )
        if name:
            yield Import(
                module, (alias or name) if name == "default" else name, alias or name, line, passes_on
            )
    rest = _JS_NAMES.sub("", head)
    rest = re.sub(r"^(?:import|export)\b\s*(?:type\b)?|\bfrom\b|=|,", " ", rest)
    if passes_on and "*" in rest:
        yield Import(module, "*", "", line, is_passed_on=True)
    elif star := re.search(r"\*\s*as\s+([\w$]+)", rest):
        yield Import(module, "", star[1], line)
        rest = rest.replace(star[0], " ")
    for local in re.findall(r"[\w$]+", rest):
        # What is exported by default is mostly called as it is imported; `require` gives the module itself.
        is_required = "require" in text
        yield Import(module, "" if is_required else local, local, line)
    if not names and not re.search(r"[\w$*]", rest):
        yield Import(module, "", "", line)


def _go(text: str, line: int) -> Iterator[Import]:
    found = re.match(r'(?:([\w.]+)\s+)?["`]([^"`]+)["`]', text)
    if found is not None:
        last = re.sub(r"/v\d+$", "", found[2]).rpartition("/")[2]
        alias = found[1] or last.removeprefix("go-")
        yield Import(found[2], "*" if alias == "." else "", "" if alias in (".", "_") else alias, line)


def _java(text: str, line: int) -> Iterator[Import]:
    named = re.sub(r"^import\s+(?:static\s+)?|\s*;\s*$", "", text).replace(" ", "")
    package, _, name = named.rpartition(".")
    if " static " in f" {text} " and package.rpartition(".")[2][:1].isupper():
        owner, _, holder = package.rpartition(".")
        yield Import(owner.replace(".", "/"), holder, holder, line)
        yield Import(owner.replace(".", "/"), name, "" if name == "*" else name, line)
        return
    yield Import(package.replace(".", "/"), name, "" if name == "*" else name, line)


def _rust(text: str, line: int, path: str) -> Iterator[Import]:
    passes_on = text.startswith("pub")
    inner = re.sub(r"^(?:pub(?:\([^)]*\))?\s+)?use\s+|;\s*$", "", re.sub(r"\s+", " ", text))
    own = key_of(path, "rust")
    root = key_of(path.partition("src/")[0] + "src/lib.rs", "rust") if "src/" in path else ""
    for names in _rust_tree(inner.strip()):
        words = [re.sub(r"\s.*", "", word.strip()) for word in names.split("::") if word.strip()]
        alias = names.rpartition(" as ")[2].strip() if " as " in names else ""
        if not words:
            continue
        base: list[str] = []
        if words[0] == "crate":
            base, words = [part for part in root.split("/") if part], words[1:]
        elif words[0] in ("self", "super"):
            base = [part for part in own.split("/") if part]
            while words and words[0] in ("self", "super"):
                base = base[:-1] if words[0] == "super" else base
                words = words[1:]
        if not words:
            continue
        name = words[-1]
        if name == "self" and len(words) > 1:
            words, name = words[:-1], words[-2]
        yield Import(
            "/".join([*base, *words[:-1]]), name, alias or ("" if name == "*" else name), line, passes_on
        )


def _rust_tree(text: str, prefix: str = "", depth: int = 0) -> Iterator[str]:
    """`a::{b, c::d}` as `a::b` and `a::c::d`."""
    if depth > 20:
        return
    if "{" not in text:
        yield prefix + text
        return
    before, _, rest = text.partition("{")
    inside = rest[: rest.rfind("}")] if "}" in rest else rest
    level, start = 0, 0
    for at, letter in enumerate(f"{inside},"):
        level += (letter == "{") - (letter == "}")
        if letter == "," and level == 0:
            part = inside[start:at].strip()
            if part:
                yield from _rust_tree(part, prefix + before, depth + 1)
            start = at + 1
