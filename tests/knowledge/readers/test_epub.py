from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from knowledge.readers.isolation.reader_process import read_pages
from knowledge.readers.types import (
    DamagedDocument,
    EncryptedDocument,
    NoText,
    TooManyPages,
    UnreadableDocument,
    UnsupportedDocument,
)
from tests.knowledge.readers.made import read_here, repacked
from tests.knowledge.readers.test_sheets import LAUGHS

CONTAINER = (
    '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
    '<rootfile full-path="OEBPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>'
)
COVER = "<html><body><img src='cover.png'/></body></html>"
EXPOSURE = "<html><body><h1>Exposure</h1><p>A coast is severe.</p><script>alert(1)</script></body></html>"
NOMINAL = (
    "<html><body><h1>Nominal cover</h1><table><tr><th>Exposure</th><th>Cover</th></tr>"
    "<tr><td>Severe</td><td>45 mm</td></tr></table></body></html>"
)


def book(path: Path, *chapters: str, title: str = "Concrete") -> Path:
    """A book whose reading order is not the order of its members."""
    names = [f"text/part%20{number}.xhtml" for number in range(len(chapters))]
    items = "".join(
        f'<item id="c{at}" href="{name}" media-type="application/xhtml+xml"/>' for at, name in enumerate(names)
    )
    spine = "".join(f'<itemref idref="c{at}"/>' for at in range(len(chapters)))
    package = (
        '<package xmlns="http://www.idpf.org/2007/opf"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/">'
        f"<dc:title>{title}</dc:title></metadata><manifest>{items}</manifest><spine>{spine}</spine></package>"
    )
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", "application/epub+zip", zipfile.ZIP_STORED)
        archive.writestr("META-INF/container.xml", CONTAINER)
        archive.writestr("OEBPS/book.opf", package)
        for at in reversed(range(len(chapters))):
            archive.writestr(f"OEBPS/text/part {at}.xhtml", chapters[at])
    return path


def rewritten(path: Path, old: bytes, new: bytes) -> Path:
    """The book with something else in its package document."""
    with zipfile.ZipFile(path) as archive:
        package = archive.read("OEBPS/book.opf")
    return repacked(path, {"OEBPS/book.opf": package.replace(old, new)})


def test_a_chapter_is_a_page_in_reading_order(tmp_path):
    header, pages = read_here(book(tmp_path / "a.epub", COVER, EXPOSURE, NOMINAL), "epub")
    assert (header.title, header.paged, header.page_total) == ("Concrete", True, 2)
    assert [(page.number, page.label, page.text) for page in pages] == [
        (1, "chapter 1", "Exposure\n\nA coast is severe."),
        (2, "chapter 2", "Nominal cover\n\nExposure | Cover\nExposure: Severe | Cover: 45 mm"),
    ]
    assert [(one.page, one.title) for page in pages for one in page.headings] == [(1, "Exposure"), (2, "Nominal cover")]


def test_pictures_alone_are_no_text(tmp_path):
    with pytest.raises(NoText):
        read_here(book(tmp_path / "a.epub", COVER), "epub")


def test_a_book_with_a_lock_says_so_and_scrambled_fonts_are_no_lock(tmp_path):
    def locked(name: str) -> Path:
        reference = (
            f'<encryption xmlns:e="x"><e:EncryptedData><e:CipherReference URI="{name}"/></e:EncryptedData></encryption>'
        )
        return repacked(book(tmp_path / "a.epub", EXPOSURE), {"META-INF/encryption.xml": reference.encode()})

    with pytest.raises(EncryptedDocument):
        read_here(locked("OEBPS/text/part%200.xhtml"), "epub")
    assert read_here(locked("OEBPS/fonts/serif.otf"), "epub")[0].page_total == 1


def test_members_outside_of_the_archive_are_not_looked_for(tmp_path):
    path = book(tmp_path / "a.epub", EXPOSURE)
    with zipfile.ZipFile(path) as archive:
        package = archive.read("OEBPS/book.opf").decode()
    repacked(path, {"OEBPS/book.opf": package.replace("text/part%200.xhtml", "../../../../etc/passwd").encode()})
    with pytest.raises(DamagedDocument):
        read_here(path, "epub")


def test_any_other_zip_is_not_a_book(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.epub", "w") as archive:
        archive.writestr("readme.txt", "hello")
    with pytest.raises(UnsupportedDocument):
        read_here(tmp_path / "a.epub", "epub")


def test_too_many_chapters_are_refused(tmp_path):
    with pytest.raises(TooManyPages):
        read_here(book(tmp_path / "a.epub", *[EXPOSURE] * 3), "epub", max_pages=2)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("META-INF/container.xml", b"<not xml"),
        ("META-INF/container.xml", b"<container/>"),
        ("META-INF/container.xml", (LAUGHS + "<container>&j;</container>").encode()),
        ("OEBPS/book.opf", b"<package/>"),
        ("OEBPS/book.opf", b"<a>" * 100_000),
        ("OEBPS/text/part 0.xhtml", b"<div>" * 100_000),
        ("OEBPS/text/part 0.xhtml", b" " * 70_000_000),
    ],
)
def test_f2_hostile_books_end_with_a_reason(tmp_path, name, content):
    path = repacked(book(tmp_path / "a.epub", EXPOSURE), {name: content})
    with pytest.raises(UnreadableDocument) as refused:
        list(read_pages(path, source_type="epub"))
    assert refused.value.code in ("too_large", "damaged", "no_text")


def test_a_book_without_an_order_is_read_as_it_lists_its_parts(tmp_path):
    path = book(tmp_path / "a.epub", EXPOSURE, NOMINAL)
    _, pages = read_here(rewritten(path, b"itemref", b"other"), "epub")
    assert [page.text.partition("\n")[0] for page in pages] == ["Exposure", "Nominal cover"]


def test_a_chapter_that_is_listed_and_missing_is_named(tmp_path):
    path = book(tmp_path / "a.epub", EXPOSURE, NOMINAL)
    with pytest.raises(DamagedDocument, match=r"lists a chapter that is not in it: part 9\.xhtml\."):
        read_here(rewritten(path, b"part%201", b"part%209"), "epub")
