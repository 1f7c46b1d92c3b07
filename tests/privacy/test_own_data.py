"""A person's copy of everything, and what is left when they leave."""

from __future__ import annotations

import io
import json
import zipfile
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from allauth.usersessions.models import UserSession
from django.apps import apps
from django.core.cache import cache
from django.db import models
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts import avatars
from accounts.models import ApiKey, User
from marketplace.models import Install, Report, Review
from plugins.models import Invitation, Plugin, Role
from privacy import data_export as exporting
from privacy.account_deletion import DELETED_AUTHOR_NAME, LastOperator, delete_account
from privacy.data_export import export_personal_data
from privacy.personal_data import PERSONAL_DATA_RULES
from querying.models import ExpertRequest, Feedback, Query
from tests.accounts.test_avatars import picture
from tests.remembered import remembered

pytestmark = pytest.mark.django_db
PASSWORD = "correct horse battery"


def names_a_person() -> dict[str, Any]:
    """Every field of every model that points at a person: `app.Model.field`."""
    return {
        f"{model._meta.label}.{field.name}": field
        for model in apps.get_models()
        for field in model._meta.get_fields()
        if field.is_relation and not field.auto_created and field.related_model is User
    }


def test_whatever_names_a_person_is_decided_on() -> None:
    assert set(PERSONAL_DATA_RULES) == set(names_a_person())


def test_what_is_said_to_stay_stays_and_the_rest_goes() -> None:
    for label, field in names_a_person().items():
        if isinstance(field, models.ManyToManyField):
            continue
        expected = models.SET_NULL if PERSONAL_DATA_RULES[label].outlives_account else models.CASCADE
        assert field.remote_field.on_delete is expected, label


def test_each_is_exported_under_a_name_of_its_own_or_there_is_a_reason() -> None:
    files = [decision.file for decision in PERSONAL_DATA_RULES.values() if decision.file]
    assert len(files) == len(set(files))
    assert all(
        decision.columns if decision.file else decision.reason_omitted for decision in PERSONAL_DATA_RULES.values()
    )


@pytest.mark.parametrize("secret", ["key_hash", "key_encrypted", "token_hash", "session_key", "data", "password"])
def test_no_column_that_holds_a_secret_is_exported(secret: str) -> None:
    assert all(secret not in decision.columns for decision in PERSONAL_DATA_RULES.values())


@pytest.fixture
@remembered
def plugin(alice: User) -> Plugin:
    return Plugin.objects.create(owner=alice, name="Boots", slug="boots", domain="safety", is_published=True)


@pytest.fixture
@remembered
def gloves(bob: User) -> Plugin:
    return Plugin.objects.create(owner=bob, name="Gloves", slug="gloves", domain="safety", is_published=True)


@pytest.fixture
def life(alice: User, bob: User, plugin: Plugin, gloves: Plugin) -> dict[str, Any]:
    """What Alice did here."""
    EmailAddress.objects.create(user=alice, email=alice.email, verified=True, primary=True)
    key, secret = ApiKey.objects.issue(owner=alice, name="her agent")
    asked = Query.objects.create(
        plugin=gloves, user=alice, release_name="gloves@1.0.0", question="by hand?", outcome="answered"
    )
    Query.objects.create(
        plugin=gloves, api_key=key, release_name="gloves@1.0.0", question="by key?", outcome="answered"
    )
    Query.objects.create(plugin=plugin, user=bob, release_name="boots@1.0.0", question="bob's own", outcome="answered")
    Feedback.objects.create(query=asked, user=alice, verdict="up", note="it was right")
    Review.objects.create(plugin=gloves, author=alice, verdict="relied", text="I relied on it.")
    Report.objects.create(plugin=gloves, reporter=alice, reason="wrong", text="not all of it")
    gloves.editors.add(alice)
    Invitation.objects.create(
        plugin=plugin,
        email="dora@example.org",
        role=Role.EDITOR,
        token_hash="t0ken",
        invited_by=alice,
        expires_at="2100-01-01T00:00:00Z",
    )
    return {"key": key, "secret": secret}


