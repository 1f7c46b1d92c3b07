"""The wheel that a site serves is the one that the usual tool builds of the same files."""

from __future__ import annotations

import hashlib
import io
import subprocess
import sys
import zipfile
from email import message_from_string
from pathlib import Path

import pytest
from django.test import Client
from lexic_sdk.version import VERSION
from packaging.requirements import Requirement

from marketplace.site.sdk_wheel import build_sdk_wheel
from tests.docs.pages import DOCS
from tests.sdk.test_install import wheel

__all__ = ["wheel"]


def contents(archive: zipfile.ZipFile) -> dict[str, bytes]:
    return {name: archive.read(name) for name in archive.namelist()}


def test_it_holds_what_hatchling_puts_into_one(wheel: Path) -> None:
    served = build_sdk_wheel()
    with zipfile.ZipFile(wheel) as archive:
        built = contents(archive)
    with zipfile.ZipFile(io.BytesIO(served.content)) as archive:
        assert archive.testzip() is None
        ours = contents(archive)
    assert (served.file_name, ours.keys()) == (wheel.name, built.keys())
    told = {name for name in built if name.endswith(("/METADATA", "/WHEEL", "/RECORD"))}
    assert len(told) == 3
    assert [name for name in built.keys() - told if ours[name] != built[name]] == []
    (metadata,) = (name for name in told if name.endswith("/METADATA"))
    said = [message_from_string(one[metadata].decode()) for one in (ours, built)]
    ours_needed, needed = ([Requirement(line) for line in one.get_all("Requires-Dist", [])] for one in said)
    assert ours_needed == needed
    for name in set(said[1].keys()) - {"Requires-Dist", "Metadata-Version", "Keywords"}:
        assert said[0].get_all(name) == said[1].get_all(name), name
    assert said[0].get_payload() == said[1].get_payload()


def test_it_is_the_same_wherever_it_is_made() -> None:
    code = (
        "import django; django.setup();"
        "from marketplace.site.sdk_wheel import build_sdk_wheel; print(build_sdk_wheel().sha256)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == build_sdk_wheel().sha256


@pytest.mark.django_db
def test_it_is_served_under_its_name_alone_and_kept_by_caches(client: Client) -> None:
    served = build_sdk_wheel()
    response = client.get(served.address)
    assert hashlib.sha256(response.content).hexdigest() == served.sha256
    assert "max-age=3600" in response["Cache-Control"]
    assert client.get(served.address, headers={"if-none-match": response["ETag"]}).status_code == 304
    for name in ("lexic_sdk-0.0.1-py3-none-any.whl", "pyproject.toml", "..%2fpyproject.toml"):
        assert client.get(f"/sdk/{name}").status_code == 404


def test_the_guides_name_the_version_that_there_is() -> None:
    name = build_sdk_wheel().file_name
    assert VERSION in name
    assert (DOCS / "quickstart.md").read_text().count(f"/sdk/{name}") == 2
