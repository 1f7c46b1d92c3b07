"""The builder's pages of releases and of publishing."""
