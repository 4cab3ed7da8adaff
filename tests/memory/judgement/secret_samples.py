"""Texts with made-up secrets and texts without. The secrets are put together when asked for: none stands here."""

from __future__ import annotations

import base64
import random
import string

_HEX = "0123456789abcdef"
_ALPHANUMERIC = string.ascii_letters + string.digits
_BASE32 = string.ascii_uppercase + "234567"


def secrets() -> list[tuple[str, str]]:
    """Kind and text."""
    chance = random.Random(7)

    def some(count: int, letters: str = _ALPHANUMERIC) -> str:
        return "".join(chance.choice(letters) for _ in range(count))

    def encoded(text: str) -> str:
        return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")

    pem = "\n".join(some(64, _ALPHANUMERIC + "+/") for _ in range(6))
    claims = [encoded('{"alg":"HS256","typ":"JWT"}'), encoded('{"sub":"42","name":"Ana"}')]
    token = ".".join([*claims, some(43)])
    dash = "-" * 5
    return [
        ("an AWS access key", f"The deploy user has the key {'AK' + 'IA'}{some(16, _BASE32)}."),
        ("an AWS access key", f"aws_access_key_id={'AS' + 'IA'}{some(16, _BASE32)}"),
        (
            "a key",
            f'aws_{"secret"}_access_key_value: none\n{"secret"}_key = "{some(40, _ALPHANUMERIC + "/+")}"',
        ),
        ("an API key", f"AWS_SECRET_{'ACCESS'}_KEY={some(40)}"),
        ("an API key", f"Secret {'access'} key: {some(40, _ALPHANUMERIC + '/+')}"),
        ("a password", f"THE {'PASSWORD'} IS Hu{some(6)}9!"),
        ("a GitHub token", f"copied from a page: {'gh' + 'p_'}{some(10)}\u200b{some(26)}"),
        ("a GitHub token", f"git clone with {'gh' + 'p_'}{some(36)}"),
        ("a GitHub token", f"GITHUB_TOKEN={'gh' + 'o_'}{some(36)}"),
        ("a GitHub token", f"`{'gh' + 's_'}{some(36)}` is the token of the app"),
        ("a GitHub token", f"{'github' + '_pat_'}{some(22)}_{some(59)}"),
        ("a GitLab token", f"CI uses {'gl' + 'pat-'}{some(20)}"),
        ("a GitLab token", f"runner: {'gl' + 'rt-'}{some(20)}"),
        (
            "a Slack token",
            f"bot token {'xo' + 'xb-'}{some(12, string.digits)}-{some(12, string.digits)}-{some(24)}",
        ),
        (
            "a Slack token",
            f"{'xo' + 'xp-'}{some(11, string.digits)}-{some(12, string.digits)}-{some(32, _HEX)}",
        ),
        ("a Slack webhook", f"https://{'hooks.' + 'slack.com'}/services/T{some(8)}/B{some(10)}/{some(24)}"),
        ("a Stripe key", f"Stripe.api_key = '{'sk_' + 'live_'}{some(24)}'"),
        ("a Stripe key", f"restricted: {'rk_' + 'live_'}{some(24)}"),
        ("a Google API key", f"maps key {'AI' + 'za'}{some(35)}"),
        ("a Google client secret", f"{'GOC' + 'SPX-'}{some(28)}"),
        ("an OpenAI API key", f"OPENAI_API_KEY={'sk-' + 'proj-'}{some(48)}"),
        ("an OpenAI API key", f"the old key was {'sk' + '-'}{some(48)}"),
        ("an Anthropic API key", f"use {'sk-' + 'ant-'}api03-{some(80)}"),
        ("a Hugging Face token", f"huggingface-cli login --token {'h' + 'f_'}{some(34)}"),
        ("an npm token", f"//registry/:_authToken={'np' + 'm_'}{some(36)}"),
        ("a PyPI token", f"twine -p {'py' + 'pi-'}AgEIcHlwaS5vcmc{some(100)}"),
        ("a DigitalOcean token", f"doctl auth init -t {'do' + 'p_v1_'}{some(64, _HEX)}"),
        ("a SendGrid key", f"mail: {'S' + 'G.'}{some(22)}.{some(43)}"),
        ("a Twilio key", f"twilio {'S' + 'K'}{some(32, _HEX)}"),
        ("a Telegram bot token", f"bot {some(9, '123456789')}:{'A' + 'A'}{some(33)}"),
        ("a JSON web token", f"curl -H 'X-Auth: {token}'"),
        ("a JSON web token", f"The session cookie is {token}"),
        (
            "a private key",
            f"{dash}BEGIN {'RSA PRIVATE'} KEY{dash}\n{pem}\n{dash}END {'RSA PRIVATE'} KEY{dash}",
        ),
        ("a private key", f"```\n{dash}BEGIN {'OPENSSH PRIVATE'} KEY{dash}\n{pem}\n```"),
        ("a private key", f"{dash}BEGIN {'PRIVATE'} KEY{dash}\\n{pem.replace(chr(10), '')}"),
        ("a private key", f"age: {'AGE-' + 'SECRET-KEY-1'}{some(58, _BASE32)}"),
        ("a password in a URL", f"https://deploy:{some(12)}{'@'}git.example.com/shop.git"),
        ("a password in a URL", f"ftp://ana:{some(9)}!{'@'}files.example.com"),
        ("a database password in a URL", f"DATABASE_URL=postgres://app:{some(14)}{'@'}db-01:5432/shop"),
        ("a database password in a URL", f"mongodb+srv://root:{some(14)}{'@'}cluster0.example.net"),
        ("a database password in a URL", f"redis://:{some(20)}{'@'}cache-01:6379/0"),
        ("a password", f"{'pass' + 'word'}: {some(6)}aZ9!{some(4)}"),
        ("a password", f"The {'pass' + 'word'} of staging is Tr0ub{some(4)}&3x"),
        ("a password", f"Server=db;User Id=sa;{'Pass' + 'word'}=aB3${some(8)};"),
        ("an API key", f'{"api" + "_key"} = "{some(32)}"'),
        ("an API key", f'"{"api" + "Key"}": "{some(32, _HEX)}"'),
        ("a secret", f"client_{'sec' + 'ret'}: {some(40)}"),
        ("a secret", f"JWT_{'SEC' + 'RET'}={some(48, _HEX)}"),
        ("a token", f"auth_{'tok' + 'en'}='{some(40)}'"),
        ("a bearer token", f"Authorization: {'Bea' + 'rer'} {some(40)}"),
        (
            "a user name and password in a header",
            f"Authorization: Basic {base64.b64encode(b'ana:' + some(12).encode()).decode()}",
        ),
        (
            "an Azure storage key",
            f"DefaultEndpointsProtocol=https;{'Account' + 'Key'}={some(86, _ALPHANUMERIC + '+/')}==",
        ),
        ("a Shopify token", f"{'shp' + 'at_'}{some(32, _HEX)}"),
        ("a Vault token", f"VAULT: {'hv' + 's.'}{some(90)}"),
        ("a Linear API key", f"{'lin_' + 'api_'}{some(40)}"),
        ("a Databricks token", f"{'da' + 'pi'}{some(32, _HEX)}"),
        ("a Docker token", f"docker login -p {'dckr_' + 'pat_'}{some(27)}"),
        ("a Square token", f"{'sq0' + 'csp-'}{some(43)}"),
        ("an Artifactory token", f"{'AK' + 'C'}p8{some(70)}"),
        ("a Mailchimp key", f"mailchimp {some(32, _HEX)}-us12"),
        ("a token", f"DISCORD_{'TOK' + 'EN'}=M{some(23)}.{some(6)}.{some(27)}"),
        ("an API key", f"ibm_cloud_{'api' + '_key'} = '{some(44)}'"),
        ("a password", f"cloudant_{'pass' + 'word'}: {some(64, _HEX)}"),
        ("a password", f'DB_{"PASS" + "WORD"}="sommer{some(2, string.digits)}{some(2, string.digits)}"'),
        ("a Mailgun key", f"{'ke' + 'y-'}{some(32, _HEX)}"),
    ]


