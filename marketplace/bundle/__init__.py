"""A plugin as one file, to be kept, moved to another site, or given to a colleague.

The file is a zip with a `manifest.json`, and there are two kinds of it. That of a draft (version 1) holds the persona,
the policy, the trees with their test cases and the golden questions, and every document as the bytes that were
uploaded, named by their hash. That of a release (version 2) holds what agents ask: the policy, trees and documents as
they were frozen, with their pages, chunks and vectors, so that they need not be read again.

Neither holds ids, dates of rows, people, keys, or questions that were asked: those belong to the place where they
happened. Two exports of the same plugin are the same bytes.
"""

from __future__ import annotations

from marketplace.bundle.columns import BadBundle
from marketplace.bundle.draft_export import TooLargeToExport, export_description, export_plugin
from marketplace.bundle.plugin_import import ImportedPlugin, import_plugin

__all__ = ["BadBundle", "ImportedPlugin", "TooLargeToExport", "export_description", "export_plugin", "import_plugin"]
