from __future__ import annotations

import re
import uuid

import pytest
from django.core.exceptions import ValidationError
from django.core.validators import validate_slug
from hypothesis import given
from hypothesis import strategies as st

from accounts.models import User
from plugins.models import Plugin
from plugins.slugs import MAX_SLUG_LENGTH, parse_id, split_reference, unique_slug


def made(name: str, *taken: str) -> str:
    return unique_slug(name, taken=lambda slug: slug in taken)


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("Concrete cover", "concrete-cover"),
        ("  Concrete -- cover!  ", "concrete-cover"),
        ("Stützen & Überzüge", "stutzen-uberzuge"),
        ("ＦＵＬＬ　ＷＩＤＴＨ", "full-width"),
        ("混凝土", "plugin"),
        ("😀", "plugin"),
        ("", "plugin"),
        ("---", "plugin"),
        ("__init__", "init"),
        ("slug@1.0.0", "slug100"),
        ("../../etc/passwd", "etcpasswd"),
        ("x" * 200, "x" * 60),
        ("x" * 59 + " y", "x" * 59),
    ],
)
def test_a_slug_is_made_from_a_name(name: str, slug: str) -> None:
    assert made(name) == slug


def test_lx_020_a_slug_that_is_taken_gets_a_number() -> None:
    assert made("Cover", "cover") == "cover-1"
    assert made("Cover", "cover", "cover-1", "cover-2") == "cover-3"


def test_a_number_does_not_make_an_id_of_a_slug() -> None:
    thirty = "0" * 30
    assert made(thirty, thirty, *(f"{thirty}-{number}" for number in range(1, 10))) == f"{thirty}-100"


def test_a_number_does_not_make_a_slug_too_long() -> None:
    longest = "x" * MAX_SLUG_LENGTH
    assert made(longest, longest) == "x" * (MAX_SLUG_LENGTH - 2) + "-1"


@given(name=st.text(max_size=200), taken=st.integers(min_value=0, max_value=12))
def test_any_name_gives_a_valid_slug_that_is_free(name: str, taken: int) -> None:
    used: list[str] = []
    for _ in range(taken + 1):
        slug = made(name, *used)
        assert slug not in used
        used.append(slug)
        validate_slug(slug)
        assert 0 < len(slug) <= MAX_SLUG_LENGTH
        assert "@" not in slug
        assert parse_id(slug) is None
        assert re.fullmatch(r"[a-z0-9_-]+", slug)


@pytest.mark.parametrize(
    ("reference", "expected"),
    [
        ("cover", ("cover", None)),
        ("cover@latest", ("cover", None)),
        ("cover@", ("cover", None)),
        ("cover@1.2.0", ("cover", "1.2.0")),
        ("cover@draft", ("cover", "draft")),
        ("cover@1.0.0@draft", ("cover", "1.0.0@draft")),
        ("@1.0.0", ("", "1.0.0")),
        ("", ("", None)),
    ],
)
def test_a_reference_is_a_slug_and_a_version(reference: str, expected: tuple[str, str | None]) -> None:
    assert split_reference(reference) == expected


@given(st.text(max_size=60))
def test_reading_a_reference_or_an_id_never_fails(text: str) -> None:
    split_reference(text)
    parse_id(text)


# --- Plugins -----------------------------------------------------------------------------------------------


def plugin(owner: User, **fields: str) -> Plugin:
    return Plugin.objects.create(owner=owner, domain="x", system_prompt="x", **fields)


def test_plugins_of_one_name_get_slugs_of_their_own(alice: User, charlie: User) -> None:
    assert [plugin(owner, name="Cover").slug for owner in (alice, charlie, alice)] == [
        "cover",
        "cover-1",
        "cover-2",
    ]


def test_a_given_slug_stays_and_saving_again_does_not_change_it(alice: User) -> None:
    own = plugin(alice, name="Cover", slug="mine")
    own.name = "Another name"
    own.save()
    assert Plugin.objects.get().slug == "mine"


@pytest.mark.parametrize("shape", ["{}", "{:}", "urn:uuid:{}"])
def test_a_slug_cannot_look_like_an_id(alice: User, shape: str) -> None:
    slug = shape.format(uuid.uuid4())
    with pytest.raises(ValidationError) as error:
        Plugin(owner=alice, name="x", slug=slug, domain="x", system_prompt="x").full_clean()
    assert "slug" in error.value.message_dict


def test_a_name_that_looks_like_an_id_makes_a_slug_that_does_not(alice: User) -> None:
    name = str(uuid.uuid4())
    assert plugin(alice, name=name).slug == f"plugin-{name}"
