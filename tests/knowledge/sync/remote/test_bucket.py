"""The objects of a bucket become documents, over S3's protocol."""

from __future__ import annotations

from typing import Any

import pytest

from knowledge.models import Document, KnowledgeBase
from knowledge.sync.remote.source_errors import SourceUnavailable
from knowledge.sync.remote.source_settings import create_source
from knowledge.sync.runner import run_sync
from lexic.storage.s3 import connect_s3
from tests.knowledge.bases import alive
from tests.knowledge.sync.remote.servers import Site
from tests.s3_server import bucket_settings

pytestmark = pytest.mark.django_db


def test_its_objects_are_synced_by_their_entity_tags(base: KnowledgeBase, settings: Any) -> None:
    given = bucket_settings()
    client, name = connect_s3(**given).client, given["bucket"]
    for key, text in {
        "docs/a b.md": "# A\n\nWear boots.",
        "docs/ü.md": "# U\n\nWear gloves.",
        "other.md": "no",
    }.items():
        client.put_object(Bucket=name, Key=key, Body=text.encode())
    client.put_object(Bucket=name, Key="docs/movie.mp4", Body=b"x")
    source = create_source(
        base,
        kind="bucket",
        location=f"s3://{name}/docs/",
        options={"endpoint": given["endpoint_url"], "region": "us-east-1"},
        credentials={"access_key_id": "tester", "secret_access_key": "only-for-tests"},
    )
    assert run_sync(source).added == ("docs/a b.md", "docs/ü.md")
    assert sorted(alive(base)) == ["# A\n\nWear boots.", "# U\n\nWear gloves."]
    assert run_sync(source).unchanged == 2

    client.put_object(Bucket=name, Key="docs/a b.md", Body=b"# A\n\nWear high boots.")
    client.delete_object(Bucket=name, Key="docs/ü.md")
    report = run_sync(source)
    assert (report.changed, report.removed) == (("docs/a b.md",), ("docs/ü.md",))

    client.delete_object(Bucket=name, Key="docs/a b.md")
    with pytest.raises(SourceUnavailable, match="gives nothing"):
        run_sync(source)
    assert Document.objects.present().count() == 1


def test_a_store_that_answers_something_else_changes_nothing(base: KnowledgeBase, site: Site) -> None:
    source = create_source(base, kind="bucket", location="s3://handbooks/", options={"endpoint": site.url})
    path = "/handbooks/?list-type=2&max-keys=1000&prefix="
    bomb = b'<!DOCTYPE x [<!ENTITY a "' + b"z" * 10_000 + b'">]><ListBucketResult><Name>&a;</Name></ListBucketResult>'
    site.answer(path, 200, bomb, Content_Type="application/xml")
    assert run_sync(source).added == ()
    assert not Document.objects.exists()
    site.answer(path, 200, b"<html>", Content_Type="text/html")
    with pytest.raises(SourceUnavailable, match="S3's protocol"):
        run_sync(source)
