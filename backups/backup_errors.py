"""Why a backup cannot be made, read or restored."""

from __future__ import annotations

from lexic.errors import Conflict, InvalidInput, LexicError, NotFound


class NoTarget(InvalidInput):
    """It is not said where backups are kept."""

    code = "no_backup_target"
    hint = "Name a folder or s3://BUCKET/PREFIX, or set LEXIC_BACKUP_TO."


class NoBackup(NotFound):
    """There is no such backup here."""

    code = "no_backup"
    hint = "“manage.py backup list” names those that there are. One that was interrupted is not among them."


class BackupRuns(Conflict):
    """Another backup of this site is being made."""

    code = "backup_runs"
    hint = "Try again when it has ended."


class OtherSite(Conflict):
    """The backups in this place are of another site."""

    code = "backups_of_another_site"
    hint = "Name a place of its own for the backups of this site: another folder, or another prefix in the bucket."


class VerificationRuns(Conflict):
    """Another verification of backups is running."""

    code = "verification_runs"
    hint = "Try again when it has ended."


class WrongKey(InvalidInput):
    """These backups are encrypted with another key."""

    code = "wrong_backup_key"
    hint = "Set LEXIC_BACKUP_KEY to the one that they were made with. Without it nobody can read them."


class NotEncrypted(Conflict):
    """The backups here are not encrypted, and LEXIC_BACKUP_KEY is set."""

    code = "backups_not_encrypted"
    hint = "Name another folder for encrypted ones, or unset the key to read these."


class DamagedBackup(LexicError):
    """Something in this backup is not what was written."""

    code = "backup_damaged"
    hint = "Make a new backup: what is damaged is written again. To restore now, use a copy of this one from elsewhere."


class NotEmpty(Conflict):
    """A backup is restored into an empty installation, and this one is in use."""

    code = "not_empty"
    hint = "Name a new database and a new folder for files (DATABASE_URL, LEXIC_FILES_DIR, or LEXIC_VAR_DIR for both)."


class NotMigrated(LexicError):
    """The backup is restored, and its tables could not be brought to this version."""

    code = "not_migrated"
    hint = "Run “manage.py migrate”; nothing has to be restored again."


class NewerBackup(Conflict):
    """This backup was made by a newer version of Lexic."""

    code = "newer_backup"
    hint = "Install that version or a later one, and restore there."
