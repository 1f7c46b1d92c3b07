from __future__ import annotations

import os
import subprocess
import sys

from django.conf import settings

START = """
import re, sys
from local.module_loading import loading_modules
compile_at_once, finders = re.compile, list(sys.meta_path)
with loading_modules():
    import django
    django.setup()
assert re.compile is compile_at_once and sys.meta_path == finders
"""
USE = """
import pytest
from django.core.exceptions import ValidationError
from jwcrypto import jwk
from marshmallow import ValidationError as WrongSetting
from marshmallow.validate import Email
from oauth2_provider.validators import URIValidator

assert not isinstance(Email.DOMAIN_REGEX, re.Pattern) and not isinstance(URIValidator.regex, re.Pattern)
assert Email()("alice@bücher.example")
URIValidator(schemes=["https"])("https://bücher.example/callback")
with pytest.raises(WrongSetting):
    Email()("alice@-.example")
with pytest.raises(ValidationError):
    URIValidator(schemes=["https"])("https://-.example/callback")
assert jwk.JWK(kty="oct", k="YWJj").export_symmetric() and "cryptography.x509" in sys.modules
"""


def test_a_process_that_starts_loads_no_certificates() -> None:
    run_python(START + "assert 'cryptography.x509' not in sys.modules")


def test_what_was_deferred_works_when_it_is_used() -> None:
    run_python(START + USE)


def run_python(program: str) -> None:
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "lexic.settings"}
    subprocess.run([sys.executable, "-c", program], cwd=settings.BASE_DIR, env=environment, timeout=600, check=True)
