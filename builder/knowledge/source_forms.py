"""The form of a source that is fetched from elsewhere, one for each kind."""

from __future__ import annotations

from typing import Any

from django import forms

from builder.optimistic_lock_form import OptimisticLock
from knowledge.models import Source
from knowledge.source_models import REMOTE_KINDS, SourceKind, SyncInterval
from knowledge.sync.remote.feed import DEFAULT_ENTRIES, MAX_ENTRIES
from knowledge.sync.remote.source_settings import CREDENTIAL_NAMES, MAX_CREDENTIAL_LENGTH
from knowledge.sync.remote.website import DEFAULT_DEPTH, DEFAULT_PAGES, MAX_DEPTH, MAX_PAGES
from lexic.column_length import column_length
from lexic.styled_form import style_fields

KIND_NAMES = {kind.value: kind.label for kind in REMOTE_KINDS}
_ADDRESSES = {
    SourceKind.WEBSITE: ("Start page or sitemap", "https://example.org/handbook/"),
    SourceKind.FEED: ("Address of the feed", "https://example.org/news.xml"),
    SourceKind.REPOSITORY: ("Address of the repository", "https://example.org/team/handbook.git"),
    SourceKind.BUCKET: ("Bucket and prefix", "s3://handbooks/current/"),
}
_TYPE_AGAIN = "type_again"
_PATHS_WIDGET = forms.Textarea(attrs={"rows": 3, "placeholder": "/docs/"})


def _secret(label: str) -> forms.CharField:
    widget = forms.PasswordInput(attrs={"autocomplete": "off"})
    return forms.CharField(label=label, max_length=MAX_CREDENTIAL_LENGTH, required=False, widget=widget)


def _is_secret(field: forms.Field) -> bool:
    return isinstance(field.widget, forms.PasswordInput)


def _plain(label: str, *, help_text: str = "", length: int = 500) -> forms.CharField:
    widget = forms.TextInput(attrs={"autocomplete": "off"})
    return forms.CharField(label=label, max_length=length, required=False, help_text=help_text, widget=widget)


def _option_fields(kind: str) -> dict[str, forms.Field]:
    if kind == SourceKind.WEBSITE:
        return {
            "max_depth": forms.IntegerField(
                label="Links deep",
                min_value=0,
                max_value=MAX_DEPTH,
                initial=DEFAULT_DEPTH,
                help_text="How many links away from the start page. A sitemap needs none.",
            ),
            "max_pages": forms.IntegerField(
                label="Pages at most", min_value=1, max_value=MAX_PAGES, initial=DEFAULT_PAGES
            ),
            "include": forms.CharField(
                label="Only paths that begin with", required=False, widget=_PATHS_WIDGET, help_text="One a line."
            ),
            "exclude": forms.CharField(label="No paths that begin with", required=False, widget=_PATHS_WIDGET),
        }
    if kind == SourceKind.FEED:
        most = forms.IntegerField(label="Entries at most", min_value=1, max_value=MAX_ENTRIES, initial=DEFAULT_ENTRIES)
        return {"max_pages": most}
    if kind == SourceKind.REPOSITORY:
        return {
            "branch": _plain("Branch", help_text="Empty: the repository's own.", length=200),
            "folder": _plain("Folder", help_text="Such as docs/handbook. Empty: all of it."),
            "username": _plain("User name", help_text="Only where the repository is private.", length=200),
            "password": _secret("Token"),
        }
    return {
        "endpoint": _plain("Endpoint", help_text="Such as https://s3.example.org. Empty: Amazon's."),
        "region": _plain("Region", help_text="Empty: us-east-1.", length=40),
        "access_key_id": _plain("Access key id", help_text="Only where the bucket is private.", length=200),
        "secret_access_key": _secret("Secret access key"),
    }


class SourceForm(OptimisticLock, forms.Form):
    """A new source of a kind, or one that is changed: then without its address, and credentials left empty stay."""

    def __init__(self, data: Any = None, *, kind: str, source: Source | None = None, **options: Any) -> None:
        super().__init__(data, **options)
        self.kind, self._source = kind, source
        self.fields.update(self._fields(kind, is_new=source is None))
        style_fields(self.fields)
        if source:
            self.initial = self.stored_initial(source)
        self.mark_shown()

    def add_error(self, field: Any, error: Any) -> None:
        """Also with each secret that was typed, for the page does not show it once more."""
        super().add_error(field, error)
        for name in CREDENTIAL_NAMES.get(self.kind, ()):
            if _is_secret(self.fields[name]) and self[name].data and not self.has_error(name, _TYPE_AGAIN):
                again = f"Type the {str(self[name].label).lower()} again: it is not shown."
                super().add_error(name, forms.ValidationError(again, code=_TYPE_AGAIN))

    def row_to_change(self) -> Source | None:
        return self._source

    def stored_initial(self, stored: Source) -> dict[str, Any]:
        defaults = {name: field.initial for name, field in self.fields.items() if name != "seen"}
        paths = {name: "\n".join(stored.options.get(name, [])) for name in ("include", "exclude")}
        kept = {"interval_hours": stored.interval_hours, "is_public": stored.is_public}
        return {**defaults, **stored.options, **paths, **kept}

    @staticmethod
    def _fields(kind: str, *, is_new: bool) -> dict[str, forms.Field]:
        label, example = _ADDRESSES[SourceKind(kind)]
        widget = forms.TextInput(attrs={"placeholder": example, "autocomplete": "off"})
        address = forms.CharField(label=label, max_length=column_length(Source, "location"), widget=widget)
        return {
            **({"location": address} if is_new else {}),
            **_option_fields(kind),
            "interval_hours": forms.TypedChoiceField(
                label="Timetable", choices=SyncInterval.choices, coerce=int, initial=SyncInterval.DAY
            ),
            "is_public": forms.BooleanField(
                label="Public", required=False, help_text="Anybody may be answered from its documents."
            ),
        }

    def settings(self) -> dict[str, Any]:
        """What the form says, as `source_settings` takes it."""
        data = self.cleaned_data
        names = CREDENTIAL_NAMES.get(self.kind, ())
        apart = {"seen", "location", "interval_hours", "is_public", *names}
        given = {name: data[name] for name in names if data[name]}
        said: dict[str, Any] = {
            "options": {name: _option(name, value) for name, value in data.items() if name not in apart},
            "interval_hours": data["interval_hours"],
            "is_public": data["is_public"],
        }
        return said | ({"credentials": given} if given else {})


def _option(name: str, value: Any) -> Any:
    return value.split() if name in ("include", "exclude") else value
