from __future__ import annotations

import uuid

import pytest
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse

from accounts.models import User

pytestmark = pytest.mark.django_db

PASSWORD = "correct horse battery"


def sign_up(client: Client, email: str, password: str = PASSWORD):
    form = {"email": email, "password1": password, "password2": password}
    return client.post(reverse("account_signup"), form)


def sign_in(client: Client, email: str, password: str = PASSWORD):
    return client.post(reverse("account_login"), {"login": email, "password": password})


def is_signed_in(client: Client) -> bool:
    return "_auth_user_id" in client.session


def test_a_person_is_known_by_a_random_id_and_their_address() -> None:
    user = User.objects.create_user(" Dora@Example.ORG ")
    assert user.email == "dora@example.org"
    assert isinstance(user.pk, uuid.UUID)
    assert user.pk.version == 4
    assert not user.has_usable_password()


def test_there_is_no_username() -> None:
    assert User.USERNAME_FIELD == "email"
    assert "username" not in {field.name for field in User._meta.get_fields()}


@pytest.mark.parametrize("email", ["alice@example.org", "ALICE@example.org", "Alice@EXAMPLE.org"])
def test_an_address_is_taken_in_any_case(alice: User, email: str) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        User.objects.create_user(email)


def test_the_database_itself_refuses_a_second_spelling(alice: User, bob: User) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        User.objects.filter(pk=bob.pk).update(email="ALICE@example.org")


def test_changing_the_address_keeps_it_in_lower_case(alice: User) -> None:
    alice.email = "New@Example.org"
    alice.save()
    assert User.objects.get(pk=alice.pk).email == "new@example.org"


def test_signing_up_makes_an_account_and_signs_it_in(client: Client) -> None:
    response = sign_up(client, "Dora@Example.org")
    assert response.status_code == 302
    user = User.objects.get()
    assert (user.email, user.is_staff, user.is_superuser) == ("dora@example.org", False, False)
    assert is_signed_in(client)


@pytest.mark.parametrize("extra", ["is_staff", "is_superuser", "username", "id"])
def test_signing_up_takes_nothing_but_an_address_and_a_password(client: Client, extra: str) -> None:
    form = {"email": "dora@example.org", "password1": PASSWORD, "password2": PASSWORD, extra: "1"}
    client.post(reverse("account_signup"), form)
    user = User.objects.get()
    assert not user.is_staff
    assert not user.is_superuser


def test_signing_up_with_a_known_address_makes_no_second_account_and_signs_nobody_in(
    alice: User, client: Client
) -> None:
    sign_up(client, "ALICE@example.org", "another good password")
    assert User.objects.count() == 1
    assert not is_signed_in(client)
    alice.refresh_from_db()
    assert alice.check_password(PASSWORD)


@pytest.mark.parametrize("password", ["short", "1234567890", "password123", ""])
def test_a_weak_password_is_refused(client: Client, password: str) -> None:
    assert sign_up(client, "dora@example.org", password).status_code == 200
    assert not User.objects.exists()


@pytest.mark.parametrize("email", ["alice@example.org", "ALICE@Example.org"])
def test_signing_in_takes_the_address_in_any_case(alice: User, client: Client, email: str) -> None:
    sign_in(client, email)
    assert client.session["_auth_user_id"] == str(alice.pk)


def test_a_wrong_password_and_an_unknown_address_look_alike(alice: User, client: Client) -> None:
    wrong, unknown = sign_in(client, alice.email, "not it at all"), sign_in(client, "nobody@example.org")
    assert wrong.status_code == unknown.status_code == 200
    assert wrong.context["form"].errors == unknown.context["form"].errors
    assert not is_signed_in(client)


def test_an_inactive_person_cannot_sign_in_and_is_signed_out(alice: User, client: Client) -> None:
    client.force_login(alice)
    User.objects.update(is_active=False)
    assert client.get(reverse("admin:index")).status_code == 302
    other = Client()
    sign_in(other, alice.email)
    assert not is_signed_in(other)


@pytest.mark.parametrize("target", ["https://evil.example/", "//evil.example", "/\\evil.example", "javascript:1"])
def test_signing_in_leads_nowhere_else(alice: User, client: Client, target: str) -> None:
    form = {"login": alice.email, "password": PASSWORD, "next": target}
    response = client.post(reverse("account_login"), form)
    assert response.status_code == 302
    assert "evil" not in response["Location"]
    assert response["Location"].startswith("/")


def test_an_operator_adds_a_person_in_the_admin(client: Client) -> None:
    client.force_login(User.objects.create_superuser("root@example.org", PASSWORD))
    form = {"email": "Dora@Example.org", "display_name": "Dora", "password1": PASSWORD, "password2": PASSWORD}
    form["usable_password"] = "true"
    response = client.post(reverse("admin:accounts_user_add"), form)
    assert response.status_code == 302, response.context["adminform"].form.errors
    assert User.objects.get(email="dora@example.org").check_password(PASSWORD)


def test_an_operator_is_told_that_an_address_is_taken_in_another_case(alice: User, client: Client) -> None:
    client.force_login(User.objects.create_superuser("root@example.org", PASSWORD))
    form = {"email": "ALICE@example.org", "password1": PASSWORD, "password2": PASSWORD, "usable_password": "true"}
    response = client.post(reverse("admin:accounts_user_add"), form)
    assert response.status_code == 200
    assert response.context["adminform"].form.errors


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("Ruth  Meyer", "Ruth Meyer"),
        ("Ruth @ Meyer & Partners", "Ruth @ Meyer & Partners"),
        ("Ruth ruth@example.org", "Unnamed member"),
        ("", "Unnamed member"),
    ],
)
def test_a_name_is_shown_as_chosen_and_an_address_never(name: str, shown: str) -> None:
    assert User(email="ruth@example.org", display_name=name).public_name == shown


def test_who_signs_up_by_mail_has_a_name_for_colleagues_and_none_for_the_public(client: Client) -> None:
    sign_up(client, "Ruth.Meyer+lexic@example.org")
    user = User.objects.get()
    assert (str(user), user.public_name, user.display_name) == ("ruth.meyer", "Unnamed member", "")
    assert "What is your name?" in client.get(reverse("profile")).content.decode()
    elsewhere = client.post(reverse("profile") + "?next=https://evil.example/", {"display_name": "Ruth"})
    back = client.post(reverse("profile") + "?next=/admin/", {"display_name": "Ruth"})
    assert client.post(reverse("profile") + "?next=nowhere", {"display_name": "Ruth"}).status_code == 302
    assert [answer["Location"] for answer in (elsewhere, back)] == [reverse("profile"), "/admin/"]
    user.refresh_from_db()
    assert (str(user), user.public_name) == ("Ruth", "Ruth")
    assert "What is your name?" not in client.get(reverse("profile")).content.decode()


def test_the_longest_address_may_sign_up(client: Client) -> None:
    sign_up(client, f"{'r' * 240}@example.org")
    assert str(User.objects.get()) == "r" * 240
