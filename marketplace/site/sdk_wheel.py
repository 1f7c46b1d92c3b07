"""The Python client as a wheel, built from `sdk/`, so that it can be installed from this site without this
repository."""

from __future__ import annotations

import base64
import hashlib
import io
import re
import tomllib
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from django.conf import settings

SDK_DIR = settings.BASE_DIR / "sdk"
_PACKAGE = "lexic_sdk"
# The first moment that a zip file can name: the same files make the same wheel, and so the same digest, everywhere.
_WRITTEN_AT = (1980, 1, 1, 0, 0, 0)
_WHEEL = "Wheel-Version: 1.0\nGenerator: lexic\nRoot-Is-Purelib: true\nTag: py3-none-any\n"


@dataclass(frozen=True, kw_only=True)
class SdkWheel:
    """`address` is its path on this site, `pinned` the same with the digest that pip compares."""

    file_name: str
    content: bytes
    sha256: str

    @property
    def address(self) -> str:
        return f"/sdk/{self.file_name}"

    @property
    def pinned(self) -> str:
        return f"{self.address}#sha256={self.sha256}"


@cache
def build_sdk_wheel() -> SdkWheel:
    """The wheel of the client that came with this version of the server (PEP 427)."""
    project = tomllib.loads((SDK_DIR / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    pattern = r'^VERSION = "([^"]+)"'
    [version] = re.findall(pattern, (SDK_DIR / _PACKAGE / "version.py").read_text(encoding="utf-8"), re.MULTILINE)
    info = f"{_PACKAGE}-{version}.dist-info"
    files = {path.relative_to(SDK_DIR).as_posix(): path.read_bytes() for path in _source_files()}
    files[f"{info}/METADATA"] = _metadata(project, version).encode()
    files[f"{info}/WHEEL"] = _WHEEL.encode()
    files[f"{info}/entry_points.txt"] = _entry_points(project["scripts"]).encode()
    for name in project["license-files"]:
        files[f"{info}/licenses/{name}"] = (SDK_DIR / name).read_bytes()
    files[f"{info}/RECORD"] = _record(files, record=f"{info}/RECORD").encode()
    content = _zip(files)
    digest = hashlib.sha256(content).hexdigest()
    return SdkWheel(file_name=f"{_PACKAGE}-{version}-py3-none-any.whl", content=content, sha256=digest)


def _source_files() -> Iterator[Path]:
    for path in sorted((SDK_DIR / _PACKAGE).rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            yield path


def _metadata(project: Mapping[str, Any], version: str) -> str:
    extras = project["optional-dependencies"]
    lines = [
        "Metadata-Version: 2.4",
        f"Name: {project['name']}",
        f"Version: {version}",
        f"Summary: {project['description']}",
        f"License-Expression: {project['license']}",
        *(f"License-File: {name}" for name in project["license-files"]),
        f"Keywords: {','.join(project['keywords'])}",
        *(f"Classifier: {one}" for one in project["classifiers"]),
        f"Requires-Python: {project['requires-python']}",
        *(f"Requires-Dist: {one}" for one in project["dependencies"]),
        *(f"Provides-Extra: {name}" for name in extras),
        *(f"Requires-Dist: {one}; extra == '{name}'" for name, needed in extras.items() for one in needed),
        "Description-Content-Type: text/markdown",
    ]
    return "\n".join(lines) + "\n\n" + (SDK_DIR / project["readme"]).read_text(encoding="utf-8")


def _entry_points(scripts: Mapping[str, str]) -> str:
    return "\n".join(["[console_scripts]", *(f"{name} = {place}" for name, place in scripts.items())]) + "\n"


def _record(files: Mapping[str, bytes], *, record: str) -> str:
    """The digest of each file, without padding, and its size; of the record itself neither."""
    lines = []
    for name, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        lines.append(f"{name},sha256={digest},{len(content)}")
    return "\n".join([*lines, f"{record},,"]) + "\n"


def _zip(files: Mapping[str, bytes]) -> bytes:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, date_time=_WRITTEN_AT)
            entry.external_attr = 0o644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
    return written.getvalue()
