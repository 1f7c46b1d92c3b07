"""The manifest of a backup: its tables, sequences and files, each as a list of pieces."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from backups.backup_errors import DamagedBackup, NoBackup
from backups.backup_store import FORMAT, BackupStore

_NAME_FORMAT = "%Y-%m-%dT%H-%M-%S-%fZ"


@dataclass(frozen=True, kw_only=True)
class TableCopy:
    """`rows` of these `columns`, as COPY writes them as text."""

    name: str
    columns: list[str]
    rows: int
    pieces: list[str]


@dataclass(frozen=True, kw_only=True)
class FileCopy:
    """A file of the storage; `size` in bytes, `modified` in seconds since 1970 when it was copied."""

    name: str
    size: int
    modified: float
    pieces: list[str]


@dataclass(frozen=True, kw_only=True)
class Manifest:
    """`name` is the time of the snapshot. `migrations` are those of its tables, as `app.name`. `sequences` have the
    last value that each gave. `missing` are files that rows name and that were not there, and the `damaged` ones; what
    an earlier backup had of them is in `files` all the same."""

    name: str
    version: str
    migrations: list[str]
    tables: list[TableCopy]
    sequences: dict[str, int]
    files: list[FileCopy]
    missing: list[str]
    damaged: list[str] = field(default_factory=list)

    @staticmethod
    def name_at(moment: datetime) -> str:
        """What a backup of this time is called; names are in the order of time."""
        return moment.astimezone(UTC).strftime(_NAME_FORMAT)

    @classmethod
    def next_name(cls, names: Sequence[str], moment: datetime) -> str:
        """The name of a backup that is made now: later than all `names`, also where a clock was ahead."""
        for name in names:
            with suppress(DamagedBackup):  # it is no name of a backup
                moment = max(moment, cls.moment_of(name) + timedelta(microseconds=1))
        return cls.name_at(moment)

    @staticmethod
    def moment_of(name: str) -> datetime:
        """When the backup of this name was made. Raises `DamagedBackup` where no backup is called so."""
        try:
            return datetime.strptime(name, _NAME_FORMAT).replace(tzinfo=UTC)
        except ValueError as error:
            raise DamagedBackup(f"“{name}” among the backups is none.", hint="Move it elsewhere.") from error

    @property
    def rows(self) -> int:
        """The number of rows in all tables."""
        return sum(table.rows for table in self.tables)

    def write(self, store: BackupStore) -> None:
        """Writes the manifest last: with it the backup exists."""
        store.write_manifest(self.name, {"format": FORMAT, **asdict(self)})

    @classmethod
    def read(cls, store: BackupStore, name: str) -> Manifest:
        """Raises `NoBackup`, `DamagedBackup`."""
        said = store.read_manifest(name)
        said.pop("format")
        said["tables"] = [TableCopy(**one) for one in said["tables"]]
        said["files"] = [FileCopy(**one) for one in said["files"]]
        return cls(**said)

    @classmethod
    def find(cls, store: BackupStore, name: str = "") -> Manifest:
        """The backup of this name, or the newest. Raises `NoBackup`, `DamagedBackup`."""
        if not name and not (names := store.backups()):
            raise NoBackup("There is no backup here.")
        return cls.read(store, name or names[-1])

    def pieces(self) -> Iterator[tuple[str, str]]:
        """Each piece with what it is a part of, in words."""
        for table in self.tables:
            yield from ((piece, f"table {table.name}") for piece in table.pieces)
        for file in self.files:
            yield from ((piece, f"file {file.name}") for piece in file.pieces)

    def check_pieces(self, store: BackupStore) -> int:
        """Reads every piece. Returns how many there are. Raises `DamagedBackup`, which names what is not whole.

        Damaged pieces are deleted, so that the next backup writes them again.
        """
        parts = dict(self.pieces())
        damaged = [piece for piece in parts if not _is_whole(store, piece)]
        for piece in damaged:
            store.delete_piece(piece)
        if damaged:
            named = sorted({parts[piece] for piece in damaged})
            said = f"{', '.join(named[:5])} {'is' if len(named) == 1 else 'are'} not whole"
            raise DamagedBackup(
                f"In backup {self.name}, {said}: {len(damaged)} of {len(parts)} pieces are missing or damaged."
            )
        return len(parts)


def _is_whole(store: BackupStore, piece: str) -> bool:
    """Read twice before it is called damaged: a store may have sent half of it."""
    for _ in range(2):
        with suppress(DamagedBackup):
            store.read(piece)
            return True
    return False


def newest(store: BackupStore) -> Manifest | None:
    """The last whole backup. Raises `DamagedBackup`."""
    names = store.backups()
    return Manifest.read(store, names[-1]) if names else None


def summary(manifest: Manifest) -> dict[str, Any]:
    """What a list shows of it."""
    return {
        "name": manifest.name,
        "version": manifest.version,
        "rows": manifest.rows,
        "files": len(manifest.files),
        "bytes": sum(file.size for file in manifest.files),
        "missing": manifest.missing,
    }
