"""`/api/plugins/{plugin}/documents`: what a plugin reads, and what retrieval finds in it."""
