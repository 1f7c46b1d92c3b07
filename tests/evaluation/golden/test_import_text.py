"""Golden questions from a table, from pasted lines and from lines of JSON, and what is said of wrong ones."""

from __future__ import annotations

import csv
import io
from contextlib import suppress

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evaluation.golden import import_text as importing
from evaluation.golden.import_text import MAX_PROBLEMS, WrongLines, import_text, text_of_upload
from evaluation.golden.question_table import write_table
from evaluation.models import GoldenQuestion
from knowledge.models import Document
from plugins.models import Plugin
from tests.cover import plugin

__all__ = ["plugin"]

pytestmark = pytest.mark.django_db
HEADER = "Question,Expectation,Must cite,Must contain,Tree end,Facts,Sample"


def problems(plugin: Plugin, text: str) -> list[str]:
    with pytest.raises(WrongLines) as caught:
        import_text(plugin, text)
    assert not plugin.golden_questions.exists()
    return caught.value.problems


def only_question(plugin: Plugin) -> GoldenQuestion:
    return plugin.golden_questions.get()


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_a_table_says_everything_about_a_question(plugin: Plugin, delimiter: str) -> None:
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter)
    writer.writerow(HEADER.split(","))
    cells = ["What cover?", "Answers", "Cover handbook|Cover handbook", "45 mm\nnominal", "cover in SEVERE exposure"]
    writer.writerow([*cells, "exposure = severe | depth = 2.5", "yes"])
    assert import_text(plugin, out.getvalue()).added == 1
    made = only_question(plugin)
    assert (made.expectation, made.is_public, made.must_reach) == ("answer", True, "cover_severe")
    assert made.must_cite == [["Cover handbook", None], ["Cover handbook", None]]
    assert (made.must_contain, made.facts) == (["45 mm", "nominal"], {"exposure": "severe", "depth": 2.5})


def test_columns_may_be_left_out_reordered_and_named_as_fields(plugin: Plugin) -> None:
    import_text(plugin, "must_contain;QUESTION\n45 mm;What cover?\n")
    assert (only_question(plugin).question, only_question(plugin).must_contain) == ("What cover?", ["45 mm"])


def test_lines_without_columns_are_questions(plugin: Plugin) -> None:
    assert import_text(plugin, "What, then, is cover?\n\n“Who” decides; when?\r\n").added == 2
    assert set(plugin.golden_questions.values_list("question", flat=True)) == {
        "What, then, is cover?",
        "“Who” decides; when?",
    }


@pytest.mark.parametrize(
    ("row", "sentence"),
    [
        ("What?,shrugs", "Expectation is “shrugs”. Write “answers”, “refuses” or “asks back”."),
        (",answers", "the question is empty. Write it in the column “Question”, or delete the line."),
        ("What?,,Cover handbok", "no document called “Cover handbok”. Did you mean “Cover handbook”?"),
        ("What?,,Zoo", "no document called “Zoo”. Write its title as the tab Knowledge shows it."),
        ('What?,,"Cover handbook, p. 3"', "“Cover handbook” has no pages; leave the page out."),
        ("What?,,,,cover in sever exposure", "Did you mean “Cover in severe exposure”?"),
        ("What?,,,,,exposure is severe", "Facts: “exposure is severe” cannot be read. Write “exposure = severe”."),
        ("What?,,,,,,perhaps", "Sample is “perhaps”. Write “yes” or “no”."),
        ("What?,refuses,Cover handbook", "Leave “Must cite” and “Must contain” empty."),
    ],
)
def test_a_wrong_cell_is_named_with_what_to_write_instead(plugin: Plugin, row: str, sentence: str) -> None:
    (problem,) = problems(plugin, f"{HEADER}\n\nGood?\n{row}\n")
    assert problem.startswith("Line 4: ")
    assert sentence in problem


def test_the_line_is_the_one_on_which_a_row_begins(plugin: Plugin) -> None:
    text = f'{HEADER}\n"What\ncover?",shrugs\nWhat?,shrugs\n'
    assert [problem.partition(":")[0] for problem in problems(plugin, text)] == ["Line 2", "Line 4"]


def test_all_wrong_lines_are_named_but_no_endless_list(plugin: Plugin) -> None:
    with pytest.raises(WrongLines) as caught:
        import_text(plugin, HEADER + "\n" + "What?,shrugs\n" * (MAX_PROBLEMS + 5))
    assert (len(caught.value.problems), caught.value.more) == (MAX_PROBLEMS, 5)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "Question,Colour\nWhat?,red",
            "there is no column “Colour”. The columns are: Question, Expectation, Must cite",
        ),
        ("What?\tanswers", "no column is called “Question”"),
        ('Question\n"What' + "?" * 200_000, "this cell has no end. Close its quotation mark."),
        ('Question\n"What' + "?" * 9_000, "close a quotation mark that is left open"),
        ("Question\n", "There is no question in it."),
        ("\n", "There is no question in it."),
    ],
)
def test_a_text_of_the_wrong_form_is_explained(plugin: Plugin, text: str, sentence: str) -> None:
    (problem,) = problems(plugin, text)
    assert sentence in problem


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        (r'{"question": "a\ud800"}', "Line 2: it has a null character or half a character, which no text can hold."),
        ('{"question": "a", "facts": {"x": NaN}}', "Line 2: NaN is no number that can be read."),
    ],
)
def test_lines_of_json_that_cannot_be_stored_are_named(plugin: Plugin, line: str, sentence: str) -> None:
    assert problems(plugin, '{"question": "Good?"}\n' + line) == [sentence]


def test_too_many_questions_are_refused(plugin: Plugin, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importing, "MAX_GOLDEN_ROWS", 2)
    assert problems(plugin, "a?\nb?\nc?") == ["There are more than 2 questions. Import them in several parts."]


def test_what_is_written_as_a_table_is_read_again(plugin: Plugin) -> None:
    Document.objects.filter(title="Cover handbook").update(page_count=5)
    GoldenQuestion.objects.create(
        plugin=plugin,
        question="=What “cover”, then?",
        expectation="clarify",
        must_cite=[["Cover handbook", 3], ["Cover handbook", None]],
        must_contain=["-5 mm", "a, b"],
        must_reach="cover_mild",
        facts={"exposure": "mild", "depth": 2},
        is_public=True,
    )
    assert import_text(plugin, write_table(plugin)).unchanged == 1


def test_a_spreadsheet_of_windows_is_read(plugin: Plugin) -> None:
    file = SimpleUploadedFile("fragen.csv", "Question;Expectation\r\nWie groß?;refuses\r\n".encode("cp1252"))
    import_text(plugin, text_of_upload(file))
    assert only_question(plugin).question == "Wie groß?"


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(text=st.text(alphabet="Question,;\t\n\"|={}[]p. 3'", max_size=80).filter(lambda text: "\x00" not in text))
def test_any_text_is_imported_or_refused(plugin: Plugin, text: str) -> None:
    plugin.golden_questions.all().delete()
    done = None
    with suppress(WrongLines):
        done = import_text(plugin, text)
    assert plugin.golden_questions.exists() == (done is not None)
