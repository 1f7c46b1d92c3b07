"""A folder of real questions, read: `questions.jsonl` over `documents/` or over the rows of `corpus.jsonl`."""

from __future__ import annotations

import csv
import hashlib
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluation.eval_types import EvalDataset, EvalQuestion, GoldPlace
from knowledge.documents.bulk_import import NewText
from lexic.errors import InvalidInput
from querying.types.question import Turn

DatasetRow = Mapping[str, Any]
# What other sets call the roles of a conversation.
_ROLE_ALIASES = {"agent": "assistant"}
# Names of metadata and filters as the sets have them, and as documents and `Filters` have them.
_METADATA_ALIASES = {"date": "doc_date"}
_FILTER_ALIASES = {"tags": "tags_all"}
_CHECKLIST_FIELDS = ("hypothesis", "category")


class InvalidDataset(InvalidInput):
    """The folder is not a data set."""

    code = "not_a_data_set"
    hint = "It holds questions.jsonl, and documents/ or corpus.jsonl."


@dataclass(frozen=True, kw_only=True)
class _DatasetContext:
    """What helps to read questions: who belongs to whom, and which judgements there are."""

    members: Mapping[str, tuple[str, ...]]  # rows of the corpus by the document they are from
    parent: Mapping[str, str]
    grades: Mapping[str, Mapping[str, int]]  # by question, then document
    in_named_document: bool


def read_dataset(folder: Path, *, split: str | None = None, in_named_document: bool = False) -> EvalDataset:
    """The set in this folder. Where there is a corpus it is used, and `documents/` is not.

    With `qrels.SPLIT.tsv` files only the questions of one split are asked: `test`, unless another is named.
    `in_named_document` also narrows questions that say which passage they were written about. Raises `InvalidDataset`.
    """
    if not (folder / "questions.jsonl").is_file():
        raise InvalidDataset(f"There is no questions.jsonl in {folder.name!r}.")
    corpus = _jsonl_rows(folder / "corpus.jsonl")
    files = () if corpus else tuple(sorted(path for path in (folder / "documents").glob("*") if path.is_file()))
    if not corpus and not files:
        raise InvalidDataset(f"There is neither corpus.jsonl nor a file in documents/ in {folder.name!r}.")
    split = split or ("test" if (folder / "qrels.test.tsv").is_file() else None)
    context = _DatasetContext(
        members=_members_by_document(corpus),
        parent={str(row["id"]): str(row["document"]) for row in corpus if row.get("document")},
        grades=_relevance_grades(folder, split),
        in_named_document=in_named_document,
    )
    rows = _jsonl_rows(folder / "questions.jsonl")
    return EvalDataset(
        name=folder.name,
        questions=tuple(
            _read_question(row, context) for row in rows if split in (None, "all", row.get("split", split))
        ),
        files=files,
        texts=tuple(
            NewText(name=str(row["id"]), title=row.get("title") or "", text=row["text"], metadata=_row_metadata(row))
            for row in corpus
        ),
        metadata={row["document"]: _row_metadata(row) for row in _jsonl_rows(folder / "documents.jsonl")},
    )


def sample_questions(questions: Sequence[EvalQuestion], *, limit: int | None) -> tuple[EvalQuestion, ...]:
    """A sample of this size, or all questions without a limit. The same questions each time: a larger sample holds
    every smaller one."""
    if limit is None or limit >= len(questions):
        return tuple(questions)
    chosen = sorted(questions, key=lambda asked: hashlib.sha256(asked.id.encode()).digest())[:limit]
    kept = {asked.id for asked in chosen}
    return tuple(asked for asked in questions if asked.id in kept)


def _jsonl_rows(path: Path) -> list[dict[str, Any]]:
    if not path.is_file():
        return []
    with path.open(encoding="utf-8") as lines:
        return [
            _parse_row(line, f"{path.name}, line {number}")
            for number, line in enumerate(lines, start=1)
            if line.strip()
        ]


def _parse_row(line: str, place: str) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except ValueError:
        row = None
    if not isinstance(row, dict):
        raise InvalidDataset(f"{place}: this is not a JSON object.")
    return row


def _relevance_grades(folder: Path, split: str | None) -> dict[str, dict[str, int]]:
    graded: dict[str, dict[str, int]] = defaultdict(dict)
    for path in sorted(folder.glob("qrels*.tsv")):
        if split in ("all", None) or path.name == f"qrels.{split}.tsv":
            for question, document, grade in _judgements(path):
                graded[question][document] = grade
    return graded


def _judgements(path: Path) -> Iterator[tuple[str, str, int]]:
    with path.open(encoding="utf-8", newline="") as lines:
        for row in csv.reader(lines, delimiter="\t"):
            if len(row) >= 3 and row[-1].lstrip("-").isdigit():  # the first line names the columns
                yield row[0], row[-2], int(row[-1])


def _members_by_document(corpus: Sequence[DatasetRow]) -> dict[str, tuple[str, ...]]:
    members: dict[str, list[str]] = defaultdict(list)
    for row in corpus:
        if row.get("document"):
            members[str(row["document"])].append(str(row["id"]))
    return {document: tuple(ids) for document, ids in members.items()}


def _row_metadata(row: DatasetRow) -> dict[str, Any]:
    said = {_METADATA_ALIASES.get(name, name): value for name, value in row.items() if value not in (None, "", [])}
    return {name: value for name, value in said.items() if name not in ("id", "text", "document")}


def _read_question(row: DatasetRow, folder: _DatasetContext) -> EvalQuestion:
    try:
        return _eval_question(row, folder)
    except KeyError as error:
        raise InvalidDataset(f"The question {str(row.get('id'))!r} has no {error.args[0]!r}.") from None


def _eval_question(row: DatasetRow, folder: _DatasetContext) -> EvalQuestion:
    gold = tuple(_gold_place(evidence, folder) for evidence in row.get("evidence", ()))
    question = str(row["id"])
    return EvalQuestion(
        id=question,
        text=row["question"],
        answerable=row.get("answerable"),
        gold=gold,
        relevant=folder.grades.get(question) or {one.document: 1 for one in gold},
        forbidden=frozenset(row.get("must_not_cite", ())),
        scope=_document_scope(row, folder),
        turns=tuple(_conversation_turn(turn) for turn in row.get("history", ())),
        filters={_FILTER_ALIASES.get(name, name): value for name, value in (row.get("filters") or {}).items()},
        label=str(row.get("label") or ""),
        item=next((str(row[name]) for name in _CHECKLIST_FIELDS if name in row), ""),
    )


def _gold_place(evidence: DatasetRow, folder: _DatasetContext) -> GoldPlace:
    passage = evidence.get("passage")
    pages = {evidence.get("page"), *evidence.get("pages", ())} - {None}
    return GoldPlace(
        # A passage is a document of its own where the corpus is what was read.
        document=str(passage if passage in folder.parent else evidence["document"]),
        pages=frozenset(pages),
        text=evidence.get("text") or "",
        start=evidence.get("start"),
    )


def _document_scope(row: DatasetRow, folder: _DatasetContext) -> tuple[str, ...] | None:
    named = row.get("document")
    if named is None and folder.in_named_document:
        named = folder.parent.get(str(row.get("asked_about")))
    return None if named is None else folder.members.get(named, (named,))


def _conversation_turn(turn: DatasetRow) -> Turn:
    role = str(turn.get("speaker") or turn["role"])
    return Turn(role=_ROLE_ALIASES.get(role, role), content=turn.get("text") or turn.get("content") or "")