def innocents() -> list[str]:
    chance = random.Random(11)

    def some(count: int, letters: str = _ALPHANUMERIC) -> str:
        return "".join(chance.choice(letters) for _ in range(count))

    image = base64.b64encode(bytes(chance.randrange(256) for _ in range(6000))).decode()
    return [
        f"Fixed in {some(40, _HEX)}.",
        f"git show {some(7, _HEX)} explains it",
        f"commit {some(40, _HEX)} (HEAD -> main, tag: v1.2.0)",
        f"Request id {some(8, _HEX)}-{some(4, _HEX)}-4{some(3, _HEX)}-a{some(3, _HEX)}-{some(12, _HEX)}",
        f"sha256:{some(64, _HEX)} is the digest of the image",
        f"content hash {some(64, _HEX)}",
        f"md5 {some(32, _HEX)}",
        "See [[mem_2026-06-18_auth-retry-policy_a1b2]] for the retries.",
        "token rotation: mem_2026-06-18_token-rotation_9f3c",
        f'"integrity": "sha512-{some(86)}=="',
        f"![chart](data:image/png;base64,{image})",
        f"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{some(43)} ana@laptop",
        f"ssh-rsa AAAAB3NzaC1yc2E{some(300, _ALPHANUMERIC + '+/')} ben@laptop",
        f"-----BEGIN PUBLIC KEY-----\n{some(64)}\n{some(64)}\n-----END PUBLIC KEY-----",
        f"-----BEGIN CERTIFICATE-----\n{some(64)}\n{some(64)}\n-----END CERTIFICATE-----",
        "A file that starts with -----BEGIN PRIVATE KEY----- must never be committed.",
        f"age1{some(58, string.ascii_lowercase + string.digits)} is the public key of CI",
        "OpenAI keys start with sk-… and Anthropic keys with sk-ant-…",
        "OPENAI_API_KEY=sk-...",
        "export OPENAI_API_KEY=<your key>",
        'api_key = "your-api-key"',
        'api_key = "YOUR_API_KEY_GOES_HERE_123"',
        "API_KEY=${API_KEY}",
        "token: ${{ secrets.GITHUB_TOKEN }}",
        "GITHUB_TOKEN=ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        "ghp_000000000000000000000000000000000000 is a placeholder",
        "AWS documents " + "AKIA" + "IOSFODNN7EXAMPLE as its example key.",
        "password: ********",
        "password: <password>",
        "password: changeme",
        "password: {{ vault_db_password }}",
        'password = os.environ["DB_PASSWORD"]',
        "password = process.env.DB_PASSWORD",
        "const token = await getToken(user.id)",
        "token = config.auth.token_provider",
        "secret: arn:aws:secretsmanager:eu-west-1:123:secret:db",
        "SECRET_KEY is read from /run/secrets/django2026",
        "secret_name: billing-db-credentials-2026",
        "token_url: https://auth.example.com/oauth2/v2.0/token",
        "token_endpoint=https://id.example.com/realms/shop/protocol/openid-connect/token",
        "The password is in 1Password under Shop/Staging-DB.",
        "The password is stored as argon2id with 3 rounds.",
        "Password: at least 12 characters, one digit",
        "passwords must match ^[A-Za-z0-9]{12,}$",
        "password_hash: $argon2id$v=19$m=65536,t=3,p=4",
        "Access tokens expire after 15 minutes, refresh tokens after 30 days.",
        "max_tokens: 2000000000000000",
        "token budget: 2,000 of 128,000",
        "tokens: 1234567890123456789",
        "The tokenizer is token-classification-base-v2-2024",
        "Bearer tokens are checked in the gateway.",
        "Authorization: Bearer <token>",
        "Authorization: Bearer $TOKEN",
        "Basic authentication is switched off.",
        "Basic understanding of Kubernetes is required",
        "postgres://localhost/dev",
        "postgres://app@db-01:5432/shop",
        "postgres://postgres:postgres@localhost:5432/dev",
        "postgres://user:password@host/db is the form",
        "postgres://app:${DB_PASSWORD}@db-01/shop",
        "postgresql://USER:<PASSWORD>@HOST:5432/DB",
        "https://example.com/path:8080@v2",
        "http://localhost:3000/@fs/src/main.ts",
        "git@github.com:acme/shop.git",
        "npm install npm_config_registry_and_other_settings",
        "scikit-learn is pinned; the alias is sk-learn-pipeline-with-long-name",
        "sk-SK is the locale of Slovakia",
        "The task-management-system-2026-refactoring is done",
        "risk-assessment-for-the-year-2026-and-later",
        "hf_transfer speeds up downloads",
        "key-value-store-with-a-long-name is the queue",
        "SKUs look like SK-2026-0042",
        "eyJ is how every JSON web token begins.",
        "cache_key = f'{tenant}:{user}:{version}'",
        "idempotency_key: 2026-06-18T10:00:00Z-order-42",
        "primary_key=True, api_key_header='X-Api-Key'",
        "foreign_key: orders.customer_id",
        f'ETag: W/"{some(32, _HEX)}"',
        f"The trace id is {some(32, _HEX)}, the span id {some(16, _HEX)}.",
        f"IPFS: Qm{some(44)}",
        "3:AABBCCDDEEFF is the MAC address of the printer",
        "pypi-publish is the name of the job",
        "The secret of good names is to say what a thing is.",
        "Secret scanning is on for all repositories",
        "Tom's secret: coffee-at-10-oclock",
        "api_key: string",
        "apiKey: z.string().min(32)",
        "def set_password(self, password: SecretStr) -> None",
        "password: Optional[str] = None",
        "access_token_lifetime = timedelta(minutes=15)",
        "password: argon2id",
        "password_hashing: argon2id-v19",
        "Contact eu-us2 for the region us-west2",
        "pwd=/home/ana/shop2026",
        "secret = generate_secret(32)",
        "The password is SHA256-hashed.",
        "The password for staging is Base64-encoded.",
        "password: Argon2id",
        "password: PBKDF2-SHA256",
        "The token is ERC20-compliant.",
        "The token is OAuth2.0",
        "pip install git+https://user:token@github.com/acme/shop",
    ]
