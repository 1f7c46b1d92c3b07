"""Visitors' pages in their reader's language: no text of ours stays English, and caches keep the languages apart."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from html.parser import HTMLParser
from typing import Any

import pytest
from django.core import mail
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone, translation
from django.utils.translation import trans_real

from accounts.models import ApiKey, User
from evaluation.models import GoldenQuestion
from knowledge.models import DocumentStatus, KnowledgeBase, Page
from knowledge.readers.types import NoText
from lexic.conf.languages import COOKIE_NAME, LANGUAGES
from marketplace.models import DayOfPlugin, Listing
from marketplace.publishing.publish import publish
from notifications.expert_replies import ask_to_confirm, mail_reply
from notifications.models import MailKind
from notifications.notify import notify
from notifications.unsubscribe import make_token
from plugins.models import Plugin
from querying.models import AnswerLink, ExpertRequest, Query
from querying.query_log.send_expert_request import make_confirmation_token
from querying.question.question_language import other_language_notice
from tests.cover import give_document

pytestmark = pytest.mark.django_db
# What is written in other letters is somebody's content; what is written in ours has to be between these brackets.
OPENED, CLOSED = "⟦", "⟧"
LATIN = re.compile(r"[A-Za-z][A-Za-z.-]+")
ADDRESS_OR_HASH = re.compile(r"https?://\S+|\b[0-9a-f]{40,}\b")
# In the language of the page, so that what is said about them is in it too.
QUESTIONS = ("Wie groß ist die kleinste Deckung eines Balkens?", "Wer bezahlt eigentlich die Steuern im Jahr 2031?")
# What the foreign plugin answers.
ANSWERED = "Ποια είναι η ελάχιστη κάλυψη μιας δοκού σε ξηρό χώρο;"
# Names and units that are the same in every language.
NAMES = frozenset(
    [
        "Lexic",
        "API",
        "MCP",
        "HTTP",
        "Python",
        "OpenAI",
        "client",
        "Markdown",
        "PDF",
        "Word",
        "QR",
        "PNG",
        "JPEG",
        "WebP",
        "MB",
        "UTC",
        "SHA",
        "ms",
        "curl",
        "testserver",
    ]
)
SHOWN_ATTRIBUTES = ("aria-label", "alt", "title", "placeholder")
UNREAD = ("script", "style", "code", "pre", "svg")
TEXT = "# Κάλυψη\n\n## 1 Έκθεση\n\nΗ ελάχιστη κάλυψη μιας δοκού σε ξηρό χώρο είναι 20 χιλιοστά σε κάθε περίπτωση.\n"
# What visitors wrote, and the one sentence that has a text of its own in more languages than the pages have.
SAID_IN_THE_LANGUAGE = (*QUESTIONS, other_language_notice(QUESTIONS[1], [TEXT]))
VOID = frozenset(["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"])


class PseudoLanguage(trans_real.DjangoTranslation):
    """German whose every text stands in brackets."""

    def __init__(self) -> None:
        super().__init__("de")

    def gettext(self, message: str) -> str:
        context, _, text = message.rpartition(trans_real.CONTEXT_SEPARATOR)
        return f"{OPENED}{text}{CLOSED}" if text.strip() and context != "date format" else text

    def ngettext(self, singular: str, plural: str, number: float) -> str:
        return f"{OPENED}{singular if number == 1 else plural}{CLOSED}"


class Untranslated(HTMLParser):
    """Collects the texts of a page that are in our letters and not between brackets."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.depth = 0
        self.skipped: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        said = {name: value or "" for name, value in attributes}
        is_other = tag != "html" and "lang" in said
        if tag not in VOID and (self.skipped or tag in UNREAD or said.get("translate") == "no" or is_other):
            self.skipped.append(tag)
            if len(self.skipped) > 1 or is_other or said.get("translate") == "no":
                return
        if not self.depth:
            texts = [said[name] for name in SHOWN_ATTRIBUTES if name in said]
            if tag == "meta" and said.get("name") == "description":
                texts.append(said["content"])
            for text in texts:
                self._check(re.sub(rf"{OPENED}.*{CLOSED}", "", text, flags=re.DOTALL))

    def handle_endtag(self, tag: str) -> None:
        if self.skipped and tag in self.skipped:
            while self.skipped.pop() != tag:
                pass

    def handle_data(self, data: str) -> None:
        outside = ""
        for character in data:
            self.depth += (character == OPENED) - (character == CLOSED)
            outside += character if not self.depth else " "
        if not self.skipped:
            self._check(outside)

    def _check(self, text: str) -> None:
        text = ADDRESS_OR_HASH.sub("", text)
        if any(word.strip(".-") not in NAMES for word in LATIN.findall(text)):
            self.found.append(" ".join(text.split()))


