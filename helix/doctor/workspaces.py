"""The other workspaces of the daemon: whether their list can be read, and whether each has its folder."""

from __future__ import annotations

from collections.abc import Iterator

from helix.access.workspaces import WORKSPACES_FILE, Workspaces, in_workspace
from helix.doctor.examined import Examined, NothingToExamine
from helix.doctor.finding import Area, Finding, Kind, Severity
from helix.errors import ConfigError, HelixError

UNREADABLE = Kind(
    "workspaces-unreadable",
    Severity.ERROR,
    "the list of workspaces cannot be read",
    "The daemon opens none but its own.",
    "Mend the file that is named, or bring it back from a backup.",
)
FOLDER_GONE = Kind(
    "workspace-folder-gone",
    Severity.ERROR,
    "the folder of a workspace is not there",
    "Whoever asks for it is told that it cannot be opened; the others go on.",
    "Bring the folder back; or put the workspace away with `helix workspace archive NAME`.",
)
NOT_THERE = Kind(
    "workspace-not-there",
    Severity.ERROR,
    "the workspace that is chosen cannot be used",
    "Commands and agents on this machine ask for it whenever they name none, and are refused.",
    "`helix workspace switch main` leads back; `helix workspace list` shows those there are.",
)


def check_list(examined: Examined) -> Iterator[Finding]:
    config = examined.config
    try:
        listed = Workspaces(config.config_dir, examined.main_vault).all()
    except ConfigError as error:
        yield UNREADABLE.at(str(config.config_dir / WORKSPACES_FILE), error.message)
        return
    for workspace in listed:
        if not workspace.is_main and workspace.archived_at is None and not workspace.vault.is_dir():
            yield FOLDER_GONE.at(str(workspace.vault), f"it is that of the workspace {workspace.full_name}")


def check_chosen(examined: Examined) -> Iterator[Finding]:
    if examined.config_error is not None:
        raise NothingToExamine
    try:
        in_workspace(examined.config)
    except ConfigError:
        return  # said above
    except HelixError as error:
        yield NOT_THERE.at("HELIX_WORKSPACE", error.message)


AREA = Area("The workspaces", (UNREADABLE, FOLDER_GONE, NOT_THERE), (check_list, check_chosen))
