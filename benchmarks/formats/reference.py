"""What other readers read in files, as JSON: `python reference.py FOLDER`, run by `benchmarks.formats`.

Stands alone: it runs in an environment of its own, which has what `REFERENCES` imports (docs/evaluation.md, Formats),
and nothing of Lexic.
"""

from __future__ import annotations

import csv
import email
import email.policy
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

_DELIMITERS = {".csv": ",;\t|", ".tsv": "\t"}


def _pandoc(source: str, *options: str) -> Callable[[Path], str]:
    def read(path: Path) -> str:
        import pypandoc

        plain: str = pypandoc.convert_file(path, "plain", format=source, extra_args=["--wrap=none", *options])
        return plain

    return read


def _word(path: Path) -> str:
    import docx2txt

    return str(docx2txt.process(str(path)))


def _slides(path: Path) -> str:
    """Each paragraph of each shape that shows text, and the notes, out of the XML itself."""
    from pptx import Presentation

    return "\n".join(line for slide in Presentation(str(path)).slides for line in _slide_lines(slide))


def _slide_lines(slide: Any) -> Iterator[str]:
    space = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
    if slide.element.get("show") == "0":
        return
    frames = [slide.element.cSld]
    if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
        frames.append(slide.notes_slide.notes_text_frame._txBody)
    for frame in frames:
        for paragraph in frame.iter(f"{space}p"):
            yield "".join(
                " " if one.tag == f"{space}br" else one.text or ""
                for one in paragraph.iter()
                if one.tag in (f"{space}t", f"{space}br")
            )


def _workbook(path: Path) -> str:
    """The texts of shown sheets. Figures are left out: how they look is a matter of their formats."""
    import openpyxl
    import pandas as pd

    shown = [one.title for one in openpyxl.load_workbook(path).worksheets if one.sheet_state == "visible"]
    sheets = pd.read_excel(path, sheet_name=shown, header=None, engine="calamine")
    return "\n".join(value for sheet in sheets.values() for value in sheet.to_numpy().ravel() if isinstance(value, str))


def _table(path: Path) -> str:
    from charset_normalizer import from_path

    text = str(from_path(path).best() or "")
    try:
        dialect: Any = csv.Sniffer().sniff(text[:5000], _DELIMITERS[path.suffix.lower()])
    except csv.Error:  # one column
        dialect = csv.excel
    return "\n".join(cell for row in csv.reader(text.splitlines(), dialect) for cell in row)


def _book(path: Path) -> str:
    from bs4 import BeautifulSoup
    from ebooklib import epub

    book = epub.read_epub(str(path))
    items = [book.get_item_with_id(name) for name, _ in book.spine]
    bodies = [BeautifulSoup(one.get_content(), "lxml").body for one in items if one is not None]
    return "\n".join(body.get_text(" ") for body in bodies if body is not None)


def _page(path: Path) -> str:
    from inscriptis import get_text
    from inscriptis.model.config import ParserConfig

    return str(get_text(path.read_bytes().decode("utf-8", "replace"), ParserConfig()))


def _mail(path: Path) -> str:
    """The text by the library's older interface, which knows no preferences: the first plain part, else the HTML as a
    person sees it with the addresses of its links, without those of pictures."""
    import html2text

    message = email.message_from_bytes(path.read_bytes(), policy=email.policy.compat32)
    parts = [one for one in message.walk() if not one.get_filename() and one.get_content_maintype() == "text"]
    plain = [one for one in parts if one.get_content_subtype() == "plain"] or parts
    payload = plain[0].get_payload(decode=True) if plain else b""
    text = bytes(payload or b"").decode(plain[0].get_content_charset() or "utf-8", "replace") if plain else ""
    shown = html2text.HTML2Text()
    shown.ignore_images = True
    shown.body_width = 0
    return shown.handle(text) if plain and plain[0].get_content_subtype() == "html" else text


def _outlook(path: Path) -> str:
    """The plain text by extract-msg: as the program that it is, because its licence (GPL) is not ours."""
    command = [sys.executable, "-m", "extract_msg", "--dump-stdout", str(path)]
    return subprocess.run(command, capture_output=True, check=True, text=True, timeout=60).stdout


def _plain(path: Path) -> str:
    return path.read_bytes().decode("utf-8-sig", "replace")


# By the end of a file's name: two readers where two makers have one.
REFERENCES: dict[str, list[Callable[[Path], str]]] = {
    ".docx": [_pandoc("docx", "--track-changes=accept"), _word],
    ".odt": [_pandoc("odt")],
    ".rtf": [_pandoc("rtf")],
    ".epub": [_book, _pandoc("epub")],
    ".pptx": [_slides],
    ".xlsx": [_workbook],
    ".csv": [_table],
    ".tsv": [_table],
    ".html": [_page],
    ".htm": [_page],
    ".eml": [_mail],
    ".msg": [_outlook],
    ".md": [_pandoc("gfm")],
    ".json": [_plain],
}


def main() -> None:
    for path in sorted(Path(sys.argv[1]).rglob("*")):
        if path.is_file():
            for number, read in enumerate(REFERENCES.get(path.suffix.lower(), [])):
                try:
                    text, error = read(path), ""
                except Exception as caught:  # whatever keeps another maker's reader from a file
                    text, error = "", f"{type(caught).__name__}: {caught}"[:200]
                print(json.dumps({"path": str(path), "reader": number, "text": text, "error": error}), flush=True)


if __name__ == "__main__":
    main()
