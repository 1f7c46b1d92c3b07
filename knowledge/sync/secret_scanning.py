"""Recognises files that seem to contain a secret, by their name or by a value in them. Such files are never stored.

detect-secrets finds the values: it knows the forms of many issuers, names such as `password` that are given a value,
and quoted strings that look random. No issuer is asked.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from pathlib import PurePosixPath

from detect_secrets.core.plugins.util import get_mapping_from_secret_type_to_class
from detect_secrets.filters import heuristic
from detect_secrets.plugins.base import BasePlugin, RegexBasedDetector
from detect_secrets.plugins.basic_auth import BasicAuthDetector
from detect_secrets.plugins.github_token import GitHubTokenDetector
from detect_secrets.plugins.high_entropy_strings import HexHighEntropyString
from detect_secrets.plugins.ip_public import IPPublicDetector
from detect_secrets.plugins.keyword import KeywordDetector
from detect_secrets.util.filetype import FileType, determine_file_type
from django.core.cache import cache as shared_cache

_NAME_PATTERNS = """
    .env .env.* *.env *.pem *.key *.p12 *.pfx *.jks *.keystore *.kdbx *.ppk *.asc *.tfstate *.tfvars
    id_rsa* id_dsa* id_ecdsa* id_ed25519* .netrc .pgpass .htpasswd .pypirc .npmrc .git-credentials
    credentials credentials.* secret.* secrets.* service-account*.json service_account*.json