@pytest.fixture
def pseudo(monkeypatch: pytest.MonkeyPatch) -> Iterator[Client]:
    """A visitor whose browser asks for German, which stands in brackets here."""
    monkeypatch.setitem(trans_real._translations, "de", PseudoLanguage())  # type: ignore[attr-defined]
    yield Client(headers={"accept-language": "de"})
    translation.activate("en-gb")


@pytest.fixture
def foreign(alice: User) -> Plugin:
    """A plugin all of whose words are Greek: whatever is in Latin letters on its pages comes from us."""
    alice.display_name = "Αλίκη"
    alice.save()
    plugin = Plugin.objects.create(
        owner=alice,
        name="Κάλυψη",
        slug="4-2",
        domain="κατασκευές",
        tagline="Πόση κάλυψη.",
        description="Για δοκούς.",
        system_prompt="Μηχανικός.",
        disclaimer="Ρωτήστε τον μηχανικό.",
        tags=["δοκός"],
        is_shared=True,
        public_chat=True,
    )
    document = give_document(plugin, title="Κανόνες", text=TEXT, file_name="1.md")
    document.is_public = True
    document.save()
    GoldenQuestion.objects.create(plugin=plugin, question="Ποια είναι η κάλυψη;", is_public=True)
    publish(plugin, by=alice, notes="Πρώτη.")
    publish(plugin, by=alice, version="1.1.0", notes="Δεύτερη.")
    day = Listing.objects.get().updated_at.date()
    DayOfPlugin.objects.create(plugin=plugin, day=day, asked=1234, answered=1200, refused=34)
    plugin.refresh_from_db()
    return plugin


def complaints(client: Client, paths: list[str]) -> list[str]:
    """Each text that is not translated, with the page that it stands on."""
    said = []
    for path in paths:
        response = client.get(path, follow=True)
        said += [f"{path}: {text}" for text in untranslated(response)]
    return said


def untranslated(response: Any) -> list[str]:
    parser, page = Untranslated(), response.content.decode()
    for said in SAID_IN_THE_LANGUAGE:
        page = page.replace(said, "")
    parser.feed(page)
    return parser.found


HINT = (
    "These texts of visitors' pages are not marked for translation. In a template: {% translate %} or "
    "{% blocktranslate %}; in Python: gettext. Then `manage.py makemessages`, and docs/languages.md says how to add "
    'the translations. What must stay as it is, such as a code, gets translate="no".'
)


def test_no_text_of_visitors_pages_stays_english(pseudo: Client, foreign: Plugin) -> None:
    page = Page.objects.latest("pk")
    paths = [
        "/",
        "/marketplace",
        "/marketplace?q=ξξξ&domain=κατασκευές",
        "/marketplace/4-2",
        "/marketplace/4-2@1.1.0",
        "/marketplace/4-2/install",
        "/marketplace/4-2/report",
        "/chat/4-2",
        f"/source/{page.pk}",
        "/become-author",
        "/accounts/become-author",
        "/accounts/login/",
        "/accounts/signup/",
        "/accounts/password/reset/",
        "/accounts/password/reset/done/",
        "/accounts/confirm-email/1/",
        "/organisations/sign-in",
        "/docs/search",
        "/docs/search?q=ξξξ",
        "/docs/search?q=plugin",
        "/answers/1",
        "/answers/1/2",
        "/expert-replies/1",
        "/nowhere",
    ]
    found = complaints(pseudo, paths)
    for question in QUESTIONS:
        asked = [
            pseudo.post("/marketplace/4-2/try", {"question": question}),
            pseudo.post("/chat/4-2/ask", {"question": question}, follow=True),
        ]
        found += [f"{question}: {text}" for response in asked for text in untranslated(response)]
    Plugin.objects.update(public_chat=False)
    found += [f"a closed chat: {text}" for text in untranslated(pseudo.get("/chat/4-2"))]
    assert not found, "\n".join([HINT, *found])


DRAWN = re.compile(r"<(?:rect|svg|circle|line|image|meter|progress)\b[^>]*>")
MEASURES = re.compile(r'\b(?:x|y|width|height|value|max|viewBox)="([^"]*)"')


@pytest.mark.parametrize("language", ["de", "fr", "hi"])
def test_drawings_are_measured_in_figures_that_a_browser_reads(
    client: Client, foreign: Plugin, alice: User, language: str
) -> None:
    """Whatever the language of the page writes between whole figures and their parts."""
    ApiKey.objects.issue(owner=alice, name="agent")
    client.force_login(alice)
    measures = [
        figure
        for path in ("/", "/marketplace", "/marketplace/4-2", f"/source/{Page.objects.latest('pk').pk}", "/api-keys")
        for drawn in DRAWN.findall(client.get(path, headers={"accept-language": language}).content.decode())
        for measure in MEASURES.findall(drawn)
        for figure in measure.split()
    ]
    assert any("." in figure for figure in measures)
    assert [figure for figure in measures if not re.fullmatch(r"-?\d*\.?\d+", figure)] == []


