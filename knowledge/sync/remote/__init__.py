"""Sources that are fetched from elsewhere: web sites, feeds, Git repositories and buckets.

Each kind of source lists its files and fetches those that differ from the manifest (`remote_listing`). `compare` says
what that changes, and which changes are not believed. `apply_remote_plan` has the files read and retires those that are
gone. `sync_remote` runs them in this order.
"""
