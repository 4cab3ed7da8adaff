"""The methods of both clients: one list, of which `Helix` makes functions and `AsyncHelix` coroutines."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Concatenate, Generic, ParamSpec, TypeVar, overload

from helix.client.answer_shape import Listing, Result
from helix.client.assets import AssetVerbs
from helix.client.call import Call
from helix.client.documents import DocumentVerbs, JobVerbs
from helix.client.harnesses import HarnessVerbs
from helix.client.maintenance import Care
from helix.client.projects import Sharing
from helix.client.reading import Reading
from helix.client.results import Graph
from helix.client.secrets import SecretVerbs
from helix.client.sessions import SessionVerbs
from helix.client.skills import PublishedSkillVerbs
from helix.client.writing import Changing

P = ParamSpec("P")
T = TypeVar("T", bound=Result)
Item = TypeVar("Item")


class Verbs(Reading, Changing, Sharing, Care):
    """Every verb, as a call that is not sent yet."""

    def __init__(self, scope: str) -> None:
        self.scope = scope


@dataclass(frozen=True)
class Makers:
    """How a client makes its methods."""

    method: Callable[[Any], Any]
    iterator: Callable[[Any], Any]
    whole_graph: Callable[[Any], Any]


class Blocking:
    """What has functions: `Helix`, and the groups of verbs that it has."""


class Awaiting:
    """What has coroutines: `AsyncHelix`, and the groups of verbs that it has."""


# When the program runs, each client has functions of its own in place of these. What follows `TYPE_CHECKING` tells
# type checkers and editors what they are.


class Method(Generic[P, T]):
    def __init__(self, verb: Callable[Concatenate[Any, P], Call[T]]) -> None:
        self.verb = verb

    def made(self, makers: Makers) -> Any:
        return makers.method(self.verb)

    if TYPE_CHECKING:

        @overload
        def __get__(self, client: Blocking, owner: object = None) -> Callable[P, T]: ...
        @overload
        def __get__(self, client: Awaiting, owner: object = None) -> Callable[P, Coroutine[Any, Any, T]]: ...
        @overload
        def __get__(self, client: None, owner: type[Blocking]) -> Callable[Concatenate[Any, P], T]: ...
        @overload
        def __get__(
            self, client: None, owner: type[Awaiting]
        ) -> Callable[Concatenate[Any, P], Coroutine[Any, Any, T]]: ...
        def __get__(self, client: Any, owner: Any = None) -> Any: ...


class IteratorMethod(Generic[P, Item]):
    """All pages of a verb, one entry after the other."""

    def __init__(self, verb: Callable[Concatenate[Any, P], Call[Listing[Item]]]) -> None:
        self.verb = verb

    def made(self, makers: Makers) -> Any:
        return makers.iterator(self.verb)

    if TYPE_CHECKING:

        @overload
        def __get__(self, client: Blocking, owner: object = None) -> Callable[P, Iterator[Item]]: ...
        @overload
        def __get__(self, client: Awaiting, owner: object = None) -> Callable[P, AsyncIterator[Item]]: ...
        @overload
        def __get__(
            self, client: None, owner: type[Blocking]
        ) -> Callable[Concatenate[Any, P], Iterator[Item]]: ...
        @overload
        def __get__(
            self, client: None, owner: type[Awaiting]
        ) -> Callable[Concatenate[Any, P], AsyncIterator[Item]]: ...
        def __get__(self, client: Any, owner: Any = None) -> Any: ...


class GraphMethod(Method[P, Graph]):
    """All pages of a graph, as one."""

    def made(self, makers: Makers) -> Any:
        return makers.whole_graph(self.verb)


class Made:
    """The base of a list of methods. Whoever comes with makers gets a method of its own for each entry."""

    def __init_subclass__(cls, makers: Makers | None = None) -> None:
        super().__init_subclass__()
        if makers is not None:
            entries = {name: entry for base in reversed(cls.__mro__) for name, entry in vars(base).items()}
            for name, entry in entries.items():
                if isinstance(entry, Method | IteratorMethod):
                    setattr(cls, name, entry.made(makers))


class Methods(Made):
    search = Method(Verbs.search)
    search_all = IteratorMethod(Verbs.search)
    context = Method(Verbs.context)
    phases = Method(Verbs.phases)
    get = Method(Verbs.get)
    recent = Method(Verbs.recent)
    recent_all = IteratorMethod(Verbs.recent)
    today = Method(Verbs.today)
    today_all = IteratorMethod(Verbs.today)
    history = Method(Verbs.history)
    history_all = IteratorMethod(Verbs.history)
    neighbors = Method(Verbs.neighbors)
    neighbors_all = IteratorMethod(Verbs.neighbors)
    graph = GraphMethod(Verbs.graph_page)
    graph_page = Method(Verbs.graph_page)

    write = Method(Verbs.write)
    update = Method(Verbs.update)
    file = Method(Verbs.file)
    forget = Method(Verbs.forget)
    restore = Method(Verbs.restore)
    relate = Method(Verbs.relate)

    projects = Method(Verbs.projects)
    projects_all = IteratorMethod(Verbs.projects)
    create_project = Method(Verbs.create_project)
    share_project = Method(Verbs.share_project)
    unshare_project = Method(Verbs.unshare_project)
    leave_project = Method(Verbs.leave_project)
    transfer_project = Method(Verbs.transfer_project)
    delete_project = Method(Verbs.delete_project)
    activate_project = Method(Verbs.activate_project)
    deactivate_project = Method(Verbs.deactivate_project)

    stats = Method(Verbs.stats)
    conflicts = Method(Verbs.conflicts)
    conflicts_all = IteratorMethod(Verbs.conflicts)
    proposals = Method(Verbs.proposals)
    proposals_all = IteratorMethod(Verbs.proposals)
    consolidate = Method(Verbs.consolidate)
    inbox = Method(Verbs.inbox)
    inbox_all = IteratorMethod(Verbs.inbox)
    accept = Method(Verbs.accept)
    dismiss = Method(Verbs.dismiss)
    manifest = Method(Verbs.manifest)
    manifest_all = IteratorMethod(Verbs.manifest)
    health = Method(Verbs.health)


class SessionMethods(Made):
    append = Method(SessionVerbs.append)
    ingest = Method(SessionVerbs.ingest)
    list = Method(SessionVerbs.list)
    list_all = IteratorMethod(SessionVerbs.list)
    archive = Method(SessionVerbs.archive)
    restore = Method(SessionVerbs.restore)
    get = Method(SessionVerbs.get)
    replay = Method(SessionVerbs.replay)
    replay_all = IteratorMethod(SessionVerbs.replay)
    verify = Method(SessionVerbs.verify)
    event = Method(SessionVerbs.event)
    cite = Method(SessionVerbs.cite)
    erase = Method(SessionVerbs.erase)
    verbatim = Method(SessionVerbs.verbatim)
    verbatim_all = IteratorMethod(SessionVerbs.verbatim)
    checkout = Method(SessionVerbs.checkout)
    assemble = Method(SessionVerbs.assemble)
    after_turn = Method(SessionVerbs.after_turn)
    handover = Method(SessionVerbs.handover)
    capabilities = Method(SessionVerbs.capabilities)
    bootstrap = Method(SessionVerbs.bootstrap)
    recap = Method(SessionVerbs.recap)
    reminder = Method(SessionVerbs.reminder)
    skill = Method(SessionVerbs.skill)
    skills = Method(SessionVerbs.skills)
    skills_all = IteratorMethod(SessionVerbs.skills)
    feedback = Method(SessionVerbs.feedback)
    query = Method(SessionVerbs.query)
    query_all = IteratorMethod(SessionVerbs.query)
    invalidate = Method(SessionVerbs.invalidate)
    export_log = Method(SessionVerbs.export_log)
    import_log = Method(SessionVerbs.import_log)
    set_ref = Method(SessionVerbs.set_ref)
    refs = Method(SessionVerbs.refs)
    refs_all = IteratorMethod(SessionVerbs.refs)
    ref = Method(SessionVerbs.ref)


class DocumentMethods(Made):
    ingest = Method(DocumentVerbs.ingest)
    list = Method(DocumentVerbs.list)
    list_all = IteratorMethod(DocumentVerbs.list)
    get = Method(DocumentVerbs.get)
    forget = Method(DocumentVerbs.forget)


class JobMethods(Made):
    list = Method(JobVerbs.list)
    list_all = IteratorMethod(JobVerbs.list)
    get = Method(JobVerbs.get)
    cancel = Method(JobVerbs.cancel)


class HarnessMethods(Made):
    rules = Method(HarnessVerbs.rules)
    rules_all = IteratorMethod(HarnessVerbs.rules)
    list = Method(HarnessVerbs.list)
    list_all = IteratorMethod(HarnessVerbs.list)
    sync = Method(HarnessVerbs.sync)
    remove = Method(HarnessVerbs.remove)


class PublishedSkillMethods(Made):
    list = Method(PublishedSkillVerbs.list)
    list_all = IteratorMethod(PublishedSkillVerbs.list)
    publish = Method(PublishedSkillVerbs.publish)
    withdraw = Method(PublishedSkillVerbs.withdraw)
    propose = Method(PublishedSkillVerbs.propose)
    pull = Method(PublishedSkillVerbs.pull)
    unpull = Method(PublishedSkillVerbs.unpull)


class AssetMethods(Made):
    list = Method(AssetVerbs.list)
    list_all = IteratorMethod(AssetVerbs.list)
    publish = Method(AssetVerbs.publish)
    pull = Method(AssetVerbs.pull)
    tombstone = Method(AssetVerbs.tombstone)


class SecretMethods(Made):
    list = Method(SecretVerbs.list)
    list_all = IteratorMethod(SecretVerbs.list)
    set = Method(SecretVerbs.set)
    rotate = Method(SecretVerbs.rotate)
    delete = Method(SecretVerbs.delete)
    run = Method(SecretVerbs.run)
    runs = Method(SecretVerbs.runs)
    runs_all = IteratorMethod(SecretVerbs.runs)
    get_run = Method(SecretVerbs.get_run)
    cancel_run = Method(SecretVerbs.cancel_run)
