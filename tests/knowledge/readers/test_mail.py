from __future__ import annotations

import base64
import io
from email.message import EmailMessage
from pathlib import Path

import pytest
from PIL import Image

from knowledge.readers.isolation.confined_call import confined_call
from knowledge.readers.isolation.reader_process import read_pages
from knowledge.readers.types import EmptyDocument, Limits, TooLarge, UnreadableDocument
from tests.knowledge.readers.made import read_here, read_text

# A mail that takes more processor time is one whose cost grows with the square of something.
SOON = Limits(cpu_seconds=10)
READ_ATTACHMENTS = "knowledge.readers.mail.attachments:read_attachments"


def mail(text: str = "The cover is 45 mm.", *, subject: str = "Cover of the raft") -> EmailMessage:
    message = EmailMessage()
    message["From"] = "Ruth Ömer <ruth@example.org>"
    message["To"] = "site@example.org, Bob <bob@example.org>"
    message["Date"] = "Tue, 24 Nov 2026 01:45:00 +0000"
    message["Subject"] = subject
    message["Bcc"] = "secret@example.org"
    message.set_content(text)
    return message


def stored(path: Path, message: EmailMessage | bytes) -> Path:
    path.write_bytes(message if isinstance(message, bytes) else message.as_bytes())
    return path


def test_who_wrote_what_to_whom_and_when(tmp_path):
    message = mail("The cover is 45 mm.\r\n\r\nRegards, Ruth")
    message.add_attachment(b"Slump is 75 mm.", maintype="text", subtype="plain", filename="mix.txt")
    header, [page] = read_here(stored(tmp_path / "a.eml", message), "eml")
    assert (header.title, header.paged) == ("Cover of the raft", False)
    assert header.metadata["date"] == "2026-11-24 01:45+00:00"
    assert page.text.split("\n\n") == [
        "From: Ruth Ömer <ruth@example.org>\nTo: site@example.org, Bob <bob@example.org>\n"
        "Date: 2026-11-24 01:45+00:00\nSubject: Cover of the raft",
        "The cover is 45 mm.",
        "Regards, Ruth",
        "Attachment: mix.txt",
    ]


def test_a_broken_character_does_not_change_the_character_set(tmp_path):
    words = "Время пришло. " * 30
    head = b"Subject: a\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\n"
    text = read_text(stored(tmp_path / "a.eml", head + words.encode() + b"\xd1 " + words.encode()), "eml")
    assert text.count("Время пришло.") == 60
    other = "Ширина трещин не должна превышать 0,3 мм. Толщина защитного слоя бетона равна 45 мм. " * 3
    text = read_text(stored(tmp_path / "b.eml", head + other.encode("cp1251")), "eml")
    assert text.count("защитного слоя") == 3


def test_html_is_read_as_a_person_sees_it_where_there_is_no_plain_text(tmp_path):
    message = mail()
    message.set_content("<h1>Raft</h1><p>Cover is 45 mm.<img src='https://spy.example/x.png'></p>", subtype="html")
    _, [page] = read_here(stored(tmp_path / "a.eml", message), "eml")
    assert page.text.endswith("Raft\n\nCover is 45 mm.")
    [heading] = page.headings
    assert page.text.startswith("Raft", heading.start)
    message = mail("As plain text.")
    message.add_alternative("<p>As HTML.</p>", subtype="html")
    assert "As HTML" not in read_text(stored(tmp_path / "b.eml", message), "eml")


@pytest.mark.parametrize("blank", ["", " \r\n\xa0\r\n"])
def test_html_is_read_where_the_plain_text_is_blank(tmp_path, blank: str):
    message = mail(blank)
    message.add_alternative("<h1>Raft</h1><p>Cover is 45 mm.</p>", subtype="html")
    _, [page] = read_here(stored(tmp_path / "a.eml", message), "eml")
    assert page.text.endswith("Raft\n\nCover is 45 mm.")
    assert [one.title for one in page.headings] == ["Raft"]


