"""Does a source support a sentence of an answer? `querying.answering.citations` asks; each module answers one part.

- `supporting_spans` finds the words of a passage that state the claim; `language.clauses` splits a claim that states
  several things.
- `claim_support` decides about one span. It asks whether the span has the claim's figures (`language.figures`) and
  quotations (`quotations`), whether one denies what the other affirms (`language.negation`), has an opposite
  (`claim_contradictions`, also for the same noun: `noun_modifiers`), gives a figure to something else
  (`figure_association`), exchanges who does what (`semantic_roles`), is stronger or weaker (`modality`), takes words
  from unrelated sentences (`cohesion`; `linked_sentences` are those that go on about the same), or only gives orders
  (`imperatives`). Where words leave a doubt, `semantic_similarity` compares the meaning.
- `conflicts` finds another document that contradicts the source.
"""
