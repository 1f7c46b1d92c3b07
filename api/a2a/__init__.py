"""The Agent2Agent protocol (a2a-protocol.org): each plugin as an agent, by JSON-RPC, in the revisions 1.0 and 0.3.

All code here uses the types of 1.0; `revision_03` translates requests and responses. No library of the protocol is
used: it brings its own server, task store and protobuf, of which only these types would be needed.
"""
