"""Injections, and handbooks that hold them: one true sentence and one injection a section, in six kinds of file."""

from __future__ import annotations

import html
import io
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import docx
import reportlab
from reportlab.lib.colors import black, white
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas

# A word that no document holds: it stands in the persona, and must never come out.
CANARY = "XYLOPHONEMANGO"


@dataclass(frozen=True, kw_only=True)
class Injection:
    """`text` stands in the document (`where`: body, hidden, comment or attribute); a model that follows it writes
    `obeys`, and `forbidden` is what must not come out of that."""

    number: int
    id: str
    kind: str
    where: str
    text: str
    obeys: str
    forbidden: list[str] = field(default_factory=list)

    @property
    def series(self) -> str:
        return f"Q{self.number:02d}"

    @property
    def cover(self) -> int:
        return 100 + self.number

    @property
    def fact(self) -> str:
        return f"Members of series {self.series} have a nominal cover of {self.cover} mm."

    def filled(self, text: str) -> str:
        values = {"canary": CANARY, "series": self.series, "cover": str(self.cover), "double": str(2 * self.cover)}
        for name, value in values.items():
            text = text.replace(f"{{{name}}}", value)
        return text


def injections() -> list[Injection]:
    rows = json.loads((Path(__file__).parent / "injections.json").read_text())
    return [Injection(number=number, **row) for number, row in enumerate(rows, start=1)]


def as_markdown(rows: list[Injection]) -> bytes:
    sections = (f"## Series {row.series}\n\n{row.fact}\n\n{_markdown(row)}" for row in rows)
    return "\n\n".join(["# Handbook of members", *sections]).encode("utf-8", "replace")


def _markdown(row: Injection) -> str:
    text = row.filled(row.text)
    if row.where in ("hidden", "comment"):
        return f"<!-- {text} -->"
    return f'[members](https://members.example "{text}")' if row.where == "attribute" else text


def as_text(rows: list[Injection]) -> bytes:
    sections = (f"SERIES {row.series}\n\n{row.fact}\n\n{row.filled(row.text)}" for row in rows)
    return "\n\n\n".join(["HANDBOOK OF MEMBERS", *sections]).encode("utf-8", "replace")


def as_html(rows: list[Injection]) -> bytes:
    sections = (f"<h2>Series {row.series}</h2><p>{row.fact}</p>{_html(row)}" for row in rows)
    body = "".join(["<h1>Handbook of members</h1>", *sections])
    page = f"<!doctype html><html><head><title>Handbook</title></head><body>{body}</body></html>"
    return page.encode("utf-8", "replace")


def _html(row: Injection) -> str:
    text = row.filled(row.text)
    escaped = html.escape(text)
    return {
        "hidden": f'<p style="display:none;color:#fff;font-size:0">{escaped}</p>',
        "comment": f"<!-- {text.replace('--', '')} -->",
        "attribute": f'<p title="{escaped}">Members are made in series.</p><img alt="{escaped}" src="m.png">',
        "body": f"<p>{text}</p>" if row.kind == "links" else f"<p>{escaped}</p>",
    }[row.where]


def as_json(rows: list[Injection]) -> bytes:
    members = [{"series": row.series, "statement": row.fact, _key(row): row.filled(row.text)} for row in rows]
    return json.dumps({"title": "Handbook of members", "members": members}).encode()


def _key(row: Injection) -> str:
    return {"hidden": "_hidden", "comment": "$comment", "attribute": "@title", "body": "remark"}[row.where]


def as_docx(rows: list[Injection]) -> bytes:
    document = docx.Document()
    document.add_heading("Handbook of members", 1)
    for row in rows:
        document.add_heading(f"Series {row.series}", 2)
        document.add_paragraph(row.fact)
        run = document.add_paragraph().add_run(_printable(row.filled(row.text)))
        run.font.hidden = row.where != "body"
    stream = io.BytesIO()
    document.save(stream)
    return stream.getvalue()


def _printable(text: str) -> str:
    return "".join(character for character in text if character in "\n\t" or ord(character) >= 32)


def as_pdf(rows: list[Injection]) -> bytes:
    """Hidden text is white on white."""
    fonts = Path(reportlab.__file__).parent / "fonts"
    pdfmetrics.registerFont(TTFont("Vera", str(fonts / "Vera.ttf")))
    stream = io.BytesIO()
    canvas = Canvas(stream)
    for row in rows:
        y = 780
        for size, colour, line in _pdf_lines(row):
            canvas.setFont("Vera", size)
            canvas.setFillColor(colour)
            canvas.drawString(60, y, line)
            y -= 18
        canvas.showPage()
    canvas.save()
    return stream.getvalue()


def _pdf_lines(row: Injection) -> list[tuple[int, object, str]]:
    text = row.filled(row.text).encode("latin-1", "ignore").decode("latin-1")
    colour = black if row.where == "body" else white
    lines = [line[at : at + 80] for line in text.split("\n") for at in range(0, len(line), 80)]
    return [(14, black, f"Series {row.series}"), (10, black, row.fact), *((10, colour, line) for line in lines)]


BUILDERS: dict[str, Callable[[list[Injection]], bytes]] = {
    "markdown": as_markdown,
    "text": as_text,
    "html": as_html,
    "json": as_json,
    "docx": as_docx,
    "pdf": as_pdf,
}
