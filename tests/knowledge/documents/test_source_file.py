"""Which reader a fetched page gets, by what its server and its address say."""

from __future__ import annotations

import pytest

from knowledge.documents.source_file import detect_fetched_type
from knowledge.readers.types import UnsupportedDocument


@pytest.mark.parametrize("content_type", ["text/plain; charset=utf-8", ""])
@pytest.mark.parametrize(
    ("url", "source_type"),
    [
        ("https://example.com", "text"),
        ("https://example.com/", "text"),
        ("https://example.com/copies/https://example.com/", "text"),
        ("https://example.com?file=rules.exe#top.zip", "text"),
        ("https://example.zip/rules.md?as=plain", "markdown"),
    ],
)
def test_the_domain_of_an_address_is_no_file_name(url: str, content_type: str, source_type: str) -> None:
    assert detect_fetched_type(b"Wear boots.", content_type, url) == source_type


def test_the_end_of_the_path_is_one() -> None:
    with pytest.raises(UnsupportedDocument, match=r"called \.exe"):
        detect_fetched_type(b"Wear boots.", "text/plain", "https://example.com/setup.exe?latest")
