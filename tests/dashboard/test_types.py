"""The modules of the page that say `// @ts-check` hold to the types in their comments."""

from __future__ import annotations

from tests.sdk.package import ROOT, find_package

STATIC = ROOT / "helix" / "surfaces" / "dashboard" / "static"
OPTIONS = [
    "--noEmit", "--allowJs", "--strict", "--useUnknownInCatchVariables", "false", "--types", "",
    "--target", "es2023", "--lib", "es2023,dom,dom.iterable", "--module", "esnext", "--moduleResolution", "bundler",
]  # fmt: skip
# More may be added; none is taken away.
CHECKED = (
    "api.js", "dom.js", "format.js", "live.js", "route.js", "sanitize.js", "trusted.js", "view.js", "who.js",
)  # fmt: skip


def test_the_modules_that_are_checked_hold_to_their_types() -> None:
    for name in CHECKED:
        assert (STATIC / name).read_text("utf-8").startswith("// @ts-check\n"), name
    find_package().tsc(*OPTIONS, *CHECKED, cwd=STATIC)
