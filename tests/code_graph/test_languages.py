"""Each language: what is defined, and who is affected, of small programs whose answers are plain."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from helix.code_graph.graph_store import CodeGraph
from helix.code_graph.queries import find, impact, neighborhood, seeds, tour

Files = Mapping[str, str]

PROGRAMS = Path(__file__).with_name("programs.txt")


def program(language: str) -> dict[str, str]:
    files: dict[str, str] = {}
    for part in PROGRAMS.read_text("utf-8").split("=== ")[1:]:
        head, _, text = part.partition("\n")
        named, _, path = head.partition(" ")
        if named == language:
            files[path] = text
    return files


@pytest.fixture
def graph(tmp_path: Path) -> CodeGraph:
    return CodeGraph(tmp_path / "code.db")


def _filled(graph: CodeGraph, files: Files) -> CodeGraph:
    for path, text in files.items():
        graph.put(path, text)
    return graph


def _affected(graph: CodeGraph, name: str, depth: int = 1) -> set[str]:
    found = impact(graph, seeds(graph, name)[:1], depth)
    return {
        f"{node.distance} {node.path.rpartition('/')[2]} {node.symbol.qualified if node.symbol else '-'}"
        for node in found
    }


def test_python(graph: CodeGraph) -> None:
    _filled(graph, program("python"))
    assert _affected(graph, "shop/pay.py::retry") == {
        "1 pay.py Gateway.charge", "1 desk.py twice", "1 __init__.py -", "1 test_pay.py test_retry",
    }  # fmt: skip
    assert _affected(graph, "Gateway.charge", 2) == {"1 pay.py Gateway.refund", "1 desk.py sell"}
    assert _affected(graph, "LIMIT") == {"1 pay.py Gateway.refund"}
    assert _affected(graph, "shop/other.py::retry") == {"1 other.py alone"}
    assert {
        node.path for node in impact(graph, seeds(graph, "shop/pay.py::retry")[:1], 1) if node.is_test
    } == {"tests/test_pay.py"}


def test_typescript_and_javascript(graph: CodeGraph) -> None:
    _filled(graph, program("script"))
    assert _affected(graph, "src/pay.ts::retry") == {
        "1 pay.ts Gateway.charge", "1 desk.tsx View", "1 old.js go", "1 old.js here", "1 pay.test.ts check",
        "1 index.ts -",
    }  # fmt: skip
    assert _affected(graph, "Gateway.charge") == {"1 pay.ts Gateway.refund", "1 desk.tsx sell"}
    assert _affected(graph, "src/other.js::retry") == {"1 other.js alone"}
    assert _affected(graph, "Box") == {"1 desk.tsx View"}


def test_go(graph: CodeGraph) -> None:
    _filled(graph, program("go"))
    assert _affected(graph, "pay/pay.go::Retry") == {
        "1 pay.go Gateway.Charge", "1 more.go Twice", "1 desk.go Again", "1 pay_test.go TestRetry",
    }  # fmt: skip
    assert _affected(graph, "Gateway.Charge") == {"1 desk.go Sell"}
    assert _affected(graph, "other/other.go::Retry") == {"1 other.go Alone"}


def test_rust(graph: CodeGraph) -> None:
    _filled(graph, program("rust"))
    assert _affected(graph, "src/pay.rs::retry") == {
        "1 pay.rs Gateway.charge", "1 pay.rs retries", "1 desk.rs again",
    }  # fmt: skip
    assert _affected(graph, "Gateway.charge") == {"1 pay.rs Gateway.refund", "1 desk.rs sell"}
    assert _affected(graph, "src/other.rs::retry") == {"1 other.rs alone"}
    assert [known.is_test for known in find(graph, "retries", 5)] == [1]


def test_java(graph: CodeGraph) -> None:
    _filled(graph, program("java"))
    assert _affected(graph, "Gateway.charge") == {
        "1 Desk.java Desk.sell", "1 Desk.java Desk.made", "1 GatewayTest.java GatewayTest.charges",
    }  # fmt: skip
    assert _affected(graph, "Gateway.retry") == {"1 Gateway.java Gateway.charge"}
    assert _affected(graph, "Other.charge") == {"1 Other.java Other.alone"}


def test_c_and_cpp(graph: CodeGraph) -> None:
    _filled(graph, program("cpp"))
    assert _affected(graph, "src/pay.cc::retry") == {
        "1 pay.cc Gateway.charge",
        "1 desk.cc again",
        "1 pay.h -",
    }
    assert _affected(graph, "Gateway.charge") == {"1 desk.cc sell"}
    assert _affected(graph, "src/plain.c::helper") == {"1 plain.c use_helper"}


def test_a_changed_file_costs_that_file_and_a_dropped_one_leaves_nothing(graph: CodeGraph) -> None:
    _filled(graph, program("python"))
    before = {known.path: known.id for known in graph.files()}
    graph.put("shop/desk.py", "def nothing():\n    return 1\n")
    after = {known.path: known.id for known in graph.files()}
    assert {path for path in before if before[path] != after[path]} <= {"shop/desk.py"}
    assert "1 desk.py twice" not in _affected(graph, "shop/pay.py::retry")
    graph.drop([*program("python")])
    assert (graph.counts(), graph.imports(), list(graph.mentions_of("retry"))) == ((0, 0), [], [])


def test_find_takes_the_exact_name_before_its_parts(graph: CodeGraph) -> None:
    _filled(graph, program("python"))
    assert [known.name for known in find(graph, "gate", 5)] == ["Gateway"]
    assert {known.path for known in find(graph, "retry", 5)} == {"shop/pay.py", "shop/other.py"}
    assert [known.qualified for known in find(graph, "pay.py::Gateway.charge", 5)] == ["Gateway.charge"]
    assert find(graph, "100%_sure", 5) == []


def test_a_tour_begins_with_what_others_stand_on(graph: CodeGraph) -> None:
    _filled(graph, program("python"))
    assert [stop.file.path for stop in tour(graph)][:2] == ["shop/pay.py", "shop/__init__.py"]
    assert "tests/test_pay.py" not in [stop.file.path for stop in tour(graph)]


def test_a_neighborhood_goes_both_ways(graph: CodeGraph) -> None:
    _filled(graph, program("python"))
    found = neighborhood(graph, seeds(graph, "Gateway.charge"), 20)
    assert ("retry", True) in {(item.other.name, item.is_outgoing) for item in found if item.other}
    assert ("sell", False) in {(item.other.name, item.is_outgoing) for item in found if item.other}


@pytest.mark.parametrize("end", ["py", "ts", "js", "go", "rs", "java", "c", "cc", "tsx"])
def test_what_is_no_code_breaks_nothing(end: str, graph: CodeGraph) -> None:
    broken = ("", "\n\n", "]]}}}((({{{", "class", "é" * 1000, "(" * 50_000, "\ufffd\x01 def x(", "import")
    for number, text in enumerate(broken):
        graph.put(f"{number}.{end}", text)
    assert graph.counts()[0] == 8
