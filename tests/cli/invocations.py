"""Every command with every option, as data: what a person types, and how it ends.

`{name}` stands for something that the story has made. Whoever adds an option adds a line; a test compares the lines
with the tree of commands. Lines without --json run in a terminal of 80 columns; `git` works in the vault.
"""

from __future__ import annotations

from typing import NamedTuple


class Line(NamedTuple):
    typed: str
    status: int = 0
    shows: str = ""
    """what must be in the output"""
    keeps: str = ""
    """under this name the `id` of the answer is known from here on"""
    fits: bool = True
    """False for what another program reads, or wrote: it is not wrapped"""


BY_DAEMON = (
    Line("up --host 127.0.0.1 --port 0 --json", shows='"started": true'),
    Line("up", shows="runs already"),
    Line("up --json", shows='"started": false'),
    Line("status", shows="ready"),
    Line("status --json"),
    Line(
        "remember 'The nightly export runs at 02:40' --title 'Nightly export' --kind fact --project zoo --tag ops"
        " --tag export --source https://example.org/runbook --importance 0.7 --valid-from 2026-01-01"
        " --valid-until 2027-01-01 --force --allow-secrets --idempotency-key story-1 --json",
        keeps="first",
    ),
    Line("remember 'Deploys happen on Tuesdays' --global --json", keeps="second"),
    Line(
        "remember 'The nightly export runs at 03:10 now' --project zoo --supersedes {first}",
        shows="superseded",
    ),
    Line("git add -A"),
    Line("git commit --quiet -m 'Two memories'"),
    Line("remember '  '", status=2, shows="empty"),
    Line("remember 'AWS key AKIAIOSFODNN7EXAMPLQ is for staging'", status=4, shows="--allow-secrets"),
    Line(
        "recall 'when does the export run' --limit 3 --project zoo --kind fact --tag ops --rerank --include-deleted"
        " --why",
        shows="Nightly export",
    ),
    Line("recall export --global --ref HEAD"),
    Line("recall export --all --as-of 2099-01-01", shows="03:10"),
    Line("recall export --json"),
    Line(
        "context 'mend the export' --max-tokens 900 --project zoo --kind fact --tag ops --detailed --rerank"
    ),
    Line("context 'mend the export' --global --ref HEAD --json"),
    Line("context 'mend the export' --all --as-of 2099-01-01"),
    Line("get {first} --include-deleted", shows="02:40"),
    Line("get {second} --json"),
    Line("get {second} --ref HEAD"),
    Line("get {second} --as-of 2099-01-01"),
    Line("get mem_nothing", status=3, shows="no memory"),
    Line("edit {second}", shows="updated"),
    Line("edit {second} --allow-secrets --json", shows='"status"'),
    Line("relate {second} depends_on {first} --idempotency-key story-2", status=0, shows="created"),
    Line("relate {second} relates_to {first} --json"),
    Line(
        "recent --limit 5 --project zoo --kind fact --tag ops --since 2026-01-01 --include-deleted",
        shows="Nightly export",
    ),
    Line("recent --all --as-of 2099-01-01"),
    Line("recent --unfiled", shows="nothing is unfiled"),
    Line("file {first} --project aviary --idempotency-key story-5", shows="filed under aviary"),
    Line("file {first} {first} --project zoo --json", shows='"status"'),
    Line("file {first} --project zoo", shows="already"),
    Line("file {first} --project ' '", status=2, shows="empty"),
    Line("file {second} --project zoo", status=2, shows="global"),
    Line("projects", shows="zoo"),
    Line("projects --json", shows='"unfiled"'),
    Line("recent --global --ref HEAD --json"),
    Line("capture status", shows="capture is off"),
    Line("capture on --project . --host codex --no-backfill", shows="capture is on for"),
    Line("capture on --all --json", shows='"events": 0'),
    Line("capture on --host emacs", status=2, shows="no host 'emacs'"),
    Line("capture status", shows="on for every folder"),
    Line("capture status --json", shows='"on": true'),
    Line("capture off", shows="off now"),
    Line("capture off --json", shows='"was_on": false'),
    Line("capture purge", shows="erased 0 events"),
    Line("capture purge --json", shows='"events": 0'),
    Line("session list", shows="no session has a log yet"),
    Line(
        "session append trip decision.made --actor tester --ref t:1"
        """ --payload '{{"decision": "Feed the seals at noon"}}'""",
        shows="eventloom://trip/events/1",
    ),
    Line("session append trip a.b --payload 7", status=2, shows="JSON object"),
    Line("session append trip a.b --payload [", status=2, shows="not JSON"),
    Line("session append .trip a.b", status=2, shows="Invalid session_id"),
    Line(
        """session append trip note.taken --payload '{{"content": "penguins in the snow"}}' --json""",
        shows='"seq": 2',
    ),
    Line("session list --limit 5", shows="2 events"),
    Line("session list --json", shows='"session_id": "trip"'),
    Line("session show trip", shows="1 decision.made"),
    Line("session show trip --json", shows='"heads"'),
    Line("session show nobody", status=3, shows="no session"),
    Line("session replay trip --from 1 --to 2 --type note.taken --limit 3", shows="verified: 2 events"),
    Line("session replay trip --json", shows="penguins"),
    Line("session search penguins --session trip --limit 2", shows="penguins in the snow"),
    Line("session search zeppelins --json", shows='"results": []'),
    Line("session search zeppelins", shows="nobody said that"),
    Line(
        "session checkout trip 'penguins in the snow' --limit 3 --max-tokens 3000", shows="- Answerability:"
    ),
    Line("session checkout trip penguins --json", shows='"answerability"'),
    Line("session verify trip", shows="verified: 4 events"),
    Line("session verify trip --json", shows='"ok": true'),
    Line("session export trip", shows='"prev_hash":null', fits=False),
    Line("cite eventloom://trip/events/1", shows="Feed the seals"),
    Line("cite eventloom://trip/events/1 --json", shows='"memory_id": "mem_'),
    Line("cite trip", status=2, shows="not a citation"),
    Line("session erase trip 2 --through 2", shows="erased event 2"),
    Line("session erase trip 1 --hash 000000000000", status=3, shows="no event 1"),
    Line("session erase trip 1 --json", shows='"memory_id": "mem_'),
    Line(
        "hook-event stop --session hooked --source zoo --workspace /zoo --transcript-path /zoo/t.jsonl"
        " --summary 'The seals are fed' --reason idle --turn-count 4 --ref stop:1",
        shows="eventloom://hooked/events/1",
    ),
    Line(
        "hook-event command --session hooked --command 'make test' --exit-code 1 --duration-ms 12"
        " --stdout one --stderr two --json",
        shows='"type": "command.completed"',
    ),
    Line("hook-event file-edit --session hooked --path a.py --operation created --line-count 3"),
    Line(
        "hook-event tool-call --session hooked --tool-name search --tool-status ok --call-id c1"
        """ --arguments-json '{{"query": "seals"}}' --result-summary 'two seals'""",
    ),
    Line("hook-event tool-call --tool-name search --arguments-json 7", status=2, shows="JSON object"),
    Line("hook-event transcript-turn --session hooked --role user --content 'Feed them' --turn-index 1"),
    Line("hook-event transcript-turn", status=2, shows="needs --role and --content"),
    Line("hook-event sneeze", status=2, shows="no trigger 'sneeze'"),
    Line(
        "hook-event transcript-turn --session told --role user --content 'Never feed the seals after dark.' --json"
    ),
    Line(
        "hook-event transcript-turn --session told --role user --content 'We decided to paint the pier blue.' --json"
    ),
    Line("inbox --what proposed", shows="Never feed the seals after dark"),
    Line("inbox --json", shows='"proposal"'),
    Line(
        "inbox accept proposed-c7e1 --text 'Seals eat by day.' --title Seals --kind fact --project zoo",
        status=3,
        shows="nothing is proposed",
    ),
    Line("inbox accept proposed-6c53b1e6801d --json", shows='"status": "created"'),
    Line("inbox dismiss proposed-4800614aeebf --json", shows='"dismissed"'),
    Line("inbox dismiss nothing", status=2, shows="key"),
    Line("skill list", shows="no skill"),
    Line(
        "session append trip skill.proposed --payload"
        """ '{{"skill_id": "feeding", "procedure": ["Fetch the fish", "Feed the seals"]}}'""",
    ),
    Line("skill list --status proposed --limit 3", shows="feeding"),
    Line("skill list --json", shows='"promotion_candidates"'),
    Line("skill show feeding", shows="Fetch the fish"),
    Line("skill show feeding --json", shows='"applied_count": 0'),
    Line("skill show walking", status=3, shows="no skill 'walking'"),
    Line("skill export feeding --to skills", shows="skills/feeding/SKILL.md"),
    Line("skill export feeding --to skills --force --json", shows='"version": "1"'),
    Line("graph {second} --depth 2 --include-deleted", shows="depends_on"),
    Line("graph --format dot --all", shows="digraph", fits=False),
    Line("graph --format mermaid --project zoo", shows="graph LR", fits=False),
    Line("graph --global --as-of 2099-01-01"),
    Line("graph --ref HEAD --json"),
    Line("history {first} --limit 1"),
    Line("history {first} --json"),
    Line("diff {second} HEAD", fits=False),
    Line("diff {second} HEAD HEAD --json"),
    Line("forget {second} --idempotency-key story-3", shows="forgotten"),
    Line("forget {second} --json", shows="noop"),
    Line("restore {second} --idempotency-key story-4", shows="restored"),
    Line("restore {second} --at HEAD --json"),
    Line("forget {first} --hard", shows="out of helix's reach"),
    Line("adopt --all", shows="Zettel.md"),
    Line("adopt --all --json"),
    Line("conflicts", shows="broken.md"),
    Line("conflicts --json"),
    Line("consolidate --dry-run"),
    Line("consolidate --json"),
    Line("reindex"),
    Line("reindex --accept-missing --json"),
    Line("export all.strand --include-deleted", shows="memories"),
    Line("export all.strand --force --project zoo --scope project --kind fact --tag ops --json"),
    Line("import all.strand --dry-run", shows="would be"),
    Line("import all.strand --json --allow-secrets"),
    Line("import notes --format markdown --project zoo --scope project --tag carried", shows="1 made"),
    Line("project", shows=""),
    Line("project --json", shows='"project"'),
    Line("project set zoo", shows="belongs to the project zoo"),
    Line("project distrust --json", shows='"distrusted"'),
    Line("project set zoo --json", shows='"zoo"'),
    Line("project distrust", shows="the project here is"),
    Line("project trust --json", shows='"zoo"'),
    Line("token --json"),
    Line("token --rotate"),
    Line("down --json", shows='"stopped"'),
    Line("down", shows="no daemon runs"),
)

