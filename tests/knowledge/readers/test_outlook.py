from __future__ import annotations

import base64
import struct
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from compressed_rtf import compress

from knowledge.readers import detect_type
from knowledge.readers.isolation.confined_call import confined_call
from knowledge.readers.isolation.reader_process import read_pages
from knowledge.readers.mail import outlook
from knowledge.readers.types import DamagedDocument, EmptyDocument, OldOfficeFile, TooLarge
from tests.knowledge.readers.made import read_here, read_text
from tests.knowledge.readers.outlook_files import PROPERTIES, Tree, compound_file, outlook_message
from tests.knowledge.readers.test_mail import READ_ATTACHMENTS, picture

SUBJECT, PLAIN, HTML, RTF = 0x0037, 0x1000, 0x1013, 0x1009
SENT, CODEPAGE, HTML_CODEPAGE = 0x0039, 0x3FFD, 0x3FDE
FILE_NAME, CONTENT, MEDIA_TYPE, FLAGS = 0x3707, 0x3701, 0x370E, 0x3714


def stored(folder: Path, tree: Tree | bytes) -> Path:
    path = folder / "a.msg"
    path.write_bytes(tree if isinstance(tree, bytes) else compound_file(tree))
    return path


def text_of(folder: Path, values: dict[int, Any], **streams: bytes) -> str:
    return read_text(stored(folder, outlook_message(values, **streams)), "eml")


def test_who_wrote_what_to_whom_and_when(tmp_path):
    tree = outlook_message(
        {
            0x0042: "Ömer, Ruth",
            0x0065: "/O=EXCHANGE/CN=RUTH",
            0x5D02: "ruth@example.org",
            SUBJECT: "Cover\r\nof",
            SENT: datetime(2026, 11, 24, 1, 45, tzinfo=UTC),
            PLAIN: "The cover is 45 mm.\r\n\r\nRegards, Ruth",
            HTML: b"<p>As HTML.</p>",
        },
        recipients=[
            {0x0C15: 1, 0x3001: "site@example.org", 0x39FE: "site@example.org"},
            {0x0C15: 1, 0x3001: "Bob", 0x3003: "bob@example.org"},
            {0x0C15: 2, 0x3001: "Team Site", 0x3003: "/O=EXCHANGE/CN=TEAM"},
            {0x0C15: 3, 0x3001: "Secret", 0x39FE: "secret@example.org"},
        ],
        attachments=[{FILE_NAME: "mix.txt", CONTENT: b"Slump is 75 mm."}],
    )
    header, [page] = read_here(stored(tmp_path, tree), "eml")
    assert (header.title, header.metadata["date"]) == ("Cover of", "2026-11-24 01:45+00:00")
    assert page.text.split("\n\n") == [
        'From: "Ömer, Ruth" <ruth@example.org>\nTo: site@example.org, Bob <bob@example.org>\nCc: "Team Site"\n'
        "Date: 2026-11-24 01:45+00:00\nSubject: Cover of",
        "The cover is 45 mm.",
        "Regards, Ruth",
        "Attachment: mix.txt",
    ]


def test_html_is_read_where_there_is_no_plain_text(tmp_path):
    page = "<h1>Maße</h1><p>Deckung 45 mm.<img src='https://spy.example/x.png'></p>".encode("cp1252")
    assert text_of(tmp_path, {PLAIN: " ", HTML: page, HTML_CODEPAGE: 1252}) == "Maße\n\nDeckung 45 mm."


@pytest.mark.parametrize("packed", [True, False])
def test_rtf_is_read_where_there_is_nothing_else(tmp_path, packed):
    source = rb"{\rtf1\ansi\ansicpg1252 The cover is 45\'b5m.\par {\v hidden}Regards.}"
    assert text_of(tmp_path, {RTF: compress(source, packed)}) == "The cover is 45µm.\n\nRegards."


def test_cells_of_html_inside_of_rtf_stay_apart(tmp_path):
    source = (
        rb"{\rtf1\ansi\fromhtml1 {\*\htmltag64 <table>}{\*\htmltag148 <td style='x'>}Cover"
        rb"{\*\htmltag156 </td>}{\*\htmltag148 <td>}45 {\*\htmltag84 <b>}mm{\*\htmltag92 </b>}{\*\htmltag156 </td>}}"
    )
    assert text_of(tmp_path, {RTF: compress(source)}).split() == ["Cover", "45", "mm"]


def test_text_in_another_character_set_is_read(tmp_path):
    text = "Толщина слоя 45 мм".encode("cp1251")
    assert text_of(tmp_path, {CODEPAGE: 1251}, **{"1000001E": text}) == "Толщина слоя 45 мм"
    assert "cover" in text_of(tmp_path, {CODEPAGE: 99_999}, **{"1000001E": b"The cover is 45 mm."})


def test_the_child_gives_the_attachments_and_the_messages_within(tmp_path):
    inner = outlook_message({SUBJECT: "Old", PLAIN: "Forwarded words."}, header=24)
    large = picture(1200, 1600)
    attachments = [
        {FILE_NAME: "../plan.pdf", CONTENT: b"%PDF-1.4" * 9_000, MEDIA_TYPE: "application/pdf"},
        inner,
        {FILE_NAME: "shown.png", CONTENT: large, MEDIA_TYPE: "image/png", FLAGS: 4},
        {FILE_NAME: "page.png", CONTENT: large},
        {FILE_NAME: "mail.eml", CONTENT: b"Subject: x\n\nwords", MEDIA_TYPE: "message/rfc822"},
        {FILE_NAME: "link.txt", 0x3705: 2},
    ]
    path = stored(tmp_path, outlook_message({PLAIN: "Words."}, attachments=attachments))
    found = {name: base64.b64decode(one) for name, one in confined_call(READ_ATTACHMENTS, path, arguments={})}
    assert list(found) == ["../plan.pdf", "Old.eml", "page.png", "mail.eml"]
    assert (found["../plan.pdf"], found["page.png"]) == (b"%PDF-1.4" * 9_000, large)
    (tmp_path / "b.eml").write_bytes(found["Old.eml"])
    assert read_text(tmp_path / "b.eml", "eml") == "Subject: Old\n\nForwarded words."


