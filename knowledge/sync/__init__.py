"""Syncs a knowledge base with a folder of notes or a list of web addresses.

`runner.run_sync` starts a sync. The folder is the truth: what is new is added, what differs is replaced, what vanished
leaves the current revision (releases keep it), and nothing that did not change is read or embedded again.
"""
