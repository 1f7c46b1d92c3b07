"""Golden questions: what users will ask and what must come out."""
