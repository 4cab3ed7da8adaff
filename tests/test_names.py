"""Names say the role of a thing in the words of the field: a query, a body, an answer, a row, a path."""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent

# What a name could be that tells nothing of the thing it names.
NO_NAMES = {"said", "took", "told", "wish"}

# What goes over the wire: shapes that have the name of the thing they show.
WIRE = (
    "helix/client/",
    "helix/surfaces/rest/",
    "helix/memory/answers.py",
    "helix/sessions/answers.py",
    "helix/memory/verbs/fields.py",
)


def modules() -> list[Path]:
    return [path for part in ("helix", "shim") for path in (ROOT / part).rglob("*.py")]


def bindings(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Every parameter, variable and attribute that is given a value, and where."""
    for node in ast.walk(tree):
        if isinstance(node, ast.arg):
            yield node.lineno, node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.lineno, node.id
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.lineno, node.attr


def test_no_parameter_or_variable_has_a_name_that_tells_nothing() -> None:
    wrong = [
        f"{path.relative_to(ROOT)}:{line}: {name}"
        for path in modules()
        for line, name in bindings(ast.parse(path.read_text("utf-8")))
        if name.strip("_") in NO_NAMES
    ]
    assert not wrong, "name these by their role:\n" + "\n".join(wrong)


def test_one_names_a_thing_only_within_one_line() -> None:
    wrong = [
        f"{path.relative_to(ROOT)}:{line}"
        for path in modules()
        for line in loose_ones(ast.parse(path.read_text("utf-8")))
    ]
    assert not wrong, "name these by their role:\n" + "\n".join(wrong)


def loose_ones(tree: ast.AST) -> Iterator[int]:
    """Where `one` is bound, except by a comprehension that stands on one line."""
    comprehensions = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
    short = {
        id(name)
        for node in ast.walk(tree)
        if isinstance(node, comprehensions) and node.lineno == node.end_lineno
        for generator in node.generators
        for name in ast.walk(generator.target)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.arg) and node.arg == "one":
            yield node.lineno
        elif isinstance(node, ast.Name) and node.id == "one" and isinstance(node.ctx, ast.Store):
            yield from [] if id(node) in short else [node.lineno]


def test_no_public_class_name_stands_for_two_things() -> None:
    homes: dict[str, list[str]] = {}
    for path in (ROOT / "helix").rglob("*.py"):
        module = path.relative_to(ROOT).as_posix()
        if not module.startswith(WIRE):
            for node in ast.parse(path.read_text("utf-8")).body:
                if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                    homes.setdefault(node.name, []).append(module)
    twice = {name: modules for name, modules in homes.items() if len(modules) > 1}
    wrong = [f"{name}: {', '.join(sorted(twice[name]))}" for name in sorted(twice)]
    assert not wrong, "name these by what sets them apart:\n" + "\n".join(wrong)
