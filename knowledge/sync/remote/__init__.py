"""Sources that are fetched from elsewhere: web sites, feeds, Git repositories and buckets.

Each kind lists what is there and fetches what differs from the manifest (`listing`); `compare` says what that changes,
and what is not believed; `write` has it read, and retires what is gone. `sync_remote` runs them in this order.
"""
