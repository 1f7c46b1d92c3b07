"""The builder's pages of documents: upload, progress, preview, description, replacement and removal."""
