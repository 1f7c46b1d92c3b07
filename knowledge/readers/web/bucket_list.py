"""The list of a bucket's objects, as the protocol of S3 gives it (ListObjectsV2)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from knowledge.readers.safe_xml import local_name, parse_xml
from knowledge.readers.types import DamagedDocument


def read_bucket_list(path: Path) -> Iterator[dict[str, Any]]:
    """First `{"next": token}`, empty on the last page; then `key`, `etag` and `size` of each object."""
    root = parse_xml(path.read_bytes())
    if local_name(root.tag) != "ListBucketResult":
        raise DamagedDocument
    said = {local_name(one.tag): one.text or "" for one in root}
    yield {"next": said.get("NextContinuationToken", "") if said.get("IsTruncated") == "true" else ""}
    for entry in root:
        if local_name(entry.tag) == "Contents":
            about = {local_name(one.tag): one.text or "" for one in entry}
            size = about.get("Size", "")
            yield {
                "key": about.get("Key", ""),
                "etag": about.get("ETag", "").strip('"'),
                "size": int(size) if size.isdigit() else 0,
            }
