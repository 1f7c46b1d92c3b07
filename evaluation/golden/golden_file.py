"""Golden questions as lines of JSON: to keep them beside the documents, and to carry them to another plugin."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import UploadedFile
from django.db import transaction

from evaluation.golden.expectation_text import MAX_PHRASE_LENGTH
from evaluation.models import GoldenQuestion
from knowledge.models import Document
from lexic.errors import InvalidInput
from lexic.http.error_handlers import PayloadTooLarge
from lexic.http.strict_json import InvalidJson, UnstorableText, check_json, parse_json
from plugins.models import Plugin

MAX_GOLDEN_ROWS = 5000
MAX_GOLDEN_FILE_BYTES = 5_000_000
_GOLDEN_FIELDS = ("question", "expectation", "facts", "must_cite", "must_contain", "must_reach", "is_public")


class InvalidGoldenFile(InvalidInput):
    """These are no golden questions."""

    code = "not_golden_questions"
    hint = "Write one JSON object on each line, with `question` and what must come out, as the export writes it."


class InvalidGoldenRow(Exception):
    """What is wrong with one golden question, as the sentence that follows its line number."""


class GoldenFileTooLarge(PayloadTooLarge):
    """The file is larger than 5 MB."""

    hint = "Split it into several files."


class NotUtf8Text(InvalidInput):
    """The file is not text in UTF-8."""

    code = "not_text"


@dataclass(frozen=True, kw_only=True)
class GoldenImportResult:
    added: int
    changed: int
    unchanged: int


def document_page_counts(plugin: Plugin) -> dict[str, int]:
    """The documents that the plugin reads, with the number of their pages; 0 where the source has none."""
    read = Document.objects.of_plugin(plugin)
    return {title: pages or 0 for title, pages in read.values_list("title", "page_count")}


def export_golden_questions(plugin: Plugin) -> Iterator[str]:
    """A line of JSON for each golden question, in the order in which they were made."""
    for golden in plugin.golden_questions.order_by("pk"):
        row = {name: getattr(golden, name) for name in _GOLDEN_FIELDS}
        yield json.dumps({name: value for name, value in row.items() if value}, ensure_ascii=False)


def import_golden_questions(plugin: Plugin, *, lines: Iterable[str]) -> GoldenImportResult:
    """Take golden questions in; all, or none where one is wrong. Doing it twice adds nothing: a question that is
    there already with the same facts is brought up to date. Raises `InvalidGoldenFile`, which names the line."""
    rows = [_row_of_line(number, line) for number, line in enumerate(lines, start=1) if line.strip()]
    if len(rows) > MAX_GOLDEN_ROWS:
        raise InvalidGoldenFile(f"The file has more than {MAX_GOLDEN_ROWS} golden questions.")
    return save_golden_rows(plugin, rows)


def save_golden_rows(plugin: Plugin, rows: Sequence[dict[str, Any]]) -> GoldenImportResult:
    """Adds golden questions, each as `validated_row` gives it; one that is there already is brought up to date."""
    with transaction.atomic():
        done = [_upsert_question(plugin, row) for row in rows]
    return GoldenImportResult(
        added=done.count("added"), changed=done.count("changed"), unchanged=done.count("unchanged")
    )


def import_golden_file(plugin: Plugin, file: UploadedFile) -> GoldenImportResult:
    """`import_golden_questions` for an uploaded file.

    Raises `GoldenFileTooLarge`, `NotUtf8Text` and `InvalidGoldenFile`.
    """
    if (file.size or 0) > MAX_GOLDEN_FILE_BYTES:
        raise GoldenFileTooLarge
    try:
        text = file.read().decode("utf-8-sig")
    except UnicodeDecodeError:
        raise NotUtf8Text from None
    return import_golden_questions(plugin, lines=text.split("\n"))


def _upsert_question(plugin: Plugin, row: dict[str, Any]) -> str:
    known = plugin.golden_questions.filter(question=row["question"], facts=row["facts"]).first()
    if known is None:
        plugin.golden_questions.create(**row)
        return "added"
    return "changed" if known.update(row) else "unchanged"


def parse_json_line(line: str) -> dict[str, Any]:
    """One golden question of a line of JSON, complete. Raises `InvalidGoldenRow`."""
    try:
        given = parse_json(line.encode(errors="surrogatepass"))
    except InvalidJson as error:
        raise InvalidGoldenRow("this is not JSON.") from error
    try:
        check_json(given)
    except UnstorableText as error:
        raise InvalidGoldenRow("it has a null character or half a character, which no text can hold.") from error
    except InvalidJson as error:
        raise InvalidGoldenRow(error.message) from error
    return validated_row(given)


def validated_row(given: Any) -> dict[str, Any]:
    """The columns of a golden question, with defaults for those that are left out. Raises `InvalidGoldenRow`."""
    if problem := _row_error(given):
        raise InvalidGoldenRow(problem)
    empty = {"expectation": "answer", "facts": {}, "must_cite": [], "must_contain": [], "must_reach": ""}
    row = {**empty, "is_public": False, **given}
    row["must_cite"] = [[*place, None][:2] for place in row["must_cite"]]
    try:
        GoldenQuestion(**row).clean_fields(exclude=["plugin"])
    except ValidationError as error:
        raise InvalidGoldenRow(" ".join(error.messages)) from error
    return row


def _row_of_line(number: int, line: str) -> dict[str, Any]:
    try:
        return parse_json_line(line)
    except InvalidGoldenRow as error:
        raise InvalidGoldenFile(f"Line {number}: {error}") from error


def _row_error(given: Any) -> str:
    if not isinstance(given, Mapping) or not isinstance(given.get("question"), str):
        return "it needs a `question`."
    if unknown := sorted(given.keys() - set(_GOLDEN_FIELDS)):
        return f"`{unknown[0]}` is unknown."
    if not isinstance(given.get("facts", {}), Mapping):
        return "`facts` is an object."
    if not isinstance(given.get("must_reach", ""), str):
        return "`must_reach` is the id of a node."
    if not isinstance(given.get("is_public", False), bool):
        return "`is_public` is true or false."
    if has_null_character(given):
        return "it has a null character."
    places = given.get("must_cite", [])
    if not isinstance(places, list) or not all(map(_is_valid_place, places)):
        return "`must_cite` is a list of [document title, page]; the page may be null."
    phrases = given.get("must_contain", [])
    if not isinstance(phrases, list) or not all(
        isinstance(one, str) and len(one) <= MAX_PHRASE_LENGTH for one in phrases
    ):
        return f"`must_contain` is a list of phrases of at most {MAX_PHRASE_LENGTH} characters."
    return ""


def _is_valid_place(place: Any) -> bool:
    if not isinstance(place, list) or not 1 <= len(place) <= 2 or not isinstance(place[0], str):
        return False
    page = place[1] if len(place) == 2 else None
    return page is None or (isinstance(page, int) and not isinstance(page, bool) and page > 0)


def has_null_character(value: Any) -> bool:
    """Anywhere in it: the database stores none."""
    if isinstance(value, Mapping):
        return any(map(has_null_character, [*value, *value.values()]))
    if isinstance(value, list):
        return any(map(has_null_character, value))
    return isinstance(value, str) and "\x00" in value
