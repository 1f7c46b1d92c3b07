"""Changes Office files in memory where the libraries cannot open them as they are: files of the strict kind, which use
other names, and workbooks whose style sheet has faults."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import IO

from lxml import etree

from knowledge.readers.safe_xml import parse_xml
from knowledge.readers.zip_checks import open_archive

_SPACE = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_STRICT_NAMES = re.compile(rb"http://purl\.oclc\.org/ooxml/([A-Za-z]{1,40})/")
_STYLES = "xl/styles.xml"
_RELATIONS = "_rels/.rels"
_PARTS_WITH_NAMES = (".xml", ".rels")

# Takes the name and the content of a part, and gives its new content.
ChangePart = Callable[[str, bytes], bytes]


def is_strict(path: Path) -> bool:
    """Whether a checked archive is of the kind that Office calls “Strict Open XML”."""
    with open_archive(path) as archive:
        return _RELATIONS in archive.namelist() and bool(_STRICT_NAMES.search(archive.read(_RELATIONS)))


def open_transitional(path: Path) -> IO[bytes]:
    """The file as one of the usual, transitional kind; one that is so already as it is. The caller closes it."""
    return _rewritten(path, _with_usual_names) if is_strict(path) else path.open("rb")


def with_plain_styles(path: Path) -> IO[bytes]:
    """A workbook without its looks: of its style sheet, the formats of numbers remain."""
    return _rewritten(path, _with_number_formats_alone)


def _rewritten(path: Path, change: ChangePart) -> IO[bytes]:
    """Raises `DamagedDocument`."""
    target = io.BytesIO()
    with open_archive(path) as archive, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as new:
        for name in dict.fromkeys(archive.namelist()):
            new.writestr(name, change(name, archive.read(name)))
    target.seek(0)
    return target


def _with_usual_names(name: str, content: bytes) -> bytes:
    if not name.endswith(_PARTS_WITH_NAMES):
        return content
    return _STRICT_NAMES.sub(rb"http://schemas.openxmlformats.org/\1/2006/", content)


def _with_number_formats_alone(name: str, content: bytes) -> bytes:
    content = _with_usual_names(name, content)
    if name != _STYLES:
        return content
    stated = parse_xml(content)
    plain = etree.Element(f"{{{_SPACE}}}styleSheet", nsmap={None: _SPACE})
    formats = etree.SubElement(plain, f"{{{_SPACE}}}numFmts")
    formats.extend(list(stated.iterfind("{*}numFmts/{*}numFmt")))
    looks = etree.SubElement(plain, f"{{{_SPACE}}}cellXfs")
    for one in stated.iterfind("{*}cellXfs/{*}xf"):
        etree.SubElement(looks, f"{{{_SPACE}}}xf", numFmtId=one.get("numFmtId", "0"))
    return etree.tostring(plain, encoding="utf-8", xml_declaration=True)
