"""Whether a file looks as if it held a secret: by its name, or by a value in it. Such files are never stored.

Values are told by the forms that their issuers give them, and where a name that says "secret" is given a literal value.
"""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from pathlib import PurePosixPath

_NAME_PATTERNS = """
    .env .env.* *.env *.pem *.key *.p12 *.pfx *.jks *.keystore *.kdbx *.ppk *.asc *.tfstate *.tfvars
    id_rsa* id_dsa* id_ecdsa* id_ed25519* .netrc .pgpass .htpasswd .pypirc .npmrc .git-credentials
    credentials credentials.* secret.* secrets.* service-account*.json service_account*.json
"""
# What shows how such a file is written holds no secret by its name; its values are looked at all the same.
_EXAMPLE_ENDINGS = (".example", ".sample", ".template", ".dist")
_CODE_ENDINGS = (".py", ".js", ".ts", ".go", ".rs", ".java", ".md", ".rb", ".cs")
# The forms of keys, tokens and addresses with a password in them. Bounded, so linear on hostile text.
_ISSUED = re.compile(
    r"-----BEGIN (?:[A-Z]{1,12} ){0,3}PRIVATE KEY-----"
    r"|\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"
    r"|\bgh[pousr]_[A-Za-z0-9]{36}"
    r"|\bgithub_pat_\w{22,100}"
    r"|\bglpat-[\w-]{20}"
    r"|\bxox[abposr]-[\w-]{10,100}"
    r"|\bAIza[\w-]{35}"
    r"|\b[sr]k_(?:live|test)_[A-Za-z0-9]{16,100}"
    r"|\bsk-(?:proj-|ant-)?[A-Za-z0-9_-]{32,200}"
    r"|\bnpm_[A-Za-z0-9]{36}\b|\bpypi-[\w-]{50,200}"
    r"|\beyJ[\w-]{10,500}\.eyJ[\w-]{10,500}\.[\w-]{10,500}"
    r"|\b[a-z][a-z0-9+.]{1,20}://[^\s:/@'\"<>{}$]{1,60}:[^\s:/@'\"<>{}$%*]{6,100}@[\w.-]{3,100}\.[a-z]{2,10}\b"
)
_ASSIGNED = re.compile(
    r"(?:password|passwd|secret|api_?key|access_?key|private_?key|auth_?token|access_?token|client_?secret)"
    r"\w{0,20}[\"']?\s{0,3}[:=]{1,2}\s{0,3}[\"']?(?P<value>[^\s\"'`,;(){}\[\]<>$]{6,200})",
    re.IGNORECASE,
)
# Half of the characters of a made-up word or a path are repeated sooner than those of a key.
_MIN_DISTINCT = 6
# A name of something else, a path, or what stands for a value that is still to be put in.
_NO_VALUE = re.compile(
    r"[\w-]{1,60}(?:\.[a-z_]\w{0,60})+|/.*|.*(?:change.?me|placeholder|your[_-]|xxx).*", re.IGNORECASE
)


def reason_by_name(path: str) -> str:
    """Why a file of this name is left out; empty where its name says nothing."""
    name = PurePosixPath(path).name.lower()
    if name.endswith((*_EXAMPLE_ENDINGS, *_CODE_ENDINGS)):
        return ""
    is_secret = any(fnmatchcase(name, pattern) for pattern in _NAME_PATTERNS.split())
    return "its name is that of a file with secrets" if is_secret else ""


def reason_by_values(text: str) -> str:
    """Why a file with this text is left out, with the line and never the value; empty where nothing looks secret."""
    found = _ISSUED.search(text) or next(filter(_is_key, _ASSIGNED.finditer(text)), None)
    return f"line {text.count(chr(10), 0, found.start()) + 1} looks like a secret" if found else ""


def _is_key(assigned: re.Match[str]) -> bool:
    value = assigned["value"]
    has_both = any(map(str.isdigit, value)) and any(map(str.isalpha, value))
    return has_both and len(set(value)) >= _MIN_DISTINCT and not _NO_VALUE.fullmatch(value)
