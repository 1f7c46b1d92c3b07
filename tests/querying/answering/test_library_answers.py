"""What is answered from the library of a codebase: which lines of which file, and what imports what."""

from __future__ import annotations

import hashlib
import math
import re
from pathlib import Path
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.core.management import call_command
from django.core.management.base import CommandError
from django.test import Client
from django.urls import reverse

from accounts.models import User
from knowledge.models import Document, Page
from knowledge.plugin_knowledge_base import own_knowledge_base
from knowledge.sync.runner import get_or_create_source, run_sync
from plugins.library_plugin import create_library_plugin
from plugins.models import Plugin
from querying import pipeline, releases
from querying.json_format import answer_as_json
from querying.models import Query
from querying.question import caller_access
from querying.types.answer import Answer, Outcome
from querying.types.events import Done
from querying.types.question import Caller, Question, Turn
from querying.types.refusals import LIBRARY_REFUSAL
from tests.knowledge.sync.library_commands import write_file

pytestmark = pytest.mark.django_db

COMMIT = "b" * 40
TOKENS = '''"""Refresh tokens are rotated at every use: the old token is revoked when the new one is issued."""

from auth.clock import now


def rotate_refresh_token(token: str) -> str:
    """Revoke the refresh token and issue a new one in its place."""
    return token[::-1]
'''
DESIGNS = {
    "src/auth/tokens.py": ("Refresh tokens are rotated at every use.", ["src/auth/clock.py"]),
    "src/auth/login.py": ("People sign in with a password and a second step.", ["src/auth/tokens.py"]),
    "src/auth/api.py": ("The endpoints of signing in.", ["src/auth/tokens.py", "src/auth/login.py"]),
    "src/auth/clock.py": ("The time of day, as tests can set it.", []),
}


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "shop"
    write_file(root, ".git/HEAD", f"{COMMIT}\n")
    for path, (description, dependencies) in DESIGNS.items():
        write_file(root, path, TOKENS if path.endswith("tokens.py") else f'"""{description}"""\n')
        write_design(root, path, description, dependencies)
    return root


@pytest.fixture
def plugin(alice: User, repository: Path) -> Plugin:
    plugin = create_library_plugin(slug="shop-code", name="shop", owner=alice)
    sync(plugin, repository)
    return plugin


def write_design(root: Path, path: str, description: str, dependencies: list[str], *, source_hash: str = "") -> None:
    listed = "\n".join(f"- {one}" for one in dependencies) or "- (none)"
    known = source_hash or hashlib.sha256((root / path).read_bytes()).hexdigest()
    write_file(
        root,
        f".lexibrary/{path}.md",
        f'---\ndescription: "{description}"\nupdated_by: archivist\n---\n\n# {path}\n\n## Dependencies\n\n{listed}\n\n'
        f"<!-- lexibrarian:meta\nsource: {path}\nsource_hash: {known}\n-->\n",
    )


def sync(plugin: Plugin, repository: Path, **options: bool) -> None:
    base = own_knowledge_base(plugin)
    base.refresh_from_db()
    run_sync(get_or_create_source(base, repository, **options))


def asked(plugin: Plugin, text: str, *, context: tuple[Turn, ...] = (), **caller: Any) -> tuple[Answer, Question]:
    caller = {"name": "alice", "user_id": plugin.owner_id, **caller}
    question = Question(text=text, release=releases.snapshot(plugin), caller=Caller(**caller), context=context)
    done = async_to_sync(pipeline.answer)(question)
    assert isinstance(done, Done)
    return done.answer, question


def test_a_citation_names_the_lines_of_the_file_with_its_hash_and_commit(plugin: Plugin, repository: Path) -> None:
    answer, question = asked(plugin, "How are refresh tokens rotated?")
    shown = answer_as_json(answer, question=question)["citations"]
    assert {one["path"] for one in shown} & {"src/auth/tokens.py", ".lexibrary/src/auth/tokens.py.md"}
    for one in shown:
        data = (repository / one["path"]).read_bytes()
        assert one["fileHash"] == hashlib.sha256(data).hexdigest()
        assert one["commit"] == COMMIT
        lines = data.decode().split("\n")[one["startLine"] - 1 : one["endLine"]]
        assert one["excerpt"] in "\n".join(lines)
        assert one["excerpt"].startswith(lines[0].strip()[:3]) or lines[0].find(one["excerpt"][:3]) >= 0


def test_what_the_library_does_not_hold_is_refused_with_the_nearest_files(plugin: Plugin) -> None:
    answer, question = asked(plugin, "Which bank pays the salary of the people who sign in?")
    assert (answer.outcome, answer.text) == (Outcome.REFUSED, LIBRARY_REFUSAL)
    assert "professional" not in answer.text
    nearest = answer_as_json(answer, question=question)["nearest"]
    assert nearest
    assert all(one["path"] and one["startLine"] and one["fileHash"] for one in nearest)


