"""Every code by which Helix names what went wrong: what it means, what to do, and the exit status of a command.

The HTTP status of each stands in `surfaces/problems`; `docs/errors.md` is made from both.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from helix import errors
from helix.errors import HelixError

FAILED, WRONG_USAGE, NOT_FOUND, REFUSED, NOT_NOW, INTERRUPTED, READER_LEFT = 1, 2, 3, 4, 5, 130, 141

EXIT_STATUS: Mapping[int, str] = {
    0: "done",
    FAILED: "it failed; `helix doctor` also says so when it finds something",
    WRONG_USAGE: "wrong usage, or a value or a setting that cannot be used",
    NOT_FOUND: "no such memory, version or history, or it was erased",
    REFUSED: "understood and refused; nothing was written",
    NOT_NOW: "not now: the daemon, the vault, the index, the model or the disk is not there for it",
    INTERRUPTED: "stopped with Ctrl-C; everything acknowledged so far is safe",
    READER_LEFT: "whoever read the output closed it, as `head` does",
}


class Code(NamedTuple):
    code: str
    kind: type[HelixError]
    exit_status: int
    meaning: str
    remedy: str


CODES = (
    Code("not-found", errors.MemoryNotFound, NOT_FOUND, "There is no memory with this id, or it is hidden.",
         "`helix recent` and `helix recall` show ids; `--include-deleted` shows hidden ones."),
    Code("erased", errors.MemoryErased, NOT_FOUND, "The memory was erased for good; only its id is left.",
         "Write it anew with `helix remember`."),
    Code("forgotten", errors.MemoryErased, NOT_FOUND,
         "The memory was forgotten, so that it cannot be changed, nor its write be repeated.",
         "`helix restore ID` first, or take a new key."),
    Code("session-not-found", errors.SessionNotFound, NOT_FOUND,
         "There is no session of this name, or no such event in it.",
         "`helix session list` shows sessions, `helix session show NAME` what happened in one."),
    Code("sessions-off", errors.SessionsOff, REFUSED, "The settings say that nothing is added to logs of sessions.",
         "Set `sessions.keep` to `vault` or `state`."),
    Code("credential-not-found", errors.CredentialNotFound, NOT_FOUND, "There is no such user, or no such key.",
         "`helix user list` and `helix key list` show them."),
    Code("workspace-not-found", errors.WorkspaceNotFound, NOT_FOUND, "The daemon has no workspace of this name.",
         "`helix workspace list` shows those there are."),
    Code("workspace-unavailable", errors.WorkspaceUnavailable, NOT_NOW,
         "The workspace cannot be opened now, or there is no room for one more. The others go on.",
         "`helix workspace list` on the daemon's machine says why."),
    Code("job-not-found", errors.JobNotFound, NOT_FOUND, "There is no job of this name, or none that is kept.",
         "`helix jobs list` shows those there are."),
    Code("secret-not-found", errors.SecretNotFound, NOT_FOUND, "There is no secret of this name.",
         "`helix secret list` shows the names of those there are."),
    Code("secrets-unreadable", errors.SecretsUnreadable, NOT_NOW,
         "What is kept of secrets cannot be decrypted any more.",
         "Bring the key back, or delete the secrets and set them again; the message says which."),
    Code("extra-missing", errors.ExtraMissing, NOT_NOW, "It takes packages that this installation does not have.",
         "The message names the command that installs them."),
    Code("no-history", errors.HistoryError, NOT_FOUND, "The vault is in no git repository, or has no commit yet.",
         "`helix init --git` makes one."),
    Code("bad-revision", errors.HistoryError, NOT_FOUND, "Git knows no such commit, branch or tag.",
         "`helix history ID` lists commits."),
    Code("git-busy", errors.HistoryError, NOT_NOW, "A merge or rebase is under way in the vault's repository.",
         "Finish or abort it, and repeat."),
    Code("git-failed", errors.HistoryError, NOT_NOW, "Git is missing or said no.",
         "The message holds git's own words."),
    Code("bad-value", errors.BadValue, WRONG_USAGE, "An argument that makes no sense.",
         "The message says what would."),
    Code("bad-cursor", errors.BadValue, WRONG_USAGE, "A cursor of another listing, or of one that is not kept.",
         "Ask again from the start."),
    Code("bad-config", errors.ConfigError, WRONG_USAGE, "A setting that is not known or does not fit.",
         "`helix config show` says what is in force and where it comes from."),
    Code("already-exists", errors.AlreadyExists, REFUSED, "There is one already; it was not replaced.",
         "Choose another name, or see `--force` where the command has it."),
    Code("not-yours", errors.NotYours, REFUSED, "A memory or a project that you see and may not change.",
         "Ask its owner; the message says who may."),
    Code("stale-hash", errors.StaleHash, REFUSED, "The file changed since it was read, and could not be merged.",
         "Read it again and repeat the change."),
    Code("idempotency-conflict", errors.KeyReused, REFUSED, "An idempotency key that was used for something else.",
         "Take a new key."),
    Code("not-worth-keeping", errors.NotWorthKeeping, REFUSED, "The text says nothing that would be looked for.",
         "`--force` keeps it all the same."),
    Code("secret-refused", errors.SecretRefused, REFUSED, "The text holds what looks like a credential.",
         "Leave it out and say where it is kept; `--allow-secrets` keeps it all the same."),
    Code("edit-refused", errors.EditRefused, REFUSED, "A change to a file that could not be proved harmless.",
         "Make the change in an editor."),
    Code("outside-vault", errors.OutsideVault, REFUSED, "A path that leaves the vault.",
         "Name one inside it."),
    Code("bad-note", errors.NoteError, REFUSED, "A file that cannot be read as a record.",
         "`helix doctor` names the line and the remedy."),
    Code("not-utf8", errors.NotText, REFUSED, "A note that is not UTF-8.", "Save it as UTF-8."),
    Code("nul-bytes", errors.NotText, REFUSED, "A note with NUL bytes in it.",
         "Bring back an earlier version; a disk or a sync tool broke it."),
    Code("note-too-large", errors.TooLarge, REFUSED, "A note above `max_note_bytes`.", "Split it."),
    Code("frontmatter-too-large", errors.TooLarge, REFUSED, "Frontmatter of more than 64 KiB.",
         "Move text into the body."),
    Code("yaml-syntax", errors.BadFrontmatter, REFUSED, "Frontmatter that is not YAML.",
         "The message names the line."),
    Code("duplicate-key", errors.BadFrontmatter, REFUSED, "A key that stands twice in the frontmatter.",
         "Remove one of them."),
    Code("not-a-mapping", errors.BadFrontmatter, REFUSED, "Frontmatter that is not `key: value` lines.",
         "Write it so, or put a blank line on top."),
    Code("unclosed-frontmatter", errors.BadFrontmatter, REFUSED, "Frontmatter that begins and never ends.",
         "Close it with a line `---`."),
    Code("unsupported-tag", errors.BadFrontmatter, REFUSED, "A YAML tag that no note needs.", "Remove it."),
    Code("conflict-markers", errors.BadFrontmatter, REFUSED, "Conflict marks of git in the frontmatter.",
         "Choose one side and remove the marks."),
    Code("bom-inside", errors.BadFrontmatter, REFUSED, "A byte order mark in the middle of the frontmatter.",
         "Remove it."),
    Code("vault-missing", errors.VaultMissing, NOT_NOW, "There is no folder where the vault should be.",
         "`helix init` makes one; `--vault` or `HELIX_VAULT` names another."),
    Code("vault-unavailable", errors.VaultUnavailable, NOT_NOW, "Many files disappeared at once, or the folder did.",
         "Bring it back, or `helix reindex --accept-missing` if they are gone on purpose."),
    Code("vault-locked", errors.VaultLocked, NOT_NOW, "A daemon follows this vault already.",
         "Use that one, or stop it with `helix down`."),
    Code("vault-busy", errors.VaultBusy, NOT_NOW, "Another command has been at work in the vault for long.",
         "Repeat when it is done."),
    Code("vault-error", errors.VaultError, NOT_NOW, "The vault cannot be used.", "The message says why."),
    Code("bad-identity", errors.VaultError, NOT_NOW, "`.helix/vault.toml` cannot be read.",
         "Restore it, or remove it and run `helix init`."),
    Code("unknown-format", errors.VaultError, NOT_NOW, "A vault of a later version of Helix.", "Update Helix."),
    Code("disk-full", errors.StorageError, NOT_NOW, "No space left.", "Free some, and repeat."),
    Code("state-unwritable", errors.StateUnwritable, NOT_NOW, "The disk of the state folder is full or read-only.",
         "Make room on it, or make it writable, and repeat."),
    Code("not-permitted", errors.StorageError, NOT_NOW, "A file or folder that may not be written or read.",
         "Mend its permissions."),
    Code("io-error", errors.StorageError, NOT_NOW, "The disk said no; nothing was acknowledged.", "Check the disk."),
    Code("index-broken", errors.IndexBroken, NOT_NOW, "Derived data cannot be read.", "`helix reindex` makes it anew."),
    Code("index-not-ready", errors.IndexNotReady, NOT_NOW, "Search is still starting.", "Repeat in a moment."),
    Code("model-error", errors.ModelError, NOT_NOW, "The model cannot be used; search goes by words meanwhile.",
         "The message says why."),
    Code("model-broken", errors.ModelBroken, NOT_NOW, "The files of a model are not what they should be.",
         "`helix model pull` it again, or `helix model use bundled`."),
    Code("model-unavailable", errors.ModelUnavailable, NOT_NOW, "No such model is here.",
         "`helix model list` shows those there are."),
    Code("embedding-failed", errors.EmbeddingFailed, NOT_NOW, "The model could not embed a text; it is tried again.",
         "Nothing, unless it stays so."),
    Code("bad-host-file", errors.HostFileError, REFUSED, "A host's file that cannot be read, or changed without harm.",
         "Mend the line that is named, or paste what `helix connect HOST` prints yourself."),
    Code("not-connected", errors.NotConnected, NOT_FOUND, "A host's file that holds nothing of Helix.",
         "`helix connect --list` shows where hosts are connected."),
    Code("not-ours", errors.NotConnected, REFUSED, "A host's server of our name that helix did not write.",
         "`--force` takes it away all the same."),
    Code("daemon-unreachable", errors.DaemonUnreachable, NOT_NOW, "A daemon should answer and does not.",
         "`helix status` says what is known of it; `helix down` and `helix up` start it anew."),
    Code("keeper-unreachable", errors.KeeperUnreachable, NOT_NOW,
         "Of several daemons over one database, the one that writes does not answer.",
         "Repeat in a moment, with an idempotency key; another one takes over within seconds."),
    Code("not-here", errors.NotHere, REFUSED, "This daemon has no vault folder, so that it cannot do that.",
         "Ask the daemon that the message names."),
    # What the daemon refuses before it asks the memory service.
    Code("unauthorized", HelixError, REFUSED, "This daemon asks for its token, or for a key.",
         "Set `HELIX_TOKEN` to what `helix token` prints on its machine, or to your key of the team."),
    Code("forbidden", errors.Forbidden, REFUSED, "The key that was shown is not good for that.",
         "The message names the permission, project or agent; an admin makes other keys with `helix key create`."),
    Code("sign-in-refused", errors.SignInRefused, REFUSED, "User and password do not fit, or the key is not valid.",
         "An admin sets another password with `helix user passwd NAME`, or makes a key with `helix key create`."),
    Code("wrong-origin", HelixError, REFUSED, "A request that another web page made.", "Open the daemon's own page."),
    Code("wrong-host", HelixError, REFUSED, "A request by a name that is not one of this machine.",
         "Ask for 127.0.0.1 or localhost."),
    Code("bad-request", HelixError, WRONG_USAGE, "A request that is not HTTP as it should be.", "Mend the client."),
    Code("not-json", HelixError, WRONG_USAGE, "A body that is not JSON.", "Send `Content-Type: application/json`."),
    Code("no-such-path", HelixError, FAILED, "No such route.", "`/openapi.json` lists them; is it a Helix?"),
    Code("wrong-method", HelixError, FAILED, "A route that is asked in another way.", "`/openapi.json` says how."),
    Code("too-large", HelixError, REFUSED, "A body above `max_body_bytes`.", "Split the text."),
    Code("too-slow", HelixError, NOT_NOW, "A body that did not arrive in time.", "Repeat."),
    Code("rate-limited", errors.RateLimited, NOT_NOW,
         "More from one caller than it may ask in a minute, or have open at once (ten SSE streams of MCP).",
         "Repeat after the seconds of `Retry-After`; close a stream. `[limits]` of the settings says how much."),
    Code("frozen", errors.Frozen, NOT_NOW, "An admin has frozen the vault: it is read, and nothing is changed.",
         "The message says why; `helix thaw` takes changes again."),
    Code("busy", HelixError, NOT_NOW, "More requests at once than `max_in_flight`.", "Repeat in a moment."),
    Code("internal", HelixError, FAILED, "Something went wrong in Helix itself.",
         "The daemon's log has the details; `helix status` says where it is."),
    Code("error", HelixError, FAILED, "Something failed that has no code of its own.", "The message says what."),
)  # fmt: skip

_KNOWN = {one.code: one for one in CODES}


def exit_status(error: HelixError) -> int:
    if error.code in _KNOWN:
        return _KNOWN[error.code].exit_status
    kinds = {one.kind: one.exit_status for one in CODES if one.code == one.kind.code}
    return next((kinds[kind] for kind in type(error).__mro__ if kind in kinds), FAILED)


def to_error(code: str, message: str) -> HelixError:
    """The error that a daemon told of by its code."""
    known = _KNOWN.get(code)
    return HelixError(message, code=code) if known is None else known.kind(message, code=code)