def test_no_text_about_an_answer_stays_english(
    pseudo: Client, foreign: Plugin, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its link, the page that revokes it, and the question that is put to the expert, from the page and in the chat."""
    # A question in Greek would be answered in English.
    monkeypatch.setattr("querying.question.answer_language.text_language", lambda *texts: "de")
    shown = pseudo.post("/marketplace/4-2/try", {"question": ANSWERED}).content.decode()
    [proof] = set(re.findall(r'name="proof" value="([^"]+)"', shown))
    pages = [
        pseudo.post("/marketplace/4-2/share", {"proof": proof}, follow=True),
        pseudo.get(f"/answers/{AnswerLink.objects.get().token}"),
        pseudo.post("/marketplace/4-2/expert", {"proof": proof, "email": "7@8"}),
        pseudo.post("/marketplace/4-2/expert", {"proof": "1"}),
        pseudo.post("/marketplace/4-2/expert", {"proof": proof, "email": "7@8.ελ"}),
    ]
    confirmation = f"/expert-replies/{make_confirmation_token(ExpertRequest.objects.get())}"
    pages += [pseudo.get(confirmation), *(pseudo.post(confirmation, {"say": word}) for word in ("yes", "no"))]
    made = str(pages[0].redirect_chain[0][0])
    pages.append(pseudo.post(made))
    chat = pseudo.post("/chat/4-2/ask", {"question": ANSWERED}, follow=True)
    address, answer = str(chat.redirect_chain[0][0]).partition("#")[0], Query.objects.latest("created_at").pk
    for act in ("share", "expert"):
        pages.append(pseudo.post(f"{address}/{act}", {"answer": answer}, follow=True))
    ExpertRequest.objects.update(reply="Είκοσι.", replied_by="Αλίκη", replied_at=timezone.now())
    pages += [chat, pseudo.get(address)]
    found = [f"{page.request['PATH_INFO']}: {text}" for page in pages for text in untranslated(page)]
    assert not found, "\n".join([HINT, *found])


def test_mails_of_replies_are_in_the_language_of_the_account_or_else_of_the_question(
    pseudo: Client, foreign: Plugin, charlie: User
) -> None:
    charlie.language = "fr"
    charlie.save()
    for user, question in ((None, QUESTIONS[0]), (None, "How thick is the cover?"), (charlie, QUESTIONS[0])):
        query = Query.objects.create(plugin=foreign, question=question)
        row = ExpertRequest.objects.create(query=query, user=user, email="" if user else "7@8.9")
        if not user:
            assert ask_to_confirm(row.pk)
        row.confirmed_at = row.replied_at = timezone.now()
        row.reply, row.replied_by = "Είκοσι.", "Αλίκη"
        row.save()
        assert mail_reply(row.pk)
    subjects = [one.subject for one in mail.outbox]
    assert subjects[0].startswith(OPENED)
    assert subjects[2:] == [
        "Confirm your address to get the expert’s reply",
        "A reply from the expert of Κάλυψη",
        "Une réponse de l’expert de Κάλυψη",
    ]
    contents = [str(one.alternatives[0][0]) for one in mail.outbox]  # type: ignore[union-attr]
    languages = [re.findall(r'<html lang="(.*?)"', content)[0] for content in contents]
    assert languages == ["de", "de", "en-GB", "en-GB", "fr"]
    found = [text for content in contents[:2] for text in untranslated(HttpResponse(content))]
    assert not found, "\n".join([HINT, *found])


def test_no_text_of_mails_to_authors_stays_english(pseudo: Client, foreign: Plugin, alice: User) -> None:
    """Neither in them nor on the page that ends them."""
    alice.language = "de"
    alice.save()
    now = datetime(2026, 3, 9, 7, tzinfo=UTC)
    base = KnowledgeBase.objects.get(plugin=foreign)
    for title in ("α", "β"):
        document = base.documents.create(title=title, source_type="pdf", superseded_on=now.date())
        failed = {"status": DocumentStatus.FAILED, "updated_at": now - timedelta(hours=2)}
        base.documents.filter(pk=document.pk).update(**failed, error=NoText().message_with_hint)
    asked = [
        Query(plugin=foreign, release=foreign.releases.first(), release_name="1", question="Πόση;", outcome="refused")
        for _ in range(12)
    ]
    for number, query in enumerate(Query.objects.bulk_create(asked)):
        Query.objects.filter(pk=query.pk).update(created_at=now - timedelta(days=number % 2 + 0.1))
    assert notify(alice.pk, now=now) == 2
    Query.objects.update(created_at=now)
    assert notify(alice.pk, now=now + timedelta(hours=1)) == 1
    pages = [HttpResponse(one.alternatives[0][0]) for one in mail.outbox]  # type: ignore[union-attr]
    assert all(one.subject.startswith((OPENED, "Κάλυψη")) for one in mail.outbox)
    link = "/mail/unsubscribe/" + make_token(alice, MailKind.REFUSALS)
    pages += [pseudo.get(link), pseudo.post(link), pseudo.get("/mail/unsubscribe/1")]
    found = [text for page in pages for text in untranslated(page)]
    assert not found, "\n".join([HINT, *found])


def test_an_answer_is_in_the_language_of_its_question(foreign: Plugin) -> None:
    """Whatever the language of the page."""
    client = Client(headers={"accept-language": "hi"})
    page = client.post("/marketplace/4-2/try", {"question": QUESTIONS[1]}).content.decode()
    assert "In meiner Wissensbasis" not in page
    assert "habe ich in meiner Wissensbasis keine geprüften Informationen" in page


def test_no_text_of_an_account_stays_english(pseudo: Client, foreign: Plugin, charlie: User) -> None:
    charlie.display_name, charlie.email = "Χάρης", "7@8.9"
    charlie.save()
    pseudo.force_login(charlie)
    paths = [
        "/accounts/profile",
        "/accounts/email/",
        "/accounts/password/change/",
        "/accounts/2fa/",
        "/accounts/sessions/",
        "/accounts/3rdparty/",
        "/accounts/logout/",
        "/api-keys",
        "/marketplace/4-2/review",
        "/marketplace/4-2/install",
    ]
    found = complaints(pseudo, paths)
    assert not found, "\n".join([HINT, *found])


def test_a_page_is_in_the_language_that_the_browser_asks_for(client: Client) -> None:
    german = client.get("/marketplace", headers={"accept-language": "de-AT,de;q=0.9,en;q=0.5"})
    assert german.headers["Content-Language"] == "de"
    assert '<html lang="de" dir="ltr">' in german.content.decode()
    assert "Marktplatz" in german.content.decode()
    chinese = client.get("/marketplace", headers={"accept-language": "zh-CN"})
    assert '<html lang="zh-Hans"' in chinese.content.decode()
    icelandic = client.get("/marketplace", headers={"accept-language": "is"})
    assert "Marketplace" in icelandic.content.decode()


def test_caches_keep_languages_apart(client: Client) -> None:
    varies = client.get("/marketplace", headers={"accept-language": "fr"}).headers["Vary"]
    assert {"Accept-Language", "Cookie"} <= {one.strip() for one in varies.split(",")}


@pytest.mark.parametrize("path", ["/api/v1/plugins", "/llms.txt", "/docs/api.md", "/healthz"])
def test_what_programs_and_authors_read_stays_english(client: Client, path: str) -> None:
    english = client.get(path, headers={"accept-language": "en"}, follow=True)
    german = client.get(path, headers={"accept-language": "de"}, follow=True)
    assert german.content == english.content


def test_a_choice_is_remembered_in_the_browser(client: Client) -> None:
    chosen = client.post("/accounts/language", {"language": "hi", "next": "/marketplace?q=a"})
    assert chosen.headers["Location"] == "/marketplace?q=a"
    page = client.get("/", headers={"accept-language": "de"})
    assert page.headers["Content-Language"] == "hi"


def test_a_choice_is_remembered_in_the_account(client: Client, alice: User) -> None:
    client.force_login(alice)
    client.post("/accounts/language", {"language": "pt-br"})
    alice.refresh_from_db()
    assert alice.language == "pt-br"
    other = Client()
    other.post("/accounts/login/", {"login": alice.email, "password": "correct horse battery"})
    assert other.cookies[COOKIE_NAME].value == "pt-br"


def test_a_choice_leads_to_no_other_site_and_to_no_other_language(client: Client) -> None:
    away = client.post("/accounts/language", {"language": "es", "next": "https://evil.example/"})
    assert away.headers["Location"] == "/"
    unknown = client.post("/accounts/language", {"language": "xx"})
    assert unknown.status_code == 400
    assert COOKIE_NAME not in unknown.cookies


def test_every_page_offers_all_languages_by_their_own_names(client: Client) -> None:
    page = client.get("/").content.decode()
    for code, name in LANGUAGES:
        assert f'value="{code}"' in page
        assert name in page


def test_figures_and_dates_are_written_as_the_language_does(client: Client, foreign: Plugin) -> None:
    german = client.get("/marketplace/4-2", headers={"accept-language": "de"}).content.decode()
    assert "1.234" in german
    english = client.get("/marketplace/4-2", headers={"accept-language": "en"}).content.decode()
    assert "1,234" in english
