"""Names from outside, through every way in that a model has."""

from __future__ import annotations

import io

import pytest

from knowledge.documents.lifecycle import add_file, add_text, update_details
from knowledge.models import Document, KnowledgeBase
from tests.knowledge.bases import make_base

pytestmark = pytest.mark.django_db
EVIL = "report\u202efdp.exe\u2066x\u2069.md"
PLAIN = "reportfdp.exex.md"


def test_a_name_is_never_shown_in_another_order_than_it_is_written() -> None:
    base = make_base(name=EVIL, embedder="local")
    base.refresh_from_db()
    assert (base.name, base.plugin and base.plugin.name) == (PLAIN, PLAIN)
    document = add_file(knowledge_base=base, file_name=EVIL, stream=io.BytesIO(b"Boots."), enqueue=False).document
    document.refresh_from_db()
    assert document.file_name == PLAIN
    update_details(document, title=EVIL, enqueue=False)
    assert Document.objects.get(pk=document.pk).title == PLAIN
    assert add_text(knowledge_base=base, title=EVIL, text="Gloves.", enqueue=False).document.title == PLAIN


def test_every_way_of_writing_a_row_is_covered() -> None:
    base = make_base(embedder="local")
    made = KnowledgeBase(owner=base.owner, name=EVIL)
    made.save()
    assert made.name == PLAIN
    [bulk] = KnowledgeBase.objects.bulk_create([KnowledgeBase(owner=base.owner, name=EVIL)])
    KnowledgeBase.objects.filter(pk=base.pk).update(name=EVIL)
    assert set(KnowledgeBase.objects.values_list("name", flat=True)) == {PLAIN}
    assert KnowledgeBase.objects.filter(name=EVIL).count() == 3
    bulk.name = EVIL
    KnowledgeBase.objects.bulk_update([bulk], ["name"])
    bulk.refresh_from_db()
    assert bulk.name == PLAIN


def test_names_of_right_to_left_languages_stay() -> None:
    base = make_base(name="دليل \u200fالسلامة", embedder="local")
    base.refresh_from_db()
    assert base.name == "دليل \u200fالسلامة"
