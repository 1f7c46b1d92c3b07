"""What is collected is served compressed, under names that change with it, and kept by browsers for a year."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.core.management import call_command
from django.templatetags.static import static
from django.test import AsyncClient

from lexic.static_files import CollectedFilesStorage, is_collected

STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "lexic.static_files.CollectedFilesStorage"},
}


@pytest.fixture
def root(settings: Any, tmp_path: Path) -> Path:
    """Our own files alone: those of the libraries take long."""
    settings.STATICFILES_FINDERS = ["django.contrib.staticfiles.finders.FileSystemFinder"]
    settings.STATIC_ROOT = tmp_path / "static"
    settings.STORAGES = STORAGES
    settings.SERVESTATIC_USE_FINDERS = False
    return tmp_path / "static"


@pytest.fixture
def collected(root: Path) -> Path:
    call_command("collectstatic", interactive=False, verbosity=0)
    return root


async def fetched(path: str, accepted: str) -> tuple[Any, bytes]:
    response = await AsyncClient().get(path, headers={"Accept-Encoding": accepted})
    return response, b"".join([piece async for piece in response.streaming_content])


@pytest.mark.parametrize("name", ["components.css", "tokens.css", "live_answer.js", "builder/builder.css", "icons.svg"])
def test_style_sheets_and_scripts_are_compressed_and_kept_for_a_year(collected: Path, name: str) -> None:
    address = static(name)
    assert re.fullmatch(r"/static/[\w/-]+\.[0-9a-f]{12}\.\w+", address)
    response, sent = async_to_sync(fetched)(address, "gzip")
    whole = (collected / address.removeprefix("/static/")).read_bytes()
    assert (response.headers["Content-Encoding"], response.headers["Vary"]) == ("gzip", "Accept-Encoding")
    assert gzip.decompress(sent) == whole
    assert len(sent) < 0.5 * len(whole)
    assert response.headers["Cache-Control"] == "max-age=315360000, public, immutable"


def test_who_takes_nothing_compressed_gets_the_file(collected: Path) -> None:
    address = static("components.css")
    response, sent = async_to_sync(fetched)(address, "identity")
    assert "Content-Encoding" not in response.headers
    assert sent == (collected / address.removeprefix("/static/")).read_bytes()


def test_what_files_name_is_named_as_it_is_served(collected: Path) -> None:
    """Fonts of style sheets and modules of scripts: or they would be fetched again and again."""
    chat = (collected / static("chat.js").removeprefix("/static/")).read_text()
    assert f'"./{static("ask_form.js").rpartition("/")[2]}"' in chat
    fonts = re.findall(r"url\(\"?([^\")]+\.woff2)", (collected / static("tokens.css")[8:]).read_text())
    assert fonts
    assert all(re.search(r"\.[0-9a-f]{12}\.woff2$", font) for font in fonts)


def test_where_nothing_was_collected_files_are_served_as_they_are(root: Path) -> None:
    assert static("components.css") == "/static/components.css"


def test_a_file_that_was_not_collected_breaks_no_page(collected: Path) -> None:
    assert static("nothing-here.css") == "/static/nothing-here.css"


def test_it_is_collected_again_when_something_changed(settings: Any, root: Path, tmp_path: Path) -> None:
    sheet = tmp_path / "own" / "own.css"
    sheet.parent.mkdir()
    sheet.write_text("p { color: red }")
    settings.STATICFILES_DIRS = [sheet.parent]
    assert not is_collected()
    call_command("collectstatic", interactive=False, verbosity=0)
    before = json.loads((root / "staticfiles.json").read_text())["paths"]
    assert is_collected()
    sheet.write_text("p { color: green }")
    assert not is_collected()
    call_command("collectstatic", interactive=False, verbosity=0)
    after = json.loads((root / "staticfiles.json").read_text())["paths"]
    assert is_collected()
    assert before["own.css"] != after["own.css"]
    (root / "staticfiles.json").unlink()
    assert not is_collected()


def test_nothing_is_collected_twice(collected: Path) -> None:
    manifest = collected / "staticfiles.json"
    before = manifest.stat().st_mtime_ns
    call_command("collectstatic", "--if-changed", interactive=False, verbosity=0)
    assert manifest.stat().st_mtime_ns == before


def test_the_settings_name_this_storage() -> None:
    from lexic import settings

    assert (
        settings.STORAGES["staticfiles"]["BACKEND"]
        == f"{CollectedFilesStorage.__module__}.{CollectedFilesStorage.__name__}"
    )


def test_symbols_come_from_this_site_when_everything_else_comes_from_a_cache(collected: Path) -> None:
    storage = CollectedFilesStorage(location=str(collected), base_url="https://cdn.example.org/static/")
    assert re.fullmatch(
        r"https://cdn\.example\.org/static/components\.[0-9a-f]{12}\.css", storage.url("components.css")
    )
    assert re.fullmatch(r"/static/icons\.[0-9a-f]{12}\.svg", storage.url("icons.svg"))
