import pytest
from django.core.management import call_command
@pytest.mark.django_db
def test_m():
    call_command("makemigrations", "--check", "--dry-run", verbosity=3)
def test_check():
    call_command("check")
