"""A plugin as one file, to be kept, moved to another site, or given to a colleague.

The file is a zip: `manifest.json` with the persona, the policy, the trees with their test cases and the golden
questions, and every document as the bytes that were uploaded, named by their hash. It holds no ids, no dates of rows,
no people, no keys, no questions that were asked and no releases: those belong to the place where they happened.
Two exports of the same plugin are the same bytes.
"""

from __future__ import annotations

from marketplace.bundle.columns import BadBundle
from marketplace.bundle.read import Imported, SlugTaken, import_plugin
from marketplace.bundle.write import TooLargeToCarry, export_plugin

__all__ = ["BadBundle", "Imported", "SlugTaken", "TooLargeToCarry", "export_plugin", "import_plugin"]
