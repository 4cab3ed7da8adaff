"""The page of everything the doctor can find, made from its kinds. `make docs` writes it, a test compares it."""

from __future__ import annotations

import sys

from helix.doctor.finding import Kind
from helix.doctor.fix import MENDS
from helix.doctor.registry import AREAS, FAILED

_HEAD = """# What the doctor finds

Made from the code by `make docs`; do not edit.

`helix doctor` looks at everything that can be wrong with a vault and around it, with the daemon up or down, and also
where the vault cannot be opened at all. It changes nothing. For each finding it says what and where, why it matters,
and what to do.

```sh
helix doctor
helix doctor --json
helix doctor --fix
```

| severity | meaning |
|---|---|
| error | something does not work, or data is at risk; the exit status is 1 |
| warning | it works, and not as you would expect |
| note | worth knowing |

`--fix` does what is safe and then looks again: it closes files to other users, sets damaged derived data aside and
makes it anew, merges copies, clears temp files that hold nothing else. It never deletes a note, never chooses between
two texts, and does not touch your hosts, your git repository or your settings. What it mends is marked **mended**.

Codes are stable; `--json` gives them as `code`, with `severity`, `path`, `line`, `what`, `why`, `remedy`, `detail` and
`fixable`.
"""


def render() -> str:
    areas = [(area.title, area.kinds) for area in AREAS] + [("The doctor itself", (FAILED,))]
    return _HEAD + "".join(_area(title, kinds) for title, kinds in areas)


def _area(title: str, kinds: tuple[Kind, ...]) -> str:
    lines = ["", f"## {title}", "", "| code | severity | what | why | what to do |", "|---|---|---|---|---|"]
    for kind in kinds:
        mended = " **mended**" if kind.code in MENDS else ""
        cells = (f"`{kind.code}`{mended}", str(kind.severity), kind.about, kind.why, kind.remedy)
        lines.append(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.stdout.write(render())
