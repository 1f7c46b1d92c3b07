"""Measures what retrieval finds, what answers cite and what is refused, against questions whose right answers are
known. docs/evaluation.md describes the protocol."""
