"""The builder's inbox: questions without an answer, by topic."""
