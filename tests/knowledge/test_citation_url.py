from __future__ import annotations

from django.urls import reverse

from knowledge.citation_url import source_path


def test_it_is_the_address_that_all_urls_have() -> None:
    assert source_path(7, start=1, end=20) == f"{reverse('source', args=[7])}?start=1&end=20"