def opened(user: User) -> zipfile.ZipFile:
    with export_personal_data(user) as file:
        return zipfile.ZipFile(io.BytesIO(file.read()))


def lines(archive: zipfile.ZipFile, name: str) -> list[Any]:
    return [json.loads(line) for line in archive.read(f"{name}.jsonl").decode().splitlines()]


def test_the_copy_holds_all_of_it(alice: User, life: dict[str, Any], tmp_path: Any, settings: Any) -> None:
    settings.LEXIC_FILES_DIR = tmp_path
    avatars.save_avatar(alice, io.BytesIO(picture()))
    archive = opened(alice)
    assert json.loads(archive.read("profile.json"))["email"] == "alice@example.org"
    assert [row["name"] for row in lines(archive, "keys")] == ["her agent"]
    assert {row["question"] for row in lines(archive, "questions")} == {"by hand?", "by key?"}
    assert [row["note"] for row in lines(archive, "feedback")] == ["it was right"]
    assert [row["text"] for row in lines(archive, "reviews")] == ["I relied on it."]
    assert [row["text"] for row in lines(archive, "reports")] == ["not all of it"]
    assert [row["slug"] for row in lines(archive, "plugins_edited")] == ["gloves"]
    assert [row["email"] for row in lines(archive, "invitations")] == ["dora@example.org"]
    assert [row["email"] for row in lines(archive, "addresses")] == ["alice@example.org"]
    assert "picture.webp" in archive.namelist()
    inner = zipfile.ZipFile(io.BytesIO(archive.read("plugins/boots.zip")))
    assert json.loads(inner.read("manifest.json"))["plugin"]["name"] == "Boots"
    assert json.loads(archive.read("left_out.json")) == []


def test_it_holds_no_secret_and_nothing_of_others(alice: User, life: dict[str, Any]) -> None:
    archive = opened(alice)
    everything = b"".join(archive.read(name) for name in archive.namelist())
    key = ApiKey.objects.get()
    for secret in (life["secret"], key.key_hash, key.key_encrypted, "t0ken", alice.password, "bob's own"):
        assert secret.encode() not in everything


def test_what_does_not_fit_is_named(alice: User, life: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exporting, "MAX_EXPORT_BYTES", 10)
    monkeypatch.setattr(exporting, "MAX_ROWS", 1)
    archive = opened(alice)
    assert [one["what"] for one in json.loads(archive.read("left_out.json"))] == ["plugins/boots.zip"]
    assert [row["question"] for row in lines(archive, "questions")] == ["by key?"]


def fresh(user: User) -> Client:
    cache.clear()
    client = Client()
    client.force_login(user)
    client.post(reverse("account_reauthenticate"), {"password": PASSWORD})
    return client


@pytest.mark.parametrize("name", ["export_your_data", "delete_your_account"])
def test_both_ask_for_a_fresh_sign_in(alice: User, client: Client, name: str) -> None:
    client.force_login(alice)
    response = client.post(reverse(name), {"address": alice.email})
    assert response["Location"].startswith(reverse("account_reauthenticate"))
    assert User.objects.filter(pk=alice.pk).exists()


async def _collected(response: Any) -> bytes:
    return b"".join([piece async for piece in response.streaming_content])


@pytest.mark.django_db(transaction=True)
def test_the_copy_leaves_in_pieces_and_not_without_end(alice: User, life: dict[str, Any]) -> None:
    from asgiref.sync import async_to_sync

    client = fresh(alice)
    response = client.post(reverse("export_your_data"))
    assert response.is_async
    content = async_to_sync(_collected)(response)
    assert "profile.json" in zipfile.ZipFile(io.BytesIO(content)).namelist()
    assert "attachment" in response.headers["Content-Disposition"]
    for _ in range(5):
        client.post(reverse("export_your_data")).close()
    assert client.post(reverse("export_your_data")).status_code == 302


