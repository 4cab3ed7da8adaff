"""Every error Helix raises on purpose, in one tree.

Codes are stable and kebab-case: surfaces, scripts and `helix doctor` rely on them.

HelixError
├── ConfigError            bad-config
├── VaultError
│   ├── VaultMissing       vault-missing       the folder is not there
│   ├── VaultUnavailable   vault-unavailable   it is there but cannot be trusted now (unmounted, logged out)
│   ├── VaultLocked        vault-locked        another daemon follows it on this machine
│   ├── VaultBusy          vault-busy          another command has been at work in it for long
│   └── OutsideVault       outside-vault       a path that leaves the vault
├── NoteError              (a file that cannot be read as a record; has line, reason and remedy)
│   ├── NotText            not-utf8, nul-bytes
│   ├── TooLarge           note-too-large, frontmatter-too-large
│   └── BadFrontmatter     yaml-syntax, duplicate-key, not-a-mapping, conflict-markers, …
├── EditRefused            edit-refused        a surgical edit that could not be proved harmless
├── NotYours               not-yours           a memory that is seen, and that somebody else has to change
├── StaleHash              stale-hash          the file changed since it was read
├── MemoryNotFound         not-found
├── MemoryErased           erased              nothing can be done with it any more
├── AlreadyExists          already-exists
├── SessionNotFound        session-not-found   no log of that name, or no such event in it
├── SessionsOff            sessions-off        logs are read, and nothing is added to them
├── JobNotFound            job-not-found       no job of that name is kept
├── SecretNotFound         secret-not-found    no secret of that name
├── SecretsUnreadable      secrets-unreadable  the key of the secrets is gone, or another one
├── ExtraMissing           extra-missing       a part of the installation that not everybody needs
├── KeyReused              idempotency-conflict    an idempotency key that was used for something else
├── NotWorthKeeping        not-worth-keeping       text that says nothing; `force` overrides
├── SecretRefused          secret-refused          text with a credential in it; `allow_secrets` overrides
├── Forbidden              forbidden           whoever asks is known, and may not do that
├── SignInRefused          sign-in-refused     user and password, or a key, with which nobody comes in
├── RateLimited            rate-limited        more in a minute than one caller may
├── Frozen                 frozen              an admin has frozen the vault: nothing is changed for now
├── CredentialNotFound     credential-not-found    no such user, or no such key
├── WorkspaceNotFound      workspace-not-found     no workspace of that name on this daemon
├── WorkspaceUnavailable   workspace-unavailable   it is there, and cannot be opened now; others go on
├── BadValue               bad-value           an argument that makes no sense, and what would
├── StorageError           disk-full, io-error, not-permitted
├── StateUnwritable        state-unwritable    the disk of the state folder is full or read-only; the vault's is not
├── HistoryError           no-history, bad-revision, git-busy, git-failed
├── HostFileError          bad-host-file       a host's configuration that cannot be read, or changed without harm
├── NotConnected           not-connected, not-ours   a host that has nothing of ours to take away
├── IndexBroken            index-broken        derived data that cannot be read: set it aside and rebuild it
├── IndexNotReady          index-not-ready     search is still starting, or could not start
├── DaemonUnreachable      daemon-unreachable  a daemon should answer, and does not
├── KeeperUnreachable      keeper-unreachable  of several daemons the one that has to do it does not answer
├── NotHere                not-here            this daemon cannot do it, and says which one can
└── ModelError
    ├── ModelBroken        model-broken        the files of a model are not what they should be
    ├── ModelUnavailable   model-unavailable   not installed, not downloaded, or no network to download it
    └── EmbeddingFailed    embedding-failed    the model runs but could not embed this; it is tried again
"""

from __future__ import annotations

import errno


