"""Secrets: files whose names promise some are left alone, and values that look like one are taken out of texts.

The patterns here need no extra and little time, so that nobody's index or design file holds another text than the next
one's; detect-secrets takes ten times as long, and is asked besides where a text leaves the machine.
"""

from __future__ import annotations

import math
import re
from collections import Counter

REDACTED = "[redacted]"
_NAME = re.compile(
    r"(^|/)(\.env(\..*)?|.*\.(pem|key|pfx|p12|keystore|jks|kdbx)|id_(rsa|dsa|ecdsa|ed25519)|\.(netrc|pgpass|htpasswd|npmrc"
    r"|pypirc)|(.*[-_.])?(secret|credential|password)s?([-_.][^/]*)?)$",
    re.IGNORECASE,
)
# What a path must hold for the pattern to match it.
_NAME_PARTS = (
    *(".env", ".pem", ".key", ".pfx", ".p12", ".keystore", ".jks", ".kdbx", "id_", ".netrc", ".pgpass"),
    *(".htpasswd", ".npmrc", ".pypirc", "secret", "credential", "password"),
)
_PROGRAM = re.compile(r"\.(py|pyi|js|jsx|mjs|cjs|ts|tsx|go|rs|java|md|rst|html|css|c|h|cpp|rb|php|kt|swift|sql)$", re.I)

_KEY_BLOCK = re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY( BLOCK)?-----.*?(-----END [A-Z ]*-----|\Z)", re.DOTALL)
# Marks that providers of tokens put at their beginning.
_MARKED = re.compile(
    r"\b(?:A(?:KIA|SIA)[0-9A-Z]{16}|gh[pousr]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|xox[abeprs]-[\w-]{8,}"
    r"|[sr]k[-_](?:live|test|proj|ant|or)[-_][\w-]{8,}|sk-[\w-]{16,}|AIza[\w-]{30,}|npm_\w{20,}|pypi-[\w-]{20,}|hf_\w{20,}"
    r"|SG\.[\w-]{16,}\.[\w-]{16,}|eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]*|whsec_\w{16,})"
)
_IN_ADDRESS = re.compile(r"(?<=://)([^\s/:@\"']{0,100}):([^\s/@\"']{1,200})(?=@)")
_WORD = (
    r"(?:pass(?:word|wd|phrase)?|pwd|secret|token|api[-_]?key|access[-_]?key|private[-_]?key|credential|auth[-_]?key)"
)
_QUOTED = re.compile(
    rf"(?P<before>{_WORD}[\w-]{{0,40}}[\"']?\]?(?:: ?[\w.\[\] |]{{1,60}})?\s{{0,20}}(?::=?|=>?|,)\s{{0,20}}[brf]?"
    r"(?P<quote>[\"'`]))(?P<value>(?:(?!(?P=quote))[^\n]){4,500})(?P=quote)",
    re.IGNORECASE,
)
_BARE = re.compile(
    rf"(?P<before>{_WORD}\w{{0,40}}\s{{0,4}}[:=]\s{{0,4}})(?P<value>[^\s\"'`,;(){{}}\[\]<>]{{6,500}})", re.I
)
_RANDOM = re.compile(r"(?<=[\"'`=:\s])[A-Za-z0-9+/_=-]{20,200}(?=[\"'`\s]|$)")
_NAME_OF_FIELD = re.compile(r"_name\s*=\s*[\"'`]$", re.IGNORECASE)
# What a text must hold for a pattern to find anything in it.
_SECRET_WORDS = ("pass", "pwd", "secret", "token", "key", "credential")
_SHORT_MARKS = ("xox", "sk_", "sk-", "rk_", "rk-", "eyJ")
_BETWEEN_WORDS = str.maketrans(
    dict.fromkeys((each for each in map(chr, range(128)) if not re.match(r"[\w+/=-]", each)), " ")
)
_SHORTEST_RANDOM = 20
_HEX_BITS, _TEXT_BITS = 3.0, 4.1
_NO_SECRETS = ("Public IP (ipv4)",)
_SHORTEST_SECRET = 5


def has_secret_name(path: str) -> bool:
    """Whether a file's name says that it holds secrets; programs and texts about them are none."""
    low = path.casefold()
    return any(map(low.__contains__, _NAME_PARTS)) and _NAME.search(path) is not None and not _PROGRAM.search(path)


def redact(text: str) -> str:
    """The text with every value that looks like a secret replaced; its lines stay where they are."""
    named = any(map(text.casefold().__contains__, _SECRET_WORDS))
    long = max(map(len, text.translate(_BETWEEN_WORDS).split()), default=0) >= _SHORTEST_RANDOM
    if named:
        text = _KEY_BLOCK.sub(lambda match: REDACTED + "\n" * match[0].count("\n"), text)
    if long or any(map(text.__contains__, _SHORT_MARKS)):
        text = _MARKED.sub(REDACTED, text)
    if "://" in text:
        text = _IN_ADDRESS.sub(rf"\1:{REDACTED}", text)
    if named:
        text = _BARE.sub(_bare, _QUOTED.sub(_quoted, text))
    return _RANDOM.sub(lambda match: REDACTED if _is_random(match[0]) else match[0], text) if long else text


def redact_thoroughly(text: str, path: str = "") -> str:
    """What `redact` does, and what detect-secrets finds besides; for texts that leave the machine. Needs the extra."""
    from detect_secrets.settings import default_settings, get_plugins

    lines = redact(text).split("\n")
    with default_settings():
        plugins = [plugin for plugin in get_plugins() if plugin.secret_type not in _NO_SECRETS]
        for at, line in enumerate(lines):
            found = {
                str(secret.secret_value)
                for plugin in plugins
                for secret in plugin.analyze_line(filename=path, line=line, line_number=at)
                if secret.secret_value and secret.secret_value != REDACTED
            }
            # The longest first, because one plugin may find a part of what another finds whole.
            for value in sorted(found, key=len, reverse=True):
                lines[at] = lines[at].replace(value, REDACTED) if len(value) >= _SHORTEST_SECRET else lines[at]
    return "\n".join(lines)


def _quoted(match: re.Match[str]) -> str:
    value = match["value"]
    # Words for people, names of variables, of fields and of templates are no values.
    if " " in value or value.startswith(("$", "{", "<", "%", REDACTED)) or _NAME_OF_FIELD.search(match["before"]):
        return match[0]
    return f"{match['before']}{REDACTED}{match['quote']}"


def _bare(match: re.Match[str]) -> str:
    value = match["value"]
    named = value.startswith(("$", "%")) or value.replace("_", "").replace(".", "").isalpha() or value.isdigit()
    return match[0] if named else f"{match['before']}{REDACTED}"


def _is_random(word: str) -> bool:
    """Whether a word has digits and letters, and about as many bits a character as random ones have."""
    if not any(map(str.isdigit, word)) or not any(map(str.isalpha, word)):
        return False
    counts = Counter(word).values()
    bits = -sum(count / len(word) * math.log2(count / len(word)) for count in counts)
    is_hex = len(word) >= 32 and re.fullmatch(r"[0-9a-f]+|[0-9A-F]+", word) is not None
    return bits > (_HEX_BITS if is_hex else _TEXT_BITS)
