"""Vaults as a stranger might share them: in each, whatever git could be made to run or to wait for is a trap.

A trap is a program that leaves a file where the test can see it. `REPOSITORIES` are all the ways to lay them;
`SPRINGS` says which plain use of git shows that a trap is real, so that no test passes because nothing was laid.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

GITHOOKS = (
    *("applypatch-msg", "pre-applypatch", "post-applypatch", "pre-commit", "pre-merge-commit"),
    *(
        "prepare-commit-msg",
        "commit-msg",
        "post-commit",
        "pre-rebase",
        "post-checkout",
        "post-merge",
        "pre-push",
    ),
    *("pre-receive", "update", "proc-receive", "post-receive", "post-update", "reference-transaction"),
    *("push-to-checkout", "pre-auto-gc", "post-rewrite", "sendemail-validate", "fsmonitor-watchman"),
    *("p4-changelist", "p4-prepare-changelist", "p4-post-changelist", "p4-pre-submit", "post-index-change"),
)
PROGRAMS = (
    *("core.fsmonitor", "core.sshCommand", "core.gitProxy", "core.pager", "core.editor", "core.askPass"),
    *(
        "core.alternateRefsCommand",
        "gpg.program",
        "gpg.ssh.program",
        "gpg.x509.program",
        "gpg.openpgp.program",
    ),
    *(
        "gpg.ssh.defaultKeyCommand",
        "credential.helper",
        "diff.external",
        "diff.trap.textconv",
        "diff.trap.command",
    ),
    *(
        "merge.trap.driver",
        "filter.trap.clean",
        "filter.trap.smudge",
        "filter.trap.process",
        "sequence.editor",
    ),
    *("uploadpack.packObjectsHook", "remote.origin.uploadpack", "remote.origin.receivepack", "pager.status"),
    *("pager.log", "pager.diff", "interactive.diffFilter", "trailer.trap.command", "trailer.trap.cmd"),
    *("mergetool.trap.cmd", "difftool.trap.cmd", "web.browser", "browser.trap.cmd", "man.trap.cmd"),
    *("tar.trap.command", "sendemail.smtpServer", "hook.trap.command", "gc.recentObjectsHook"),
)
SWITCHES = {
    "core.attributesFile": "{place}/attributes",
    "core.excludesFile": "{place}/excludes",
    "core.hooksPath": "{place}/traps",
    "core.worktree": "{place}",
    "commit.gpgSign": "true",
    "log.showSignature": "true",
    "diff.ignoreSubmodules": "none",
    "status.submoduleSummary": "true",
    "submodule.recurse": "true",
    "hook.trap.event": "pre-commit",
    "protocol.allow": "always",
    "protocol.ext.allow": "always",
    "protocol.file.allow": "always",
    "safe.directory": "*",
    "safe.bareRepository": "all",
    "remote.origin.url": "ext::{place}/traps/remote-url",
    "remote.origin.vcs": "trap",
    "remote.origin.promisor": "true",
    "remote.origin.fetch": "+refs/heads/*:refs/remotes/origin/*",
    "branch.main.remote": "origin",
    "branch.main.merge": "refs/heads/main",
}
ATTRIBUTES = "*.md filter=trap diff=trap merge=trap\n* filter=trap diff=trap\n"
HUGE = 1 << 30


class Lair:
    """A vault `vault` in `place` with two memories and two commits, and a folder of traps beside it."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.vault = place / "vault"
        self.git_dir = self.vault / ".git"
        for folder in (self.vault, place / "traps", place / "sprung"):
            folder.mkdir(parents=True)

    def begin(self, *options: str) -> None:
        self.git("init", "-q", "-b", "main", *options)
        for key in ("user.name", "user.email"):
            self.git("config", key, "mallory")
        self.write("a.md", _note("mem_a", "one"))
        self.write("b.md", _note("mem_b", "other"))
        self.git("add", "-A")
        self.git("commit", "-qm", "first")
        self.git("tag", "v1")
        self.write("a.md", _note("mem_a", "two"))
        self.git("commit", "-qam", "second")
        self.git("update-ref", "refs/remotes/origin/main", "HEAD~1")

    def write(self, path: str, text: str) -> None:
        file = self.vault / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def change(self) -> None:
        """Now git has to look into the files to know whether they are as it has them."""
        self.write("a.md", _note("mem_a", "three"))
        os.utime(self.vault / "b.md", (1_700_000_000, 1_700_000_000))

    def git(self, *arguments: str, folder: Path | None = None, fails: bool = False) -> str:
        done = subprocess.run(
            ["git", *arguments],
            cwd=folder or self.vault,
            env=self._environment(),
            capture_output=True,
            text=True,
            check=not fails,
            timeout=60,
        )
        return done.stdout.strip()

    def trap(self, name: str) -> str:
        """A program that leaves its name behind."""
        program = self.place / "traps" / name
        program.write_text(f'#!/bin/sh\n: > "{self.place}/sprung/{name}"\nexit 1\n')
        program.chmod(0o755)
        return str(program)

    def sprung(self) -> list[str]:
        return sorted(os.listdir(self.place / "sprung"))

    def disarm(self) -> None:
        for name in self.sprung():
            (self.place / "sprung" / name).unlink()

    def settings(self) -> str:
        """Every setting that names a program, and those that make git use it."""
        said = {key: self.trap(key) for key in PROGRAMS}
        said |= {key: value.format(place=self.place) for key, value in SWITCHES.items()}
        said |= {f"alias.{name}": f"!{self.trap('alias')}" for name in ("st", "status", "log", "cat-file")}
        return "".join(_spelled(key, value) for key, value in said.items())

    def lay_hooks(self, folder: Path) -> None:
        folder.mkdir(exist_ok=True)
        for name in GITHOOKS:
            shutil.copy(self.trap(name), folder / name)

    def add_settings(self, text: str, config: Path | None = None) -> None:
        with (config or self.git_dir / "config").open("a") as file:
            file.write(text)

    def _environment(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        return {**kept, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C"}


def _note(memory_id: str, body: str) -> str:
    return f"---\nid: {memory_id}\ntitle: A note\nscope: global\n---\nThe zeppelin says {body}\n"


def _spelled(key: str, value: str) -> str:
    section, _, rest = key.partition(".")
    name, _, variable = rest.rpartition(".")
    return (
        f'[{section} "{name}"]\n' * bool(name) + f"[{section}]\n" * (not name) + f'\t{variable} = "{value}"\n'
    )


# Settings


def settings(lair: Lair) -> None:
    lair.begin()
    lair.write(".gitattributes", ATTRIBUTES)
    lair.write("deep/.gitattributes", ATTRIBUTES)
    lair.git("add", "-A")
    lair.git("commit", "-qm", "attributes")
    (lair.git_dir / "info" / "attributes").write_text(ATTRIBUTES)
    (lair.place / "attributes").write_text(ATTRIBUTES)
    lair.lay_hooks(lair.git_dir / "hooks")
    lair.add_settings(lair.settings())
    lair.change()


def clean_filter(lair: Lair) -> None:
    lair.begin()
    (lair.git_dir / "info" / "attributes").write_text("*.md filter=trap\n")
    lair.add_settings(f'[filter "trap"]\n\tclean = "{lair.trap("clean")}"\n')
    lair.change()


def fsmonitor(lair: Lair) -> None:
    lair.begin()
    lair.add_settings(f'[core]\n\tfsmonitor = "{lair.trap("fsmonitor")}"\n')
    lair.change()


def included_settings(lair: Lair) -> None:
    lair.begin()
    (lair.git_dir / "info" / "attributes").write_text(ATTRIBUTES)
    (lair.place / "more").write_text(lair.settings())
    conditions = ("gitdir:**", "gitdir/i:**", "onbranch:main")
    lair.add_settings(f'[include]\n\tpath = "{lair.place}/more"\n')
    lair.add_settings("".join(f'[includeIf "{one}"]\n\tpath = "{lair.place}/more"\n' for one in conditions))
    lair.change()


def settings_of_the_worktree(lair: Lair) -> None:
    lair.begin()
    (lair.git_dir / "info" / "attributes").write_text(ATTRIBUTES)
    lair.add_settings("[core]\n\trepositoryFormatVersion = 1\n[extensions]\n\tworktreeConfig = true\n")
    (lair.git_dir / "config.worktree").write_text(lair.settings())
    lair.change()


def work_tree_elsewhere(lair: Lair) -> None:
    lair.begin()
    (lair.place / "elsewhere").mkdir()
    lair.git("config", "core.worktree", str(lair.place / "elsewhere"))


def bare_with_files(lair: Lair) -> None:
    lair.begin()
    lair.git("config", "core.bare", "true")


def unknown_extension(lair: Lair) -> None:
    lair.begin()
    lair.add_settings("[core]\n\trepositoryFormatVersion = 1\n[extensions]\n\ttrap = true\n")


def wrong_object_format(lair: Lair) -> None:
    lair.begin()
    lair.add_settings("[core]\n\trepositoryFormatVersion = 1\n[extensions]\n\tobjectFormat = sha256\n")


def reftable(lair: Lair) -> None:
    lair.begin()
    (lair.git_dir / "reftable").mkdir()
    (lair.git_dir / "HEAD").write_text("ref: refs/heads/.invalid\n")


# Objects that are not there


def _lazily(lair: Lair, origin: str) -> None:
    lair.begin()
    blob = lair.git("rev-parse", "v1:a.md")
    (lair.git_dir / "objects" / blob[:2] / blob[2:]).unlink()
    lair.add_settings(
        "[core]\n\trepositoryFormatVersion = 1\n[extensions]\n\tpartialClone = origin\n"
        f'[remote "origin"]\n\tpromisor = true\n\tpartialCloneFilter = blob:none\n{origin}'
        "[protocol]\n\tallow = always\n"
    )


def lazy_fetch_by_uploadpack(lair: Lair) -> None:
    _lazily(lair, f'\turl = /nowhere\n\tuploadpack = "{lair.trap("uploadpack")}"\n')


def lazy_fetch_by_ssh(lair: Lair) -> None:
    _lazily(lair, f'\turl = ssh://nowhere/x\n[core]\n\tsshCommand = "{lair.trap("sshCommand")}"\n')


def lazy_fetch_by_ext(lair: Lair) -> None:
    _lazily(lair, f'\turl = "ext::{lair.trap("ext")}"\n')


# Repositories that are not where they seem to be


def look_alike(lair: Lair) -> None:
    """A clone whose notes lie in a folder that is a bare repository too, made of ordinary files."""
    trap = lair.trap("look-alike")
    lair.git_dir = lair.place / ".git"
    lair.write("a.md", _note("mem_a", "one"))
    for folder in ("objects", "refs"):
        lair.write(f"{folder}/keep", "")
    lair.write("HEAD", "ref: refs/heads/main\n")
    config = "[core]\n\trepositoryFormatVersion = 0\n\tbare = false\n\tworktree = .\n"
    lair.write("config", config)
    lair.git("--git-dir=.", "--work-tree=.", "add", "-f", "a.md")
    lair.write("config", f'{config}[filter "trap"]\n\tclean = "{trap}"\n')
    lair.write(".gitattributes", "*.md filter=trap\n")
    (lair.place / ".gitignore").write_text("/traps\n/sprung\n/state\n/config\n")
    lair.git("init", "-q", "-b", "main", folder=lair.place)
    lair.git("add", "-f", "vault", folder=lair.place)
    lair.git("-c", "user.name=m", "-c", "user.email=m", "commit", "-qm", "x", folder=lair.place)
    lair.write("a.md", _note("mem_a", "two"))


def look_alike_alone(lair: Lair) -> None:
    look_alike(lair)
    shutil.rmtree(lair.git_dir)


def linked_git_folder(lair: Lair) -> None:
    clean_filter(lair)
    lair.git_dir.rename(lair.place / "real")
    lair.git_dir.symlink_to(lair.place / "real")


def git_file(lair: Lair) -> None:
    clean_filter(lair)
    lair.git_dir.rename(lair.place / "real")
    lair.git_dir.write_text(f"gitdir: {lair.place}/real\n")


def linked_worktree(lair: Lair) -> None:
    settings(lair)
    lair.vault.rename(lair.place / "main")
    (lair.place / "main" / ".git" / "config").write_text("[core]\n\trepositoryFormatVersion = 0\n")
    shutil.rmtree(lair.place / "main" / ".git" / "hooks")
    lair.git("worktree", "add", "-q", "-b", "laptop", str(lair.vault), folder=lair.place / "main")
    lair.add_settings(lair.settings(), lair.place / "main" / ".git" / "config")
    lair.lay_hooks(lair.place / "main" / ".git" / "hooks")
    lair.change()


def submodule(lair: Lair) -> None:
    lair.begin()
    inner = Lair(lair.place / "other")
    inner.begin()
    lair.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(inner.vault), "sub")
    lair.git("commit", "-qm", "submodule")
    modules = lair.git_dir / "modules" / "sub"
    (modules / "info" / "attributes").write_text(ATTRIBUTES)
    lair.add_settings(f'[submodule "sub"]\n\tupdate = "!{lair.trap("submodule-update")}"\n')
    lair.add_settings(f'[core]\n\tfsmonitor = "{lair.trap("submodule-fsmonitor")}"\n', modules / "config")
    lair.add_settings(f'[filter "trap"]\n\tclean = "{lair.trap("submodule-clean")}"\n', modules / "config")
    (lair.vault / "sub" / "a.md").write_text("changed\n")


def nested_repository(lair: Lair) -> None:
    lair.begin()
    inner = lair.vault / "inner"
    inner.mkdir()
    lair.git("init", "-q", folder=inner)
    lair.add_settings(f'[core]\n\tfsmonitor = "{lair.trap("nested")}"\n', inner / ".git" / "config")
    (inner / "c.md").write_text(_note("mem_c", "nested"))


def alternates(lair: Lair) -> None:
    lair.begin()
    other = Lair(lair.place / "other")
    settings(other)
    (lair.git_dir / "objects" / "info" / "alternates").write_text(f"{other.git_dir}/objects\n")


def alternates_in_a_circle(lair: Lair) -> None:
    lair.begin()
    (lair.git_dir / "objects" / "info" / "alternates").write_text("../objects\n")


# Files that are no files, and files without an end


def _pipe(name: str) -> Callable[[Lair], None]:
    def lay(lair: Lair) -> None:
        lair.begin()
        lair.change()
        path = lair.vault / name
        if path.is_dir():
            shutil.rmtree(path)
        path.unlink(missing_ok=True)
        path.parent.mkdir(parents=True, exist_ok=True)
        os.mkfifo(path)

    return lay


def _huge(name: str) -> Callable[[Lair], None]:
    def lay(lair: Lair) -> None:
        lair.begin()
        path = lair.vault / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("ab") as file:
            file.truncate(HUGE)

    return lay


def git_file_without_end(lair: Lair) -> None:
    lair.begin()
    shutil.rmtree(lair.git_dir)
    with lair.git_dir.open("wb") as file:
        file.write(b"gitdir: ")
        file.truncate(HUGE)


def refs_in_a_circle(lair: Lair) -> None:
    lair.begin()
    (lair.git_dir / "HEAD").write_text("ref: refs/heads/one\n")
    (lair.git_dir / "refs" / "heads" / "one").write_text("ref: refs/heads/two\n")
    (lair.git_dir / "refs" / "heads" / "two").write_text("ref: refs/heads/one\n")
    (lair.git_dir / "refs" / "heads" / "loop").symlink_to("..")


def names_that_are_no_names(lair: Lair) -> None:
    lair.begin()
    commit = lair.git("rev-parse", "HEAD")
    names = (
        "refs/heads/../../config",
        "refs/heads/a b",
        "-rf",
        "refs/heads/x.lock",
        "refs/heads/a\\nb",
        "HEAD",
    )
    (lair.git_dir / "packed-refs").write_text("".join(f"{commit} {name}\n" for name in names))


def files_without_end(lair: Lair) -> None:
    """Ten trees, each with ten times the next: a few hundred bytes that are ten thousand million files."""
    lair.begin()
    entry = "100644 blob " + lair.git("rev-parse", "HEAD:a.md")
    for _ in range(10):
        listing = "".join(f"{entry}\tn{number}.md\n" for number in range(10))
        made = subprocess.run(
            ["git", "mktree"], cwd=lair.vault, input=listing, capture_output=True, text=True, check=True
        )
        entry = f"040000 tree {made.stdout.strip()}"
    tree = entry.split()[-1]
    commit = lair.git("commit-tree", tree, "-p", "HEAD", "-m", "bomb")
    lair.git("update-ref", "refs/heads/main", commit)


def pipe_as_a_pack(lair: Lair) -> None:
    lair.begin()
    pack = lair.git_dir / "objects" / "pack" / f"pack-{'0' * 40}"
    pack.with_suffix(".pack").write_bytes(b"PACK")
    os.mkfifo(pack.with_suffix(".idx"))


def pipe_as_an_object(lair: Lair) -> None:
    lair.begin()
    blob = lair.git("rev-parse", "v1:a.md")
    place = lair.git_dir / "objects" / blob[:2] / blob[2:]
    place.unlink()
    os.mkfifo(place)


def pipe_as_an_object_of_another_repository(lair: Lair) -> None:
    lair.begin()
    other = Lair(lair.place / "other")
    pipe_as_a_pack(other)
    (lair.git_dir / "objects" / "info" / "alternates").write_text(f"{other.git_dir}/objects\n")


REPOSITORIES: dict[str, Callable[[Lair], None]] = (
    {
        one.__name__.replace("_", " "): one
        for one in (
            *(
                settings,
                clean_filter,
                fsmonitor,
                included_settings,
                settings_of_the_worktree,
                work_tree_elsewhere,
            ),
            *(bare_with_files, unknown_extension, wrong_object_format, reftable),
            *(lazy_fetch_by_uploadpack, lazy_fetch_by_ssh, lazy_fetch_by_ext),
            *(look_alike, look_alike_alone, linked_git_folder, git_file, linked_worktree, submodule),
            *(nested_repository, alternates, alternates_in_a_circle),
            *(git_file_without_end, refs_in_a_circle, names_that_are_no_names),
            *(pipe_as_a_pack, pipe_as_an_object, pipe_as_an_object_of_another_repository),
        )
    }
    | {
        f"a pipe as {name}": _pipe(name)
        for name in (
            *(
                ".git",
                ".git/HEAD",
                ".git/config",
                ".git/index",
                ".git/packed-refs",
                ".git/shallow",
                ".git/commondir",
            ),
            *(".git/refs/heads/main", ".git/refs/heads/pipe", ".git/logs/HEAD", ".git/info/exclude"),
            *(
                ".git/info/attributes",
                ".git/objects/info/alternates",
                ".git/config.worktree",
                ".git/index.lock",
            ),
        )
    }
    | {
        f"a gigabyte as {name}": _huge(name)
        for name in (".git/HEAD", ".git/config", ".git/packed-refs", ".git/refs/heads/main", ".git/logs/HEAD")
    }
)

SPRINGS: dict[str, tuple[tuple[str, ...], ...]] = {
    "settings": (("status",), ("commit", "-am", "x")),
    "clean filter": (("status",),),
    "fsmonitor": (("status",),),
    "included settings": (("status",),),
    "settings of the worktree": (("status",),),
    "lazy fetch by uploadpack": (("show", "v1:a.md"),),
    "lazy fetch by ssh": (("show", "v1:a.md"),),
    "lazy fetch by ext": (("show", "v1:a.md"),),
    "look alike": (("status",),),
    "look alike alone": (("status",),),
    "linked git folder": (("status",),),
    "git file": (("status",),),
    "linked worktree": (("status",),),
    "submodule": (("status",),),
}
