"""The sites through which people may sign in, as the operator has registered them."""

from __future__ import annotations

from typing import Any

from environs import Env

# Part of the address that the provider sends people back to: /accounts/oidc/sso/login/callback/.
OIDC_PROVIDER_ID = "sso"


def read_social_providers(env: Env) -> dict[str, Any]:
    """`SOCIALACCOUNT_PROVIDERS` from the environment. One that is not set is not there, and has no button.

    Raises what `env` raises, naming the variable, where only half of a provider is set.
    """
    found: dict[str, Any] = {}
    if app := read_google_app(env):
        found["google"] = {
            "APPS": [app],
            "SCOPE": ["profile", "email"],
            "AUTH_PARAMS": {"access_type": "online"},
            "OAUTH_PKCE_ENABLED": True,
        }
    if app := _oauth_app(env, "LEXIC_GITHUB_CLIENT_ID", "LEXIC_GITHUB_CLIENT_SECRET"):
        found["github"] = {"APPS": [app], "SCOPE": ["user:email"], "OAUTH_PKCE_ENABLED": True}
    if app := _oauth_app(env, "LEXIC_OIDC_CLIENT_ID", "LEXIC_OIDC_CLIENT_SECRET"):
        app |= {
            "provider_id": OIDC_PROVIDER_ID,
            "name": env.str("LEXIC_OIDC_NAME", "your organisation"),
            "settings": {"server_url": env.str("LEXIC_OIDC_URL")},
        }
        found["openid_connect"] = {"APPS": [app], "OAUTH_PKCE_ENABLED": True}
    return found


def read_google_app(env: Env) -> dict[str, Any] | None:
    """The client that this site is to Google, for signing in and for Google Drive: by our names, or by those that other
    programs use. Raises what `env` raises, naming the variable, where only half of it is set."""
    return _oauth_app(env, "LEXIC_GOOGLE_CLIENT_ID", "LEXIC_GOOGLE_CLIENT_SECRET") or _oauth_app(
        env, "GOOGLE_CLIENT_ID", "GOOGLE_CLIENT_SECRET"
    )


def read_google_drive(env: Env) -> dict[str, str]:
    """Google's addresses and this site's client there, whose `client_id` and `secret` are empty where it has none."""
    app = read_google_app(env) or {"client_id": "", "secret": ""}
    return {
        "client_id": app["client_id"],
        "secret": app["secret"],
        "authorize_url": "https://accounts.google.com/o/oauth2/v2/auth",
        "token_url": "https://oauth2.googleapis.com/token",
        "revoke_url": "https://oauth2.googleapis.com/revoke",
        "drive_url": "https://www.googleapis.com/drive/v3",
    }


def social_account_name(account: Any) -> str:
    """How a connected account is called, whether or not its provider is still set up: by an address, or its id."""
    said = account.extra_data
    said = said.get("userinfo") or said.get("id_token") or said
    return str(said.get("email") or said.get("login") or account.uid)


def _oauth_app(env: Env, *names: str) -> dict[str, Any] | None:
    if not any(env.str(name, "") for name in names):
        return None
    # Asked for without a default: the one that is missing is named.
    client_id, secret = (env.str(name) for name in names)
    return {"client_id": client_id, "secret": secret, "key": ""}
