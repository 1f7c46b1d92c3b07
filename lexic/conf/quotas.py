"""The quotas of an account, a visitor, a plugin and this site. 0 means no limit."""

from __future__ import annotations

from environs import Env, validate

DEFAULT_QUOTAS = {
    "account_storage_mb": 10_240,
    "account_documents": 50_000,
    "account_plugins": 200,
    "account_projects": 200,
    "account_organisations": 20,
    "account_conversations": 2000,
    "account_runs": 3,
    "account_reviews": 2000,
    "account_unfinished_reviews": 5,
    "account_copies": 50,
    "account_keys": 20,
    "account_reads": 0,
    "account_streams": 20,
    "account_followers": 20,
    "visitor_streams": 4,
    "plugin_people": 50,
    "project_people": 50,
    "organisation_people": 500,
    "plugin_webhooks": 10,
    "site_storage_mb": 0,
    "site_documents": 0,
    "site_plugins": 0,
    "site_reads": 0,
    "site_streams": 500,
    "site_followers": 500,
}


def read_quotas(env: Env) -> dict[str, int]:
    """The quota of each name from its variable, such as LEXIC_ACCOUNT_PLUGINS."""
    return {
        name: env.int(f"LEXIC_{name.upper()}", default, validate=validate.Range(min=0))
        for name, default in DEFAULT_QUOTAS.items()
    }
