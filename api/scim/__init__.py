"""SCIM 2.0 (RFC 7643, RFC 7644): the directory of an organisation says who is in it, with a token of its own."""
