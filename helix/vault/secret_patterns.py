"""What providers put in front of their keys so that a leaked one is recognized."""

from __future__ import annotations

import re
from dataclasses import dataclass

_BODY = r"[A-Za-z0-9_-]"


@dataclass(frozen=True)
class Mark:
    text: str
    kind: str
    pattern: re.Pattern[str]
    """from the mark on; every repetition in it is bounded"""
    before: re.Pattern[str]
    """what the characters before it have to be like"""


_STANDS_ALONE = r"(?<![A-Za-z0-9_-])"


def _mark(text: str, kind: str, body: str, *, before: str = _STANDS_ALONE) -> Mark:
    pattern = re.compile(re.escape(text) + body + r"(?![A-Za-z0-9])")
    return Mark(text, kind, pattern, re.compile(before + r"\Z"))


def _marks(texts: str, kind: str, body: str) -> list[Mark]:
    return [_mark(text, kind, body) for text in texts.split()]


MARKS: tuple[Mark, ...] = (
    *_marks("AKIA ASIA ABIA ACCA", "an AWS access key", r"[A-Z2-7]{16}"),
    *_marks("hx_sk_ nm_", "a key of Helix", r"[0-9a-f]{16}\.[A-Za-z0-9_-]{43}"),
    *_marks("hx_at_ hx_rt_", "a token of Helix", r"[A-Za-z0-9_-]{43}"),
    *_marks("ghp_ gho_ ghu_ ghs_ ghr_", "a GitHub token", r"[A-Za-z0-9]{36,255}"),
    _mark("github_pat_", "a GitHub token", r"\w{22,255}"),
    *_marks(
        "glpat- gldt- glrt- glptt- glcbt- glft- glsoat- glagent-", "a GitLab token", rf"{_BODY}{{20,300}}"
    ),
    *_marks("xoxa- xoxb- xoxe- xoxo- xoxp- xoxr- xoxs- xapp-", "a Slack token", r"[A-Za-z0-9-]{20,300}"),
    _mark("hooks.slack.com/services/", "a Slack webhook", r"T\w{6,12}/B\w{6,12}/\w{16,32}", before=""),
    *_marks("sk_live_ rk_live_ sk_test_ rk_test_", "a Stripe key", r"[A-Za-z0-9]{16,250}"),
    _mark("whsec_", "a webhook secret", r"[A-Za-z0-9+/]{24,100}"),
    _mark("AIza", "a Google API key", rf"{_BODY}{{35}}"),
    _mark("GOCSPX-", "a Google client secret", rf"{_BODY}{{28}}"),
    _mark("ya29.", "a Google access token", rf"{_BODY}{{30,500}}"),
    _mark("sk-ant-", "an Anthropic API key", rf"{_BODY}{{20,250}}"),
    _mark("sk-or-v1-", "an OpenRouter API key", r"[0-9a-f]{64}"),
    *_marks("sk-proj- sk-svcacct- sk-admin-", "an OpenAI API key", rf"{_BODY}{{20,250}}"),
    _mark("sk-", "an OpenAI API key", r"[A-Za-z0-9]{20,100}"),
    _mark("gsk_", "a Groq API key", r"[A-Za-z0-9]{40,80}"),
    _mark("xai-", "an xAI API key", r"[A-Za-z0-9]{60,100}"),
    _mark("r8_", "a Replicate token", r"[A-Za-z0-9]{37}"),
    _mark("hf_", "a Hugging Face token", r"[A-Za-z0-9]{30,60}"),
    _mark("npm_", "an npm token", r"[A-Za-z0-9]{36}"),
    _mark("pypi-", "a PyPI token", rf"{_BODY}{{50,400}}"),
    *_marks("dop_v1_ doo_v1_ dor_v1_", "a DigitalOcean token", r"[0-9a-f]{64}"),
    _mark("SG.", "a SendGrid key", rf"{_BODY}{{16,32}}\.{_BODY}{{16,64}}"),
    _mark("SK", "a Twilio key", r"[0-9a-f]{32}"),
    _mark("key-", "a Mailgun key", r"[0-9a-f]{32}"),
    *_marks("shpat_ shpss_ shpca_ shppa_", "a Shopify token", r"[0-9a-fA-F]{32}"),
    *_marks("sq0atp- sq0csp-", "a Square token", rf"{_BODY}{{22,43}}"),
    _mark("lin_api_", "a Linear API key", r"[A-Za-z0-9]{40}"),
    _mark("ntn_", "a Notion token", r"[A-Za-z0-9]{40,50}"),
    _mark("dapi", "a Databricks token", r"[0-9a-f]{32}"),
    *_marks("hvs. hvb. hvr.", "a Vault token", rf"{_BODY}{{24,300}}"),
    *_marks("dp.pt. dp.st. dp.ct.", "a Doppler token", r"[A-Za-z0-9.]{40,60}"),
    _mark(".atlasv1.", "a Terraform token", rf"{_BODY}{{60,80}}", before=r"[A-Za-z0-9]{14}"),
    *_marks("glsa_ glc_", "a Grafana token", r"[A-Za-z0-9_+/=]{32,200}"),
    _mark("NRAK-", "a New Relic key", r"[A-Z0-9]{27}"),
    _mark("dckr_pat_", "a Docker token", rf"{_BODY}{{27}}"),
    *_marks("sntrys_ sntryu_", "a Sentry token", r"[A-Za-z0-9_+/=]{40,250}"),
    _mark("PMAK-", "a Postman key", r"[0-9a-f]{24}-[0-9a-f]{34}"),
    _mark("sbp_", "a Supabase token", r"[0-9a-f]{40}"),
    _mark("HRKU-", "a Heroku key", rf"{_BODY}{{36,70}}"),
    _mark("ATATT3", "an Atlassian token", r"[A-Za-z0-9_=-]{60,250}"),
    _mark("fm2_", "a Fly.io token", r"[A-Za-z0-9+/=]{60,1000}"),
    _mark("AGE-SECRET-KEY-1", "a private key", r"[0-9A-Z]{58}"),
    _mark("AccountKey=", "an Azure storage key", r"[A-Za-z0-9+/]{80,90}={0,2}"),
    _mark("eyJ", "a JSON web token", rf"{_BODY}{{8,2000}}\.eyJ{_BODY}{{8,4000}}\.{_BODY}{{16,2000}}"),
    _mark("AKC", "an Artifactory token", r"[A-Za-z0-9]{60,80}"),
    _mark("-us", "a Mailchimp key", r"\d{1,2}", before=r"(?<![0-9a-f])[0-9a-f]{32}"),
    _mark(":AA", "a Telegram bot token", rf"{_BODY}{{33}}", before=r"(?<!\d)\d{8,10}"),
)
