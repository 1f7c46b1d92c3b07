"""`/api/plugins/{plugin}/trees`: how a plugin decides."""
