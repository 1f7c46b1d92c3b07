"""Templates of documents: those that a question may read, the blanks in them, and a text with the blanks filled in.

A template is a document that is marked as one. A blank is `{{ name }}`, or `{{ name: first | second }}` where there is
a choice; a name that stands in several blanks is asked for once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Exists, OuterRef, Sum
from django.db.models.functions import Length

from agents.tools.stated_facts import stated_fact
from contracts.playbook.playbook_sources import PLAYBOOK_TYPE
from knowledge.embedders import local_embedder
from knowledge.models import Page
from lexic.errors import InvalidInput, NotFound
from querying.question.document_access import usable_templates
from querying.releases import bases_of
from querying.types.question import Question

_BLANK = re.compile(r"\{\{\s{0,9}([^{}|:\n]{1,80}?)\s{0,9}(?::([^{}\n]{1,400}))?\}\}")
# How near a message must be to a template's title (cosine) to ask for that one.
_LEAST_SIMILARITY = 0.35
_MAX_TEMPLATES = 200
STOP_WORD = "stop"
_MAX_LISTED = 20
# The most characters of a template and of a draft. The journal takes no longer draft.
_MAX_TEMPLATE_CHARACTERS, _MAX_DRAFT_CHARACTERS = 100_000, 200_000


class UnknownDocumentTemplate(NotFound):
    """There is no template of this name with blanks in it."""

    code = "unknown_template"


class MissingFacts(InvalidInput):
    """Blanks of the template are still open."""

    code = "missing_facts"


class DraftTooLong(InvalidInput):
    """The draft would be too long."""

    code = "draft_too_long"
    hint = "Use shorter values for blanks that occur several times."


@dataclass(frozen=True, kw_only=True)
class Blank:
    """What the template leaves open; `options` is empty where any text will do."""

    name: str
    options: tuple[str, ...] = ()

    @property
    def question(self) -> str:
        return f"What should the document say for “{self.name}”? To leave the draft, write “{STOP_WORD}”."

    def value_of(self, said: str) -> str:
        """What stands in the blank where this is said: the option as the template spells it, "" where it is none."""
        if not self.options:
            return said.strip()
        return next((option for option in self.options if _option_key(option) == _option_key(said)), "")


@dataclass(frozen=True, kw_only=True)
class FactReply:
    """What a reply states of a template's blanks by their names, its other lines, and those behind the last fact."""

    facts: Mapping[str, str]
    others: str
    behind: str


@dataclass(frozen=True, kw_only=True)
class DocumentTemplate:
    document_id: UUID
    title: str
    text: str

    @property
    def blanks(self) -> tuple[Blank, ...]:
        """Each once, in the order in which they stand; of the options, those that stand first."""
        found: dict[str, Blank] = {}
        for match in _BLANK.finditer(self.text):
            options = tuple(part.strip() for part in (match[2] or "").split("|") if part.strip())
            key = _key(match[1])
            if key not in found or (options and not found[key].options):
                found[key] = Blank(name=match[1], options=options)
        return tuple(found.values())

    def open_blanks(self, facts: Mapping[str, str]) -> list[Blank]:
        """The blanks that these facts do not fill."""
        given = self._values(facts)
        return [blank for blank in self.blanks if not given.get(_key(blank.name))]

    def fitting_facts(self, facts: Mapping[str, str]) -> dict[str, str]:
        """The facts without those that are none of the options of their blank; the others as the options are spelt."""
        values = self._values(facts)
        return {name: values[_key(name)] for name in facts if values[_key(name)]}

    def fill(self, facts: Mapping[str, str]) -> str:
        """The text with the facts in its blanks. Raises `MissingFacts`, `DraftTooLong`."""
        if missing := self.open_blanks(facts):
            raise MissingFacts(hint=f"Open are: {', '.join(blank.name for blank in missing)}.")
        values = self._values(facts)
        filled = sum(len(values[_key(match[1])]) - len(match[0]) for match in _BLANK.finditer(self.text))
        if len(self.text) + filled > _MAX_DRAFT_CHARACTERS:
            raise DraftTooLong
        return _BLANK.sub(lambda match: values[_key(match[1])], self.text)

    def facts_in(self, message: str) -> dict[str, str]:
        """What a message states line by line as `name: value`, for names of blanks."""
        return dict(self.read_reply(message).facts)

    def read_reply(self, message: str) -> FactReply:
        names = {_key(blank.name): blank.name for blank in self.blanks}
        facts: dict[str, str] = {}
        others: list[str] = []
        behind: list[str] = []
        for line in message.splitlines():
            name, value = stated_fact(line)
            if _key(name) in names:
                facts[names[_key(name)]] = value
                behind = []
            else:
                others.append(line)
                behind.append(line)
        return FactReply(facts=facts, others="\n".join(others).strip(), behind="\n".join(behind).strip())

    def _values(self, facts: Mapping[str, str]) -> dict[str, str]:
        """What stands in each blank, by its key; "" where what is said is none of its options."""
        blanks = {_key(blank.name): blank for blank in self.blanks}
        given = {_key(name): value for name, value in facts.items()}
        return {key: blanks[key].value_of(value) if key in blanks else value.strip() for key, value in given.items()}


def is_stop_word(message: str) -> bool:
    """Whether the whole message is the word that leaves a draft."""
    return message.strip(" \t\r\n.!“”\"'").lower() == STOP_WORD


def templates_of(question: Question) -> list[DocumentTemplate]:
    """The templates with blanks that this question may read: of the release, and of the private layers."""
    return list(_templates(question))


def first_template(question: Question) -> DocumentTemplate | None:
    """The first of them; no other one is read."""
    return next(_templates(question), None)


def find_template(name: str, question: Question) -> DocumentTemplate:
    """The one with this title or document id. Raises `UnknownDocumentTemplate`."""
    templates = templates_of(question)
    for template in templates:
        if name in (str(template.document_id), template.title):
            return template
    named = ", ".join(template.title for template in templates[:_MAX_LISTED]) or "none"
    raise UnknownDocumentTemplate(hint=f"There are: {named}.")


def closest_template(message: str, templates: Sequence[DocumentTemplate]) -> DocumentTemplate | None:
    """The one whose title is most like the message; None where none is like it."""
    if not templates:
        return None
    vectors = local_embedder().embed([message, *(template.title for template in templates)])
    nearness = vectors[1:] @ vectors[0]
    best = int(nearness.argmax())
    return templates[best] if nearness[best] >= _LEAST_SIMILARITY else None


def _templates(question: Question) -> Iterator[DocumentTemplate]:
    # A playbook is marked as a template too, and says what one would give way on.
    usable = usable_templates(question).exclude(doc_type__iexact=PLAYBOOK_TYPE)
    for base in bases_of(question):
        open_pages = Page.objects.filter(document=OuterRef("pk"), text__contains="{{").alive_at(base.revision)
        marked = usable.filter(Exists(open_pages), knowledge_base=base.knowledge_base_id)
        for document in marked.order_by("title", "pk")[:_MAX_TEMPLATES]:
            pages = Page.objects.filter(document=document).alive_at(base.revision).order_by("number")
            if (pages.aggregate(length=Sum(Length("text")))["length"] or 0) > _MAX_TEMPLATE_CHARACTERS:
                continue
            text = "\n\n".join(pages.values_list("text", flat=True))
            if _BLANK.search(text):
                yield DocumentTemplate(document_id=document.pk, title=document.title, text=text)


def _option_key(said: str) -> str:
    return _key(said).strip(" .,;!\"'“”‘’*")


def _key(name: str) -> str:
    return " ".join(name.lower().split())
