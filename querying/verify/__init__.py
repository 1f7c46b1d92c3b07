"""Does a source bear a sentence out? What `querying.cite` asks, one question a module.

- `spans` finds the words of a passage that say it, `claims` takes a sentence apart that says several things.
- `support` decides about one span: figures (`figures`, `measures`, `names`, `units`, `bounds`, `number_words`),
  quotations (`quotes`), denials and opposites (`contrasts`, `clauses`), which word goes with which figure
  (`association`), who does what (`roles`), duty and leave (`modality`), words that stand together (`cohesion`), orders
  that state nothing (`orders`), and nearness in meaning (`semantics`).
- `conflicts` finds another document that says otherwise.
- `generic` and `synonyms` are lists of everyday words.
"""
