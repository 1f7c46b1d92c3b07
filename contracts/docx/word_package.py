"""A Word file as a package of parts: read within limits, written with all other parts as they were."""

from __future__ import annotations

import io
import posixpath
import shutil
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lxml import etree

from contracts.docx.edits import WordSigned
from knowledge.readers.types import DamagedDocument
from knowledge.readers.zip_checks import check_archive

CONTENT_TYPES = "[Content_Types].xml"
_TYPES = "{http://schemas.openxmlformats.org/package/2006/content-types}"
_RELATIONS = "{http://schemas.openxmlformats.org/package/2006/relationships}"
_RELATIONS_TYPE = "application/vnd.openxmlformats-package.relationships+xml"
_EMPTY_RELATIONS = b'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"/>'


def parse_part(content: bytes) -> Any:
    """The root element of a part. No entity is expanded and nothing is fetched. Raises `DamagedDocument`."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        root = etree.fromstring(content, parser)
    except etree.XMLSyntaxError as error:
        raise DamagedDocument() from error
    if root.getroottree().docinfo.doctype:
        # The format allows none, and what it declares could change what the text says.
        raise DamagedDocument()
    return root


def encode_part(root: Any) -> bytes:
    return bytes(etree.tostring(root.getroottree(), xml_declaration=True, encoding="UTF-8", standalone=True))


class WordPackage:
    """The parts of a Word file, and those that were replaced. Raises `UnreadableDocument`, or `WordSigned`."""

    def __init__(self, path: Path) -> None:
        check_archive(path)
        self._archive = zipfile.ZipFile(path)
        self._replaced: dict[str, bytes] = {}
        self.names = [member.filename for member in self._archive.infolist()]
        if len(set(self.names)) != len(self.names):
            # Programs differ in which of two entries of one name they read.
            raise DamagedDocument()
        if any(name.startswith("_xmlsignatures/") for name in self.names):
            raise WordSigned()

    def __contains__(self, name: str) -> bool:
        return name in self._replaced or name in self.names

    def read(self, name: str) -> bytes:
        if name in self._replaced:
            return self._replaced[name]
        try:
            return self._archive.read(name)
        except (KeyError, zipfile.BadZipFile, NotImplementedError, EOFError) as error:
            raise DamagedDocument() from error

    def replace(self, name: str, root: Any) -> None:
        self._replaced[name] = encode_part(root)

    def xml_parts(self) -> Iterator[bytes]:
        """The content of every part of XML, relationships left out."""
        return (self.read(name) for name in self.names if name.endswith(".xml"))

    def encode(self) -> bytes:
        """The file: every entry in its place with its date, replaced parts with their new content, new ones last."""
        target = io.BytesIO()
        with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
            for member in self._archive.infolist():
                entry = zipfile.ZipInfo(member.filename, member.date_time)
                entry.compress_type, entry.external_attr = member.compress_type, member.external_attr
                with archive.open(entry, "w") as written:
                    if member.filename in self._replaced:
                        written.write(self._replaced[member.filename])
                    else:
                        with self._archive.open(member) as original:
                            shutil.copyfileobj(original, written)
            for name in self._replaced.keys() - set(self.names):
                archive.writestr(zipfile.ZipInfo(name), self._replaced[name], zipfile.ZIP_DEFLATED)
        return target.getvalue()

    def related_part(self, owner: str, kind: str) -> str | None:
        """The name of the part inside this file that `owner` has a relationship of this kind to."""
        for relation in self._relations(owner):
            if relation.get("Type") == kind and relation.get("TargetMode", "Internal") == "Internal":
                target = relation.get("Target", "")
                return posixpath.normpath(posixpath.join("/", posixpath.dirname(owner), target)).lstrip("/")
        return None

    def add_part(self, owner: str, *, name: str, kind: str, content_type: str, root: Any) -> None:
        """A new part with its relationship from `owner` and its content type."""
        relations = self._relations(owner)
        taken = {relation.get("Id") for relation in relations}
        number = next(number for number in range(1, len(taken) + 2) if f"rId{number}" not in taken)
        target = posixpath.relpath(name, posixpath.dirname(owner) or ".")
        etree.SubElement(relations, f"{_RELATIONS}Relationship", Id=f"rId{number}", Type=kind, Target=target)
        self.replace(_relations_name(owner), relations)
        types = parse_part(self.read(CONTENT_TYPES))
        if _relations_name(owner) not in self.names and not _has_default(types, "rels"):
            etree.SubElement(types, f"{_TYPES}Default", Extension="rels", ContentType=_RELATIONS_TYPE)
        etree.SubElement(types, f"{_TYPES}Override", PartName=f"/{name}", ContentType=content_type)
        self.replace(CONTENT_TYPES, types)
        self.replace(name, root)

    def free_name(self, stem: str) -> str:
        """`stem.xml`, or the same with a number where there is such a part."""
        names = (f"{stem}{number or ''}.xml" for number in range(len(self.names) + 1))
        return next(name for name in names if name not in self)

    def _relations(self, owner: str) -> Any:
        name = _relations_name(owner)
        return parse_part(self.read(name) if name in self else _EMPTY_RELATIONS)


def _relations_name(owner: str) -> str:
    return posixpath.join(posixpath.dirname(owner), "_rels", f"{posixpath.basename(owner)}.rels")


def _has_default(types: Any, extension: str) -> bool:
    return any(default.get("Extension", "").lower() == extension for default in types.iter(f"{_TYPES}Default"))
