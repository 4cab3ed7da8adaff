"""What clients look up before they log in, and what they are told who show nothing, or a wrong thing."""

from __future__ import annotations

import pytest

from tests.access.team import TeamServed
from tests.oauth.program import Program


def test_a_client_finds_from_any_refusal_where_to_log_in(team: TeamServed) -> None:
    for path, metadata in (
        ("/mcp", "/.well-known/oauth-protected-resource/mcp"),
        ("/mcp/vault", "/.well-known/oauth-protected-resource/mcp/vault"),
        ("/w/main/mcp", "/.well-known/oauth-protected-resource/w/main/mcp"),
        ("/recent", "/.well-known/oauth-protected-resource"),
    ):
        refused = team.ask("GET", path)
        assert refused.status_code == 401
        challenge = refused.headers["WWW-Authenticate"]
        assert f'resource_metadata="{team.url}{metadata}"' in challenge
        assert 'scope="remember recall modify forget recover documents"' in challenge
        assert "error=" not in challenge
        found = team.ask("GET", metadata).json()
        whole = metadata == "/.well-known/oauth-protected-resource"
        assert found["resource"] == team.url + ("" if whole else path)
        assert found["authorization_servers"] == [team.url]
        assert found["bearer_methods_supported"] == ["header"]
    assert 'error="invalid_token"' in team.ask("GET", "/mcp", "hx_at_x").headers["WWW-Authenticate"]


@pytest.mark.parametrize("path", ["nowhere", "mcp//x", "w/main/stats", "mcp/%2e%2e/x"])
def test_nothing_else_is_said_to_be_protected_by_itself(path: str, team: TeamServed) -> None:
    assert team.ask("GET", f"/.well-known/oauth-protected-resource/{path}").status_code == 404


def test_the_authorization_server_says_what_it_can_under_both_names(team: TeamServed) -> None:
    found = team.ask("GET", "/.well-known/oauth-authorization-server").json()
    assert found == team.ask("GET", "/.well-known/openid-configuration").json()
    assert found["issuer"] == team.url
    assert found["code_challenge_methods_supported"] == ["S256"]
    assert found["authorization_response_iss_parameter_supported"] is True
    assert found["client_id_metadata_document_supported"] is True
    assert "registration_endpoint" not in found
    assert team.ask("POST", "/auth/register", json={}).status_code in (401, 404)
    for name in (
        "authorization_endpoint",
        "token_endpoint",
        "revocation_endpoint",
        "device_authorization_endpoint",
    ):
        assert found[name].startswith(f"{team.url}/auth/")


def test_a_program_waits_for_a_person(program: Program) -> None:
    asked = program.ask({"client_id": "helix-cli"}, "/auth/device/code").json()
    assert asked["verification_uri"] == f"{program.team.url}/auth/device"
    polled = program.ask(
        {
            "device_code": asked["device_code"],
            "client_id": "helix-cli",
            "grant_type": "urn:ietf:params:oauth:grant-type:device_code",
        }
    )
    assert (polled.status_code, polled.json()["error"]) == (400, "authorization_pending")
