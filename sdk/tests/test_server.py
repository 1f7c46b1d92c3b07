"""Addresses and keys: what is refused before anything is sent, and that a key shows up nowhere."""

from __future__ import annotations

import contextlib
import logging
import pickle

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from made import ok
from scripted_server import KEY, Server

from lexic_sdk import AsyncLexic, ConfigurationError, Lexic, LexicError
from lexic_sdk.server import Key, make_base_url


@pytest.mark.parametrize(
    ("given", "used"),
    [
        ("https://lexic.example", "https://lexic.example"),
        ("https://lexic.example/", "https://lexic.example"),
        ("https://lexic.example/prefix/", "https://lexic.example/prefix"),
        (" https://lexic.example:8443 ", "https://lexic.example:8443"),
        ("http://localhost:8000", "http://localhost:8000"),
        ("http://127.0.0.1:8000/", "http://127.0.0.1:8000"),
        ("http://127.8.9.1", "http://127.8.9.1"),
        ("http://[::1]:8000", "http://[::1]:8000"),
        ("http://app.localhost", "http://app.localhost"),
        (None, "http://127.0.0.1:8000"),
    ],
)
def test_lx_097_the_base_url_is_optional_and_kept_without_its_last_slash(given: str | None, used: str):
    assert make_base_url(given) == used


@pytest.mark.parametrize(
    "url",
    [
        "http://lexic.example",
        "http://10.0.0.7:8000",
        "http://localhost.evil.example",
        "http://127.0.0.1.evil.example",
        "ftp://lexic.example",
        "lexic.example",
        "//lexic.example",
        "https://",
        "https://user:secret@lexic.example",
        "https://lexic.example?key=1",
        "https://lexic.example#x",
        "https://lexic.example:port",
        "file:///etc/passwd",
        "nonsense",
    ],
)
def test_an_address_that_would_give_the_key_away_or_is_none_is_refused(url: str):
    with pytest.raises(ConfigurationError) as raised:
        Lexic(KEY, base_url=url)
    assert "secret" not in str(raised.value)


def test_plain_http_is_taken_where_it_was_asked_for():
    with Lexic(KEY, base_url="http://lexic.internal", allow_http=True) as lexic:
        assert lexic.base_url == "http://lexic.internal"


@given(st.text(max_size=40))
def test_any_address_is_taken_or_refused(url: str):
    with contextlib.suppress(ConfigurationError):
        assert make_base_url(url).startswith(("http://", "https://"))


def test_key_and_address_come_from_the_environment(monkeypatch: pytest.MonkeyPatch, server: Server):
    monkeypatch.setenv("LEXIC_API_KEY", KEY)
    monkeypatch.setenv("LEXIC_BASE_URL", "https://lexic.example")
    with httpx.Client(transport=httpx.MockTransport(server.answers(ok()))) as http:
        Lexic(http_client=http).query("?", plugin="cover")
    assert server.requests[0].url == "https://lexic.example/api/v1/query"
    assert server.requests[0].headers["Authorization"] == f"Bearer {KEY}"


def test_no_key_is_said_at_once():
    with pytest.raises(ConfigurationError, match="no API key"):
        Lexic()
    with pytest.raises(ConfigurationError, match="no API key"):
        AsyncLexic("  ")


@pytest.mark.parametrize("key", [f"{KEY}\nX-Evil: 1", f"{KEY} {KEY}", f"{KEY}\x00", f"{KEY}é"])
def test_a_key_that_fits_no_header_is_refused_without_being_repeated(key: str):
    with pytest.raises(ConfigurationError) as raised:
        Lexic(key)
    assert KEY not in f"{raised.value!r} {raised.value}"


def test_a_line_end_around_a_key_is_no_part_of_it(server: Server):
    with httpx.Client(transport=httpx.MockTransport(server.answers(ok()))) as http:
        Lexic(f"{KEY}\n", http_client=http).query("?", plugin="cover")
    assert server.requests[0].headers["Authorization"] == f"Bearer {KEY}"


def test_the_key_is_in_no_repr(lexic: Lexic):
    assert repr(lexic) == "Lexic(base_url='http://127.0.0.1:8000', active_plugin='cover')"
    shown = f"{lexic!r} {lexic} {vars(lexic)} {Key(KEY)} {lexic._request('GET', '/')}"
    assert KEY not in shown
    with pytest.raises(TypeError):
        pickle.dumps(Key(KEY))


def test_the_key_is_in_no_log_and_no_error_even_where_the_server_repeats_it(
    lexic: Lexic, server: Server, caplog: pytest.LogCaptureFixture
):
    caplog.set_level(logging.DEBUG)
    echo = httpx.Response(503, json={"error": f"Wrong key {KEY}", "code": KEY, "hint": KEY})
    server.answers(echo)
    with pytest.raises(LexicError) as raised:
        lexic.query("?")
    error = raised.value
    assert KEY not in f"{error} {error!r} {vars(error)} {caplog.text}"
    assert error.message == "Wrong key ***"


def test_the_key_does_not_follow_a_redirect(lexic: Lexic, server: Server):
    server.answers(httpx.Response(307, headers={"Location": "https://evil.example/"}))
    with pytest.raises(LexicError, match="redirects"):
        lexic.query("?")
    assert len(server.requests) == 1


@pytest.mark.parametrize("settings", [{"timeout": 0}, {"timeout": -1}, {"max_retries": -1}])
def test_settings_that_make_no_sense_are_refused(settings: dict[str, float]):
    with pytest.raises(ConfigurationError):
        Lexic(KEY, **settings)  # type: ignore[arg-type]