def test_a_mail_without_any_text_has_its_headers(tmp_path):
    message = mail("")
    message.add_alternative("<!-- -->", subtype="html")
    assert read_text(stored(tmp_path / "a.eml", message), "eml").endswith("Subject: Cover of the raft")


def body_of(tmp_path, html: str) -> str:
    message = mail()
    message.set_content(html, subtype="html")
    return read_text(stored(tmp_path / "a.eml", message), "eml").partition("\n\n")[2]


@pytest.mark.parametrize(
    ("link", "shown"),
    [
        ("<a href='https://site.example/form?id=7'>Our form</a>", "Our form (https://site.example/form?id=7)"),
        ("<a href='mailto:ann@site.example?subject=Hi'>Ann</a>", "Ann (ann@site.example)"),
        ("<a href='https://www.site.example/'>site.example</a>", "site.example"),
        ("<a href='mailto:ann@site.example'><b>Ann@site.example</b></a>", "Ann@site.example"),
        ("<a href='https://spy.example/open'><img src='x.png'></a>", ""),
        ("<a href='javascript:alert(1)'>Click</a>", "Click"),
        ("<a href='#below'>Below</a>", "Below"),
        (f"<a href='https://clicks.example/{'x' * 300}'>Read on</a>", "Read on"),
    ],
)
def test_the_address_that_a_link_hides_is_read(tmp_path, link: str, shown: str):
    assert body_of(tmp_path, f"<p>See {link}.</p>") == f"See {shown}."
    table = f"<table><tr><th>What</th><th>Where</th></tr><tr><td>Form</td><td>{link}</td></tr></table>"
    assert body_of(tmp_path, table).endswith(f"Where: {shown}" if shown else "Form")


def test_a_hidden_link_has_no_address(tmp_path):
    assert body_of(tmp_path, "<p>Dear Ann<a href='https://spy.example' style='display:none'>x</a></p>") == "Dear Ann"


def test_a_body_in_another_character_set_is_read(tmp_path):
    head = b"Subject: =?iso-8859-1?Q?Gr=F6=DFe?=\r\nContent-Type: text/plain; charset=unknown-9\r\n\r\n"
    path = stored(tmp_path / "a.eml", head + b"Die Gr\xf6\xdfe der Deckung betraegt 45 mm.")
    assert read_text(path, "eml") == "Subject: Größe\n\nDie Größe der Deckung betraegt 45 mm."


def test_the_child_gives_the_attachments_with_pictures_in_the_text_left_out(tmp_path):
    message, forwarded = mail(), mail("Forwarded words.", subject="Old")
    message.add_attachment(b"%PDF-1.4", maintype="application", subtype="pdf", filename="../plan.pdf")
    message.add_attachment(b"\x89PNG", maintype="image", subtype="png", disposition="inline", filename="logo.png")
    message.add_attachment(forwarded)
    found = list(confined_call(READ_ATTACHMENTS, stored(tmp_path / "a.eml", message), arguments={}))
    assert [name for name, _ in found] == ["../plan.pdf", "attachment 3.eml"]
    assert base64.b64decode(found[0][1]) == b"%PDF-1.4"
    assert b"Forwarded words." in base64.b64decode(found[1][1])


def test_a_logo_is_no_document_and_a_photographed_page_is_one(tmp_path):
    message = mail("As text.")
    message.add_alternative('<p>Yours</p><img src="cid:sign@x">', subtype="html")
    large, small = picture(1200, 1600), picture(600, 120)
    message.add_attachment(large, maintype="image", subtype="png", filename="shown.png", cid="<sign@x>")
    message.add_attachment(small, maintype="image", subtype="png", filename="logo.png")
    message.add_attachment(large, maintype="image", subtype="png", filename="page.png", cid="<other@x>")
    message.add_attachment(b"no picture", maintype="image", subtype="png", filename="broken.png")
    found = list(confined_call(READ_ATTACHMENTS, stored(tmp_path / "a.eml", message), arguments={}))
    assert [name for name, _ in found] == ["page.png", "broken.png"]


