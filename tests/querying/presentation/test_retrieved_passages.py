"""The passages that were read for a logged question, and which of them its answer cites."""

from __future__ import annotations

import pytest

from accounts.models import User
from knowledge.models import Chunk, Document
from querying.models import Query
from querying.presentation.retrieved_passages import retrieved_passages

pytestmark = pytest.mark.django_db


def test_of_the_passages_of_one_page_those_whose_words_are_cited_are_marked(alice: User, handbook: Document) -> None:
    chunks = list(Chunk.objects.filter(document=handbook).select_related("page").order_by("start"))
    pages = {chunk.page_id for chunk in chunks}
    assert len(chunks) > 1
    assert len(pages) == 1
    start = handbook.pages.get().text.index("Spacers made of mortar")
    citation = {"url": f"https://lexic.example/source/{pages.pop()}?start={start}", "start": start, "end": start + 22}
    query = Query(passages=[{"chunk": chunk.pk, "score": 0.5} for chunk in chunks], citations=[citation])
    (places,) = retrieved_passages([query], viewer=alice)
    marked = [chunk for chunk, place in zip(chunks, places, strict=True) if place.is_cited]
    assert [chunk.start <= start < chunk.end for chunk in marked] == [True]
