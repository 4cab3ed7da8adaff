"""Two real Syncthing instances on this machine, paired over loopback and with nothing else."""

from __future__ import annotations

import json
import shutil
import subprocess
import urllib.error
import urllib.request
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

from tests.flows.daemon import free_port
from tests.waiting import wait_for

_OPTIONS = {
    "globalAnnounceEnabled": "false",
    "localAnnounceEnabled": "false",
    "relaysEnabled": "false",
    "natEnabled": "false",
    "stunKeepaliveStartS": "0",
    "urAccepted": "-1",
    "crashReportingEnabled": "false",
    "autoUpgradeIntervalH": "0",
    "startBrowser": "false",
    "reconnectionIntervalS": "1",
}
_KEY = "helix-test"


class CannotStart(Exception):
    pass


def is_installed() -> bool:
    return shutil.which("syncthing") is not None


class Instance:
    def __init__(self, home: Path, folder: Path) -> None:
        self.folder = folder
        self._home = home
        self._port, self._gui_port = free_port(), free_port()
        self._process: subprocess.Popen[bytes] | None = None
        made = subprocess.run(
            ["syncthing", "generate", "--home", str(home), "--no-default-folder", "--skip-port-probing"],
            capture_output=True,
            timeout=60,
        )
        if made.returncode:
            raise CannotStart(made.stderr.decode(errors="replace"))
        self._config = ET.parse(home / "config.xml")  # noqa: S314 - written by the program just run
        device = self._config.getroot().find("device")
        assert device is not None
        self.device = device.attrib["id"]

    def start(self, other: Instance) -> None:
        """Share the folder with the other instance, at its fixed address alone."""
        root = self._config.getroot()
        self._set_up_options(root)
        for device in root.findall("device"):
            root.remove(device)
        for one in (self, other):
            device = ET.SubElement(root, "device", id=one.device, name=one.device[:7])
            ET.SubElement(device, "address").text = f"tcp://127.0.0.1:{one._port}"
        folder = ET.SubElement(
            root,
            "folder",
            id="vault",
            path=str(self.folder),
            type="sendreceive",
            rescanIntervalS="3600",
            fsWatcherEnabled="true",
            fsWatcherDelayS="1",
        )
        for one in (self, other):
            ET.SubElement(folder, "device", id=one.device)
        ET.SubElement(folder, "maxConflicts").text = "10"
        self._config.write(self._home / "config.xml")
        with (self._home / "log.txt").open("wb") as log:
            self._process = subprocess.Popen(
                ["syncthing", "serve", "--home", str(self._home), "--no-browser", "--no-restart"],
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        try:
            wait_for(self._answers, 20)
        except AssertionError as error:
            raise CannotStart((self._home / "log.txt").read_text(errors="replace")[-2000:]) from error

    def stop(self) -> None:
        if self._process is not None:
            self._process.terminate()
            try:
                self._process.wait(10)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait(10)

    def pause(self, other: Instance) -> None:
        self._ask("POST", f"/rest/system/pause?device={other.device}")

    def resume(self, other: Instance) -> None:
        self._ask("POST", f"/rest/system/resume?device={other.device}")

    def is_connected(self, other: Instance) -> bool:
        connections = self._ask("GET", "/rest/system/connections")["connections"]
        return bool(connections.get(other.device, {}).get("connected"))

    def _set_up_options(self, root: ET.Element) -> None:
        options = root.find("options")
        gui = root.find("gui")
        assert options is not None
        assert gui is not None
        for address in options.findall("listenAddress"):
            options.remove(address)
        for name, value in {**_OPTIONS, "listenAddress": f"tcp://127.0.0.1:{self._port}"}.items():
            element = options.find(name)
            (ET.SubElement(options, name) if element is None else element).text = value
        for name, value in {"address": f"127.0.0.1:{self._gui_port}", "apikey": _KEY}.items():
            element = gui.find(name)
            (ET.SubElement(gui, name) if element is None else element).text = value

    def _answers(self) -> bool:
        assert self._process is not None
        if self._process.poll() is not None:
            raise CannotStart((self._home / "log.txt").read_text(errors="replace")[-2000:])
        try:
            return bool(self._ask("GET", "/rest/system/ping"))
        except (urllib.error.URLError, ConnectionError):
            return False

    def _ask(self, method: str, path: str) -> Any:
        request = urllib.request.Request(
            f"http://127.0.0.1:{self._gui_port}{path}", method=method, headers={"X-API-Key": _KEY}
        )
        with urllib.request.urlopen(request, timeout=5) as answer:
            body = answer.read()
        return json.loads(body) if body else None