def test_who_leaves_takes_what_is_theirs(
    alice: User, bob: User, life: dict[str, Any], plugin: Plugin, gloves: Plugin
) -> None:
    client = fresh(alice)
    page = client.get(reverse("your_data")).content.decode()
    assert "1 plugin with documents" in page
    assert "Boots" in page
    assert "2 questions that you or your keys asked" in page
    response = client.post(reverse("delete_your_account"), {"address": "Alice@example.org"})
    assert response["Location"] == reverse("home")
    assert "_auth_user_id" not in client.session
    assert list(User.objects.all()) == [bob]
    assert list(Plugin.objects.all()) == [gloves]
    assert not ApiKey.objects.exists()
    assert ApiKey.objects.for_secret(life["secret"]) is None
    assert not Review.objects.exists()
    assert not UserSession.objects.exists()
    assert not EmailAddress.objects.exists()
    assert not Invitation.objects.exists()


def test_the_audit_rows_stay_without_the_person(alice: User, life: dict[str, Any]) -> None:
    delete_account(alice)
    rows = Query.objects.filter(release_name="gloves@1.0.0")
    assert {(row.question, row.user_id, row.api_key_id) for row in rows} == {
        ("by hand?", None, None),
        ("by key?", None, None),
    }
    assert Report.objects.get().reporter is None


def test_nothing_anywhere_names_them_afterwards(alice: User, life: dict[str, Any]) -> None:
    gone = alice.pk
    delete_account(alice)
    for label, field in names_a_person().items():
        model = apps.get_model(label.rpartition(".")[0])
        assert not model._base_manager.filter(**{f"{field.name}": gone}).exists(), label


def test_the_address_stands_nowhere_afterwards(alice: User, life: dict[str, Any]) -> None:
    """She put a question to an expert before she had signed in, too."""
    asked = Query.objects.filter(user=alice).get()
    ExpertRequest.objects.create(query=asked, email="Alice@example.org", confirmed_at=timezone.now())
    delete_account(alice)
    columns = [field for model in apps.get_models() for field in model._meta.concrete_fields]
    for field in columns:
        if isinstance(field, models.EmailField):
            assert not field.model._base_manager.filter(**{f"{field.name}__iexact": alice.email}).exists(), field
    assert ExpertRequest.objects.get().email == "", "it stays in the inbox, without an address"


def test_a_second_address_goes_where_it_was_confirmed(alice: User, life: dict[str, Any]) -> None:
    asked = Query.objects.filter(user=alice).get()
    other = Query.objects.create(question="Gloves?", release_name="boots@1.0.0", outcome="refused")
    for address, query, verified in (("alice@home.example", asked, True), ("dora@example.org", other, False)):
        EmailAddress.objects.create(user=alice, email=address, verified=verified)
        ExpertRequest.objects.create(query=query, email=address, confirmed_at=timezone.now())
    delete_account(alice)
    assert set(ExpertRequest.objects.values_list("email", flat=True)) == {"", "dora@example.org"}


def test_what_is_somebody_elses_by_now_stays(alice: User, bob: User, plugin: Plugin) -> None:
    copy = Plugin.objects.create(owner=bob, name="Boots again", domain="safety")
    Install.objects.create(copy=copy, original=plugin, original_name="Boots", original_author="Alice", version="1.0.0")
    delete_account(alice)
    assert Install.objects.get().original_author == DELETED_AUTHOR_NAME


def test_the_address_has_to_be_typed(alice: User) -> None:
    response = fresh(alice).post(reverse("delete_your_account"), {"address": "bob@example.org"})
    assert response.status_code == 400
    assert User.objects.filter(pk=alice.pk).exists()


def test_the_last_operator_stays(db: None) -> None:
    root = User.objects.create_superuser("root@example.org", PASSWORD)
    with pytest.raises(LastOperator):
        delete_account(root)
    User.objects.create_superuser("other@example.org", PASSWORD)
    delete_account(root)
    assert User.objects.get().email == "other@example.org"


def test_the_picture_goes_with_the_person(
    alice: User, tmp_path: Any, settings: Any, django_capture_on_commit_callbacks: Any
) -> None:
    settings.LEXIC_FILES_DIR = tmp_path
    avatars.save_avatar(alice, io.BytesIO(picture()))
    with django_capture_on_commit_callbacks(execute=True):
        delete_account(alice)
    assert list((tmp_path / "avatars").iterdir()) == []
