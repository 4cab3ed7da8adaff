"""A package whose modules are imported without it: it is run when somebody asks for a name of its own.

The protocol's library imports its client and a second kind of server with its package, and with them an HTTP client
and a library of ciphers: 11 MB, half of all its modules, of which the daemon needs none.
"""

from __future__ import annotations

import sys
import threading
from importlib.util import find_spec, module_from_spec
from types import ModuleType

_RUNNING = threading.RLock()


def leave_out_client() -> None:
    """Before the first import of the surface."""
    _defer("mcp")
    _defer("mcp.server")


def _defer(name: str) -> None:
    """What is imported already, or not installed, is left as it is."""
    if name in sys.modules or (spec := find_spec(name)) is None:
        return
    package = module_from_spec(spec)
    package.__class__ = _Deferred
    sys.modules[name] = package
    parent, _, own = name.rpartition(".")
    if parent:
        setattr(sys.modules[parent], own, package)


class _Deferred(ModuleType):
    def __getattr__(self, name: str) -> object:
        """Of what the package has not got: a module that was imported from it is there without this."""
        is_its_own = not name.startswith("__") or name == "__all__"
        spec = self.__spec__
        if not is_its_own or spec is None or spec.loader is None:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}", name=name, obj=self)
        with _RUNNING:
            if self.__class__ is _Deferred:
                self.__class__ = ModuleType  # type: ignore[assignment]  # it is one, with less in it
                spec.loader.exec_module(self)
        return getattr(self, name)
