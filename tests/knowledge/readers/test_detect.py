from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from knowledge.models import SourceType
from knowledge.readers import detect_type
from knowledge.readers.formats import FORMATS
from knowledge.readers.types import DamagedDocument, EmptyDocument, UnsupportedDocument
from tests.linear_time import grows_linearly

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.parametrize(
    ("name", "head", "expected"),
    [
        ("a.pdf", b"%PDF-1.7\n", "pdf"),
        ("a.pdf", b"junk before\n%PDF-1.4", "pdf"),
        ("notes.txt", b"%PDF-1.7\n", "pdf"),
        ("a.txt", b"\x89PNG\r\n\x1a\n\x00", "image"),
        ("scan.jpg", b"\xff\xd8\xff\xe0", "image"),
        ("fax.TIF", b"MM\0*\0\0\0\x08", "image"),
        ("a.webp", b"RIFF\x10\0\0\0WEBPVP8 ", "image"),
        ("a.docx", b"PK\x03\x04...", "docx"),
        ("a.pptx", b"PK\x03\x04...", "pptx"),
        ("a.PPTM", b"PK\x03\x04...", "pptx"),
        ("a.xlsx", b"PK\x03\x04...", "xlsx"),
        ("a.xlsm", b"PK\x03\x04...", "xlsx"),
        ("a.epub", b"PK\x03\x04...", "epub"),
        ("a.odt", b"PK\x03\x04...", "odt"),
        ("a.rtf", b"{\\rtf1\\ansi words}", "rtf"),
        ("notes.txt", b"\xef\xbb\xbf{\\rtf1\\ansi words}", "rtf"),
        ("mail", b"From: a@example.org\r\nSubject: x\r\n y\r\nMIME-Version: 1.0\r\n\r\nwords", "eml"),
        ("mail.eml", b"Subject: x\r\n\r\nwords", "eml"),
        ("A.MD", b"# Title", "markdown"),
        ("a.html", b"<p>x", "html"),
        ("a.txt", b"\xef\xbb\xbf <!DOCTYPE html><html>", "html"),
        ("a.json", b"{}", "json"),
        ("a.jsonl", b"{}\n{}", "json"),
        ("README", b"words", "text"),
        ("memo.txt", b"From: Ruth\nTo: Site\nSubject: Cover\n\nThe cover is 45 mm.", "text"),
        ("order.txt", b"Order: 4711\nCustomer: ACME\nReceived: 2026-04-03\nStatus: delivered\n", "text"),
        ("order.md", b"Subject: Desk order\nReceived: 3 April 2026\nPrice: 50 EUR\n", "markdown"),
        ("mail.md", b"From: ruth@example.org\nReceived: from Bob, by hand; 3 April\n\nThe cover is 45 mm.", "markdown"),
        ("parts.csv", b"Received:,5\nMessage-ID:,6\n", "csv"),
        ("headers", b"MIME-Version: what it is\nMessage-ID: what it is\n", "text"),
        (
            "kept.txt",
            b"Return-Path: <ruth@example.org>\r\nReceived: from mail.example.org (10.0.0.1)\r\n\tby in.example.org"
            b" with ESMTP id 7;\r\n\tTue, 24 Nov 2026 01:45:00 +0000\r\nSubject: x\r\n\r\nwords",
            "eml",
        ),
        ("kept.md", b"Message-ID:\n <1@example.org>\nDate: Tue, 24 Nov 2026 01:45:00 +0000\n\nwords", "eml"),
        ("about.md", b"# SVG\n\n`<svg>` is a picture.", "markdown"),
        ("a.csv", b"a,b", "csv"),
        ("a.txt", b"\xff\xfea\x00", "text"),
        ("..\\..\\a.md", b"x", "markdown"),
    ],
)
def test_f3_the_content_decides_then_the_name(name, head, expected):
    assert detect_type(name, head) == expected