def picture(width, height):
    stream = io.BytesIO()
    Image.new("1", (width, height)).save(stream, "PNG")
    return stream.getvalue()


def test_a_mail_without_anything_is_empty(tmp_path):
    with pytest.raises(EmptyDocument):
        read_here(stored(tmp_path / "a.eml", b"X-Mailer: none\r\n\r\n"), "eml")


def _nested(depth: int) -> bytes:
    head = b"".join(
        b"Content-Type: multipart/mixed; boundary=b%d\r\n\r\n--b%d\r\n" % (number, number) for number in range(depth)
    )
    return b"Subject: x\r\nMIME-Version: 1.0\r\n" + head + b"Content-Type: text/plain\r\n\r\nwords"


def _many_parts() -> bytes:
    part = b"--b\r\nContent-Type: text/plain\r\n\r\nwords\r\n"
    return b"Subject: x\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n" + part * 50_000 + b"--b--\r\n"


@pytest.mark.parametrize("depth", [40, 20_000])
def test_f2_parts_within_parts_are_refused(tmp_path, depth):
    with pytest.raises(UnreadableDocument) as refused:
        list(read_pages(stored(tmp_path / "a.eml", _nested(depth)), source_type="eml"))
    assert refused.value.code in ("too_large", "damaged")


def test_f2_fifty_thousand_parts_are_refused(tmp_path):
    with pytest.raises(TooLarge):
        list(read_pages(stored(tmp_path / "a.eml", _many_parts()), source_type="eml", limits=SOON))


@pytest.mark.parametrize(
    "head",
    [
        b"From: " + b"(" * 100_000,
        b"To: " + b"a@b.c, " * 50_000,
        b"Subject: " + b"=?utf-8?b?" * 20_000,
        b"Date: 99 Foo 99999 99:99",
        b"Content-Type: " + b";" * 100_000,
        b"X-\xe9: \x01",
    ],
)
def test_f2_hostile_headers_end_with_text_or_a_reason(tmp_path, head):
    source = head + b"\r\nMIME-Version: 1.0\r\n\r\nThe cover is 45 mm."
    try:
        events = list(read_pages(stored(tmp_path / "a.eml", source), source_type="eml", limits=SOON))
    except UnreadableDocument as refused:
        assert refused.code in ("too_large", "damaged")  # noqa: PT017 -- either end is right
    else:
        assert "The cover is 45 mm." in events[1].text


def test_headers_of_megabytes_cost_no_minutes(tmp_path):
    recipients = ", ".join(f"u{number}@example.org" for number in range(50_000))
    options = "".join(f'; a*{number}="x"' for number in range(20_000))
    head = f"From: a@example.org\nTo: {recipients}\nMIME-Version: 1.0\nContent-Type: text/plain{options}\n"
    path = stored(tmp_path / "a.eml", f"{head}\nThe cover is 45 mm.\n".encode())
    _, page = list(read_pages(path, source_type="eml", limits=SOON))
    assert page.text.endswith("The cover is 45 mm.")


def test_an_email_that_is_a_file_has_it_as_its_attachment(tmp_path):
    message = EmailMessage()
    message["Subject"] = "Scan of 24 November"
    message.set_content(b"%PDF-1.7 scan", maintype="application", subtype="pdf", filename="scan.pdf")
    path = stored(tmp_path / "a.eml", message)
    assert read_text(path, "eml") == "Subject: Scan of 24 November\n\nAttachment: scan.pdf"
    [[name, content]] = confined_call(READ_ATTACHMENTS, path, arguments={})
    assert (name, base64.b64decode(content)) == ("scan.pdf", b"%PDF-1.7 scan")
