"""The builder's page of reviews by users of a plugin."""
