"""Rows I3, A4, A5, A7 and A10: the header that holds the key, and everything that is none."""

from __future__ import annotations

import json

import pytest
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from accounts.models import ApiKey, User
from plugins.models import Plugin
from tests.security.sending import EASY, QUERY, WEATHER, ask, assert_refused, send

pytestmark = pytest.mark.django_db

# --- I3, A4, A5, A10: the header -------------------------------------------------------------------------------

HEADERS = st.one_of(
    st.text(alphabet=st.characters(min_codepoint=32, max_codepoint=255), max_size=200),
    st.from_regex(rb"(?i:bearer) [ -~]{0,80}", fullmatch=True).map(bytes.decode),
    st.from_regex(r"(Basic|Token|Digest|Bearer)[ \t]{0,3}[!-~]{0,60}", fullmatch=True),
    st.from_regex(r"Bearer lx_[A-Za-z0-9_-]{43}", fullmatch=True),
    st.from_regex(r"Bearer lx_[A-Za-z0-9_-]{43}[ ,;=\"'%\\]{1,5}", fullmatch=True),
)


@EASY
@given(header=HEADERS)
def test_i3_whatever_stands_in_the_header_is_401(named: Plugin, key: str, header: str) -> None:
    for scheme in (header, f"Bearer {header}"):
        response = Client().post(QUERY, "{}", content_type="application/json", HTTP_AUTHORIZATION=scheme)
        assert_refused(response, 401)
        assert response["WWW-Authenticate"].startswith("Bearer")


@pytest.mark.parametrize(
    "secret",
    [
        "' OR '1'='1",
        "lx_' OR key_hash IS NOT NULL --",
        "lx_" + "%" * 43,
        "lx_" + "_" * 43,
        "",
        "null",
        "None",
        "\\x00",
    ],
)
def test_i3_a7_neither_sql_nor_wildcards_nor_nothing_is_a_key(named: Plugin, key: str, secret: str) -> None:
    ApiKey.objects.create(owner=User.objects.get(), name="empty", key_hash="", prefix="")
    assert_refused(ask(secret), 401)


def test_a4_what_is_stored_or_shown_of_a_key_is_no_key(named: Plugin, key: str) -> None:
    row = ApiKey.objects.get()
    for known in (row.key_hash, row.key_encrypted, row.prefix, str(row.pk), row.pk.hex, f"lx_{row.key_hash[:43]}"):
        assert_refused(ask(known), 401)


@pytest.mark.parametrize("scheme", ["Bearer", "bearer", "BEARER"])
def test_the_scheme_is_read_in_any_case(published: Plugin, key: str, scheme: str) -> None:
    assert (
        send("", json.dumps({"plugin": "cover", "query": WEATHER}), HTTP_AUTHORIZATION=f"{scheme} {key}").status_code
        == 200
    )


def test_a5_a10_a_key_anywhere_but_in_its_header_opens_nothing(named: Plugin, key: str) -> None:
    body = json.dumps({"plugin": "cover", "query": WEATHER, "api_key": key, "key": key, "token": key})
    places: list[dict[str, str]] = [
        {"HTTP_X_API_KEY": key},
        {"HTTP_API_KEY": key},
        {"HTTP_X_AUTHORIZATION": f"Bearer {key}"},
        {"HTTP_PROXY_AUTHORIZATION": f"Bearer {key}"},
        {"HTTP_COOKIE": f"Authorization=Bearer {key}; api_key={key}; sessionid={key}"},
        {"HTTP_AUTHORIZATION": key},
        {"HTTP_AUTHORIZATION": f"Basic {key}"},
        {"HTTP_AUTHORIZATION": f"Bearer x, Bearer {key}"},
    ]
    for place in places:
        response = Client().post(QUERY, body, content_type="application/json", **place)
        assert_refused(response, 401)
    for query in (f"?api_key={key}", f"?key={key}", f"?access_token={key}", f"?Authorization=Bearer+{key}"):
        assert_refused(Client().post(QUERY + query, body, content_type="application/json"), 401)


def test_a_session_is_no_key(named: Plugin, alice: User) -> None:
    client = Client()
    client.force_login(alice)
    assert_refused(client.post(QUERY, "{}", content_type="application/json"), 401)


def test_who_may_not_ask_is_not_told_what_is_wrong_with_the_body(named: Plugin) -> None:
    for body in ("{", "[" * 100_000, "{}"):
        assert_refused(send("lx_wrong", body), 401)
