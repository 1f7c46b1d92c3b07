from __future__ import annotations

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from accounts.models import User
from evaluation.golden.golden_file import InvalidGoldenFile, export_golden_questions, import_golden_questions
from evaluation.models import GoldenQuestion
from plugins.models import Plugin

pytestmark = pytest.mark.django_db

ROW = {
    "question": "What cover?",
    "facts": {"exposure": "severe"},
    "must_cite": [["Cover handbook", 2]],
    "must_contain": ["45 mm"],
    "must_reach": "cover_severe",
}
REFUSE = {"question": "Who won?", "expectation": "refuse"}


@pytest.fixture
def plugin(alice: User) -> Plugin:
    return Plugin.objects.create(owner=alice, name="Cover", slug="cover", domain="x", system_prompt="You answer.")


def lines(*rows: Any) -> list[str]:
    return [json.dumps(row) for row in rows]


def test_what_is_exported_can_be_imported_elsewhere(plugin: Plugin, alice: User):
    import_golden_questions(plugin, lines=lines(ROW, REFUSE))
    other = Plugin.objects.create(owner=alice, name="Other", domain="x", system_prompt="You answer.")
    assert import_golden_questions(other, lines=export_golden_questions(plugin)).added == 2
    assert list(export_golden_questions(other)) == list(export_golden_questions(plugin))


def test_importing_twice_adds_nothing_and_brings_up_to_date(plugin: Plugin):
    import_golden_questions(plugin, lines=lines(ROW, REFUSE))
    GoldenQuestion.objects.update(last_passed=True)
    done = import_golden_questions(plugin, lines=lines({**ROW, "must_contain": ["50 mm"]}, REFUSE))
    assert (done.added, done.changed, done.unchanged) == (0, 1, 1)
    changed, same = plugin.golden_questions.order_by("pk")
    assert (changed.must_contain, changed.last_passed, same.last_passed) == (["50 mm"], None, True)


@pytest.mark.parametrize(
    "wrong",
    [
        "{",
        "[]",
        json.dumps({"expectation": "answer"}),
        json.dumps({**ROW, "expectation": "shrug"}),
        json.dumps({**ROW, "page": 3}),
        json.dumps({**ROW, "facts": []}),
        json.dumps({**ROW, "must_cite": [["Handbook", 0]]}),
        json.dumps({**ROW, "must_cite": "Handbook"}),
        json.dumps({**ROW, "must_contain": "45 mm"}),
        json.dumps({**ROW, "must_reach": "x" * 121}),
        json.dumps({**ROW, "must_reach": None}),
        json.dumps({**ROW, "question": "a\x00b"}),
        json.dumps({**ROW, "question": "a\ud800"}),
        json.dumps({**ROW, "facts": {"\udfff": "severe"}}),
        json.dumps({**ROW, "facts": {"depth": float("nan")}}),
        json.dumps({**ROW, "facts": {"depth": float("-inf")}}),
        '{"question": "?", "facts": {"depth": 1e999}}',
        '{"question": "\ud800"}',
    ],
)
def test_one_wrong_line_is_named_and_nothing_is_taken(plugin: Plugin, wrong: str):
    with pytest.raises(InvalidGoldenFile, match="Line 3"):
        import_golden_questions(plugin, lines=[*lines(REFUSE), "", wrong])
    assert not plugin.golden_questions.exists()


TEXT = st.text(st.characters(), max_size=8)  # with halves of characters
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXT,
    lambda one: st.lists(one) | st.dictionaries(TEXT, one),
    max_leaves=4,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=80)
@given(
    given_row=st.fixed_dictionaries({}, optional=dict.fromkeys((*ROW, "expectation"), JSON | st.sampled_from(["x"])))
)
def test_any_json_is_taken_or_refused(plugin: Plugin, given_row: dict[str, Any]):
    try:
        import_golden_questions(plugin, lines=lines(given_row))
    except InvalidGoldenFile:
        return
    assert plugin.golden_questions.filter(question=given_row["question"]).exists()


def test_the_command_writes_and_reads_a_file(plugin: Plugin, tmp_path: Path):
    import_golden_questions(plugin, lines=lines(ROW, REFUSE))
    out = StringIO()
    call_command("golden", "export", "cover", stdout=out)
    file = tmp_path / "golden.jsonl"
    file.write_text(out.getvalue())
    plugin.golden_questions.all().delete()
    out = StringIO()
    call_command("golden", "import", "cover", str(file), "--json", stdout=out)
    assert json.loads(out.getvalue()) == {"added": 2, "changed": 0, "unchanged": 0}


def test_the_command_reads_a_file_that_begins_as_windows_begins_it(
    plugin: Plugin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    text = "\ufeff" + "\r\n".join(lines(ROW, REFUSE))
    (tmp_path / "golden.jsonl").write_text(text)
    call_command("golden", "import", "cover", str(tmp_path / "golden.jsonl"), stdout=StringIO())
    assert plugin.golden_questions.count() == 2
    monkeypatch.setattr("sys.stdin", StringIO(text))
    out = StringIO()
    call_command("golden", "import", "cover", "--json", stdout=out)
    assert json.loads(out.getvalue()) == {"added": 0, "changed": 0, "unchanged": 2}


def test_the_command_says_what_is_wrong(plugin: Plugin, tmp_path: Path):
    (tmp_path / "bad.jsonl").write_text("{")
    for arguments, reason in (
        (["export", "nowhere"], "no plugin called 'nowhere'"),
        (["import", "cover", str(tmp_path / "none.jsonl")], "cannot be read"),
        (["import", "cover", str(tmp_path / "bad.jsonl")], "Line 1: this is not JSON"),
    ):
        with pytest.raises(CommandError, match=reason):
            call_command("golden", *arguments, stdout=StringIO())
