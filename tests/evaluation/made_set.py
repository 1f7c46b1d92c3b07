"""A small set of our own making, with everything that a set can have."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from tests.knowledge.readers.made import lines, pdf

# Written with the line ends of another system: offsets count in the file as it is.
LEASE = (
    "LEASE OF A BOAT SHED\r\n\r\n"
    "The tenant pays a rent of ninety crowns on the first day of each month.\r\n\r\n"
    "The tenant must not keep explosives\r\nin the shed.\r\n\r\n"
    "Either party may end this lease with a notice of six weeks.\r\n"
)
HARBOUR = """---
title: Harbour rules
---
# Harbour rules

Vessels longer than forty metres need a pilot. The harbour master signals with a green lamp.

Anchoring is forbidden in the fairway.
"""
MANUAL = (
    ["Manual of the winch.", "The drum turns at twelve revolutions a minute.", "Its brake holds two tonnes."],
    ["Lubrication.", "Grease the bearings of the winch every four hundred hours.", "Use lithium grease only."],
)


def _span(text: str, words: str) -> dict[str, Any]:
    start = text.index(words)
    return {"page": None, "start": start, "end": start + len(words), "text": words}


EXPLOSIVES = _span(LEASE, "The tenant must not keep explosives\r\nin the shed.")
NOTICE = _span(LEASE, "Either party may end this lease with a notice of six weeks.")

QUESTIONS: list[dict[str, Any]] = [
    {
        "id": "grease",
        "question": "How often should the bearings of the winch be greased?",
        "answerable": True,
        "evidence": [{"document": "winch.pdf", "page": 2, "pages": [2], "text": ""}],
    },
    {
        "id": "pilot",
        "question": "Which vessels need a pilot in the harbour?",
        "answerable": True,
        "evidence": [
            {"document": "harbour.md", "page": None, "text": "Vessels longer than forty metres need a pilot."}
        ],
        "filters": {"tags": ["harbour"], "date_from": "2020-01-01", "date_to": "2020-12-31"},
    },
    {
        "id": "explosives",
        "question": "The tenant must not keep explosives in the shed.",
        "answerable": True,
        "document": "lease.txt",
        "hypothesis": "explosives",
        "evidence": [{"document": "lease.txt", **EXPLOSIVES}],
    },
    {
        "id": "notice",
        "question": "May either party end this lease with a notice?",
        "answerable": True,
        "document": "lease.txt",
        "hypothesis": "notice",
        "evidence": [{"document": "lease.txt", **NOTICE}],
    },
    {
        "id": "moon",
        "question": "What is the orbital period of Jupiter's moon Callisto?",
        "answerable": False,
        "evidence": [],
    },
    {
        "id": "outside",
        "question": "Which vessels need a pilot in the harbour?",
        "answerable": None,
        "evidence": [],
        "filters": {"date_from": "2021-01-01", "date_to": "2021-12-31"},
        "must_not_cite": ["harbour.md"],
    },
    {
        "id": "follow-up",
        "question": "And what holds the load?",
        "answerable": True,
        "history": [
            {"speaker": "user", "text": "How fast does the drum of the winch turn, and what about its brake?"},
            {"speaker": "agent", "text": "At twelve revolutions a minute."},
        ],
        "evidence": [{"document": "winch.pdf", "page": 1, "text": ""}],
    },
]
LABELS = [{"document": "harbour.md", "title": "Rules of the harbour", "date": "2020-05-04", "tags": ["harbour"]}]

CORPUS = [
    {
        "id": "1",
        "title": "Gulls",
        "text": "Gulls follow the plough. They eat what it turns up.",
        "document": "birds",
    },
    {"id": "2", "title": "Terns", "text": "Terns dive for small fish near the shore.", "document": "birds"},
    {"id": "3", "title": "Seals", "text": "Seals rest on sandbanks at low water.", "document": "mammals"},
    {"id": "4", "title": "Terns again", "text": "Terns dive for small fish near the shore.", "document": "birds"},
]
CLAIMS: list[dict[str, Any]] = [
    {"id": "a", "question": "Gulls follow the plough.", "answerable": True, "split": "test"},
    {"id": "b", "question": "Seals sleep in trees.", "answerable": False, "split": "test"},
    {"id": "c", "question": "Terns dive for fish.", "answerable": True, "split": "train"},
]


def documents_set(folder: Path) -> Path:
    """Files of three kinds: a PDF with pages, Markdown with front matter, text with spans."""
    documents = folder / "documents"
    documents.mkdir(parents=True)
    pdf(documents / "winch.pdf", *(lines(*page) for page in MANUAL))
    (documents / "harbour.md").write_text(HARBOUR)
    (documents / "lease.txt").write_bytes(LEASE.encode())
    _write(folder / "questions.jsonl", ({"answers": [], **row} for row in QUESTIONS))
    _write(folder / "documents.jsonl", LABELS)
    return folder


def corpus_set(folder: Path) -> Path:
    """Passages with judgements in two splits."""
    folder.mkdir(parents=True)
    evidence = {"a": "1", "c": "2"}
    rows = (
        {
            **row,
            "evidence": [{"document": evidence[row["id"]], "page": None, "text": ""}] if row["answerable"] else [],
        }
        for row in CLAIMS
    )
    _write(folder / "questions.jsonl", rows)
    _write(folder / "corpus.jsonl", CORPUS)
    (folder / "qrels.test.tsv").write_text("query-id\tcorpus-id\tscore\na\t1\t1\nb\t3\t1\n")
    (folder / "qrels.train.tsv").write_text("query-id\tcorpus-id\tscore\nc\t2\t1\n")
    return folder


def _write(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
