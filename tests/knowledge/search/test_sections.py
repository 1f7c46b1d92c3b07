from __future__ import annotations

from datetime import date

import pytest

from accounts.models import User
from knowledge.models import Chunk, KnowledgeBase
from knowledge.search.passages import Passage
from knowledge.search.sections import read_section
from plugins.models import Plugin
from querying.answering.document_list import passage_of_chunk
from querying.question.document_validity import OutOfForce
from tests.cover import give_document

TODAY = date(2020, 1, 1)
pytestmark = pytest.mark.django_db

STEPS = "\n".join(f"{number}. Turn the ring by {number} mm, and look at the lamp of it." for number in range(1, 80))
MANUAL = f"# Care\n\n## Short\n\nOne line.\n\n## Long\n\n{STEPS}\n"


@pytest.fixture
def base(alice: User) -> KnowledgeBase:
    plugin = Plugin.objects.create(owner=alice, name="Kestrel", slug="kestrel", domain="coffee", system_prompt="Help.")
    return give_document(plugin, title="Kestrel", text=MANUAL).knowledge_base


def passages(base: KnowledgeBase, heading: str) -> list[Passage]:
    chunks = Chunk.objects.filter(knowledge_base=base).select_related("page", "document").order_by("index")
    return [passage_of_chunk(chunk) for chunk in chunks if chunk.section_path[-1] == heading]


def test_a_section_of_one_chunk_is_that_chunk_and_costs_one_statement(base, django_assert_num_queries):
    [passage] = passages(base, "Short")
    with django_assert_num_queries(1):
        assert read_section(passage, revision=base.revision) == [passage]


def test_a_section_of_several_chunks_is_read_whole_from_any_of_them(base):
    chunks = passages(base, "Long")
    assert len(chunks) > 1
    for passage in chunks:
        [section] = read_section(passage, revision=base.revision)
        assert (section.start, section.end) == (chunks[0].start, chunks[-1].end)
        assert STEPS in section.content


def test_chunks_of_another_revision_are_no_part_of_the_section(base):
    first, *others = passages(base, "Long")
    Chunk.objects.filter(pk__in=[one.chunk_id for one in others]).update(added_in=base.revision + 1)
    [section] = read_section(first, revision=base.revision)
    assert section.end == first.end
    assert read_section(first, revision=0) == []


def test_every_page_of_the_section_keeps_what_is_known_of_the_document(base):
    first = passages(base, "Long")[0]
    old = OutOfForce(**vars(first) | {"is_stale": True}, superseded_on=TODAY, effective_from=None, is_last_resort=True)
    [section] = read_section(old, revision=base.revision)
    assert isinstance(section, OutOfForce)
    assert (section.superseded_on, section.is_stale, section.score) == (TODAY, True, first.score)
    assert section.end > first.end
