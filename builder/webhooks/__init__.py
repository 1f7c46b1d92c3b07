"""The builder's pages of webhooks."""
