"""EPUB: a chapter is a page, in the order in which the book is read. Pictures, scripts and links are never opened."""

from __future__ import annotations

import posixpath
import zipfile
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

from lxml import etree

from knowledge.readers.html import VisibleText, parse_html
from knowledge.readers.safe_xml import parse_xml
from knowledge.readers.text_cleaning import clean_text, one_line
from knowledge.readers.types import (
    DamagedDocument,
    DocumentHeader,
    EmptyDocument,
    EncryptedDocument,
    Heading,
    Limits,
    NoText,
    PageText,
    ReaderEvent,
    TooLarge,
    TooManyPages,
)
from knowledge.readers.zip_checks import MAX_XML_BYTES, UNPACK_ERRORS, check_archive

_CONTAINER = "META-INF/container.xml"
_ENCRYPTION = "META-INF/encryption.xml"
_CHAPTER_TYPES = frozenset({"application/xhtml+xml", "text/html"})


def read(path: Path, *, limits: Limits) -> Iterator[ReaderEvent]:
    check_archive(path, needs=_CONTAINER)
    with zipfile.ZipFile(path) as archive:
        package_name = _package_name(archive)
        package = parse_xml(_member(archive, package_name))
        names = _chapter_names(package, folder=posixpath.dirname(package_name))
        if not set(names).isdisjoint(_encrypted_names(archive)):
            raise EncryptedDocument("The book is protected against being copied.", hint="Upload a copy without it.")
        if len(names) > limits.max_pages:
            raise TooManyPages()
        pages = list(_chapters(archive, names, limits))
    if not pages:
        raise NoText()
    yield DocumentHeader(title=_book_title(package), page_total=len(pages), paged=True)
    yield from pages


def _package_name(archive: zipfile.ZipFile) -> str:
    container = parse_xml(_member(archive, _CONTAINER))
    name = next((one.get("full-path", "") for one in container.iter("{*}rootfile")), "")
    if not name:
        raise DamagedDocument()
    return name


def _member(archive: zipfile.ZipFile, name: str) -> bytes:
    """The bytes of a part. Raises `DamagedDocument` where it is not there, `TooLarge`."""
    try:
        if archive.getinfo(name).file_size > MAX_XML_BYTES:
            raise TooLarge()
        return archive.read(name)
    except (KeyError, *UNPACK_ERRORS) as error:
        raise DamagedDocument() from error


def _chapter(archive: zipfile.ZipFile, name: str) -> bytes:
    if name not in archive.NameToInfo:
        raise DamagedDocument(f"The book lists a chapter that is not in it: {posixpath.basename(name)[:100]}.")
    return _member(archive, name)


def _chapter_names(package: etree._Element, *, folder: str) -> list[str]:
    """The members that hold text, each once, in reading order."""
    items = {one.get("id", ""): one for one in package.iter("{*}item")}
    named = [items.get(one.get("idref", "")) for one in package.iter("{*}itemref")]
    # A book that states no order is read as it lists its parts.
    ordered = [one for one in named if one is not None] or items.values()
    chapters = [one.get("href", "").partition("#")[0] for one in ordered if one.get("media-type") in _CHAPTER_TYPES]
    return list(dict.fromkeys(posixpath.normpath(posixpath.join(folder, unquote(href))) for href in chapters))


def _encrypted_names(archive: zipfile.ZipFile) -> set[str]:
    """What is encrypted. Publishers scramble fonts; chapters that are so cannot be read."""
    if _ENCRYPTION not in archive.namelist():
        return set()
    references = parse_xml(_member(archive, _ENCRYPTION)).iter("{*}CipherReference")
    return {posixpath.normpath(unquote(one.get("URI", ""))) for one in references}


def _chapters(archive: zipfile.ZipFile, names: list[str], limits: Limits) -> Iterator[PageText]:
    """The chapters that say something, numbered without those that are pictures alone."""
    number, characters = 0, 0
    for name in names:
        try:
            root = parse_html(_chapter(archive, name))
        except EmptyDocument:
            continue
        shown = VisibleText()
        shown.walk(root)
        text, headings = shown.result()
        if not any(map(str.isalnum, text)):
            continue
        number, characters = number + 1, characters + len(text)
        if len(text) > limits.max_page_characters or characters > limits.max_characters:
            raise TooLarge()
        placed = tuple(Heading(page=number, start=one.start, level=one.level, title=one.title) for one in headings)
        yield PageText(number=number, text=text, headings=placed, label=f"chapter {number}")


def _book_title(package: etree._Element) -> str | None:
    said = next((one.text or "" for one in package.iter("{http://purl.org/dc/elements/1.1/}title")), "")
    return one_line(clean_text(said))[:300] or None
