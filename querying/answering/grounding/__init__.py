"""Does a source bear a sentence out? What `querying.answering.citations` asks, one question a module.

- `spans` finds the words of a passage that say it; `clauses` takes a sentence apart that says several things.
- `support` decides about one span: figures (`quantities`, which reads them by `measures`, `names`, `number_words`,
  `bounds`, `units` into `figures`), quotations (`quotes`), denials (`negation`) and opposites (`contrasts`), which
  word goes with which figure (`association`), who does what (`roles`), duty, scope, cause and condition
  (`modality`), words that stand together (`cohesion`), orders that state nothing (`orders`), and nearness in meaning
  (`semantics`).
- `conflicts` finds another document that says otherwise.
- `generic` and `synonyms` are lists of everyday words.
"""
