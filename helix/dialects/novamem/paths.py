"""The routes that programs for this dialect call, its own shim for stdio among them."""

from __future__ import annotations

from helix.dialects.dialect import DialectRoute as Route
from helix.dialects.dialect import DialectRoutes

_PROJECTS = "/v1/me/projects"
_MEMBERS = f"{_PROJECTS}/{{project}}/members"
_ACTIVE = "/v1/me/active-project"

ROUTES = DialectRoutes(
    (
        Route("POST", "/v1/search", "search"),
        Route("POST", "/v1/remember", "remember", 201),
        Route("POST", "/v1/recent", "recent"),
        Route("POST", "/v1/neighbors", "neighbors"),
        Route("POST", "/v1/forget", "forget"),
        Route("PUT", "/v1/memories/{id}", "update"),
        Route("GET", "/v1/stats", "stats"),
        Route("GET", _PROJECTS, "list_projects"),
        Route("POST", _PROJECTS, "create_project", 201),
        Route("DELETE", f"{_PROJECTS}/{{project}}", "delete_project"),
        Route("GET", _MEMBERS, "list_members"),
        Route("POST", _MEMBERS, "add_member", 201),
        Route("DELETE", f"{_MEMBERS}/{{userId}}", "remove_member"),
        Route("GET", _ACTIVE, "find_active"),
        Route("PUT", _ACTIVE, "activate"),
        Route("DELETE", _ACTIVE, "deactivate", 204),
    ),
    module="helix.dialects.novamem.rest",
    below="/v1",
    alive=("/live",),
    serving=("/health", "/ready"),
)
