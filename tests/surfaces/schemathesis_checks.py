"""Loaded by schemathesis, in the place of its own check that what fits the document is accepted.

A document can say what a request looks like and not whether a cursor is known or a text worth keeping. Those
are refused with other codes; `bad-request` says that the request does not look as it should.
"""

from __future__ import annotations

from typing import Any

import schemathesis


@schemathesis.check
def what_fits_the_document_is_understood(
    ctx: schemathesis.CheckContext, response: schemathesis.Response, case: schemathesis.Case[Any]
) -> None:
    if case.meta is not None and case.meta.generation.mode.is_positive and response.status_code == 400:
        assert response.json()["code"] != "bad-request", response.text


@schemathesis.check
def an_error_is_a_sentence_and_a_code(
    ctx: schemathesis.CheckContext, response: schemathesis.Response, case: schemathesis.Case[Any]
) -> None:
    if response.status_code >= 400 and not case.path.startswith("/healthz"):
        assert set(response.json()) == {"error", "code"}, response.text
