"""The document of answers that experts wrote by hand; each answer adds a section."""

from __future__ import annotations

import re
from datetime import date

from django.db import transaction
from django.utils.formats import date_format

from accounts.models import User
from knowledge import lease
from knowledge.documents.file_store import open_stored
from knowledge.documents.lifecycle import add_text
from knowledge.models import Document, DocumentQuerySet, KnowledgeBase

TITLE = "Expert answers"
_FILE_NAME = "expert-answers.md"
# How replies are signed. For a time an account without a name signed with the part of its address before the @.
_SIGNATURE = re.compile(
    r"^(?P<before>(?:#### )?Answered) by (?P<name>\S+)(?P<after> on \d{1,2} \w+ \d{4}\.?)$", re.MULTILINE
)


def expert_answers() -> DocumentQuerySet:
    """The documents of this kind, at most one in a knowledge base. A note of this name in a folder is none of them."""
    return Document.objects.present().not_synced().filter(file_name=_FILE_NAME)


def add_expert_answer(
    base: KnowledgeBase, *, question: str, answer: str, author: str, day: date, opens: bool = False
) -> Document:
    """Adds a section that is headed by the question and says who answered it when; with an empty `author` only when.
    The document is still to be read; it is marked public where the answer `opens` it, and stays as it is otherwise.

    Two people who answer at once wait for each other, so that no answer is lost. Raises what `add_text` raises.
    """
    heading = " ".join(question.split())
    by = f" by {author}" if author else ""
    # The last line is a heading, for no heading is quoted as an answer.
    section = f"## {heading}\n\n{answer.strip()}\n\n#### Answered{by} on {date_format(day, 'j F Y')}\n"
    with transaction.atomic():
        lease.lock_in_transaction(f"expert-answers:{base.pk}")
        text = f"{_answers_so_far(base) or f'# {TITLE}'}\n\n{section}"
        marks = {"is_public": True} if opens else {}
        return add_text(
            knowledge_base=base, title=TITLE, file_name=_FILE_NAME, text=text, metadata=marks, enqueue=False
        ).document


def _answers_so_far(base: KnowledgeBase) -> str:
    """As the latest version says them, read or not."""
    known = expert_answers().filter(knowledge_base=base).exclude(sha256="").first()
    if known is None:
        return ""
    with open_stored(known.sha256) as file:
        return _without_addresses(file.read().decode(errors="replace").rstrip())


def _without_addresses(text: str) -> str:
    """Without the one-word names that nobody goes by: each may be a part of an address."""
    names = {found["name"] for found in _SIGNATURE.finditer(text)}
    public = set(User.objects.filter(display_name__in=names).values_list("display_name", flat=True)) if names else set()

    def sign(found: re.Match[str]) -> str:
        return found[0] if found["name"] in public else found["before"] + found["after"]

    return _SIGNATURE.sub(sign, text)
