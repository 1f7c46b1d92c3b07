"""Mails are made of one template: the text says what the HTML says."""

from __future__ import annotations

import pytest
from django.core import mail

from lexic.templated_mail import make_mail, send_letter, text_of


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("<p>Two\n lines of a\n template.</p>", "Two lines of a template.\n"),
        ("<p>40 mm.<br>For slabs too.</p><p>See 4.4.</p>", "40 mm.\nFor slabs too.\n\nSee 4.4.\n"),
        ('<p><a href="https://a.example/x">Open it</a></p>', "Open it: https://a.example/x\n"),
        ('<p>Sent by <a href="https://a.example">us</a>.</p>', "Sent by us (https://a.example).\n"),
        ("<p>Why:</p><ul><li>one</li>\n<li>two <b>or</b>\n three</li></ul>", "Why:\n\n- one\n- two or three\n"),
        ("<div>Lexic</div><h1>A &lt;b&gt;</h1>", "A <b>\n"),
    ],
)
def test_the_text_is_that_of_the_html(content: str, text: str) -> None:
    assert text_of(content) == text


def test_a_letter_has_a_heading_its_paragraphs_and_one_link_between_them() -> None:
    send_letter(
        "ruth@example.org",
        subject="Boots\nBcc: x@example.org",
        before=["<script>", "Second."],
        link=("https://a.example/?a=1&b=2", "Open it"),
        after=["Third."],
    )
    [sent] = mail.outbox
    assert (sent.subject, sent.to) == ("Boots Bcc: x@example.org", ["ruth@example.org"])
    assert sent.extra_headers["Auto-Submitted"] == "auto-generated"
    blocks = [sent.subject, "<script>", "Second.", "Open it: https://a.example/?a=1&b=2", "Third."]
    assert str(sent.body).startswith("\n\n".join(blocks))
    [content] = sent.alternatives  # type: ignore[attr-defined]
    assert (content[1], "<script>" in content[0]) == ("text/html", False)


def test_a_mail_is_not_sent_before_it_is_told_to() -> None:
    context = {"before": ["One."], "link": None, "after": []}
    made = make_mail("a@example.org", subject="S", template="mail/letter.html", context=context)
    assert mail.outbox == []
    assert made.send() == 1
