"""The Agent2Agent protocol (a2a-protocol.org): each plugin as an agent, by JSON-RPC, in the revisions 1.0 and 0.3.

Everything here is written in the shapes of 1.0; `revision_03` translates at the door. There is no library of the
protocol behind it: that brings its own server, store of tasks and protobuf, and what is left is these shapes.
"""
