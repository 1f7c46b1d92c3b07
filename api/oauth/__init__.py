"""The authorization server's addresses: how a program signs in for a person (OAuth 2.1, as MCP asks for it).

The protocol is django-oauth-toolkit's. Here is what it leaves to us: who may register, what a person is asked, and
what a token is for. What a client may do then is decided in `accounts.authorized_clients`.
"""
