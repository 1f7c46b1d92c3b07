"""Which of the closest sentences of a refusal its caller is given: those of pages that the caller may read anyway."""

from __future__ import annotations

from dataclasses import replace

from accounts.models import ApiKey, may_read_documents
from knowledge.models import Page
from querying.private_layers import find_principal
from querying.types.answer import Answer
from querying.types.question import Question

# A sentence that is longer is named by its place alone.
MAX_EXCERPT_CHARACTERS = 600


def with_readable_nearest(answer: Answer, *, question: Question) -> Answer:
    """The refusal with the pages whose closest sentences the key that asked may read. Others see theirs on the pages of
    the site, which look again each time."""
    pages = {passage.page_id for passage in answer.nearest if _may_be_quoted(passage.path, passage.content)}
    key = find_principal(question.caller) if pages and question.caller.api_key_id else None
    if not isinstance(key, ApiKey) or not may_read_documents(key):
        return answer
    readable = Page.objects.visible_to(key).filter(pk__in=pages).values_list("pk", flat=True)
    return replace(answer, readable_nearest=frozenset(readable))


def _may_be_quoted(path: str, sentence: str) -> bool:
    """Code is looked at in its file."""
    return not path and len(sentence) <= MAX_EXCERPT_CHARACTERS
