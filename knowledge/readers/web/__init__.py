"""Parsers of what web servers, feeds, repositories and buckets send; `knowledge.sync.remote` runs them in the confined
child process."""
