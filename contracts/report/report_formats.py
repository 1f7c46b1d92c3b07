"""A review as a file: JSON, Markdown, HTML, a table of obligations and dates as CSV, or a Word file.

What stands in a contract is text in each of them: no markup of it is kept, and no cell of the table is a formula.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.core.serializers.json import DjangoJSONEncoder
from django.template.loader import render_to_string

from contracts.clauses.parse_contract import contract_pages
from contracts.models import ContractReview
from contracts.report.review_report import finding_row, review_report
from contracts.report.word_report import word_report
from knowledge.readers.formats import DOCX_MEDIA_TYPE
from lexic.errors import Conflict
from lexic.spreadsheet_cells import escape_formula

_MARKDOWN_SIGNS = re.compile(r"([\\`*_\[\]<>#|~!])")
_CSV_COLUMNS = ("clause", "kind", "party", "date_or_period", "text", "page", "start", "end")


class ReviewNotDone(Conflict):
    """The review is not done yet."""

    code = "review_not_done"
    hint = "Wait until its state is “done”."


class ObligationsNotKept(Conflict):
    """This review was made before obligations were kept with it."""

    code = "obligations_not_kept"
    hint = "Have the document reviewed once more."


@dataclass(frozen=True, kw_only=True)
class ReportFile:
    content: bytes
    content_type: str
    suffix: str


def write_report(review: ContractReview, format_name: str) -> ReportFile:
    """The review in this format, one of `FORMATS`. Raises `ReviewNotDone`, `DocumentNotReady` where the document has
    no pages any more, and for a Word file the errors of `word_report`."""
    if not review.summary:
        raise ReviewNotDone
    return FORMATS[format_name](review)


def _json_report(review: ContractReview) -> ReportFile:
    text = json.dumps(review_report(review), cls=DjangoJSONEncoder, ensure_ascii=False, indent=2)
    return ReportFile(content=text.encode(), content_type="application/json", suffix="json")


def _markdown_report(review: ContractReview) -> ReportFile:
    text = "\n".join(_markdown_lines(review_report(review), [finding_row(one) for one in review.findings.all()]))
    return ReportFile(content=f"{text}\n".encode(), content_type="text/markdown; charset=utf-8", suffix="md")


def _markdown_lines(report: Mapping[str, Any], findings: list[dict[str, Any]]) -> Iterator[str]:
    yield from (
        f"# {_escaped(report['title'])}",
        "",
        f"**{report['classification']}** {_escaped(report['summary'])}",
        "",
    )
    for one in report["escalations"]:
        yield f"- To {_escaped(one['to'])}: {_escaped(one['why'])}"
    for one in findings:
        yield from ("", f"## {one['number']}. {_escaped(one['position'])}: {one['classification']}", "")
        yield _escaped(one["reason"])
        if one["modelRemark"]:
            yield from ("", _escaped(one["modelRemark"]))
        for name in ("earlier", "contract", "nearest", "playbook"):
            spans = one[name]
            for span in spans:
                yield from ("", f"> {_escaped(span['text'])}", ">", f"> {name.capitalize()}, page {span['page']}")
        if one["suggestion"]:
            yield from ("", f"Suggestion: {_escaped(one['suggestion'])}")
        if one["decision"]:
            yield from ("", f"Decision: {one['decision']}. {_escaped(one['note'])}".rstrip())
    yield from ("", _escaped(report["note"]))


def _escaped(text: str) -> str:
    """The text in one line, its signs of Markdown escaped."""
    return _MARKDOWN_SIGNS.sub(r"\\\1", " ".join(str(text).split()))


def _html_report(review: ContractReview) -> ReportFile:
    context = {"report": review_report(review), "findings": [finding_row(one) for one in review.findings.all()]}
    text = render_to_string("contracts/report.html", context)
    return ReportFile(content=text.encode(), content_type="text/html; charset=utf-8", suffix="html")


def _csv_report(review: ContractReview) -> ReportFile:
    """Every obligation and every date of the contract, each as it is written and where it stands."""
    if review.obligations is None:
        raise ObligationsNotKept
    texts = {page.id: page.text for page in contract_pages(review.document, revision=review.revision)}
    table = io.StringIO()
    writer = csv.writer(table)
    writer.writerow(_CSV_COLUMNS)
    for clause, kind, party, when, page_id, page, start, end in review.obligations:
        text = " ".join(texts.get(page_id, "")[start:end].split())
        writer.writerow([*map(escape_formula, (clause, kind, party, when, text)), page, start, end])
    return ReportFile(
        content=table.getvalue().encode("utf-8-sig"), content_type="text/csv; charset=utf-8", suffix="csv"
    )


def _word_report(review: ContractReview) -> ReportFile:
    return ReportFile(content=word_report(review), content_type=DOCX_MEDIA_TYPE, suffix="docx")


def _word_comments(review: ContractReview) -> ReportFile:
    return ReportFile(content=word_report(review, has_changes=False), content_type=DOCX_MEDIA_TYPE, suffix="docx")


FORMATS: dict[str, Callable[[ContractReview], ReportFile]] = {
    "json": _json_report,
    "markdown": _markdown_report,
    "html": _html_report,
    "csv": _csv_report,
    "docx": _word_report,
    "docx-comments": _word_comments,
}
