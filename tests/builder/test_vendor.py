"""What we ship of others is what they published: named, licensed, unaltered but for the lines that are said."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import unfold
from django.conf import settings

FOLDER = settings.BASE_DIR / "static" / "vendor"


def test_every_vendored_file_is_listed_with_its_licence_and_hash() -> None:
    listed = json.loads((FOLDER / "vendor.json").read_text())
    for one in listed:
        assert hashlib.sha256((FOLDER / one["file"]).read_bytes()).hexdigest() == one["sha256"], one["file"]
        assert (FOLDER / one["licence_file"]).stat().st_size > 500
    scripts = {path.name for path in FOLDER.glob("*.js")}
    assert scripts <= {one["file"] for one in listed}


def test_no_vendored_script_names_a_source_map() -> None:
    """Collecting static files under hashed names fails on a map that is not there."""
    assert [path.name for path in FOLDER.glob("*.js") if b"sourceMappingURL" in path.read_bytes()] == []


def test_the_theme_s_skeleton_differs_by_the_htmx_script_alone() -> None:
    """After an upgrade of the theme, copy its template again and put the tag of django-htmx in."""
    ours = (settings.BASE_DIR / "templates/unfold/layouts/skeleton.html").read_text()
    theirs = (Path(unfold.__file__).parent / "templates/unfold/layouts/skeleton.html").read_text()
    theirs = theirs.replace("""<script src="{% static 'unfold/js/htmx/htmx.js' %}"></script>""", "{% htmx_script %}")
    note, rest = ours.split("\n", 1)
    assert note.startswith("{#")
    assert rest == theirs.replace("{% load i18n", "{% load django_htmx i18n", 1)