WITHOUT_DAEMON = (
    Line("--vault other init", shows="made a vault"),
    Line("--vault other init --if-missing"),
    Line("--vault other init", status=4, shows="vault already"),
    Line("init third --git --json", shows='"created"'),
    Line("init fourth --autocommit", shows="made a vault"),
    Line("init fifth --example --json", shows='"created"'),
    Line("doctor", status=1, shows="broken.md"),
    Line("doctor --fix --json", status=1),
    Line("connect --list", shows="claude-code"),
    Line("connect --list --json"),
    Line("connect claude-code", shows="mcpServers", fits=False),
    Line("connect claude-code --http --json"),
    Line("connect claude-code --install --user --force", shows="Claude Code"),
    Line("connect claude-code --install --json"),
    Line("disconnect claude-code --user", shows="disconnected"),
    Line("disconnect claude-code --force --json"),
    Line("hooks --prompt-context --budget 500 --remind", shows="SessionStart", fits=False),
    Line("hooks --json"),
    Line("hooks install --user --prompt-context --budget 500 --remind", shows="SessionStart"),
    Line("hooks install --local --json"),
    Line("hooks uninstall --user", shows="took the hooks out"),
    Line("hooks uninstall --local --json"),
    Line("config show", shows="autocommit"),
    Line("config show --json", shows="config.toml"),
    Line("config get port", shows="7878"),
    Line("config get port --json"),
    Line("config set follow.linger 3", shows="config.toml"),
    Line("config set follow.linger 3 --json"),
    Line("config unset follow.linger", shows="default"),
    Line("config unset follow.linger --json"),
    Line("config path", shows="config.toml"),
    Line("config path --json"),
    Line("config get prt", status=2, shows="'port'"),
    Line("model list", shows="bundled"),
    Line("model list --json"),
    Line("model path"),
    Line("model path --json"),
    Line("model use bundled"),
    Line("model use bundled --json"),
    Line("model pull no/such-model --json", status=2),
    Line("service install --print", shows="helixd", fits=False),
    Line("service install --print --json"),
    Line("service install --force", shows="systemctl"),
    Line("service install --json"),
    Line("service uninstall --print", fits=False),
    Line("service uninstall --json"),
    Line("service uninstall", shows="there is no"),
    Line("bench --made-up 20 --seconds 0.5", shows="ratio"),
    Line("bench --made-up 20 --seconds 0.5 --json", shows='"ratio"'),
    Line("version", shows="helix "),
    Line("version --json", shows='"python"'),
    Line("--version", shows="helix "),
    Line("--show-completion bash", fits=False),
    Line("--install-completion bash", shows="completion installed", fits=False),
)