def test_a_message_is_told_by_its_name_or_its_streams():
    small = compound_file(outlook_message({PLAIN: "Words."}))[:4096]
    assert detect_type("forwarded", small) == detect_type("a.msg", small[:512]) == "eml"
    with pytest.raises(OldOfficeFile):
        detect_type("forwarded", small[:512])
    assert detect_type("Pose.msg", b"float64 x\nfloat64 y\n") == "text"


def test_old_office_files_stay_refused_whatever_they_are_called(tmp_path):
    with pytest.raises(OldOfficeFile):
        read_here(stored(tmp_path, {"WordDocument": b"words" * 2_000}), "eml")


def test_a_message_without_anything_is_empty(tmp_path):
    with pytest.raises(EmptyDocument):
        read_here(stored(tmp_path, outlook_message({})), "eml")


def _looping() -> bytes:
    """The second sector of the text is followed by the first."""
    content = bytearray(compound_file(outlook_message({PLAIN: "words " * 2_000})))
    [fat] = struct.unpack_from("<I", content, 76)
    struct.pack_into("<I", content, 512 * (fat + 1) + 4, 0)
    return bytes(content)


def _looping_in_small_sectors() -> bytes:
    content = bytearray(compound_file(outlook_message({PLAIN: "words " * 100})))
    [table] = struct.unpack_from("<I", content, 60)
    start = 512 * (table + 1)
    first = next(n for n in range(128) if struct.unpack_from("<I", content, start + 4 * n)[0] == n + 1)
    struct.pack_into("<I", content, start + 4 * (first + 1), first)
    return bytes(content)


def _shared_sectors() -> bytes:
    """Nineteen streams that are said to be the first, which is most of the file."""
    sizes = [150_000, *[5_000] * 19]
    tree = outlook_message({}, attachments=[{FILE_NAME: "a.bin", CONTENT: b"x" * size} for size in sizes])
    content, entry = bytearray(compound_file(tree)), "__substg1.0_37010102\0".encode("utf-16-le")
    at = content.find(entry)
    while at != -1:
        struct.pack_into("<IQ", content, at + 116, 0, 150_000)
        at = content.find(entry, at + 1)
    return bytes(content)


@pytest.mark.parametrize(
    "content",
    [
        _looping(),
        _looping_in_small_sectors(),
        _shared_sectors(),
        compound_file(outlook_message({PLAIN: "words " * 20_000}))[:-40_000],
        compound_file(outlook_message({PLAIN: "words"}))[:700],
        compound_file(outlook_message({RTF: b"\xff\xff\0\0\x20\0\0\0LZFu\0\0\0\0 cut"})),
    ],
    ids=["loop", "small loop", "shared", "cut off", "cut short", "rtf"],
)
def test_f2_what_is_wrong_inside_is_refused(tmp_path, content):
    with pytest.raises(DamagedDocument):
        list(read_pages(stored(tmp_path, content), source_type="eml"))


def _messages_within(depth: int) -> Tree:
    tree = outlook_message({PLAIN: "words"}, header=24)
    for _ in range(depth):
        tree = outlook_message({PLAIN: "words"}, attachments=[tree], header=24)
    return {**tree, PROPERTIES: bytes(8) + bytes(24)}


@pytest.mark.parametrize(
    "tree",
    [
        _messages_within(outlook.MAX_MESSAGES_WITHIN + 1),
        outlook_message({PLAIN: "words"}, attachments=[{}] * (outlook.MAX_ATTACHMENTS_LOOKED_AT + 1)),
        {PROPERTIES: bytes(32 + 16 * 10_001)},
        outlook_message({RTF: b"\xff\xff\0\0" + struct.pack("<I", outlook.MAX_RTF_BYTES + 1) + b"LZFu\0\0\0\0 "}),
        outlook_message({RTF: bytes(outlook.MAX_PACKED_RTF_BYTES + 1)}),
    ],
    ids=["depth", "attachments", "properties", "unpacked rtf", "packed rtf"],
)
def test_f2_what_is_beyond_reason_is_refused(tmp_path, tree):
    with pytest.raises(TooLarge):
        list(read_pages(stored(tmp_path, tree), source_type="eml"))


def test_names_without_an_address_are_all_kept(tmp_path):
    text = text_of(tmp_path, {0x0C1A: "Smith (Site)", 0x0E04: "Ann; Ben Ox", PLAIN: "Words."})
    assert text.split("\n")[:2] == ['From: "Smith (Site)"', 'To: Ann, "Ben Ox"']


def test_thousands_of_recipients_cost_no_minutes(tmp_path):
    recipients = [{0x0C15: 1, 0x3001: f"Person {n}", 0x39FE: f"u{n}@example.org"} for n in range(1_500)]
    path = stored(tmp_path, outlook_message({PLAIN: "The cover is 45 mm."}, recipients=recipients))
    assert read_text(path, "eml").endswith("The cover is 45 mm.")
