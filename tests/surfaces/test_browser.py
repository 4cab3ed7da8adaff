"""A page on another origin, in a real browser, that tries to read and to write: it gets nothing."""

from __future__ import annotations

import http.server
import json
import shutil
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.surfaces.conftest import Served

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
_FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
]  # fmt: skip

pytestmark = pytest.mark.skipif(
    CHROMIUM is None,
    reason="NOT PROVED HERE: there is no Chromium, so no page was shut out by a real browser",
)

_PAGE = """<!doctype html><meta charset="utf-8"><title>attacker</title><pre id="said">nothing</pre>
<img id="picture" src="{helix}/recall?q=secret"><form id="form" method="post" target="hole" action="{helix}/remember"
 enctype="text/plain"><input name='{{"text":"written by a form","force":true,"x":"' value='"}}'></form>
<form id="plain" method="post" target="hole" action="{helix}/forget"><input name="id" value="{memory}"></form>
<iframe name="hole"></iframe><iframe id="frame" src="{helix}/"></iframe>
<script>
const body = JSON.stringify({{text: "written by a page", force: true}});
const forget = JSON.stringify({{id: "{memory}"}});
const kinds = ["application/json", "text/plain", "application/x-www-form-urlencoded"];
const tries = {{}};
const post = (mode, type, body) => ({{mode, method: "POST", body, headers: {{"Content-Type": type}}}});
async function attempt(name, path, options) {{
  try {{
    const answer = await fetch("{helix}" + path, options);
    tries[name] = answer.type + " " + answer.status + " " + await answer.text();
  }} catch (error) {{ tries[name] = "failed"; }}
}}
async function run() {{
  for (const mode of ["cors", "no-cors"]) {{
    for (const path of ["/", "/healthz", "/metrics", "/recall?q=secret", "/memory/{memory}", "/openapi.json",
                        "/timeline", "/events", "/map", "/inbox", "/status", "/hosts"])
      await attempt(mode + " GET " + path, path, {{mode, credentials: "include"}});
    for (const kind of kinds) {{
      await attempt(mode + " POST " + kind, "/remember", post(mode, kind, body));
      await attempt(mode + " forget " + kind, "/forget", post(mode, kind, forget));
    }}
    await attempt(mode + " PATCH", "/memory/{memory}", {{...post(mode, kinds[0], body), method: "PATCH"}});
    await attempt(mode + " bare POST", "/reindex", {{mode, method: "POST"}});
    for (const path of ["/inbox/dismiss", "/inbox/keep-both", "/inbox/merge", "/render"])
      await attempt(mode + " POST " + path, path, post(mode, kinds[0], forget));
    await attempt(mode + " pause", "/consolidate/pause", {{mode, method: "POST"}});
  }}
  tries.beacon = String(navigator.sendBeacon("{helix}/forget", new Blob([forget], {{type: "text/plain"}})));
  document.getElementById("form").submit();
  document.getElementById("plain").submit();
  await new Promise(done => setTimeout(done, 1500));
  const picture = document.getElementById("picture");
  tries.picture = String(picture.naturalWidth);
  try {{ tries.frame = document.getElementById("frame").contentWindow.document.body.innerText; }}
  catch (error) {{ tries.frame = "failed"; }}
  document.getElementById("said").textContent = JSON.stringify(tries);
}}
run();
</script>"""


@contextmanager
def attacker(page: str) -> Iterator[int]:
    class Page(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(page.encode())

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 (its name in the base class)
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield int(server.server_address[1])
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def visit(url: str, profile: Path, seconds: int) -> str:
    done = subprocess.run(
        [
            str(CHROMIUM),
            *_FLAGS,
            f"--user-data-dir={profile}",
            f"--virtual-time-budget={seconds * 1000}",
            "--dump-dom",
            url,
        ],
        capture_output=True,
        text=True,
        timeout=120,
    )
    return done.stdout


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost"])
def test_a_page_from_elsewhere_reads_nothing_and_changes_nothing(
    served: Served, tmp_path: Path, name: str
) -> None:
    memory = served.remember(
        "The secret word of the harbour is kittiwake", title=f"Harbour, asked from {name}"
    )
    before = served.bytes()
    paused = served.daemon.health()["consolidation"]["state"]
    refused = _refusals(served)
    with attacker(_PAGE.format(helix=served.url, memory=memory)) as port:
        seen = visit(f"http://{name}:{port}/", tmp_path / "profile", seconds=15)
    said = seen.partition('<pre id="said">')[2].partition("</pre>")[0]
    tries = json.loads(said.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&"))
    assert len(tries) >= 50
    for attempt, result in tries.items():
        if attempt not in ("beacon", "picture", "frame"):
            # A page that must not read is told of a failure, or of an answer without a status and without a word.
            assert result == "failed" or result.strip() == "opaque 0", (attempt, result)
    assert tries["picture"] == "0"
    assert "kittiwake" not in seen
    assert _refusals(served) > refused  # they did arrive, and were refused there
    assert served.bytes() == before
    assert served.daemon.health()["consolidation"]["state"] == paused
    assert served.http.get(f"/memory/{memory}").status_code == 200


def test_its_own_page_is_shown(served: Served, tmp_path: Path) -> None:
    served.remember("Shown in a browser", title="The razorbill count")
    assert "The razorbill count" in visit(f"{served.url}/", tmp_path / "profile", seconds=5)


def _refusals(served: Served) -> float:
    lines = served.http.get("/metrics").text.splitlines()
    return sum(
        float(one.rpartition(" ")[2])
        for one in lines
        if "helix_requests_total" in one and 'status="403"' in one
    )
