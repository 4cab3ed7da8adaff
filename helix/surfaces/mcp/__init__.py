from helix.surfaces.mcp.deferred_package import defer

# Before any module here imports one of theirs.
defer("mcp")
defer("mcp.server")
