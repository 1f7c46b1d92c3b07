"""The instrument: what retrieval finds, what answers cite, and what is refused, against questions whose right
behaviour is known. `docs/evaluation.md` is its protocol."""