class HelixError(Exception):
    code = "error"

    def __init__(self, message: str, *, code: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        if code is not None:
            self.code = code


class ConfigError(HelixError):
    code = "bad-config"

    def __init__(self, problem: str, *, code: str | None = None, origin: str = "") -> None:
        """`origin` is where the setting stands, when it is one that is wrong."""
        super().__init__(f"{origin}: {problem}" if origin else problem, code=code)
        self.origin = origin
        self.problem = problem


class VaultError(HelixError):
    code = "vault-error"


class VaultMissing(VaultError):
    code = "vault-missing"


class VaultUnavailable(VaultError):
    code = "vault-unavailable"


class VaultLocked(VaultError):
    code = "vault-locked"


class VaultBusy(VaultError):
    code = "vault-busy"


class OutsideVault(VaultError):
    code = "outside-vault"


class NoteError(HelixError):
    """A file that cannot be read as a record. Nobody touches it; `helix doctor` prints it."""

    code = "bad-note"

    def __init__(
        self, reason: str, *, code: str | None = None, line: int | None = None, remedy: str = ""
    ) -> None:
        super().__init__(reason if line is None else f"line {line}: {reason}", code=code)
        self.reason = reason
        self.line = line
        self.remedy = remedy

    def at(self, path: str) -> NoteError:
        """The same error, with a message that names the file and the way out."""
        location = path if self.line is None else f"{path}:{self.line}"
        problem = self.reason if path in self.reason else f"{location}: {self.reason}"
        self.message = f"{problem} ({self.remedy.rstrip('.')})" if self.remedy else problem
        return self


class NotText(NoteError):
    code = "not-utf8"


class TooLarge(NoteError):
    code = "note-too-large"


class BadFrontmatter(NoteError):
    code = "yaml-syntax"


class EditRefused(HelixError):
    code = "edit-refused"


class NotYours(HelixError):
    code = "not-yours"


class StaleHash(HelixError):
    code = "stale-hash"


class MemoryNotFound(HelixError):
    code = "not-found"


class MemoryErased(HelixError):
    code = "erased"


class AlreadyExists(HelixError):
    code = "already-exists"


class SessionNotFound(HelixError):
    code = "session-not-found"


class SessionsOff(HelixError):
    code = "sessions-off"


class JobNotFound(HelixError):
    code = "job-not-found"


class SecretNotFound(HelixError):
    code = "secret-not-found"


class SecretsUnreadable(HelixError):
    code = "secrets-unreadable"


class ExtraMissing(HelixError):
    code = "extra-missing"


class KeyReused(HelixError):
    code = "idempotency-conflict"


class NotWorthKeeping(HelixError):
    code = "not-worth-keeping"


class SecretRefused(HelixError):
    code = "secret-refused"

    def __init__(self, message: str, kind: str = "a credential", *, code: str | None = None) -> None:
        """`kind` says what it looks like, never what it is."""
        super().__init__(message, code=code)
        self.kind = kind


class Forbidden(HelixError):
    code = "forbidden"

    @classmethod
    def of(cls, permission: str) -> Forbidden:
        return cls(f"that needs the permission {permission!r}, and the key that was shown is not good for it")


class SignInRefused(HelixError):
    code = "sign-in-refused"


class RateLimited(HelixError):
    code = "rate-limited"

    def __init__(self, message: str, retry_after: int = 1, *, code: str | None = None) -> None:
        """`retry_after` are the whole seconds after which it is worth asking again."""
        super().__init__(message, code=code)
        self.retry_after = retry_after


class Frozen(HelixError):
    code = "frozen"
    retry_after = 60
    """somebody has to thaw it"""


class WorkspaceNotFound(HelixError):
    code = "workspace-not-found"


class WorkspaceUnavailable(HelixError):
    code = "workspace-unavailable"


class CredentialNotFound(HelixError):
    code = "credential-not-found"


class BadValue(HelixError):
    code = "bad-value"


class StorageError(HelixError):
    """The disk said no. The file is as it was before, or as it should be after; never in between."""

    code = "io-error"

    @classmethod
    def from_os(cls, error: OSError, doing: str) -> StorageError:
        code, remedy = {
            errno.ENOSPC: ("disk-full", "free some space and try again"),
            errno.EDQUOT: ("disk-full", "the quota is used up; free some space and try again"),
            errno.EROFS: ("not-permitted", "the file system is mounted read-only"),
            errno.EACCES: ("not-permitted", "check the permissions of the vault folder"),
            errno.EPERM: ("not-permitted", "check the permissions of the vault folder"),
        }.get(error.errno or 0, ("io-error", "check the disk; nothing was acknowledged"))
        return cls(f"{doing}: {error.strerror or error}; {remedy}", code=code)


class StateUnwritable(HelixError):
    """The state folder took no more. What was to be written into the vault is not concerned."""

    code = "state-unwritable"


class HistoryError(HelixError):
    code = "no-history"


class HostFileError(HelixError):
    """A host's configuration that cannot be read, or not be changed without harm. Nobody touches it."""

    code = "bad-host-file"

    def __init__(self, reason: str, *, code: str | None = None, line: int | None = None) -> None:
        super().__init__(reason if line is None else f"line {line}: {reason}", code=code)
        self.reason = reason
        self.line = line

    def at(self, path: str) -> HostFileError:
        """The same error, with a message that names the file."""
        location = path if self.line is None else f"{path}:{self.line}"
        self.message = f"{location}: {self.reason}; nothing was changed"
        self.args = (self.message,)
        return self


class NotConnected(HelixError):
    code = "not-connected"


class IndexBroken(HelixError):
    """Nothing is lost: an index is derived. The caller sets its folder aside and builds it again."""

    code = "index-broken"


class IndexNotReady(HelixError):
    code = "index-not-ready"


class KeeperUnreachable(HelixError):
    code = "keeper-unreachable"


class NotHere(HelixError):
    code = "not-here"


class DaemonUnreachable(HelixError):
    code = "daemon-unreachable"

    def __init__(self, message: str, *, code: str | None = None, trouble: str = "") -> None:
        """`trouble` is the message without what can be done about it."""
        super().__init__(message, code=code)
        self.trouble = trouble or message


class ModelError(HelixError):
    code = "model-error"


class ModelBroken(ModelError):
    code = "model-broken"


class ModelUnavailable(ModelError):
    code = "model-unavailable"


class EmbeddingFailed(ModelError):
    code = "embedding-failed"
