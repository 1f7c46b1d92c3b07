"""Which documents a stored answer names, as the database finds them: an index needs no column for it."""

from __future__ import annotations

from django.db import models


class QuotedDocuments(models.Func):
    """The ids of the documents that a JSON column names as `documentId`, anywhere in it, as a JSON list. A GIN index on
    it (`jsonb_ops`) answers Django's lookup “has any keys”."""

    template = "jsonb_path_query_array(%(expressions)s, '$.**.documentId')"
    arity = 1
    output_field = models.JSONField()
