"""A server of S3's protocol for tests: moto's, over real HTTP on this machine, one for a test process."""

from __future__ import annotations

import itertools
import logging
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

from lexic.storage.s3 import S3Storage, connect_s3

_numbers = itertools.count(1)


@cache
def server_url() -> str:
    """The address of the server, which is started when it is first wanted and ends with the process."""
    from moto.server import ThreadedMotoServer

    logging.getLogger("werkzeug").setLevel(logging.WARNING)  # a line for each request
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    return f"http://{host}:{port}"


def bucket_settings(endpoint_url: str | None = None) -> dict[str, Any]:
    """The settings of a new bucket on the server; the bucket is made where no other address is given."""
    given = {
        "bucket": f"lexic-{next(_numbers)}",
        "endpoint_url": endpoint_url or server_url(),
        "region": "us-east-1",
        "prefix": "site",
        "access_key_id": "tester",
        "secret_access_key": "only-for-tests",
        "path_style": True,
    }
    if endpoint_url is None:
        connect_s3(**given).client.create_bucket(Bucket=given["bucket"])
    return given


@pytest.fixture
def bucket(settings: Any, tmp_path: Any) -> Iterator[S3Storage]:
    """Files are kept in an empty bucket, and none in the folder."""
    settings.S3 = bucket_settings()
    settings.LEXIC_FILES_DIR = tmp_path / "unused"
    yield connect_s3(**settings.S3)
    assert not (tmp_path / "unused").exists(), "a file was kept beside the bucket"


def cut_off(settings: Any) -> None:
    """The storage is away from now on: nothing listens at its address. `settings.S3` put back brings it back."""
    settings.S3 = settings.S3 | {"endpoint_url": "http://127.0.0.1:9"}