def test_a_misspelt_word_is_put_right_for_those_alone_who_may_read_it(plugin: Plugin, bob: User) -> None:
    misspelt, said = "How are refersh tokens rotated?", "Searched for “refresh” as well as “refersh”."
    answer, _ = asked(plugin, misspelt)
    assert answer.outcome == Outcome.ANSWERED
    assert answer.text.endswith(said)
    refused, _ = asked(plugin, misspelt, name="bob", user_id=bob.pk)
    assert refused.outcome == Outcome.REFUSED
    assert "refresh" not in f"{refused.text} {refused.why}"


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("What imports src/auth/tokens.py?", ["src/auth/api.py", "src/auth/login.py"]),
        ("Which files import tokens.py?", ["src/auth/api.py", "src/auth/login.py"]),
        ("Which modules depend on auth.tokens?", ["src/auth/api.py", "src/auth/login.py"]),
        ("What imports rotate_refresh_token?", ["src/auth/api.py", "src/auth/login.py"]),
        ("What does src/auth/api.py import?", ["src/auth/tokens.py", "src/auth/login.py"]),
        ("What are the dependencies of login.py?", ["src/auth/tokens.py"]),
    ],
)
def test_imports_are_listed_out_of_the_metadata(plugin: Plugin, text: str, paths: list[str]) -> None:
    answer, _ = asked(plugin, text)
    listed = [line.removeprefix("- ").partition(" [")[0] for line in answer.text.splitlines() if line.startswith("- ")]
    assert listed == paths
    for citation in answer.citations:
        page = Page.objects.get(pk=citation.passage.page_id)
        assert page.text[citation.start : citation.end] == citation.excerpt
        place = citation.file_place
        assert place is not None
        assert page.text.split("\n")[place.start_line - 1] == f"- {citation.excerpt}"


def test_it_is_the_file_of_the_turn_before(plugin: Plugin) -> None:
    before = (Turn(role="user", content="How are refresh tokens rotated?"), Turn(role="assistant", content="At use."))
    answer, _ = asked(plugin, "What imports it?", context=before)
    assert answer.text.startswith("2 files import src/auth/tokens.py:")


def test_a_file_that_nothing_imports_is_said_to_be_one(plugin: Plugin) -> None:
    answer, _ = asked(plugin, "What imports src/auth/api.py?")
    assert (answer.outcome, answer.why) == (Outcome.REFUSED, ("No file of the library imports src/auth/api.py.",))


def test_a_stale_design_file_says_so_in_the_answer(plugin: Plugin, repository: Path) -> None:
    (repository / "src/auth/login.py").write_text("NEW = 1\n")
    sync(plugin, repository)
    answer, _ = asked(plugin, "How do people sign in, with a password and a second step?")
    assert answer.citations[0].passage.path == ".lexibrary/src/auth/login.py.md"
    assert "Note: what is quoted here is older than the file that it describes [Source 1]." in answer.text


def test_a_deprecated_concept_is_quoted_only_where_it_is_asked_for(plugin: Plugin, repository: Path) -> None:
    write_file(
        repository,
        ".lexibrary/concepts/Sessions.md",
        "---\ntitle: Sessions\nstatus: deprecated\n---\n\n## Summary\n\nA session cookie lives for thirty days.\n",
    )
    sync(plugin, repository)
    answer, _ = asked(plugin, "How long does a deprecated session cookie live?")
    assert "no longer in force" in answer.text
    write_file(
        repository,
        ".lexibrary/concepts/Cookies.md",
        "---\ntitle: Cookies\nstatus: active\n---\n\n## Summary\n\nA session cookie lives for two days.\n",
    )
    sync(plugin, repository)
    answer, _ = asked(plugin, "How long does a session cookie live?")
    titles = [one.passage.document_title for one in answer.citations]
    assert titles[0] == "Cookies"
    assert "Sessions" not in titles


def test_strangers_and_the_public_are_told_nothing_until_it_is_synced_as_public(
    plugin: Plugin, repository: Path, charlie: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also by a search that nothing has stopped before: who may ask at all is for other tests."""
    monkeypatch.setattr(caller_access, "CHECK_SECONDS", math.inf)
    text = "How are refresh tokens rotated?"
    for caller in ({"user_id": charlie.pk}, {"user_id": None, "is_public_caller": True}):
        answer, _ = asked(plugin, text, **caller)
        assert (answer.citations, answer.nearest) == ((), ())
        assert not asked(plugin, "What imports src/auth/tokens.py?", **caller)[0].citations
    sync(plugin, repository, is_public=True)
    for caller in ({"user_id": charlie.pk}, {"user_id": None, "is_public_caller": True}):
        assert asked(plugin, text, **caller)[0].citations
    assert Document.objects.filter(is_public=False).count() == 0


def test_in_a_terminal_a_citation_names_path_and_line(plugin: Plugin, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("ask", plugin.slug, "How are refresh tokens rotated?")
    assert re.search(r"\[src_1\] (?:\.lexibrary/)?src/auth/tokens\.py(?:\.md)?:\d+", capsys.readouterr().out)


@pytest.mark.parametrize("nothing", ["", "  "])
def test_a_terminal_asks_nothing_without_words(plugin: Plugin, nothing: str) -> None:
    with pytest.raises(CommandError, match="Write a question first"):
        call_command("ask", plugin.slug, nothing)
    assert not Query.objects.exists()


def test_the_page_of_a_cited_file_has_the_numbers_of_its_lines(plugin: Plugin, alice: User, client: Client) -> None:
    page = Page.objects.get(repository_path="src/auth/tokens.py")
    client.force_login(alice)
    shown = client.get(reverse("source", args=[page.pk]), {"start": 4, "end": 30}).content.decode()
    numbers = "\n".join(str(number) for number in range(1, len(TOKENS.splitlines()) + 1))
    assert f'aria-hidden="true">{numbers}</div>' in shown
    assert "src/auth/tokens.py, line 1<" in shown
