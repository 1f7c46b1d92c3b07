"""What web servers, feeds, repositories and buckets send, parsed for `knowledge.sync.remote` in the confined child."""
