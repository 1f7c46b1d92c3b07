"""The API for agents that speak the Model Context Protocol: at `/mcp`, and on stdio by `manage.py mcp`.

This module imports nothing: the library of the protocol is slow to load, so only `http` and `stdio` load it.
"""
