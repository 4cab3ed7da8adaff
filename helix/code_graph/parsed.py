"""What is known of one file of code by itself, before anything else is looked at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass
class Symbol:
    name: str
    kind: str
    """function, method, class, interface, struct, enum, type, constant, module"""
    container: str
    """the class that it is of; nothing for what stands by itself"""
    first: int
    last: int
    start: int
    end: int
    is_test: bool = False
    is_local: bool = False
    """it is not seen from another file: static, or within a function"""


@dataclass
class Reference:
    name: str
    kind: str
    """call, use, extends or import"""
    line: int
    within: int
    """the number of the symbol that it stands in; -1 for none"""
    on: str = ""
    """what stands before the dot"""
    type: str = ""
    """of what stands before the dot, where that can be told"""
    module: str = ""
    """where the name, or what stands before the dot, is imported from"""
    via: str = ""
    """what is imported from there and stands before the dot"""


@dataclass
class Import:
    module: str
    name: str
    """what is imported from it; nothing for the module itself, `*` for all"""
    local: str
    """under which name it is known here"""
    line: int
    is_passed_on: bool = False
    """others may import it from here"""


@dataclass
class ParsedFile:
    language: str
    module: str
    """the key that others import it by"""
    lines: int
    is_test: bool
    symbols: list[Symbol] = field(default_factory=list)
    references: list[Reference] = field(default_factory=list)
    imports: Sequence[Import] = ()
    has_errors: bool = False
