"""Style sheets, scripts and fonts as they are served: collected under names that change with their content, compressed,
and kept by browsers for a year. Where nothing has been collected, or in debugging, the files are served as they are."""

from __future__ import annotations

import hashlib
from pathlib import Path
from urllib.parse import urlsplit

import django
import servestatic
from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from servestatic.storage import CompressedManifestStaticFilesStorage

MANIFEST = "staticfiles.json"
# Names what was collected, so that a start that changes nothing does not do it again.
_FINGERPRINT_FILE = ".collected"


class CollectedFilesStorage(CompressedManifestStaticFilesStorage):
    # Modules name each other by the names that they are served under.
    support_js_module_import_aggregation = True

    def url(self, name: str, force: bool = False) -> str:
        """The address of a file. Browsers draw symbols of an SVG file only from the site that the page is of."""
        address: str = super().url(name, force)
        return urlsplit(address).path if name.endswith(".svg") else address

    def stored_name(self, name: str) -> str:
        """The name under which a file is served; its own where it was not collected. A page never fails for one."""
        stored: str = self.hashed_files.get(self.hash_key(name), name)
        return stored


def is_collected() -> bool:
    """Whether what was collected last is what there is now."""
    try:
        return (_static_root() / MANIFEST).is_file() and (
            _static_root() / _FINGERPRINT_FILE
        ).read_text() == _sources_fingerprint()
    except FileNotFoundError:
        return False


def record_collected() -> None:
    (_static_root() / _FINGERPRINT_FILE).write_text(_sources_fingerprint())


def _sources_fingerprint() -> str:
    said = [django.__version__, servestatic.__version__]
    for finder in get_finders():
        for path, storage in finder.list(None):
            about = Path(storage.path(path)).stat()
            said.append(f"{path} {about.st_mtime_ns} {about.st_size}")
    return hashlib.sha256("\n".join(said).encode()).hexdigest()


def _static_root() -> Path:
    return Path(settings.STATIC_ROOT)
