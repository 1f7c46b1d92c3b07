"""The door for agents that speak the Model Context Protocol: at `/mcp`, and on stdio by `manage.py mcp`.

Nothing is imported here: the library is only loaded where the protocol is spoken (`http` and `stdio`).
"""
