from __future__ import annotations

from helix.memory.tokens import Payload
from helix.memory.verbs.call import call
from helix.memory.verbs.table import VERBS
from tests.memory.world import ME, World, record


def projects(world: World, **fields: object) -> Payload:
    verb = VERBS["projects"]
    return call(world.service.request(ME), verb, verb.request(**fields))


def test_projects_are_counted_and_the_last_changed_comes_first(world: World) -> None:
    for number, (project, day) in enumerate([("barn", "01"), ("harbour", "03"), ("barn", "02")]):
        meta = {"scope": "project", "project": project, "updated_at": f"2026-06-{day}T00:00:00Z"}
        world.put(f"{number}.md", record(f"mem_{number}", f"The owl is number {number}.", **meta))
    world.put("unfiled.md", record("mem_unfiled", "Somebody saw an owl.", scope="project"))
    world.put("global.md", record("mem_global", "Owls are birds."))
    gone = {"scope": "project", "project": "mill", "status": "deleted"}
    world.put("gone.md", record("mem_gone", "The mill is closed.", **gone))
    answer = projects(world)
    assert answer["projects"] == [
        {"project": "harbour", "memories": 1, "updated": "2026-06-03T00:00:00Z"},
        {"project": "barn", "memories": 2, "updated": "2026-06-02T00:00:00Z"},
    ]
    assert (answer["unfiled"], answer["truncated"]) == (1, False)


def test_many_projects_are_told_page_by_page(world: World) -> None:
    for name in ("barn", "harbour", "mill"):
        world.put(f"{name}.md", record(f"mem_{name}", f"The {name}.", scope="project", project=name))
    first = projects(world, limit=2)
    rest = projects(world, limit=2, cursor=first["next_cursor"])
    assert {one["project"] for one in (*first["projects"], *rest["projects"])} == {"barn", "harbour", "mill"}
    assert "unfiled" not in rest
