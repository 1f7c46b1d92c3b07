"""The command `lexic`, against a server that is a function."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest
from made import ANSWER, CLARIFY, DELTAS, DONE, encoded, error, ok, stream
from scripted_server import KEY, Server

from lexic_sdk import Lexic, command

REFUSED = {
    **ANSWER,
    "answer": "I don't have verified information.",
    "outcome": "refused",
    "citations": [],
    "why": ["Nothing matched."],
    "nearest": [{"document": "IS 456:2000", "section": "Table 16"}],
}
Run = Callable[..., int]


class Terminal(io.StringIO):
    """What a person types."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def lexic_command(server: Server, monkeypatch: pytest.MonkeyPatch) -> Iterator[Run]:
    monkeypatch.setenv("LEXIC_API_KEY", KEY)
    with httpx.Client(transport=httpx.MockTransport(server)) as http:

        def make(**given: Any) -> Lexic:
            return Lexic(http_client=http, max_retries=0, **given)

        monkeypatch.setattr(command, "Lexic", make)

        def run(*arguments: str, typed: str | None = None) -> int:
            monkeypatch.setattr(sys, "stdin", io.StringIO("") if typed is None else Terminal(typed))
            return command.main(arguments)

        yield run


def test_a_question_is_answered_with_its_sources(lexic_command: Run, server: Server, capsys: Any):
    server.answers(ok())
    assert lexic_command("ask", "cover", "Which", "cover?", "--fact", "exposure=severe", "--fact", "depth=45.5") == 0
    shown = capsys.readouterr()
    assert "The nominal cover is 45mm [Source 1]." in shown.out
    assert "[1] IS 456:2000, p. 47, Table 16, Clause 26.4.2: “Severe: 45 mm”" in shown.out
    assert shown.err == ""
    (body,) = server.bodies
    assert (body["plugin"], body["query"]) == ("cover", "Which cover?")
    assert body["facts"] == {"exposure": "severe", "depth": 45.5}


def test_json_is_what_the_server_sent(lexic_command: Run, server: Server, capsys: Any):
    server.answers(ok())
    assert lexic_command("ask", "cover", "Which?", "--json") == 0
    assert json.loads(capsys.readouterr().out) == ANSWER


def test_a_question_may_come_from_standard_input(lexic_command: Run, server: Server, monkeypatch: pytest.MonkeyPatch):
    server.answers(ok())
    monkeypatch.setattr(sys, "stdin", io.StringIO("Which cover?"))
    assert command.main(["ask", "cover", "-"]) == 0
    assert server.bodies[0]["query"] == "Which cover?"


def test_a_refusal_says_why_and_has_a_status_of_its_own(lexic_command: Run, server: Server, capsys: Any):
    server.answers(ok(REFUSED))
    assert lexic_command("ask", "cover", "Chess?") == command.REFUSED
    shown = capsys.readouterr().out
    for words in ("I don't have verified information.", "Nothing matched.", "- IS 456:2000, Table 16"):
        assert words in shown


def test_in_a_script_a_missing_fact_is_told(lexic_command: Run, server: Server, capsys: Any):
    server.answers(ok(CLARIFY))
    assert lexic_command("ask", "cover", "Which?") == command.FACT_MISSING
    shown = capsys.readouterr().out
    assert "How?" in shown
    assert "--fact exposure=…" in shown
    assert len(server.bodies) == 1


def test_a_person_is_asked_for_it(lexic_command: Run, server: Server, capsys: Any):
    server.answers(ok(CLARIFY), ok())
    assert lexic_command("ask", "cover", "Which?", typed="severe\n") == 0
    assert server.bodies[1]["followup"] == {"token": "t0ken", "answer": "severe"}
    shown = capsys.readouterr().out
    assert "How? (mild, severe)" in shown
    assert "45mm" in shown


def test_a_person_who_says_nothing_ends_it(lexic_command: Run, server: Server):
    server.answers(ok(CLARIFY))
    assert lexic_command("ask", "cover", "Which?", typed="\n") == command.FACT_MISSING


def test_a_chat_takes_along_what_was_said(lexic_command: Run, server: Server, capsys: Any):
    server.answers(stream(encoded(*DELTAS, DONE)), error(429, retry_after="3600"), stream(encoded(*DELTAS, DONE)))
    assert lexic_command("chat", "cover", typed="Which cover?\nAnd now?\nAnd a slab?\n\nnever asked\n") == 0
    first, _, last = server.bodies
    assert "context" not in first
    said = [("user", "Which cover?"), ("assistant", ANSWER["answer"])]
    assert [(turn["role"], turn["content"]) for turn in last["context"]] == said
    shown = capsys.readouterr()
    assert shown.out.count("[1] IS 456:2000") == 2
    assert "A sentence. Do this." in shown.err


def test_the_plugins_of_the_key_are_listed(lexic_command: Run, server: Server, capsys: Any):
    listed = [{"slug": "cover", "name": "Concrete cover"}, {"slug": "acoustics", "name": "Quiet rooms"}]
    server.answers(ok({"owner": "Alice", "capabilities": ["query"], "plugins": listed, "morePlugins": True}))
    assert lexic_command("plugins") == 0
    shown = capsys.readouterr()
    assert shown.out == "cover      Concrete cover\nacoustics  Quiet rooms\n"
    assert "more" in shown.err
    assert lexic_command("plugins", "--json") == 0
    assert [one["slug"] for one in json.loads(capsys.readouterr().out)] == ["cover", "acoustics"]


def test_what_a_terminal_would_obey_is_not_printed(lexic_command: Run, server: Server, capsys: Any):
    server.answers(ok({**ANSWER, "answer": "safe\x1b]0;title\x07\x1b[2J words"}))
    assert lexic_command("ask", "cover", "Which?") == 0
    shown = capsys.readouterr().out
    assert "\x1b" not in shown
    assert "\x07" not in shown


def test_an_error_is_one_sentence_and_holds_no_key(lexic_command: Run, server: Server, capsys: Any):
    server.answers(error(404))
    assert lexic_command("ask", "nothing", "Which?") == command.ERROR
    shown = capsys.readouterr()
    assert (shown.out, shown.err) == ("", "A sentence. Do this.\n")
    assert KEY not in shown.err


def test_without_a_key_it_says_what_to_set(capsys: Any):
    assert command.main(["plugins"]) == command.ERROR
    assert "LEXIC_API_KEY" in capsys.readouterr().err


@pytest.mark.parametrize(
    "wrong", [[], ["ask"], ["ask", "cover"], ["ask", "cover", "x", "--fact", "severe"], ["nothing"]]
)
def test_wrong_arguments_end_with_2(wrong: list[str], capsys: Any):
    with pytest.raises(SystemExit) as ended:
        command.main(wrong)
    assert ended.value.code == 2
    assert "usage: lexic" in capsys.readouterr().err
