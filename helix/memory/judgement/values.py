"""What sort of value a word is: a number, a date, a place, a person, one of a family of which a thing has one."""

from __future__ import annotations

import re
from collections.abc import Sequence

from helix.memory.judgement.statements import Word
from helix.memory.judgement.wording import listed

NUMBER, DATE, TIME, PLACE = "number", "date", "time", "place"
CODE, NAME, TICKET, PLAIN = "code", "name", "ticket", "plain"
"""families are named by their first member, after `family `"""

# Of each family a thing has one at a time: one weekday, one package manager, one log level. Environments, HTTP
# methods and pairs such as upload/download are missing on purpose: those say which thing is meant.
_FAMILIES = """
monday tuesday wednesday thursday friday saturday sunday weekday weekend
january february march april may june july august september october november december
red green yellow orange blue purple grey black white
english german french spanish polish italian portuguese dutch japanese chinese korean russian czech swedish
true false
on off
yes no
enabled disabled
allowed forbidden prohibited
mandatory optional
public private internal
sync async synchronous asynchronous
trace debug info warning warn error critical fatal
dark light
tab space
single double
hourly daily nightly weekly biweekly monthly quarterly yearly annually
blocked done finished open closed in-progress on-hold pending planned cancelled paused complete completed started
past imperative present
imperative-mood past-tense
main master develop trunk dev-branch
npm pnpm yarn bun
jest vitest mocha jasmine ava
pytest unittest nose
cypress playwright selenium puppeteer
postgres mysql mariadb sqlite mongodb cockroachdb oracle mssql dynamodb cassandra
redis memcached valkey dragonfly
rabbitmq kafka nats sqs pulsar kinesis activemq
jenkins github-actions gitlab-ci circleci travis buildkite drone teamcity azure-devops
github gitlab bitbucket gitea
helm kustomize
terraform pulumi opentofu cloudformation
docker podman containerd
nginx caddy traefik haproxy envoy apache
sentry rollbar bugsnag honeybadger glitchtip
black ruff yapf autopep8
eslint biome oxlint tslint
flake8 pylint ruff
poetry uv pip pipenv pdm conda hatch
sphinx mkdocs docusaurus vitepress hugo
celery dramatiq rq huey arq sidekiq
react vue angular svelte solid preact
webpack vite rollup esbuild parcel turbopack
aws gcp azure hetzner
heroku fly.io vercel netlify render railway
loki elasticsearch opensearch splunk datadog graylog
prometheus influxdb graphite victoriametrics
slack teams discord mattermost zulip
jira linear asana trello youtrack
vim neovim emacs vscode zed
python go rust java kotlin ts js ruby php elixir scala swift c c++ c# haskell perl
argon2id bcrypt scrypt pbkdf2
rs256 hs256 es256 eddsa
gzip brotli zstd lz4 snappy
json yaml toml xml protobuf csv
rest graphql grpc soap
express fastify koa hono nestjs
django flask fastapi starlette
gorm sqlc ent sqlx
goose flyway liquibase alembic atlas
sendgrid postmark mailgun ses
stripe adyen braintree mollie
okta auth0 keycloak cognito
launchdarkly unleash flagsmith growthbook
squash rebase
git-flow trunk-based
eur usd gbp chf
ubuntu debian alpine fedora centos
""".strip()
_FAMILY = {word: f"family {line.split()[0]}" for line in _FAMILIES.splitlines() for word in line.split()}
_NO_PRODUCTS = listed("on off yes no main space tab may")
_HAS_VERSIONS = frozenset(_FAMILY) - _NO_PRODUCTS | listed(
    "node go ios android macos windows java jdk k8s chrome firefox safari gradle xcode openssl linux kernel"
)

_NUMBER = re.compile(r"[#$€£~<>]{0,2}\d+(?:\.\d+)*(?:-(?:alpha|beta|rc|lts)[.\d]*)?(?:st|nd|rd|th)?")
_DATE = re.compile(r"(?:\d{4}-)?\d{2}-\d{2}|\d{4}-\d{2}|q[1-4]")
_TIME = re.compile(r"\d{1,2}:\d{2}(?::\d{2})?")
_PLACE = re.compile(r"[a-z+]+://.+|[\w.~-]*(?:/[\w.~@-]+)+|(?:[\w-]+\.){1,6}[a-z]{2,8}(?::\d+)?")
_ADDRESS = re.compile(r"(?:\d{1,3}\.){3}\d{1,3}(?::\d+)?(?:/\d+)?")
_TICKET = re.compile(r"[a-z]{2,10}-\d{1,6}|#\d+")
_IDENTIFIER = re.compile(r"(?=.*[\d_./:-]).+")
_HUMPS = re.compile(r"[a-z][A-Z]|[A-Z]{2}")
_UNITS = listed(
    "ms s min h d day week month year am pm utc kb mb gb tb kib mib gib px % k x m byte token char character"
)


def sort_of(word: Word) -> str:
    norm = word.norm
    if norm in _FAMILY:
        return _FAMILY[norm]
    if norm[:1].isdigit() or norm[:1] in "#$€£~<>":
        if _ADDRESS.fullmatch(norm):
            return PLACE
        if _DATE.fullmatch(norm):
            return DATE
        if _TIME.fullmatch(norm):
            return TIME
        if _NUMBER.fullmatch(norm):
            return NUMBER
    if norm in _UNITS:
        return NUMBER
    if "@" in norm[1:] and "/" not in norm:
        return TICKET  # an address is somebody else, not another value
    if _PLACE.fullmatch(norm):
        return PLACE
    if _TICKET.fullmatch(norm):
        return TICKET if word.raw[:1].isupper() or norm[0] == "#" else CODE
    if _IDENTIFIER.fullmatch(norm) or _HUMPS.search(word.raw[1:]):
        return CODE
    if word.raw[:1].isupper() and word.raw.isalpha():
        return NAME
    return PLAIN


def sort_of_all(words: Sequence[Word]) -> str:
    """Of several words next to each other: `7 days`, `billing.stg at 10:00`. Mixed ones are plain."""
    sorts = {sort_of(word) for word in words}
    if sorts <= {NUMBER, TIME}:
        return TIME if TIME in sorts else NUMBER
    return sorts.pop() if len(sorts) == 1 else PLAIN


LANGUAGE = _FAMILY["english"]
WEEKDAY = _FAMILY["monday"]
MONTH = _FAMILY["january"]


def has_versions(norm: str) -> bool:
    return norm in _HAS_VERSIONS