"""
# What shows how such a file is written holds no secret by its name; its values are looked at all the same.
_EXAMPLE_ENDINGS = (".example", ".sample", ".template", ".dist")
_CODE_ENDINGS = (".py", ".js", ".ts", ".go", ".rs", ".java", ".rb", ".cs", ".css", ".html", ".sql", ".kt", ".scala")
# Of a file whose kind the detectors do not know they read `NAME=value` only in quotes; a shell writes it without.
_SETTINGS_FILE = "settings.ini"
# Long lines are looked at in pieces, because the patterns take quadratic time on hostile ones. A key that begins at
# the end of one piece stands whole in the next.
_PIECE_LENGTH, _PIECE_OVERLAP = 600, 200
# A password has letters and digits, or is long.
_MIN_LENGTH, _MIN_LENGTH_OF_LETTERS = 6, 16
_PLACEHOLDER = re.compile(
    r"change.?me|placeholder|your[_-]|xxx|\.\.\.|redacted|^(?:passw(?:or)?d|secret)\d{0,3}$", re.IGNORECASE
)
# What stands beside the hash of something that anybody may see.
_CHECKSUM_WORD = re.compile(r"sha-?\d|md5|hash|digest|checksum|integrity|commit|revision", re.IGNORECASE)
# The detector also finds the mark in the middle of a name, as in "weighs_less_than".
_GITHUB_TOKEN = re.compile(r"(?<![A-Za-z0-9])gh[pousr]_")
_REMEMBERED_SECONDS = 30 * 24 * 3600
# Part of the key under which a verdict is remembered: counts up when what follows here decides otherwise.
_RULES = 1


class AdditionalKeyDetector(RegexBasedDetector):
    """Forms of keys that detect-secrets does not know yet."""

    secret_type = "Key of a later issuer"  # noqa: S105 -- what the detector is called
    denylist = (
        re.compile(r"\bAIza[\w-]{35}"),
        re.compile(r"\bsk-(?:ant-|proj-|or-|svcacct-)?[A-Za-z0-9_-]{32,200}"),
        re.compile(r"\bgithub_pat_\w{22,100}"),
        re.compile(r"\b(?:npm|hf)_[A-Za-z0-9]{30,40}\b"),
        re.compile(r"\bwhsec_[A-Za-z0-9+/]{24,100}"),
    )


def reason_by_name(path: str) -> str:
    """Why a file of this name is left out; empty where its name says nothing."""
    name = PurePosixPath(path).name.lower()
    if name.endswith((*_EXAMPLE_ENDINGS, *_CODE_ENDINGS, ".md")):
        return ""
    is_secret = any(fnmatchcase(name, pattern) for pattern in _NAME_PATTERNS.split())
    return "its name is that of a file with secrets" if is_secret else ""


def reason_by_values(path: str, text: str) -> str:
    """Why a file with this text is left out, with the line and never the value; empty where nothing looks secret.

    The verdict on a text is remembered for a month, because each sync asks for that of every file.
    """
    file_type = determine_file_type(path)
    rules = f"{version('detect-secrets')}:{_RULES}:{file_type.name}:{path.lower().endswith(_CODE_ENDINGS)}"
    key = f"knowledge:secret-line:{rules}:{sha256(text.encode()).hexdigest()}"
    line = shared_cache.get(key)
    if line is None:
        line = _first_line_with_secret(path, text)
        shared_cache.set(key, line, _REMEMBERED_SECONDS)
    return f"line {line} looks like a secret" if line else ""


def _first_line_with_secret(path: str, text: str) -> int:
    """Counted from 1; 0 where there is none."""
    lines = enumerate(text.split("\n"), start=1)
    return next((number for number, line in lines if any(_has_secret(path, piece) for piece in _pieces(line))), 0)


def _pieces(line: str) -> Iterator[str]:
    for start in range(0, max(1, len(line) - _PIECE_OVERLAP), _PIECE_LENGTH - _PIECE_OVERLAP):
        if piece := line[start : start + _PIECE_LENGTH].strip():
            yield piece


def _has_secret(path: str, line: str) -> bool:
    return any(
        _is_value(secret.secret_value or "", line, detector)
        for detector in _detectors()
        for secret in detector.analyze_line(filename=path, line=line)
    ) or (_may_be_settings(path) and _has_bare_value(line))


def _is_value(value: str, line: str, detector: BasePlugin) -> bool:
    """Whether what a detector found is no name of a value, and no example."""
    if isinstance(detector, BasicAuthDetector | KeywordDetector):
        return _is_password(value, line)
    if isinstance(detector, GitHubTokenDetector):
        return _GITHUB_TOKEN.search(line) is not None
    if isinstance(detector, RegexBasedDetector):  # the form of one issuer
        return True
    if isinstance(detector, HexHighEntropyString) and _CHECKSUM_WORD.search(line):
        return False
    return not _is_harmless(value) and not heuristic.is_likely_id_string(value, line, detector)


def _is_password(value: str, line: str) -> bool:
    """Whether it may be what a name such as `password` is given, and is neither words for people nor a call."""
    has_both = any(map(str.isdigit, value)) and any(map(str.isalpha, value))
    is_long = len(value) >= (_MIN_LENGTH if has_both else _MIN_LENGTH_OF_LETTERS)
    is_word = not any(map(str.isspace, value)) and not _PLACEHOLDER.search(value) and not _is_harmless(value)
    return is_long and is_word and not heuristic.is_indirect_reference(line)


def _is_harmless(value: str) -> bool:
    return any(
        is_harmless(value)
        for is_harmless in (
            heuristic.is_templated_secret,
            heuristic.is_prefixed_with_dollar_sign,
            heuristic.is_not_alphanumeric_string,
            heuristic.is_sequential_string,
            heuristic.is_potential_uuid,
        )
    )


def _may_be_settings(path: str) -> bool:
    return determine_file_type(path) == FileType.OTHER and not path.lower().endswith(_CODE_ENDINGS)


def _has_bare_value(line: str) -> bool:
    """Whether a name such as `password` is given a value without quotes, with letters and digits as passwords have."""
    found = KeywordDetector().analyze_line(filename=_SETTINGS_FILE, line=line)
    values = [word for secret in found for word in (secret.secret_value or "").split()[:1]]
    return any(_is_password(value, line) and any(map(str.isdigit, value)) for value in values)


@cache
def _detectors() -> tuple[BasePlugin, ...]:
    """All but that of addresses, which are no secret."""
    known: Iterable[type[BasePlugin]] = get_mapping_from_secret_type_to_class().values()
    return (*(kind() for kind in known if kind is not IPPublicDetector), AdditionalKeyDetector())
