"""The packages of a lock file, with the hashes that it pins and what their own metadata say."""

from __future__ import annotations

import importlib.metadata
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LOCKS = (ROOT / "requirements.lock", ROOT / "requirements-dev.lock")
_PINNED = re.compile(r"^([A-Za-z0-9][\w.-]*)(?:\[[^\]]*\])?==([^\s;\\]+)")
_HASH = re.compile(r"--hash=sha256:([0-9a-f]{64})")

# Classifiers and free words of packages that do not give an SPDX expression.
_SPDX_OF_WORDS = {
    "MIT License": "MIT",
    "BSD License": "BSD-3-Clause",
    "Apache Software License": "Apache-2.0",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "BSD 3-Clause OR Apache-2.0": "BSD-3-Clause OR Apache-2.0",
    "PSFL": "PSF-2.0",
}
# Read in the packages' own files, where their metadata are not clear.
_SPDX_OF_PACKAGES = {
    "olefile": "BSD-2-Clause",
    "pypdfium2": "BSD-3-Clause AND Apache-2.0",
    "qrcode": "BSD-3-Clause",
    "scim2-tester": "Apache-2.0",
    "text-unidecode": "Artistic-1.0-Perl OR GPL-2.0-or-later",
}


@dataclass(frozen=True, kw_only=True)
class LockedPackage:
    """`licence` is an SPDX expression, or the package's own words, or empty where it says nothing."""

    name: str
    version: str
    hashes: tuple[str, ...]
    licence: str


def read_lock(lock: Path) -> Iterator[LockedPackage]:
    """In the order of the file. All of them have to be installed."""
    for block in re.split(r"\n(?=\S)", lock.read_text()):
        if pinned := _PINNED.match(block):
            about = importlib.metadata.metadata(pinned[1])
            yield LockedPackage(
                name=pinned[1],
                version=pinned[2],
                hashes=tuple(_HASH.findall(block)),
                licence=_licence(pinned[1], about),
            )


def _licence(name: str, about: importlib.metadata.PackageMetadata) -> str:
    if known := _SPDX_OF_PACKAGES.get(name):
        return known
    if expression := _field(about, "License-Expression"):
        return str(expression)
    classifiers = [one.rpartition(" :: ")[2] for one in about.get_all("Classifier") or [] if one.startswith("License")]
    named = [_SPDX_OF_WORDS[one] for one in classifiers if one in _SPDX_OF_WORDS]
    # Several classifiers mean a choice, by the custom of the index.
    words = " OR ".join(named) or _field(about, "License")
    return _SPDX_OF_WORDS.get(words, words)


def _field(about: importlib.metadata.PackageMetadata, name: str) -> str:
    return str(about[name]) if name in about else ""
