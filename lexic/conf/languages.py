"""The languages of the pages that visitors read, and which pages these are."""

from __future__ import annotations

ENGLISH = "en-gb"
# By Django's codes, each in its own words. The catalogues are in `locale/`; docs/languages.md says how to add one.
LANGUAGES = [
    (ENGLISH, "English"),
    ("de", "Deutsch"),
    ("es", "Español"),
    ("fr", "Français"),
    ("hi", "हिन्दी"),
    ("pt-br", "Português"),
    ("zh-hans", "简体中文"),
]
COOKIE_NAME = "lexic_language"
COOKIE_SECONDS = 365 * 24 * 60 * 60
# What programs read, and what experts build with, is English. Every other page is in the language of its reader.
_ENGLISH_PATHS = (
    "/admin/",
    "/api/",
    "/v1/",
    "/mcp",
    "/a2a/",
    "/scim/",
    "/oauth/",
    "/.well-known/",
    "/healthz",
    "/readyz",
    "/c/",
    "/chats",
    "/contracts/",
    "/knowledge",
    "/projects",
    "/settings",
    "/organisations",
    "/accounts/connections",
    "/accounts/data",
    "/invitations/",
    "/marketplace/releases.atom",
    "/llms.txt",
)
# Below an English path, and yet for visitors.
_VISITOR_PATHS = ("/organisations/sign-in",)


def is_translated(path: str) -> bool:
    """Whether the page at this path is shown in the language of its reader."""
    return path.startswith(_VISITOR_PATHS) or not path.startswith(_ENGLISH_PATHS)
