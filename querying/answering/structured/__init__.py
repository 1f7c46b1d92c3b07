"""A caller's schema, filled from verified citations: each value stands in the words that are cited for it."""
