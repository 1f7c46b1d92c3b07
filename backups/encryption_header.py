"""Says how backups are encrypted. A file of the store says it, and the first line of each manifest says it again: one
file that is damaged makes no other one unreadable."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass

# Longer than the first line of a manifest ever is.
MOST_BYTES = 1024
_FORMAT = 1
_BEGINNING = b'{"format": '
# The digest with which a manifest begins that is not encrypted and was made before manifests had this line.
_EARLIER_PLAIN = re.compile(rb"[0-9a-f]{64}\n")


@dataclass(frozen=True)
class EncryptionHeader:
    """The `salt` of the keys, and a `check` that tells the right passphrase; both are empty without encryption."""

    salt: bytes
    check: str

    def as_line(self) -> bytes:
        digest = hashlib.sha256(f"{self.salt.hex()} {self.check}".encode()).hexdigest()
        said = {"format": _FORMAT, "salt": self.salt.hex(), "check": self.check, "digest": digest}
        return json.dumps(said).encode()

    @classmethod
    def parse(cls, line: bytes) -> EncryptionHeader | None:
        """None where it is damaged. One that was written without a digest is taken as it is."""
        try:
            said = json.loads(line)
            header = cls(bytes.fromhex(said["salt"]), str(said["check"]))
        except (ValueError, TypeError, KeyError):
            return None
        return header if "digest" not in said or header.as_line() == line else None

    @classmethod
    def of_manifest(cls, stored: bytes) -> EncryptionHeader | None:
        """From the beginning of a manifest. None where the manifest does not say it, or its line is damaged."""
        if _EARLIER_PLAIN.match(stored):
            return cls(b"", "")
        return cls.parse(stored.partition(b"\n")[0])


def without_header(stored: bytes) -> bytes:
    """The manifest itself. One that was made before manifests had the line is as it is."""
    return stored.partition(b"\n")[2] if stored.startswith(_BEGINNING) else stored
