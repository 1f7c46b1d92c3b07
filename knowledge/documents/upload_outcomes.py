"""Several documents come in at once: one that is refused does not stop the others, and each is reported."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from django.contrib import messages
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest

from knowledge.documents.lifecycle import AddResult, add_file, add_url
from knowledge.models import DocumentStatus, KnowledgeBase
from lexic.errors import LexicError

_MAX_NAME_LENGTH = 80


@dataclass(frozen=True, kw_only=True)
class UploadOutcome:
    """What became of one of those that came in."""

    name: str
    is_in: bool
    said: str


def add_each_file(
    knowledge_base: KnowledgeBase, files: Sequence[UploadedFile], *, paths: Sequence[str] = ()
) -> list[UploadOutcome]:
    """Adds the files, one after another; that none was chosen is an outcome as well. `paths` say where they lay in a
    folder, so that two files of one name in it are two documents; they are not used unless each file has one."""
    names = paths if len(paths) == len(files) else [file.name or "" for file in files]
    outcomes = [
        try_add(
            name or "file",
            lambda file=file, name=name: add_file(  # type: ignore[misc]
                knowledge_base=knowledge_base, file_name=name, stream=file
            ),
        )
        for file, name in zip(files, names, strict=True)
    ]
    return outcomes or [UploadOutcome(name="", is_in=False, said="No file was chosen.")]


def add_each_address(knowledge_base: KnowledgeBase, addresses: Iterable[str]) -> list[UploadOutcome]:
    """Adds a document for each address."""
    return [
        try_add(address, lambda address=address: add_url(knowledge_base=knowledge_base, url=address))  # type: ignore[misc]
        for address in addresses
    ]


def try_add(name: str, work: Callable[[], AddResult]) -> UploadOutcome:
    """The outcome of this work, also where it is refused."""
    try:
        added = work()
    except LexicError as error:
        return UploadOutcome(name=name, is_in=False, said=error.message_with_hint)
    return UploadOutcome(name=name, is_in=True, said=_added_text(added))


def report_outcomes(request: HttpRequest, outcomes: Sequence[UploadOutcome]) -> None:
    """Says on the next page what became of them: of each refusal by name; of the others, how many."""
    taken = [one for one in outcomes if one.is_in]
    if len(taken) > 1:
        messages.success(request, f"{len(taken)} are in, and are read one after another.")
    for one in taken if len(taken) == 1 else []:
        messages.success(request, f"{short_name(one.name)} {one.said}")
    for one in outcomes:
        if not one.is_in:
            messages.error(request, f"{short_name(one.name)}: {one.said}" if one.name else one.said)


def short_name(name: str) -> str:
    return name if len(name) <= _MAX_NAME_LENGTH else f"{name[:_MAX_NAME_LENGTH]}…"


def _added_text(added: AddResult) -> str:
    if added.is_new:
        return "is in, and waits to be read."
    if added.document.status == DocumentStatus.READY:
        return "was here already, word for word."
    if added.document.added_in is not None:
        return "is being read again; the earlier version answers until then."
    return "is in already, and is being read."