@pytest.mark.parametrize(
    ("name", "head", "error"),
    [
        ("a.txt", b"", EmptyDocument),
        ("a.pdf", b"just text", DamagedDocument),
        ("a.docx", b"just text", DamagedDocument),
        ("a.xlsx", b"just text", DamagedDocument),
        ("a.xls", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", UnsupportedDocument),
        ("msg", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", UnsupportedDocument),
        ("a.xlsb", b"PK\x03\x04\x00", UnsupportedDocument),
        ("a.docx", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", UnsupportedDocument),
        ("a.zip", b"PK\x03\x04\x00", UnsupportedDocument),
        ("a.rtf", b"words", DamagedDocument),
        ("page.mht", b"MIME-Version: 1.0\r\n\r\nwords", UnsupportedDocument),
        ("mails", b"From ruth@example.org Tue Nov 24 01:45:00 2026\nSubject: x\n\nwords", UnsupportedDocument),
        ("plan.md", b'<?xml version="1.0"?>\n<!-- made -->\n<svg xmlns="x"><text>t</text></svg>', UnsupportedDocument),
        ("plan.svg", b"<g><text>t</text></g>", UnsupportedDocument),
        ("setup.exe", b"MZ and words", UnsupportedDocument),
        ("Plan.PNG", b"words", DamagedDocument),
        ("a.eps", b"%!PS-Adobe-3.0 EPSF", UnsupportedDocument),
        ("a.txt", b"GIF89a\x00", UnsupportedDocument),
    ],
)
def test_f3_what_no_reader_reads_is_refused(name, head, error):
    with pytest.raises(error):
        detect_type(name, head)


def test_what_is_refused_says_what_is_read():
    with pytest.raises(UnsupportedDocument) as refused:
        detect_type("plan.svg", b"<svg/>")
    assert refused.value.message == "SVG files are not read."
    said = "Upload a PDF, Word (.docx), PowerPoint (.pptx), Excel (.xlsx), CSV, EPUB, OpenDocument (.odt), RTF, "
    assert (
        said + "e-mail (.eml, .msg), picture (PNG, JPEG, TIFF, WebP), Markdown, HTML, JSON or plain text file."
        in refused.value.hint
    )


@pytest.mark.parametrize("unit", ["a: b\n", "a:", "<!-- -->", " ", "x: y\n \n"])
def test_detection_is_linear_in_what_it_looks_at(unit: str):
    assert grows_linearly(lambda text: detect_type("a.txt", text.encode()), unit)


def test_every_reader_has_its_module():
    for one in FORMATS.values():
        assert (ROOT / one.reader.replace(".", "/")).with_suffix(".py").is_file()


def test_every_type_of_document_but_a_web_page_has_a_format():
    assert set(FORMATS) == set(SourceType) - {SourceType.URL}


def test_readers_do_not_import_django():
    imported = {
        name
        for path in (ROOT / "knowledge" / "readers").glob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in ([node.module or ""] if isinstance(node, ast.ImportFrom) else [a.name for a in node.names])
    }
    assert not {name for name in imported if name.split(".")[0] in ("django", "celery", "plugins", "querying")}
    assert not {name for name in imported if name.startswith("knowledge.") and "readers" not in name}


def test_reading_text_loads_no_heavy_library(tmp_path):
    (tmp_path / "a.md").write_text("# Title")
    program = (
        "import sys, types; package = types.ModuleType('lexic'); package.__path__ = ['lexic'];"
        "sys.modules['lexic'] = package; from pathlib import Path; from knowledge.readers import read;"
        "from knowledge.readers.types import Limits;"
        f"list(read(Path({str(tmp_path / 'a.md')!r}), source_type='markdown', limits=Limits()));"
        "print(*{name.split('.')[0] for name in sys.modules})"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert not {
        "celery",
        "django",
        "docx",
        "lxml",
        "olefile",
        "openpyxl",
        "pdfplumber",
        "pptx",
        "pypdfium2",
        "striprtf",
    } & set(done.stdout.split())
